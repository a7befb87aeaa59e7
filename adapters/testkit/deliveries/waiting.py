"""Finding what waits on channels that are not served, and ending it without having it in hand."""

import attrs
import pytest

from adapters.testkit.deliveries.examples import (
    INSTANT,
    LEASE_END,
    OTHER_REMINDER,
    REMINDER,
    ids,
    made,
    settle,
)
from adapters.testkit.deliveries.surroundings import Surroundings
from adapters.testkit.examples import MINUTE, NOON
from adapters.testkit.threads import at_once
from application.ports.deliveries import Attempt, Deliveries, Received
from domain import delivery
from domain.delivery import Delivery, SkipReason, Status
from domain.errors import ClaimIsLost


class WaitingContract(Surroundings):
    """What waits elsewhere is looked at in batches, and claimed and ended in one commit."""

    def test_what_may_be_sent_on_other_channels_waits_by_channel_and_the_oldest_due_first(
        self, deliveries: Deliveries
    ) -> None:
        console, fax = made(1), made(2, channel="fax", due_at=NOON - 9 * MINUTE)
        late, early, same = (
            made(n, channel="email", due_at=NOON - ago * MINUTE) for n, ago in ((3, 1), (4, 3), (5, 3))
        )
        put_off = made(6, channel="email", not_before=NOON + INSTANT)
        deliveries.receive([Received(REMINDER, [console, fax, same, late, early, put_off])], NOON)
        assert ids(deliveries.waiting(["console"], NOON, 9)) == [early.id, same.id, late.id, fax.id]
        assert ids(deliveries.waiting(["console", "email", "none"], NOON, 9)) == [fax.id]
        assert ids(deliveries.waiting([], NOON, 9))[0] == console.id
        assert len(deliveries.waiting(["fax"], NOON + INSTANT, 9)) == 5

    def test_one_batch_goes_on_behind_the_last_of_another(self, deliveries: Deliveries) -> None:
        kept = [made(n, channel="email", due_at=NOON - n % 2 * MINUTE) for n in range(1, 6)]
        other = made(6, channel="fax", due_at=NOON - 9 * MINUTE)
        deliveries.receive([Received(REMINDER, [*kept, other])], NOON)
        seen: list[Delivery] = []
        while batch := deliveries.waiting(["console"], NOON, 2, seen[-1] if seen else None):
            assert len(batch) <= 2
            seen += batch
        assert ids(seen) == [made(n).id for n in (1, 3, 5, 2, 4, 6)]

    def test_what_is_in_a_senders_hands_or_over_waits_no_more(self, deliveries: Deliveries) -> None:
        one, other = made(1, channel="email"), made(2, channel="email")
        deliveries.receive([Received(REMINDER, [one, other])], NOON)
        deliveries.claim("email", 1, NOON, LEASE_END)
        assert ids(deliveries.waiting([], NOON, 9)) == [other.id]
        assert ids(deliveries.waiting([], LEASE_END + MINUTE, 9)) == [other.id]
        skip(deliveries, other)
        assert list(deliveries.waiting([], NOON, 9)) == []

    def test_what_waits_is_claimed_and_skipped_in_one_commit_and_no_attempt_counts(
        self, deliveries: Deliveries
    ) -> None:
        waits = made(1, channel="email")
        deliveries.receive([Received(REMINDER, [waits])], NOON)
        skipped = skip(deliveries, waits)
        assert skipped == attrs.evolve(waits, status=Status.SKIPPED, claim=1, reason="event_over")
        assert list(deliveries.of_reminder(REMINDER)) == [skipped]
        assert list(deliveries.attempts(waits.id)) == [Attempt(1, NOON, NOON, "skipped", "event_over")]

    def test_what_was_claimed_since_it_was_looked_at_stays_its_senders(self, deliveries: Deliveries) -> None:
        waits = made(1, channel="email")
        deliveries.receive([Received(REMINDER, [waits])], NOON)
        (claimed,) = deliveries.claim("email", 1, NOON, LEASE_END)
        with pytest.raises(ClaimIsLost):
            skip(deliveries, waits)
        assert list(deliveries.of_reminder(REMINDER)) == [claimed]
        given_back = settle(deliveries, claimed, delivery.GiveBack(1, NOON))
        with pytest.raises(ClaimIsLost):
            skip(deliveries, waits)
        assert list(deliveries.of_reminder(REMINDER)) == [given_back]
        assert [one.outcome for one in deliveries.attempts(waits.id)] == ["given_back"]

    def test_of_a_sender_and_one_who_skips_at_once_one_has_it(self, deliveries: Deliveries) -> None:
        waits = made(1, OTHER_REMINDER, channel="email")
        deliveries.receive([Received(OTHER_REMINDER, [waits])], NOON)
        claimed, skipped = at_once(
            lambda: list(deliveries.claim("email", 1, NOON, LEASE_END)), lambda: skip(deliveries, waits)
        )
        (kept,) = deliveries.of_reminder(OTHER_REMINDER)
        if isinstance(skipped, Delivery):
            assert (claimed, kept) == ([], skipped)
        else:
            assert isinstance(skipped, ClaimIsLost)
            assert claimed == [kept]


def skip(deliveries: Deliveries, one: Delivery) -> Delivery:
    (claim,) = delivery.decide(one, delivery.Claim(NOON, NOON))
    held = delivery.evolve(one, claim)
    (end,) = delivery.decide(held, delivery.Skip(held.claim, SkipReason.EVENT_OVER, NOON))
    after = delivery.evolve(held, end)
    deliveries.settle(one, [claim, end], after)
    return after
