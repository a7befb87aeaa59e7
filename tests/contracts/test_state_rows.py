from datetime import timedelta

import psycopg
import pytest

from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.state_rows import MemoryStateRows
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.auditing.state_rows import PostgresStateRows
from adapters.outbound.postgres.database import Patience
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.testkit.state_rows import StateRowsContract
from application.ports.state_rows import StateRows
from tests.contracts.conftest import OpenDatabase

_: tuple[type[StateRows], ...] = (MemoryStateRows, PostgresStateRows)  # mypy holds them against the port

IMPATIENCE = timedelta(seconds=0.2)


class TestMemoryStateRows(StateRowsContract):
    @pytest.fixture(autouse=True)
    def _store(self) -> None:
        self.store = MemoryStore()

    @pytest.fixture
    def state_rows(self) -> MemoryStateRows:
        return MemoryStateRows(self.store)

    @pytest.fixture
    def impatient(self) -> MemoryStateRows:
        return MemoryStateRows(self.store, IMPATIENCE)

    @pytest.fixture
    def ledger(self) -> MemoryLedger:
        return MemoryLedger(self.store)

    @pytest.fixture
    def touches(self) -> MemoryTouches:
        return MemoryTouches(self.store)

    def lose_all(self) -> None:
        self.store.events.clear()
        self.store.reminders.clear()
        self.store.touches.clear()
        self.store.plans.clear()


class TestPostgresStateRows(StateRowsContract):
    @pytest.fixture(autouse=True)
    def _outsider(self, outsider: psycopg.Connection) -> None:
        self.outsider = outsider

    @pytest.fixture
    def state_rows(self, open_database: OpenDatabase) -> PostgresStateRows:
        return PostgresStateRows(open_database())

    @pytest.fixture
    def impatient(self, open_database: OpenDatabase) -> PostgresStateRows:
        return PostgresStateRows(open_database(Patience(lock=IMPATIENCE)))

    @pytest.fixture
    def ledger(self, open_database: OpenDatabase) -> PostgresLedger:
        return PostgresLedger(open_database())

    @pytest.fixture
    def touches(self, open_database: OpenDatabase) -> PostgresTouches:
        return PostgresTouches(open_database())

    def lose_all(self) -> None:
        self.outsider.execute(
            "truncate tickler.calendar_events, tickler.event_reminders, tickler.deferred_touches,"
            " tickler.touch_plans"
        )
