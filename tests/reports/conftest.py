from collections.abc import Iterator
from contextlib import closing

import pytest

from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from tests.reports.desks import Desk, utc

EARLY = utc("2020-01-01 00:00")


@pytest.fixture
def desk() -> Desk:
    """Over memory."""
    store = MemoryStore()
    clock, ids = SettableClock(EARLY), CountedIds()
    return Desk(MemoryLedger(store), MemoryOutbox(store), MemoryImports(store), clock, ids)


@pytest.fixture
def server_desk(postgres_url: str) -> Iterator[Desk]:
    """Over PostgreSQL, for what is about locks."""
    clock, ids = SettableClock(EARLY), CountedIds()
    with closing(Database(postgres_url)) as database:
        ledger, outbox = PostgresLedger(database), PostgresOutbox(database)
        yield Desk(ledger, outbox, PostgresImports(database), clock, ids)
