import pytest

from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.people import PostgresPeople
from adapters.testkit.people import PeopleContract
from application.ports.people import People
from tests.contracts.conftest import OpenDatabase

_: tuple[type[People], ...] = (MemoryPeople, PostgresPeople)  # mypy holds them against the port


class TestMemoryPeople(PeopleContract):
    @pytest.fixture
    def people(self) -> MemoryPeople:
        return MemoryPeople(MemoryStore())


class TestPostgresPeople(PeopleContract):
    @pytest.fixture
    def people(self, open_database: OpenDatabase) -> PostgresPeople:
        return PostgresPeople(open_database())
