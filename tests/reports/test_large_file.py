"""R46: 10,000 events arrive whole, in bounded memory, while other tenants' reminders leave on time."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from attrs import frozen

from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.people import PostgresPeople
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from application.ports.people import Person, Tenant
from tests.adapters.ics_files import vcalendar, vevent
from tests.reports.desks import OTHER_TENANT, OWNER, TENANT, Desk, told

DAY = timedelta(days=1)
# How long a tick may take on a busy machine; a tick that had to wait for the import would take all of it.
TICK_S = 10.0


@frozen
class Imported:
    """`shown` is what a terminal got, `peak_mb` the memory of the import at most; `ticks` are seconds."""

    report: dict[str, Any]
    shown: str
    peak_mb: float
    seconds: float
    ticks: list[float]


def large_file(now: datetime, events: int) -> bytes:
    """Of ten events one is a series that recurs each week within the horizon, twelve times.

    Nothing of it is due for the first ten days: so many minutes may pass while it is read.
    """
    components = []
    for number in range(events):
        start = now + 10 * DAY + timedelta(minutes=number % 1440)
        lines = [f"DTSTART:{start:%Y%m%dT%H%M00Z}", "DURATION:PT30M", f"SUMMARY:Event {number}"]
        if number % 10 == 0:
            lines.append("RRULE:FREQ=WEEKLY;COUNT=12")
        components.append(vevent(f"event-{number}", *lines, alarms=[["TRIGGER:-PT15M"]]))
    return vcalendar(*components)


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    with closing(Database(postgres_url)) as opened:
        yield opened


def peak_of(pid: int) -> float:
    """The most memory of this process so far, in MiB; getrusage would count what forked it too."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def imported_beside_ticks(database: Database, url: str, folder: Path, events: int) -> Imported:
    """`tickler import` in a process of its own; here, meanwhile, one reminder of another tenant a tick."""
    now = PostgresClock(database).now().replace(second=0, microsecond=0)
    people = PostgresPeople(database)
    people.add_tenant(Tenant(TENANT, "acme"))
    people.add_person(Person(OWNER, TENANT, "anna"))
    clock = SettableClock(now)
    desk = Desk(
        PostgresLedger(database), PostgresOutbox(database), PostgresImports(database), clock, CountedIds()
    )
    file = folder / "large.ics"
    terminal, its_end = pty.openpty()
    os.set_blocking(terminal, False)
    shown = b""
    file.write_bytes(large_file(now, events))
    command = ["import", str(file), "--tenant", "acme", "--owner", "anna", "--zone", "UTC", "--json"]
    began = monotonic()
    with (folder / "report").open("w") as stdout:
        process = subprocess.Popen(
            [sys.executable, "-m", "adapters", *command],
            env={**os.environ, "TICKLER_DATABASE_URL": url, "TERM": "xterm", "COLUMNS": "120"},
            stdout=stdout,
            stderr=its_end,
        )
        ticks = []
        pause, peak_mb = threading.Event(), 0.0
        while process.poll() is None:
            due = clock.now().replace(second=0) + timedelta(minutes=1)
            desk.plan(told(due), "start-0m", tenant=OTHER_TENANT)
            started = monotonic()
            assert desk.tick(due + timedelta(seconds=1)) == [due]
            ticks.append(monotonic() - started)
            pause.wait(0.05)  # leave the processor to the import for the most part
            peak_mb = max(peak_mb, peak_of(process.pid))
            with suppress(BlockingIOError):
                while some := os.read(terminal, 65536):
                    shown += some
    seconds = monotonic() - began
    os.close(its_end)
    os.close(terminal)
    assert process.returncode == 0, shown.decode()
    report = json.loads((folder / "report").read_text())
    return Imported(report, shown.decode(), peak_mb, seconds, ticks)


def check(found: Imported, events: int, most_mb: float) -> None:
    occurrences = events - events // 10 + 12 * (events // 10)
    counts = found.report["counts"]
    assert (counts["eventsNew"], counts["remindersMade"]) == (occurrences, occurrences)
    assert found.report["refused"] == []
    assert f"{occurrences}/{occurrences}" in found.shown
    assert 10 < found.peak_mb < most_mb
    assert len(found.ticks) >= 10
    assert max(found.ticks) < TICK_S


def test_r46_a_file_of_1000_events_arrives_while_others_reminders_leave_on_time(
    database: Database, postgres_url: str, tmp_path: Path
) -> None:
    check(imported_beside_ticks(database, postgres_url, tmp_path, 1_000), 1_000, most_mb=250)


@pytest.mark.prove
def test_r46_a_file_of_10000_events_arrives_while_others_reminders_leave_on_time(
    database: Database, postgres_url: str, tmp_path: Path
) -> None:
    found = imported_beside_ticks(database, postgres_url, tmp_path, 10_000)
    print(
        f"{found.seconds:.0f} s, {found.peak_mb:.0f} MB, {len(found.ticks)} ticks, {max(found.ticks):.2f} s"
    )
    check(found, 10_000, most_mb=500)
