import psycopg
import pytest

from adapters.outbound.memory.books import MemoryBooks
from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore, Spoilt
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.auditing.books import PostgresBooks
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.testkit.books import BooksContract
from application.ports.auditing import Books
from domain.values import EventId, ReminderId
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Books], ...] = (MemoryBooks, PostgresBooks)  # mypy holds them against the port


class TestMemoryBooks(BooksContract):
    @pytest.fixture(autouse=True)
    def _store(self) -> None:
        self.store = MemoryStore()

    @pytest.fixture
    def books(self) -> MemoryBooks:
        return MemoryBooks(self.store)

    @pytest.fixture
    def ledger(self) -> MemoryLedger:
        return MemoryLedger(self.store)

    @pytest.fixture
    def deliveries(self) -> MemoryDeliveries:
        return MemoryDeliveries(self.store)

    @pytest.fixture
    def touches(self) -> MemoryTouches:
        return MemoryTouches(self.store)

    @pytest.fixture
    def people(self) -> MemoryPeople:
        return MemoryPeople(self.store)

    def lose_people(self) -> None:
        self.store.persons.clear()

    def spoil_event(self, event_id: EventId) -> None:
        self.store.spoil(event_id, Spoilt.UNREADABLE)

    def lose(self, row: EventId | ReminderId) -> None:
        self.store.events.pop(EventId(row), None)
        self.store.reminders.pop(ReminderId(row), None)


class TestPostgresBooks(BooksContract):
    @pytest.fixture(autouse=True)
    def _outsider(self, outsider: psycopg.Connection) -> None:
        self.outsider = outsider

    @pytest.fixture
    def database(self, open_database: OpenDatabase) -> Database:
        return open_database()

    @pytest.fixture
    def books(self, database: Database) -> PostgresBooks:
        return PostgresBooks(database)

    @pytest.fixture
    def ledger(self, database: Database) -> PostgresLedger:
        return PostgresLedger(database)

    @pytest.fixture
    def deliveries(self, database: Database) -> PostgresDeliveries:
        return PostgresDeliveries(database)

    @pytest.fixture
    def touches(self, database: Database) -> PostgresTouches:
        return PostgresTouches(database)

    @pytest.fixture
    def people(self, database: Database) -> PostgresPeople:
        return PostgresPeople(database)

    def lose_people(self) -> None:
        self.outsider.execute("set session_replication_role = replica")
        self.outsider.execute("delete from tickler.people")

    def spoil_event(self, event_id: EventId) -> None:
        self.outsider.execute("update tickler.calendar_events set kind = 'party' where id = %s", (event_id,))

    def lose(self, row: EventId | ReminderId) -> None:
        self.outsider.execute("delete from tickler.calendar_events where id = %s", (row,))
        self.outsider.execute("delete from tickler.event_reminders where id = %s", (row,))
