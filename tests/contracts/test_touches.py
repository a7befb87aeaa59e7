import pytest

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.testkit.touches.contract import TouchesContract
from application.ports.touches import Touches
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Touches], ...] = (MemoryTouches, PostgresTouches)  # mypy holds them against the port


class TestMemoryTouches(TouchesContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def touches(self, store: MemoryStore) -> MemoryTouches:
        return MemoryTouches(store)

    @pytest.fixture
    def deliveries(self, store: MemoryStore) -> MemoryDeliveries:
        return MemoryDeliveries(store)

    @pytest.fixture
    def people(self, store: MemoryStore) -> MemoryPeople:
        return MemoryPeople(store)


class TestPostgresTouches(TouchesContract):
    @pytest.fixture
    def database(self, open_database: OpenDatabase) -> Database:
        return open_database()

    @pytest.fixture
    def touches(self, database: Database) -> PostgresTouches:
        return PostgresTouches(database)

    @pytest.fixture
    def deliveries(self, database: Database) -> PostgresDeliveries:
        return PostgresDeliveries(database)

    @pytest.fixture
    def people(self, database: Database) -> PostgresPeople:
        return PostgresPeople(database)
