"""What comes after the dispatch cycle, over the adapters of production."""

from collections.abc import Sequence
from contextlib import closing
from time import perf_counter

from attrs import field, frozen

from adapters.inbound.heap import tune_collector
from adapters.inbound.kafka.consumer import ConsumeStep
from adapters.kafka_options import consumer_options, producer_options
from adapters.observability.logging import configure_logging
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.outbound.system import UuidIds
from adapters.settings import LogFormat, LogLevel, Settings
from application.dispatching import TOPIC
from application.notifying import Notifying
from application.receiving import Receiving
from application.relaying import Relay
from domain.policies import ReminderDueEvent

STUCK_S = 120.0


def relay(conninfo: str, bootstrap: str) -> tuple[int, float]:
    """Publish the whole outbox; how many messages, in how many seconds."""
    with (
        closing(Database(conninfo)) as database,
        closing(KafkaPublisher(producer_options(Settings(kafka_bootstrap_servers=bootstrap)))) as publisher,
    ):
        clock = PostgresClock(database)
        relay = Relay(PostgresOutbox(database), publisher, clock, "relay")
        tune_collector()
        clock.now()  # connected before the clock runs, as the dispatch cycle is
        began = perf_counter()
        published = 0
        while (result := relay.batch()).claimed:
            published += result.published
        return published, perf_counter() - began


def consume(conninfo: str, bootstrap: str, messages: int) -> tuple[int, float]:
    """Take so many messages in; how many were new, in how many seconds since the first were read.

    Joining the group is left out: it takes as long for one message as for all.
    """
    configure_logging(LogLevel.WARNING, LogFormat.TEXT)
    with closing(Database(conninfo)) as database:
        clock = PostgresClock(database)
        notifying = Timed(PostgresDeliveries(database), PostgresPeople(database), clock, UuidIds())
        options = consumer_options(Settings(kafka_bootstrap_servers=bootstrap))
        step = ConsumeStep(Receiving(notifying), PostgresQuarantine(database), clock, TOPIC, options)
        tune_collector()
        clock.now()
        with closing(step):
            while len(notifying.answers) < messages:
                step()
                if perf_counter() - notifying.times[-1] > STUCK_S:
                    break
        return sum(notifying.answers), notifying.times[-1] - notifying.times[1]


@frozen
class Timed(Notifying):
    """What was answered of each message, and when: at the making, at the first batch, after each."""

    answers: list[bool] = field(factory=list)
    times: list[float] = field(factory=lambda: [perf_counter()])

    def receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[bool]:
        if len(self.times) == 1:
            self.times.append(perf_counter())
        answers = super().receive(due)
        self.answers.extend(answers)
        self.times.append(perf_counter())
        return answers
