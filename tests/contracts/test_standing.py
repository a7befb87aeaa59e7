import pytest

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.standing import MemoryStanding
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.standing import PostgresStanding
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.testkit.standing import StandingContract
from application.ports.standing import Watched
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Watched], ...] = (MemoryStanding, PostgresStanding)  # mypy holds them against the port


class TestMemoryStanding(StandingContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def watched(self, store: MemoryStore) -> MemoryStanding:
        return MemoryStanding(store)

    @pytest.fixture
    def counting_to_two(self, store: MemoryStore) -> MemoryStanding:
        return MemoryStanding(store, most=2)

    @pytest.fixture
    def ledger(self, store: MemoryStore) -> MemoryLedger:
        return MemoryLedger(store)

    @pytest.fixture
    def outbox(self, store: MemoryStore) -> MemoryOutbox:
        return MemoryOutbox(store)

    @pytest.fixture
    def deliveries(self, store: MemoryStore) -> MemoryDeliveries:
        return MemoryDeliveries(store)

    @pytest.fixture
    def touches(self, store: MemoryStore) -> MemoryTouches:
        return MemoryTouches(store)


class TestPostgresStanding(StandingContract):
    @pytest.fixture
    def database(self, open_database: OpenDatabase) -> Database:
        return open_database()

    @pytest.fixture
    def watched(self, database: Database) -> PostgresStanding:
        return PostgresStanding(database)

    @pytest.fixture
    def counting_to_two(self, database: Database) -> PostgresStanding:
        return PostgresStanding(database, most=2)

    @pytest.fixture
    def ledger(self, database: Database) -> PostgresLedger:
        return PostgresLedger(database)

    @pytest.fixture
    def outbox(self, database: Database) -> PostgresOutbox:
        return PostgresOutbox(database)

    @pytest.fixture
    def deliveries(self, database: Database) -> PostgresDeliveries:
        return PostgresDeliveries(database)

    @pytest.fixture
    def touches(self, database: Database) -> PostgresTouches:
        return PostgresTouches(database)
