import pytest

from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.tokens import MemoryTokens
from adapters.outbound.postgres.tokens import PostgresTokens
from adapters.testkit.tokens import TokensContract
from application.ports.tokens import Tokens
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Tokens], ...] = (MemoryTokens, PostgresTokens)  # mypy holds them against the port


class TestMemoryTokens(TokensContract):
    @pytest.fixture
    def tokens(self) -> MemoryTokens:
        return MemoryTokens(MemoryStore())


class TestPostgresTokens(TokensContract):
    @pytest.fixture
    def tokens(self, open_database: OpenDatabase) -> PostgresTokens:
        return PostgresTokens(open_database())
