import pytest

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.pruning import MemoryPrunable
from adapters.outbound.memory.quarantine import MemoryQuarantine
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.tokens import MemoryTokens
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.pruning import PostgresPrunable
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.outbound.postgres.tokens import PostgresTokens
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.testkit.pruning import PrunableContract
from application.ports.pruning import Prunable
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Prunable], ...] = (MemoryPrunable, PostgresPrunable)  # mypy holds them against the port


class TestMemoryPrunable(PrunableContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def prunable(self, store: MemoryStore) -> MemoryPrunable:
        return MemoryPrunable(store)

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

    @pytest.fixture
    def tokens(self, store: MemoryStore) -> MemoryTokens:
        return MemoryTokens(store)

    @pytest.fixture
    def quarantine(self, store: MemoryStore) -> MemoryQuarantine:
        return MemoryQuarantine(store)


class TestPostgresPrunable(PrunableContract):
    @pytest.fixture
    def database(self, open_database: OpenDatabase) -> Database:
        return open_database()

    @pytest.fixture
    def prunable(self, database: Database) -> PostgresPrunable:
        return PostgresPrunable(database)

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

    @pytest.fixture
    def tokens(self, database: Database) -> PostgresTokens:
        return PostgresTokens(database)

    @pytest.fixture
    def quarantine(self, database: Database) -> PostgresQuarantine:
        return PostgresQuarantine(database)
