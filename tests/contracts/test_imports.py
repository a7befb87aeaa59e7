import pytest

from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.imports import PostgresImports
from adapters.testkit.imports import ImportsContract
from application.ports.imports import Imports
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Imports], ...] = (MemoryImports, PostgresImports)  # mypy holds them against the port


class TestMemoryImports(ImportsContract):
    @pytest.fixture
    def imports(self) -> MemoryImports:
        return MemoryImports(MemoryStore())


class TestPostgresImports(ImportsContract):
    @pytest.fixture
    def imports(self, open_database: OpenDatabase) -> PostgresImports:
        return PostgresImports(open_database())
