import pytest

from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.testkit.imports import ImportsContract
from application.ports.imports import Imports
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Imports], ...] = (MemoryImports, PostgresImports)  # mypy holds them against the port


class TestMemoryImports(ImportsContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def imports(self, store: MemoryStore) -> MemoryImports:
        return MemoryImports(store)

    @pytest.fixture
    def ledger(self, store: MemoryStore) -> MemoryLedger:
        return MemoryLedger(store)


class TestPostgresImports(ImportsContract):
    @pytest.fixture
    def database(self, open_database: OpenDatabase) -> Database:
        return open_database()

    @pytest.fixture
    def imports(self, database: Database) -> PostgresImports:
        return PostgresImports(database)

    @pytest.fixture
    def ledger(self, database: Database) -> PostgresLedger:
        return PostgresLedger(database)
