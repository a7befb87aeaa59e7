import psycopg
import pytest

from adapters.outbound.memory.books import MemoryBooks
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore, Spoilt
from adapters.outbound.postgres.auditing.books import PostgresBooks
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.people import PostgresPeople
from adapters.testkit.books import BooksContract
from application.ports.auditing import Books
from domain.values import EventId, ReminderId
from tests.contracts.stores import InMemory, InPostgres

_: tuple[type[Books], ...] = (MemoryBooks, PostgresBooks)  # mypy holds them against the port


class TestMemoryBooks(InMemory, BooksContract):
    @pytest.fixture(autouse=True)
    def _kept(self, store: MemoryStore) -> None:
        self.kept = store

    @pytest.fixture
    def books(self) -> MemoryBooks:
        return MemoryBooks(self.kept)

    @pytest.fixture
    def people(self) -> MemoryPeople:
        return MemoryPeople(self.kept)

    def lose_people(self) -> None:
        self.kept.persons.clear()

    def spoil_event(self, event_id: EventId) -> None:
        self.kept.spoil(event_id, Spoilt.UNREADABLE)

    def lose(self, row: EventId | ReminderId) -> None:
        self.kept.events.pop(EventId(row), None)
        self.kept.reminders.pop(ReminderId(row), None)


class TestPostgresBooks(InPostgres, BooksContract):
    @pytest.fixture(autouse=True)
    def _outsider(self, outsider: psycopg.Connection) -> None:
        self.outsider = outsider

    @pytest.fixture
    def books(self, database: Database) -> PostgresBooks:
        return PostgresBooks(database)

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
