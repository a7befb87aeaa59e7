"""What a suite over a whole store needs beside the adapter that it is about, over one and the same store.

To be named before the contract, whose fixtures they give.
"""

import pytest

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.touches.store import PostgresTouches
from tests.contracts.conftest import OpenDatabase


class InMemory:
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

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


class InPostgres:
    @pytest.fixture
    def database(self, open_database: OpenDatabase) -> Database:
        return open_database()

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
