"""A desk at which one calendar is read again and again, over memory or PostgreSQL."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import frozen

from adapters.inbound.ics.importing import import_file
from adapters.inbound.ics.report import Report
from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from application.calendar import Calendar
from application.ports.imports import Imports
from application.ports.ledger import Ledger
from tests.adapters.ics_files import NOW, at, options, vcalendar, vevent

TEAM = ("X-WR-CALNAME:Team",)
UNTIL = NOW + timedelta(days=400)
STORES = ("memory", "postgres")


@frozen
class Desk:
    folder: Path
    ledger: Ledger
    imports: Imports
    clock: SettableClock
    ids: CountedIds

    @property
    def calendar(self) -> Calendar:
        return Calendar(self.ledger, self.clock, self.ids)

    def read(
        self,
        *components: Sequence[str],
        also: Sequence[str] = TEAM,
        name: str = "a.ics",
        **differently: object,
    ) -> Report:
        file = self.folder / name
        file.write_bytes(vcalendar(*components, also=also))
        asked = options(now=self.clock.now(), **differently)
        return import_file(file, self.calendar, self.imports, asked)

    def pending(self) -> list[str]:
        """When what is Pending is due."""
        return [at(row.reminder.due_at) for row in self.ledger.upcoming(UNTIL, 1000).rows]


@contextmanager
def opened_desk(store: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Desk]:
    """Over a store of this kind, without any rows."""
    clock, ids = SettableClock(NOW), CountedIds()
    if store == "memory":
        memory = MemoryStore()
        yield Desk(folder, MemoryLedger(memory), MemoryImports(memory), clock, ids)
        return
    with closing(Database(request.getfixturevalue("postgres_url"))) as database:
        yield Desk(folder, PostgresLedger(database), PostgresImports(database), clock, ids)


def single(uid: str, day: int = 10, *lines: str, hour: int = 8) -> list[str]:
    start = f"DTSTART:202609{day:02d}T{hour:02d}0000Z"
    return vevent(uid, start, "DURATION:PT1H", f"SUMMARY:About {day}", *lines)
