import pytest

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.store import MemoryStore
from adapters.testkit.deliveries import DeliveriesContract


class TestMemoryDeliveries(DeliveriesContract):
    @pytest.fixture
    def deliveries(self) -> MemoryDeliveries:
        return MemoryDeliveries(MemoryStore())
