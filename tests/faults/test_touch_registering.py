"""Registering a touch is one transaction of at most three round trips, whatever else runs (INV-TCH-1)."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from attrs import frozen

from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.outbound.system import UuidIds
from adapters.testkit.examples import NOON, TENANT
from adapters.testkit.touches.examples import CONTEXT, ORIGIN, change, claim_due, planned, registration
from application.ports.people import AgentPlatform, Tenant
from application.ports.touches import KeyReused, Registered, Room
from application.touching.deferring import Caller, Deferring, Wish
from domain.deferred_touch import Claim, Status
from tests.faults.wire import Wire

CLOCK_ASKED, BEGUN, COMMITTED = "I", "T", "I"
THREE = CLOCK_ASKED + BEGUN + COMMITTED
CALLER = Caller(TENANT, "assistant", ORIGIN)
LATER = NOON + timedelta(minutes=1)
STATEMENTS = 150  # more than a client keeps prepared unless told otherwise


@frozen
class Counted:
    """Registrations, as the wire has them."""

    wire: Wire
    database: Database
    deferring: Deferring
    due_at: datetime

    def defer(self, key: str, text: str = "call the clinic") -> Registered:
        return self.deferring.defer(CALLER, Wish("message", self.due_at, text, key))

    def round_trips(self, key: str) -> str:
        return self.wire.during(lambda: self.defer(key))


@pytest.fixture
def counted(postgres_url: str) -> Iterator[Counted]:
    with tempfile.TemporaryDirectory(prefix="tickler-") as folder:
        wire = Wire(postgres_url, Path(folder))
        with closing(wire), closing(Database(wire.conninfo, connections=1)) as database:
            clock = PostgresClock(database)
            deferring = Deferring(PostgresTouches(database), clock, UuidIds(), {"message", "call"})
            # By this question the connection is made.
            yield Counted(wire, database, deferring, clock.now() + timedelta(hours=1))


@pytest.fixture
def others(postgres_url: str) -> Iterator[PostgresTouches]:
    """What somebody else has in hand, over the same database."""
    with closing(Database(postgres_url)) as database:
        yield PostgresTouches(database)


def test_every_registration_of_a_connection_is_one_transaction_and_three_round_trips_with_the_clocks(
    counted: Counted,
) -> None:
    assert [counted.round_trips(f"key {number}") for number in range(20)] == [THREE] * 20


def test_that_an_agent_platform_is_wanted_adds_none(counted: Counted) -> None:
    platform = AgentPlatform("https://agents.b.example/", "whsec_bnVtYmF0")
    PostgresPeople(counted.database).add_tenant(Tenant(TENANT, "acme", agent=platform))

    def call() -> None:
        counted.deferring.defer(CALLER, Wish("call", counted.due_at, None, "key"))

    assert counted.wire.during(call) == THREE


def test_what_else_the_connection_is_used_for_adds_none(counted: Counted) -> None:
    counted.defer("first")
    for number in range(STATEMENTS):
        with counted.database.transaction() as session:
            for _ in range(2):
                session.row(f"select {number}")
    assert [counted.round_trips(f"key {number}") for number in range(3)] == [THREE] * 3


def test_claims_plans_and_rows_in_others_hands_add_none_and_hold_it_up_in_nothing(
    counted: Counted, others: PostgresTouches
) -> None:
    for number in range(200):
        others.register(registration(number), CONTEXT)
    plan = planned(others)
    claim_due(others, room=Room(20, {"message"}, 20))

    with others.transaction(CONTEXT) as transaction:
        due = transaction.due(LATER, Room(100, {"message"}, 200))
        transaction.record([change(one, Claim("worker-b", LATER, LATER)) for one in due])
        assert transaction.plan(plan.id) is not None
        found = [counted.round_trips(f"key {number}") for number in range(5)]

    assert len(due) == 100
    assert found == [THREE] * 5


def test_a_registration_that_is_refused_is_one_transaction_too(counted: Counted) -> None:
    counted.defer("key")

    def reuse() -> None:
        with pytest.raises(KeyReused):
            counted.defer("key", "something else")

    assert counted.wire.during(reuse) == THREE


def test_a_touch_comes_back_before_anybody_has_worked_on_it(counted: Counted) -> None:
    made = counted.defer("key")
    assert (made.is_new, made.touch.status, made.touch.claim) == (True, Status.PENDING, 0)
