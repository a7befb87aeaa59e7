"""The promises of the Outbox port, executed."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from threading import Barrier
from uuid import UUID

import pytest

from adapters import codec
from adapters.testkit.examples import (
    CYCLE,
    MINUTE,
    NOON,
    RUN,
    TOPIC,
    due,
    keep,
    planned,
    sending_new,
)
from adapters.testkit.threads import PATIENCE, at_once
from application.ports.backlog import Backlog
from application.ports.ledger import Ledger
from application.ports.outbox import ClaimedMessage, Outbox, Parked, ParkedMessage, Standing
from domain.triggers import MinutesBeforeStart

LEASE = timedelta(seconds=60)
INSTANT = timedelta(microseconds=1)


class OutboxContract:
    """Each test has a store of its own, without any rows; ledger and outbox are adapters over it."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def outbox(self) -> Outbox:
        raise NotImplementedError

    def parked(self) -> Mapping[UUID, str]:
        """The parked messages as the store keeps them, each with its reason."""
        raise NotImplementedError

    def published(self) -> Mapping[UUID, datetime]:
        """The published messages as the store keeps them, each with its instant."""
        raise NotImplementedError

    def test_an_empty_outbox_gives_nothing(self, outbox: Outbox) -> None:
        assert list(outbox.claim("relay", 10, NOON, LEASE)) == []
        assert outbox.backlog(NOON) == Backlog(0, None)

    def test_a_claimed_message_is_what_was_committed(self, ledger: Ledger, outbox: Outbox) -> None:
        example = planned(1, MinutesBeforeStart(75))
        keep(ledger, example)
        (settled,) = sending_new(example)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle([settled])
        (claimed,) = outbox.claim("relay", 10, NOON, LEASE)
        message = claimed.message
        assert settled.message is not None
        assert (message.id, message.key) == (settled.state.id, example.event.id)
        assert message.topic == TOPIC
        assert codec.decode_due(message.payload) == settled.message.payload
        assert message.headers == codec.outbox_headers(RUN)

    def test_the_oldest_are_claimed_first(self, ledger: Ledger, outbox: Outbox) -> None:
        ids = [_put(ledger, number)[0] for number in (3, 1, 2)]
        assert _ids(outbox.claim("relay", 2, NOON, LEASE)) == ids[:2]
        assert _ids(outbox.claim("relay", 2, NOON, LEASE)) == ids[2:]

    def test_the_oldest_come_first_again_when_they_were_given_back(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        ids = [_put(ledger, number)[0] for number in (3, 1, 2)]
        outbox.release(outbox.claim("relay", 1, NOON, LEASE))
        assert _ids(outbox.claim("relay", 10, NOON, LEASE)) == ids

    def test_another_relay_takes_nothing_before_the_lease_has_run_out(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        (id_,) = _put(ledger, 1)
        assert _ids(outbox.claim("one", 10, NOON, LEASE)) == [id_]
        assert list(outbox.claim("other", 10, NOON, LEASE)) == []
        assert list(outbox.claim("other", 10, NOON + LEASE - INSTANT, LEASE)) == []
        assert _ids(outbox.claim("other", 10, NOON + LEASE, LEASE)) == [id_]
        assert list(outbox.claim("one", 10, NOON + LEASE, LEASE)) == []

    def test_each_claim_of_a_message_has_a_higher_number(self, ledger: Ledger, outbox: Outbox) -> None:
        _put(ledger, 1)
        (first,) = outbox.claim("one", 10, NOON, LEASE)
        (second,) = outbox.claim("other", 10, NOON + LEASE, LEASE)
        outbox.release([second])
        (third,) = outbox.claim("one", 10, NOON + LEASE, LEASE)
        assert first.claim < second.claim < third.claim

    def test_what_others_hold_makes_room_within_the_limit(self, ledger: Ledger, outbox: Outbox) -> None:
        ids = [_put(ledger, number)[0] for number in range(1, 5)]
        assert _ids(outbox.claim("one", 2, NOON, LEASE)) == ids[:2]
        assert _ids(outbox.claim("other", 2, NOON, LEASE)) == ids[2:]

    def test_two_relays_at_once_share_no_message_and_leave_none(self, ledger: Ledger, outbox: Outbox) -> None:
        kept = _put(ledger, 1, 40)
        step = Barrier(2)

        def relay(name: str) -> list[UUID]:
            taken: list[UUID] = []
            for _ in range(20):
                step.wait(PATIENCE)
                taken += _ids(outbox.claim(name, 2, NOON, LEASE))
            return taken

        one, other = at_once(lambda: relay("one"), lambda: relay("other"))
        assert isinstance(one, list)
        assert isinstance(other, list)
        assert sorted([*one, *other]) == sorted(kept)

    def test_what_was_published_is_never_claimed_again(self, ledger: Ledger, outbox: Outbox) -> None:
        first, second, third = _put(ledger, 1, 3)
        claims = {claim.message.id: claim for claim in outbox.claim("relay", 10, NOON, LEASE)}
        assert outbox.mark_published([claims[first], claims[third]], NOON + MINUTE) == 2
        assert self.published() == {first: NOON + MINUTE, third: NOON + MINUTE}
        assert _ids(outbox.claim("relay", 10, NOON + 2 * LEASE, LEASE)) == [second]

    def test_marking_nothing_marks_nothing(self, ledger: Ledger, outbox: Outbox) -> None:
        _put(ledger, 1)
        outbox.claim("relay", 10, NOON, LEASE)
        assert outbox.mark_published([], NOON) == 0
        assert outbox.release([]) == 0
        assert outbox.park([], NOON) == 0
        assert outbox.backlog(NOON).count == 1

    def test_a_message_is_published_once(self, ledger: Ledger, outbox: Outbox) -> None:
        _put(ledger, 1)
        claims = outbox.claim("relay", 10, NOON, LEASE)
        assert outbox.mark_published(claims, NOON) == 1
        assert outbox.mark_published(claims, NOON + MINUTE) == 0
        assert set(self.published().values()) == {NOON}

    def test_a_relay_that_lost_its_claim_changes_nothing(self, ledger: Ledger, outbox: Outbox) -> None:
        (id_,) = _put(ledger, 1)
        lost = outbox.claim("one", 10, NOON, LEASE)
        current = outbox.claim("other", 10, NOON + LEASE, LEASE)
        assert outbox.mark_published(lost, NOON + LEASE) == 0
        assert outbox.release(lost) == 0
        assert outbox.park([(claim, "too large") for claim in lost], NOON + LEASE) == 0
        assert (self.published(), self.parked()) == ({}, {})
        assert list(outbox.claim("one", 10, NOON + LEASE, LEASE)) == []
        assert outbox.mark_published(current, NOON + LEASE) == 1
        assert set(self.published()) == {id_}

    def test_only_those_whose_claim_is_current_are_marked(self, ledger: Ledger, outbox: Outbox) -> None:
        first, second = _put(ledger, 1, 2)
        mine = outbox.claim("one", 10, NOON, LEASE)
        (taken,) = outbox.claim("other", 1, NOON + LEASE, LEASE)
        assert outbox.mark_published(mine, NOON + LEASE) == 1
        assert set(self.published()) == {first, second} - {taken.message.id}

    def test_a_relay_that_is_late_but_still_holds_its_claim_may_mark(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        _put(ledger, 1)
        claims = outbox.claim("one", 10, NOON, LEASE)
        assert outbox.mark_published(claims, NOON + 2 * LEASE) == 1

    def test_what_is_given_back_can_be_taken_at_once(self, ledger: Ledger, outbox: Outbox) -> None:
        first, second = _put(ledger, 1, 2)
        claims = {claim.message.id: claim for claim in outbox.claim("one", 10, NOON, LEASE)}
        assert outbox.release([claims[first]]) == 1
        assert outbox.release([claims[first]]) == 0
        assert outbox.mark_published([claims[first]], NOON) == 0
        assert _ids(outbox.claim("other", 10, NOON, LEASE)) == [first]
        assert outbox.mark_published([claims[first], claims[second]], NOON) == 1
        assert set(self.published()) == {second}

    def test_a_parked_message_stops_nobody_and_stays_visible(self, ledger: Ledger, outbox: Outbox) -> None:
        first, second = _put(ledger, 1, 2)
        claims = outbox.claim("relay", 10, NOON, LEASE)
        assert outbox.park([(claim, "too large") for claim in claims if claim.message.id == first], NOON) == 1
        assert self.parked() == {first: "too large"}
        assert _ids(outbox.claim("relay", 10, NOON + 2 * LEASE, LEASE)) == [second]
        assert self.published() == {}

    def test_several_are_parked_each_with_its_own_reason(self, ledger: Ledger, outbox: Outbox) -> None:
        ids = _put(ledger, 1, 3)
        claims = outbox.claim("relay", 10, NOON, LEASE)
        assert outbox.park([(claim, f"reason {claim.message.id}") for claim in claims], NOON) == 3
        assert self.parked() == {id_: f"reason {id_}" for id_ in ids}

    def test_a_parked_message_is_not_published_and_a_published_one_not_parked(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        parked, published = _put(ledger, 1, 2)
        claims = {claim.message.id: claim for claim in outbox.claim("relay", 10, NOON, LEASE)}
        outbox.park([(claims[parked], "too large")], NOON)
        outbox.mark_published([claims[published]], NOON)
        assert outbox.mark_published([claims[parked]], NOON) == 0
        assert outbox.park([(claims[published], "too large")], NOON) == 0
        assert outbox.release(list(claims.values())) == 0
        assert (set(self.parked()), set(self.published())) == ({parked}, {published})

    def test_the_list_of_the_parked_has_each_with_its_reason_the_longest_parked_first(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        assert outbox.parked(10) == Parked(0, [])
        first, second, third, _ = _put(ledger, 1, 4)
        claims = {claim.message.id: claim for claim in outbox.claim("relay", 10, NOON, LEASE)}
        outbox.park([(claims[third], "too large")], NOON)
        outbox.park([(claims[first], "not ours"), (claims[second], "not ours")], NOON + MINUTE)
        whole = [
            ParkedMessage(claims[third].message, NOON, "too large"),
            ParkedMessage(claims[first].message, NOON + MINUTE, "not ours"),
            ParkedMessage(claims[second].message, NOON + MINUTE, "not ours"),
        ]
        assert outbox.parked(10) == Parked(3, whole)
        assert outbox.parked(2) == Parked(3, whole[:2])

    def test_what_was_parked_and_given_back_is_claimed_in_its_place(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        first, second, third = _put(ledger, 1, 3)
        claims = {claim.message.id: claim for claim in outbox.claim("relay", 10, NOON, LEASE)}
        outbox.park([(claims[id_], "not ours") for id_ in (first, third)], NOON)
        outbox.release([claims[second]])
        assert list(outbox.unpark([first, second, UUID(int=5)])) == [first]
        assert list(outbox.unpark([first])) == []
        assert self.parked() == {third: "not ours"}
        assert outbox.backlog(NOON).count == 2
        again = outbox.claim("relay", 10, NOON, LEASE)
        assert _ids(again) == [first, second]
        assert again[0].claim > claims[first].claim
        assert outbox.mark_published(again, NOON) == 2
        assert set(self.published()) == {first, second}

    def test_who_parked_a_message_has_no_claim_on_it_once_it_was_given_back(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        (id_,) = _put(ledger, 1)
        (claim,) = outbox.claim("relay", 10, NOON, LEASE)
        outbox.park([(claim, "not ours")], NOON)
        outbox.unpark([id_])
        assert outbox.mark_published([claim], NOON) == 0
        assert outbox.park([(claim, "not ours")], NOON) == 0
        assert outbox.release([claim]) == 0
        assert (self.published(), self.parked()) == ({}, {})

    def test_nothing_is_given_back_of_what_was_published_or_waits(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        published, held = _put(ledger, 1, 2)
        (claim, _) = outbox.claim("relay", 10, NOON, LEASE)
        outbox.mark_published([claim], NOON)
        assert list(outbox.unpark([published, held])) == []
        assert list(outbox.unpark([])) == []
        assert set(self.published()) == {published}
        assert list(outbox.claim("other", 10, NOON, LEASE)) == []

    def test_where_a_message_stands_is_told_from_its_commit_until_it_is_published(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        first, second = _put(ledger, 1, 2)
        put_at = outbox.backlog(NOON).oldest
        assert put_at is not None
        assert outbox.standing(UUID(int=5)) is None
        assert outbox.standing(first) == outbox.standing(second) == Standing(put_at)
        claims = {claim.message.id: claim for claim in outbox.claim("relay", 10, NOON, LEASE)}
        assert outbox.standing(first) == Standing(put_at, "relay", NOON + LEASE)
        outbox.mark_published([claims[first]], NOON + MINUTE)
        assert outbox.standing(first) == Standing(put_at, published_at=NOON + MINUTE)
        outbox.release([claims[second]])
        assert outbox.standing(second) == Standing(put_at)

    def test_where_a_parked_message_stands_is_told_with_the_reason(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        (id_,) = _put(ledger, 1)
        put_at = outbox.backlog(NOON).oldest
        assert put_at is not None
        (claim,) = outbox.claim("relay", 10, NOON, LEASE)
        outbox.park([(claim, "too large")], NOON + MINUTE)
        assert outbox.standing(id_) == Standing(put_at, parked_at=NOON + MINUTE, reason="too large")
        outbox.unpark([id_])
        assert outbox.standing(id_) == Standing(put_at)

    def test_the_backlog_is_what_is_neither_published_nor_parked(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        _put(ledger, 1)
        oldest = outbox.backlog(NOON).oldest
        assert oldest is not None
        assert oldest.utcoffset() == timedelta(0)
        _put(ledger, 2, 2)
        assert outbox.backlog(NOON) == Backlog(3, oldest)
        one, two, three = outbox.claim("relay", 10, NOON, LEASE)
        assert outbox.backlog(NOON) == Backlog(3, oldest)
        outbox.mark_published([two], NOON)
        assert outbox.backlog(NOON) == Backlog(2, oldest)
        outbox.mark_published([one], NOON)
        outbox.park([(three, "too large")], NOON)
        assert outbox.backlog(NOON) == Backlog(0, None)


def _put(ledger: Ledger, number: int, messages: int = 1) -> list[UUID]:
    """Commit one event's reminders as sent; the ids of their messages."""
    example = due(number, *(NOON - n * MINUTE for n in range(messages)))
    keep(ledger, example)
    with ledger.transaction(CYCLE) as cycle:
        settlement = cycle.settle(sending_new(example))
    assert len(settlement.written) == messages
    return [one.id for one in example.reminders]


def _ids(claims: Sequence[ClaimedMessage]) -> list[UUID]:
    return [claim.message.id for claim in claims]
