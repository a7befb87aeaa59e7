import pytest

from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.testkit.people import PeopleContract


class TestMemoryPeople(PeopleContract):
    @pytest.fixture
    def people(self) -> MemoryPeople:
        return MemoryPeople(MemoryStore())
