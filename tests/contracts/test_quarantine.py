import pytest

from adapters.outbound.memory.quarantine import MemoryQuarantine
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.testkit.quarantine import QuarantineContract
from application.ports.quarantine import Quarantine
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Quarantine], ...] = (MemoryQuarantine, PostgresQuarantine)  # mypy holds them against the port


class TestMemoryQuarantine(QuarantineContract):
    @pytest.fixture
    def quarantine(self) -> MemoryQuarantine:
        return MemoryQuarantine(MemoryStore())


class TestPostgresQuarantine(QuarantineContract):
    @pytest.fixture
    def quarantine(self, open_database: OpenDatabase) -> PostgresQuarantine:
        return PostgresQuarantine(open_database())
