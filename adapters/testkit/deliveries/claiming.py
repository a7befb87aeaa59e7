"""Claiming what is due, and finding what its sender left behind."""

from threading import Barrier

import attrs
import pytest

from adapters.testkit.deliveries.examples import (
    INSTANT,
    LEASE_END,
    REMINDER,
    claimed_one,
    ids,
    made,
    settle,
)
from adapters.testkit.deliveries.surroundings import Surroundings
from adapters.testkit.examples import MINUTE, NOON, OTHER_TENANT, TENANT, numbered
from adapters.testkit.threads import PATIENCE, at_once
from application.ports.backlog import Backlog
from application.ports.deliveries import Deliveries, Received
from domain import delivery
from domain.delivery import Status
from domain.values import DeliveryId, ReminderId, TenantId


class ClaimingContract(Surroundings):
    """Each delivery is in one sender's hands at a time."""

    def test_a_claimed_delivery_is_sending_until_its_lease_ends(self, deliveries: Deliveries) -> None:
        one = made(1)
        deliveries.receive([Received(REMINDER, [one])], NOON)
        (claimed,) = deliveries.claim("console", 5, NOON, LEASE_END)
        assert claimed == attrs.evolve(one, status=Status.SENDING, attempts=1, claim=1, lease_until=LEASE_END)
        assert list(deliveries.of_reminder(REMINDER)) == [claimed]

    def test_the_oldest_due_are_claimed_first_up_to_the_limit(self, deliveries: Deliveries) -> None:
        late, early, middle = (made(n, due_at=NOON - ago * MINUTE) for n, ago in ((1, 1), (2, 3), (3, 2)))
        deliveries.receive([Received(REMINDER, [late, early, middle])], NOON)
        assert ids(deliveries.claim("console", 2, NOON, LEASE_END)) == [early.id, middle.id]
        assert ids(deliveries.claim("console", 2, NOON, LEASE_END)) == [late.id]
        assert list(deliveries.claim("console", 2, NOON, LEASE_END)) == []

    def test_a_delivery_of_another_channel_is_not_claimed(self, deliveries: Deliveries) -> None:
        console, email = made(1), made(2, channel="email")
        deliveries.receive([Received(REMINDER, [console, email])], NOON)
        assert ids(deliveries.claim("email", 5, NOON, LEASE_END)) == [email.id]

    def test_nothing_is_claimed_before_its_not_before(self, deliveries: Deliveries) -> None:
        one = made(1, not_before=NOON)
        deliveries.receive([Received(REMINDER, [one])], NOON)
        assert list(deliveries.claim("console", 5, NOON - INSTANT, LEASE_END)) == []
        assert ids(deliveries.claim("console", 5, NOON, LEASE_END)) == [one.id]

    def test_what_must_wait_makes_room_within_the_limit(self, deliveries: Deliveries) -> None:
        waits = made(1, due_at=NOON - 5 * MINUTE, not_before=NOON + MINUTE)
        ready = made(2, due_at=NOON - MINUTE)
        deliveries.receive([Received(REMINDER, [waits, ready])], NOON)
        assert ids(deliveries.claim("console", 1, NOON, LEASE_END)) == [ready.id]

    def test_a_lease_that_has_run_out_does_not_make_it_pending_again(self, deliveries: Deliveries) -> None:
        deliveries.receive([Received(REMINDER, [made(1)])], NOON)
        deliveries.claim("console", 5, NOON, LEASE_END)
        assert list(deliveries.claim("console", 5, LEASE_END + MINUTE, LEASE_END + 2 * MINUTE)) == []

    def test_two_senders_at_once_share_no_delivery_and_leave_none(self, deliveries: Deliveries) -> None:
        kept = [made(number, address_key=str(number)) for number in range(1, 41)]
        deliveries.receive([Received(REMINDER, kept)], NOON)
        step = Barrier(2)

        def send() -> list[DeliveryId]:
            taken: list[DeliveryId] = []
            for _ in range(8):
                step.wait(PATIENCE)
                taken += ids(deliveries.claim("console", 5, NOON, LEASE_END))
            return taken

        one, other = at_once(send, send)
        assert isinstance(one, list)
        assert isinstance(other, list)
        assert sorted([*one, *other]) == [each.id for each in kept]

    def test_of_one_tenant_no_more_are_taken_than_it_may_have_in_hand(self, deliveries: Deliveries) -> None:
        many = [made(n, due_at=NOON - MINUTE, address_key=str(n)) for n in range(1, 6)]
        other = [made(n, address_key=str(n), tenant_id=OTHER_TENANT) for n in range(6, 9)]
        email = made(9, channel="email")
        deliveries.receive([Received(REMINDER, [*many, *other, email])], NOON)

        def claim(limit: int, per_tenant: int | None, *in_hand: TenantId) -> list[DeliveryId]:
            return ids(deliveries.claim("console", limit, NOON, LEASE_END, per_tenant, in_hand))

        assert claim(1, 2) == [many[0].id]
        assert claim(8, 2, TENANT) == [many[1].id, other[0].id, other[1].id]
        assert claim(8, 2, TENANT, TENANT, OTHER_TENANT, OTHER_TENANT) == []
        assert ids(deliveries.claim("email", 8, NOON, LEASE_END, 1)) == [email.id]
        assert claim(3, 3, TENANT, TENANT, OTHER_TENANT, OTHER_TENANT) == [many[2].id, other[2].id]
        assert claim(8, None, TENANT) == [many[3].id, many[4].id]

    def test_what_others_hold_takes_no_room_from_a_tenant(self, deliveries: Deliveries) -> None:
        many = [made(n, due_at=NOON - MINUTE, address_key=str(n)) for n in range(1, 5)]
        deliveries.receive([Received(REMINDER, many)], NOON)
        dead = deliveries.claim("console", 2, NOON, LEASE_END, 2)
        assert ids(dead) == [many[0].id, many[1].id]
        assert ids(deliveries.claim("console", 8, NOON, LEASE_END, 2)) == [many[2].id, many[3].id]

    def test_a_repeated_delivery_is_claimed_under_its_id_and_the_next_number(
        self, deliveries: Deliveries
    ) -> None:
        unknown = settle(deliveries, claimed_one(deliveries), delivery.LoseTrack(1, "silence", NOON))
        settle(deliveries, unknown, delivery.Repeat(NOON + MINUTE, NOON))
        assert list(deliveries.claim("console", 5, NOON, LEASE_END)) == []
        (again,) = deliveries.claim("console", 5, NOON + MINUTE, LEASE_END + MINUTE)
        assert (again.id, again.claim, again.attempts) == (unknown.id, 2, 2)

    def test_what_is_over_is_not_claimed(self, deliveries: Deliveries) -> None:
        settle(deliveries, claimed_one(deliveries), delivery.Accept(1, None, NOON))
        assert list(deliveries.claim("console", 5, NOON + MINUTE, LEASE_END + MINUTE)) == []

    @pytest.mark.parametrize("arrived", [delivery.Accept(1, None, NOON), delivery.Confirm("anna", NOON)])
    def test_what_arrived_is_not_claimed_though_its_row_says_that_it_waits(
        self, deliveries: Deliveries, arrived: delivery.Accept | delivery.Confirm
    ) -> None:
        claimed = claimed_one(deliveries)
        if isinstance(arrived, delivery.Confirm):
            claimed = settle(deliveries, claimed, delivery.LoseTrack(1, "silence", NOON))
        happened = delivery.decide(claimed, arrived)
        deliveries.settle(claimed, happened, attrs.evolve(claimed, status=Status.PENDING, lease_until=None))
        other = made(2, ReminderId(numbered(98)), due_at=NOON + MINUTE)
        deliveries.receive([Received(ReminderId(other.about_id), [other])], NOON)
        assert ids(deliveries.claim("console", 5, NOON + MINUTE, LEASE_END + MINUTE, 2)) == [other.id]

    def test_overdue_are_those_whose_lease_has_run_out(self, deliveries: Deliveries) -> None:
        first, second = made(1, due_at=NOON - MINUTE), made(2)
        email, pending = made(3, channel="email"), made(4)
        deliveries.receive([Received(REMINDER, [second, first, email, pending])], NOON)
        claimed = deliveries.claim("console", 2, NOON, LEASE_END)
        deliveries.claim("email", 1, NOON, LEASE_END)
        assert ids(claimed) == [first.id, second.id]
        assert list(deliveries.overdue("console", LEASE_END - INSTANT, 10)) == []
        late = deliveries.overdue("console", LEASE_END, 10)
        assert sorted(late, key=lambda one: one.id) == list(claimed)
        assert len(deliveries.overdue("console", LEASE_END, 1)) == 1
        for one in claimed:
            settle(deliveries, one, delivery.Accept(1, None, NOON))
        assert list(deliveries.overdue("console", LEASE_END, 10)) == []

    def test_the_backlog_is_what_is_pending_and_may_be_sent(self, deliveries: Deliveries) -> None:
        assert deliveries.backlog(NOON) == Backlog(0, None)
        oldest = made(1, due_at=NOON - 3 * MINUTE)
        email = made(2, due_at=NOON - 2 * MINUTE, channel="email")
        waits = made(3, due_at=NOON - 4 * MINUTE, not_before=NOON + INSTANT)
        deliveries.receive([Received(REMINDER, [oldest, email, waits])], NOON)
        assert deliveries.backlog(NOON) == Backlog(2, oldest.due_at)
        deliveries.claim("console", 5, NOON, LEASE_END)
        assert deliveries.backlog(NOON) == Backlog(1, email.due_at)
        assert deliveries.backlog(NOON + INSTANT) == Backlog(2, waits.due_at)
