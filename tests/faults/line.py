"""The whole line, from a due reminder to its message, each of its loops a process of its own.

dispatch, relay, consume and deliver are `tickler run --only …` over one database and one real Kafka.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import LiteralString

import psycopg
from attrs import define, field, frozen
from psycopg.conninfo import make_conninfo

from application.dispatching import TOPIC
from tests.kafka.reading import records

LOOPS = ("dispatch", "relay", "consume", "deliver")

PROGRESS = """
select (select count(*) from tickler.event_reminders where status <> 'Pending'),
       (select count(*) from tickler.outbox where published_at is not null),
       (select count(*) from tickler.inbox),
       (select count(*) from tickler.deliveries where status not in ('Pending', 'Sending'))
"""
WRONG_DELIVERIES = """
select coalesce(d.id, i.reminder_id)
  from tickler.inbox i full join tickler.deliveries d on d.about_id = i.reminder_id
 where d.status is distinct from 'Delivered' or d.attempts <> 1 or i.reminder_id is null
union all
select about_id from tickler.deliveries group by about_id having count(*) > 1
"""
# As if they had waited for it: who holds the claims is dead.
END_LEASES = "update tickler.outbox set claimed_until = now() where published_at is null"


@define
class Worker:
    """One process of the line; what it says is in `folder`."""

    loop: str
    environment: Mapping[str, str]
    folder: Path
    kills: int = 0
    _process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    def start(self) -> None:
        with self.output.open("ab") as said, self.log.open("ab") as told:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "adapters", "run", "--only", self.loop, "--json"],
                env=self.environment,
                stdout=said,
                stderr=told,
            )

    def kill(self) -> None:
        """kill -9, and it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self.kills += 1

    @property
    def has_ended(self) -> bool:
        """By itself, that is."""
        return self._process is not None and self._process.poll() is not None

    @property
    def rss_mib(self) -> float:
        """Its resident memory."""
        assert self._process is not None
        said = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(self._process.pid)], capture_output=True, text=True
        )
        return int(said.stdout) / 1024

    @property
    def output(self) -> Path:
        return self.folder / f"{self.loop}.out"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.loop}.log"


@frozen
class Progress:
    """How many reminders are over, messages published, taken in and delivered."""

    dispatch: int
    relay: int
    consume: int
    deliver: int


@frozen
class Line:
    conninfo: str
    bootstrap: str
    workers: Mapping[str, Worker]
    _connection: psycopg.Connection

    def progress(self) -> Progress:
        row = self._connection.execute(PROGRESS).fetchone()
        assert row is not None
        return Progress(*row)

    def ids(self, table: LiteralString, column: LiteralString) -> set[str]:
        found = self._connection.execute(f"select {column} from tickler.{table}").fetchall()
        return {str(row[0]) for row in found}

    def topic_ids(self) -> list[str]:
        """The reminder of each record on the topic, repetitions and all."""
        return [json.loads(one.value or b"{}")["reminderId"] for one in records(self.bootstrap, TOPIC)]

    def printed_ids(self) -> list[str]:
        """The delivery of each message that the console was given."""
        lines = map(json.loads, self.workers["deliver"].output.read_text().splitlines())
        return [line["deliveryId"] for line in lines if "deliveryId" in line]

    def wrong_deliveries(self) -> list[str]:
        """What is not one reminder of the inbox with one delivery that went at the first attempt."""
        return [str(row[0]) for row in self._connection.execute(WRONG_DELIVERIES).fetchall()]

    def end_leases(self) -> None:
        """Let what a killed relay held be taken at once; else it waits a minute for it."""
        self._connection.execute(END_LEASES)

    def ended(self) -> list[str]:
        """The processes that have ended by themselves."""
        return [worker.loop for worker in self.workers.values() if worker.has_ended]

    def memory_mib(self) -> dict[str, float]:
        """The resident memory of each process."""
        return {name: worker.rss_mib for name, worker in self.workers.items()}

    def last_words(self) -> str:
        said = {name: worker.log.read_text().splitlines()[-3:] for name, worker in self.workers.items()}
        return json.dumps(said, indent=1)


@contextmanager
def line(conninfo: str, bootstrap: str, folder: Path) -> Iterator[Line]:
    """A running one, killed when the block ends."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TICKLER_")} | {
        "TICKLER_HOME": str(folder / "home"),
        "TICKLER_DATABASE_URL": make_conninfo(conninfo, connect_timeout=30),
        "TICKLER_KAFKA_BOOTSTRAP_SERVERS": bootstrap,
        "TICKLER_DISPATCH_INTERVAL": "0.2",
        "TICKLER_DISPATCH_BATCH_SIZE": "100",
        "TICKLER_RELAY_INTERVAL": "0.1",
        "TICKLER_DELIVERY_INTERVAL": "0.2",
        "TICKLER_LOG_FORMAT": "json",
    }
    workers = {loop: Worker(loop, environment, folder) for loop in LOOPS}
    with ExitStack() as ending, psycopg.connect(conninfo, autocommit=True) as connection:
        for worker in workers.values():
            ending.callback(worker.kill)
            worker.start()
        yield Line(conninfo, bootstrap, workers, connection)
