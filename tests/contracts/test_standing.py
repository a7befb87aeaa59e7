import pytest

from adapters.outbound.memory.standing import MemoryStanding
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.standing import PostgresStanding
from adapters.testkit.standing import StandingContract
from application.ports.standing import Watched
from tests.contracts.stores import InMemory, InPostgres

_: tuple[type[Watched], ...] = (MemoryStanding, PostgresStanding)  # mypy holds them against the port


class TestMemoryStanding(InMemory, StandingContract):
    @pytest.fixture
    def watched(self, store: MemoryStore) -> MemoryStanding:
        return MemoryStanding(store)

    @pytest.fixture
    def counting_to_two(self, store: MemoryStore) -> MemoryStanding:
        return MemoryStanding(store, most=2)


class TestPostgresStanding(InPostgres, StandingContract):
    @pytest.fixture
    def watched(self, database: Database) -> PostgresStanding:
        return PostgresStanding(database)

    @pytest.fixture
    def counting_to_two(self, database: Database) -> PostgresStanding:
        return PostgresStanding(database, most=2)
