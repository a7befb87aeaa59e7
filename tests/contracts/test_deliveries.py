import pytest
from psycopg import Connection

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.people import PostgresPeople
from adapters.testkit.deliveries.contract import DeliveriesContract
from adapters.testkit.deliveries.erasing import ErasingContract
from adapters.testkit.deliveries.examples import claimed_one, settle
from adapters.testkit.examples import NOON, OWNER, TENANT
from application.ports.deliveries import Deliveries
from domain.delivery import Accept
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


class TestMemoryErasing(ErasingContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def deliveries(self, store: MemoryStore) -> MemoryDeliveries:
        return MemoryDeliveries(store)

    @pytest.fixture
    def people(self, store: MemoryStore) -> MemoryPeople:
        return MemoryPeople(store)


class TestPostgresErasing(ErasingContract):
    @pytest.fixture
    def database(self, open_database: OpenDatabase) -> Database:
        return open_database()

    @pytest.fixture
    def deliveries(self, database: Database) -> PostgresDeliveries:
        return PostgresDeliveries(database)

    @pytest.fixture
    def people(self, database: Database) -> PostgresPeople:
        return PostgresPeople(database)

    def test_no_attempt_keeps_what_was_heard_after_the_erasure(
        self, deliveries: PostgresDeliveries, people: PostgresPeople, outsider: Connection
    ) -> None:
        claimed = claimed_one(deliveries)
        people.erase(TENANT, OWNER)
        settle(deliveries, claimed, Accept(1, "provider-7", NOON))
        attempts = outsider.execute("select outcome, reason, provider_id from tickler.delivery_attempts")
        assert attempts.fetchall() == [("accepted", None, None)]
