import pytest

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.testkit.deliveries.contract import DeliveriesContract
from application.ports.deliveries import Deliveries
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Deliveries], ...] = (MemoryDeliveries, PostgresDeliveries)  # mypy holds them against the port


class TestMemoryDeliveries(DeliveriesContract):
    @pytest.fixture
    def deliveries(self) -> MemoryDeliveries:
        return MemoryDeliveries(MemoryStore())


class TestPostgresDeliveries(DeliveriesContract):
    @pytest.fixture
    def deliveries(self, open_database: OpenDatabase) -> PostgresDeliveries:
        return PostgresDeliveries(open_database())
