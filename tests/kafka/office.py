"""A topic, who writes to it, and the consumers that read it into one memory store."""

from collections.abc import Callable, Iterable, Sequence
from threading import Event
from time import monotonic
from typing import Any
from uuid import uuid4

from attrs import define, field
from confluent_kafka import Consumer, Producer, TopicPartition

from adapters.codec import encode_due
from adapters.inbound.kafka.consumer import ConsumeStep
from adapters.inbound.loops import Hindered
from adapters.kafka_options import consumer_options, producer_options
from adapters.outbound.memory.quarantine import MemoryQuarantine
from adapters.settings import Settings
from application.notifying import Notifying
from application.ports.quarantine import Quarantined
from application.receiving import Receiving
from domain.policies import ReminderDueEvent
from tests.application.world import World

PATIENCE_S = 60.0
Raw = tuple[bytes | None, bytes | None]


def new_name(of: str) -> str:
    return f"{of}-{uuid4().hex[:12]}"


@define
class Reading:
    """Consumers of one topic over one store; each test has its own topic and group."""

    bootstrap: str
    topic: str
    options: dict[str, Any] = field(factory=dict)
    group: str = field(factory=lambda: new_name("group"))
    world: World = field(factory=World)

    def consumer(self, notifying: Notifying | None = None, **more: Any) -> ConsumeStep:
        options: dict[str, Any] = self.options | more.pop("options", {})
        return ConsumeStep(
            Receiving(notifying or self.world.notifying),
            more.pop("quarantine", None) or MemoryQuarantine(self.world.store),
            self.world.clock,
            self.topic,
            consumer_options(self._settings) | {"group.id": self.group} | options,
            **more,
        )

    @property
    def _settings(self) -> Settings:
        return Settings(kafka_bootstrap_servers=self.bootstrap)

    def write(self, records: Iterable[ReminderDueEvent | bytes | Raw | None], partition: int = -1) -> None:
        """Due reminders under their key, and whatever else as it is; they are there when it returns."""
        producer = Producer(producer_options(self._settings) | {"message.max.bytes": 4_000_000})
        for record in records:
            key, value = _raw(record)
            producer.produce(self.topic, value, key, partition=partition)
            producer.poll(0)
        assert producer.flush(PATIENCE_S) == 0

    def committed(self, partitions: int) -> list[int]:
        """The offsets of the group, partition by partition; -1001 where there is none."""
        consumer = Consumer(consumer_options(self._settings) | {"group.id": self.group})
        wanted = [TopicPartition(self.topic, number) for number in range(partitions)]
        try:
            return [one.offset for one in consumer.committed(wanted, timeout=PATIENCE_S)]
        finally:
            consumer.close()

    @property
    def inbox(self) -> set[int]:
        """The numbers of the reminders that were taken in."""
        return {one.int for one in self.world.store.inbox}

    @property
    def quarantine(self) -> Sequence[Quarantined]:
        return MemoryQuarantine(self.world.store).latest(1_000)


def step_until(is_so: Callable[[], bool], *steps: ConsumeStep) -> list[str]:
    """Turn by turn, until it is so; why they were hindered meanwhile, each reason once."""
    hindered: dict[str, None] = {}
    end = monotonic() + PATIENCE_S
    pause = Event()
    while not is_so():
        pause.wait(0 if steps else 0.02)
        assert monotonic() < end, f"it never was so; hindered by {list(hindered)}"
        for step in steps:
            try:
                step()
            except Hindered as problem:
                hindered[str(problem)] = None
    return list(hindered)


def _raw(record: ReminderDueEvent | bytes | Raw | None) -> Raw:
    match record:
        case ReminderDueEvent():
            return str(record.event_id).encode(), encode_due(record)
        case tuple():
            return record
        case _:
            return b"key", record
