"""A consumer as a process: `python -m tests.kafka.consuming CONNINFO BOOTSTRAP TOPIC GROUP [DEATH]`.

With DEATH it kills itself right after that many commits, before it could store the offsets of the last.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from attrs import field, frozen

from adapters.inbound.loops import Hindered
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.outbound.system import SystemClock, UuidIds
from application.notifying import Notifying
from domain.policies import ReminderDueEvent
from tests.kafka.office import Reading

SESSION = {"session.timeout.ms": 6_000, "heartbeat.interval.ms": 200}
BATCH_SIZE = 20


@frozen
class Counting(Notifying):
    """The notifications over PostgreSQL, the numbers of what they took in, and a death after some commits."""

    death: int | None = None
    batches: list[list[int]] = field(factory=list)

    @classmethod
    def over(cls, database: Database, death: int | None = None) -> "Counting":
        deliveries, people = PostgresDeliveries(database), PostgresPeople(database)
        return cls(deliveries, people, SystemClock(), UuidIds(), death)

    def receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[bool]:
        answers = super().receive(due)
        self.batches.append([one.reminder_id.int for one in due])
        if len(self.batches) == self.death:
            os.kill(os.getpid(), signal.SIGKILL)
        return answers


@contextmanager
def process(conninfo: str, reading: Reading, death: int | None = None) -> "Iterator[subprocess.Popen[bytes]]":
    """Such a process, killed when the block ends."""
    arguments = [conninfo, reading.bootstrap, reading.topic, reading.group, *([str(death)] if death else [])]
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.kafka.consuming", *arguments], stdout=subprocess.DEVNULL
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def main(conninfo: str, bootstrap: str, topic: str, group: str, death: str | None = None) -> None:
    database = Database(conninfo)
    reading = Reading(bootstrap, topic, SESSION, group)
    notifying = Counting.over(database, int(death) if death else None)
    step = reading.consumer(notifying, quarantine=PostgresQuarantine(database), batch_size=BATCH_SIZE)
    while True:
        with suppress(Hindered):
            step()


if __name__ == "__main__":
    main(*sys.argv[1:])
