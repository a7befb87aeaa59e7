import pytest

from adapters.outbound.memory.pruning import MemoryPrunable
from adapters.outbound.memory.quarantine import MemoryQuarantine
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.tokens import MemoryTokens
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.pruning import PostgresPrunable
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.outbound.postgres.tokens import PostgresTokens
from adapters.testkit.pruning import PrunableContract
from application.ports.pruning import Prunable
from tests.contracts.stores import InMemory, InPostgres

_: tuple[type[Prunable], ...] = (MemoryPrunable, PostgresPrunable)  # mypy holds them against the port


class TestMemoryPrunable(InMemory, PrunableContract):
    @pytest.fixture
    def prunable(self, store: MemoryStore) -> MemoryPrunable:
        return MemoryPrunable(store)

    @pytest.fixture
    def tokens(self, store: MemoryStore) -> MemoryTokens:
        return MemoryTokens(store)

    @pytest.fixture
    def quarantine(self, store: MemoryStore) -> MemoryQuarantine:
        return MemoryQuarantine(store)


class TestPostgresPrunable(InPostgres, PrunableContract):
    @pytest.fixture
    def prunable(self, database: Database) -> PostgresPrunable:
        return PostgresPrunable(database)

    @pytest.fixture
    def tokens(self, database: Database) -> PostgresTokens:
        return PostgresTokens(database)

    @pytest.fixture
    def quarantine(self, database: Database) -> PostgresQuarantine:
        return PostgresQuarantine(database)
