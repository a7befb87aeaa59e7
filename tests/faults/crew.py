"""Worker processes that are killed, frozen and woken, and when that was by the database's clock."""

import json
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
from attrs import define, field, frozen

from adapters.testkit.threads import PATIENCE


@frozen
class Claim:
    """Of a touch, the claim of this number."""

    touch_id: str
    claim: int


@define
class Worker:
    process: "subprocess.Popen[str]"
    log: Path
    # When it was killed, or frozen and woken again.
    killed_at: datetime | None = None
    frozen: list[tuple[datetime, datetime | None]] = field(factory=list)

    @property
    def is_frozen(self) -> bool:
        return bool(self.frozen) and self.frozen[-1][1] is None

    def said(self) -> list[dict[str, object]]:
        """Its whole lines; the last one of a process that was killed may be half of one."""
        lines = self.log.read_text("utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    @property
    def name(self) -> str | None:
        """What it calls itself; None while it has not said so yet."""
        return next((str(one["worker"]) for one in self.said() if one["event"] == "ready"), None)

    def refused(self) -> set[Claim]:
        """The writes that were refused it, by the claim that they were of."""
        said = [one for one in self.said() if one.get("outcome") == "refused"]
        assert {one["level"] for one in said} <= {"warning"}
        return {Claim(str(one["TouchId"]), int(str(one["claim"]))) for one in said}


@define
class Crew:
    """So many workers run at any time, those that are frozen among them."""

    conninfo: str
    folder: Path
    lease: timedelta
    work: timedelta
    database: "psycopg.Connection[tuple[Any, ...]]"
    workers: list[Worker] = field(factory=list)
    chance: random.Random = field(factory=lambda: random.Random(5))

    def add(self) -> None:
        out = self.folder / f"{len(self.workers) + 1}.log"
        command = [sys.executable, "-m", "tests.faults.toucher", self.conninfo]
        timing = ["--lease", str(self.lease.total_seconds()), "--work", str(self.work.total_seconds())]
        with out.open("w") as said:
            process = subprocess.Popen([*command, *timing], stdout=said, text=True)
        self.workers.append(Worker(process, out))

    def now(self) -> datetime:
        ((now,),) = self.database.execute("select clock_timestamp()").fetchall()
        assert isinstance(now, datetime)
        return now

    def left(self) -> int:
        """How many touches are still to be answered."""
        waiting = "select count(*) from tickler.deferred_touches where status in ('Pending', 'InProgress')"
        ((count,),) = self.database.execute(waiting).fetchall()
        return int(count)

    def at_work(self) -> list[Worker]:
        """Those that have touches in their hands, and are neither killed nor frozen."""
        busy = "select distinct worker from tickler.deferred_touches where status = 'InProgress'"
        names = {row[0] for row in self.database.execute(busy).fetchall()}
        running = [one for one in self.workers if one.killed_at is None and not one.is_frozen]
        return [one for one in running if one.name in names]

    def kill_one(self) -> None:
        worker = self.chance.choice(self.at_work())
        worker.killed_at = self.now()
        worker.process.kill()
        worker.process.wait(PATIENCE)
        self.add()

    def freeze_one(self) -> Worker:
        worker = self.chance.choice(self.at_work())
        worker.frozen.append((self.now(), None))
        worker.process.send_signal(signal.SIGSTOP)
        return worker

    def wake(self, worker: Worker) -> None:
        began, _ = worker.frozen[-1]
        worker.process.send_signal(signal.SIGCONT)
        worker.frozen[-1] = began, self.now()

    def wake_those_frozen_for(self, long: timedelta) -> None:
        for worker in self.workers:
            if worker.is_frozen and self.now() - worker.frozen[-1][0] >= long:
                self.wake(worker)

    def end(self) -> None:
        """Wake all and let them end in order."""
        alive = [one for one in self.workers if one.killed_at is None]
        for worker in alive:
            if worker.is_frozen:
                self.wake(worker)
        for _ in until(PATIENCE):
            if all(one.name for one in alive):
                break
        for worker in alive:
            worker.process.terminate()
        for worker in alive:
            assert worker.process.wait(PATIENCE) == 0


@contextmanager
def crew(conninfo: str, folder: Path, count: int, lease: timedelta, work: timedelta) -> Iterator[Crew]:
    with psycopg.connect(conninfo, autocommit=True) as database:
        made = Crew(conninfo, folder, lease, work, database)
        try:
            for _ in range(count):
                made.add()
            yield made
        finally:
            for worker in made.workers:
                worker.process.kill()
                worker.process.wait(PATIENCE)


def until(deadline: float) -> Iterator[None]:
    """Come back every tenth of a second; fail after so many seconds."""
    end = monotonic() + deadline
    never = threading.Event()
    while True:
        yield
        assert monotonic() < end, "it did not come to an end in time"
        never.wait(0.1)
