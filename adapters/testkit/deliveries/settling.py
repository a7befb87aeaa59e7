"""Writing down what became of a delivery, and keeping what follows from it."""

import attrs
import pytest

from adapters.testkit.deliveries.examples import LEASE_END, REMINDER, claimed_one, ids, made, settle
from adapters.testkit.deliveries.surroundings import Surroundings
from adapters.testkit.examples import MINUTE, NOON, OTHER_TENANT, TENANT
from adapters.testkit.threads import at_once
from application.ports.deliveries import Attempt, Deliveries, Received
from domain import delivery
from domain.delivery import Delivery, SkipReason, Status
from domain.errors import ClaimIsLost

OUTCOMES: list[delivery.Command] = [
    delivery.Accept(1, "provider-7", NOON),
    delivery.Accept(1, None, NOON),
    delivery.Refuse(1, "no such mailbox", NOON),
    delivery.Postpone(1, "busy", NOON + 5 * MINUTE, NOON),
    delivery.GiveBack(1, NOON),
    delivery.GiveBack(1, NOON, NOON + MINUTE),
    delivery.Skip(1, SkipReason.CANCELLED, NOON),
    delivery.Skip(1, SkipReason.EVENT_OVER, NOON),
    delivery.Skip(1, SkipReason.OPTED_OUT, NOON),
    delivery.LoseTrack(1, "the answer was lost", NOON),
]


class SettlingContract(Surroundings):
    """An outcome is written once, by whoever has the claim."""

    def test_what_follows_from_an_outcome_is_kept_with_it(self, deliveries: Deliveries) -> None:
        claimed, following = claimed_one(deliveries), made(2, channel="email")
        settled = settle(deliveries, claimed, delivery.Refuse(1, "no such mailbox", NOON), following)
        assert list(deliveries.of_reminder(REMINDER)) == [settled, following]
        assert ids(deliveries.claim("email", 1, NOON, LEASE_END)) == [following.id]

    def test_what_follows_to_an_address_that_was_written_to_is_not_kept(self, deliveries: Deliveries) -> None:
        claimed = claimed_one(deliveries)
        same, twice = (made(n, address_key=claimed.address_key) for n in (2, 3))
        new = made(4)
        settled = settle(deliveries, claimed, delivery.Refuse(1, "no", NOON), same, twice, new)
        assert list(deliveries.of_reminder(REMINDER)) == [settled, new]

    def test_nothing_follows_from_a_lost_claim(self, deliveries: Deliveries) -> None:
        mine = claimed_one(deliveries)
        settled = settle(deliveries, mine, delivery.Accept(1, None, NOON))
        with pytest.raises(ClaimIsLost):
            settle(deliveries, mine, delivery.Refuse(1, "no", NOON), made(2))
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    def test_that_an_answer_was_lost_once_is_remembered(self, deliveries: Deliveries) -> None:
        unknown = settle(deliveries, claimed_one(deliveries), delivery.LoseTrack(1, "silence", NOON))
        settle(deliveries, unknown, delivery.Repeat(NOON, NOON))
        (again,) = deliveries.claim("console", 1, NOON, LEASE_END)
        settled = settle(deliveries, again, delivery.Refuse(2, "gone", NOON))
        assert settled.in_doubt
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    @pytest.mark.parametrize("command", OUTCOMES, ids=lambda command: type(command).__name__)
    def test_every_outcome_of_a_claim_comes_back_equal(
        self, deliveries: Deliveries, command: delivery.Command
    ) -> None:
        claimed = claimed_one(deliveries)
        settled = settle(deliveries, claimed, command)
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    @pytest.mark.parametrize(
        "command",
        [delivery.Repeat(NOON + MINUTE, NOON), delivery.Confirm("somebody", NOON)],
        ids=["repeat", "confirm"],
    )
    def test_what_becomes_of_an_unknown_one_comes_back_equal(
        self, deliveries: Deliveries, command: delivery.Command
    ) -> None:
        unknown = settle(deliveries, claimed_one(deliveries), delivery.LoseTrack(1, "silence", NOON))
        settled = settle(deliveries, unknown, command)
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    def test_what_failed_is_retried_by_hand_under_its_id_and_the_next_claim(
        self, deliveries: Deliveries
    ) -> None:
        failed = settle(deliveries, claimed_one(deliveries), delivery.Refuse(1, "no", NOON))
        again = settle(deliveries, failed, delivery.Retry(NOON + MINUTE))
        assert deliveries.by_id(failed.id) == again
        with pytest.raises(ClaimIsLost):
            settle(deliveries, failed, delivery.Retry(NOON + MINUTE))
        (claimed,) = deliveries.claim("console", 5, NOON + MINUTE, LEASE_END + MINUTE)
        assert (claimed.id, claimed.claim, claimed.attempts) == (failed.id, 2, 1)

    @pytest.mark.parametrize(
        ("command", "attempt"),
        [
            (delivery.Accept(1, None, NOON), Attempt(1, NOON, NOON, "accepted")),
            (delivery.Refuse(1, "no", NOON), Attempt(1, NOON, NOON, "refused", "no")),
            (delivery.Postpone(1, "busy", NOON + MINUTE, NOON), Attempt(1, NOON, NOON, "postponed", "busy")),
            (delivery.GiveBack(1, NOON), Attempt(1, NOON, NOON, "given_back")),
            (delivery.Skip(1, SkipReason.MOVED, NOON), Attempt(1, NOON, NOON, "skipped", "moved")),
            (delivery.LoseTrack(1, "silence", NOON), Attempt(1, NOON, NOON, "lost", "silence")),
        ],
        ids=lambda given: type(given).__name__,
    )
    def test_an_attempt_is_kept_with_what_became_of_it(
        self, deliveries: Deliveries, command: delivery.Command, attempt: Attempt
    ) -> None:
        claimed = claimed_one(deliveries)
        assert list(deliveries.attempts(claimed.id)) == [Attempt(1, NOON)]
        settle(deliveries, claimed, command)
        assert list(deliveries.attempts(claimed.id)) == [attempt]

    def test_of_one_that_arrived_by_a_persons_word_the_attempt_says_whose_word_and_when(
        self, deliveries: Deliveries
    ) -> None:
        unknown = settle(deliveries, claimed_one(deliveries), delivery.LoseTrack(1, "silence", NOON))
        arrived = settle(deliveries, unknown, delivery.Confirm("somebody", NOON + MINUTE))
        assert (arrived.status, arrived.reason) == (Status.DELIVERED, "somebody says that it arrived")
        assert list(deliveries.attempts(unknown.id)) == [
            Attempt(1, NOON, NOON + MINUTE, "confirmed", "somebody says that it arrived")
        ]
        with pytest.raises(ClaimIsLost):
            settle(deliveries, unknown, delivery.Retry(NOON + MINUTE, may_arrive_twice=True))
        assert deliveries.by_id(unknown.id) == arrived

    def test_attempts_are_told_the_first_one_first(self, deliveries: Deliveries) -> None:
        claimed = claimed_one(deliveries)
        assert list(deliveries.attempts(made(2).id)) == []
        settle(deliveries, claimed, delivery.Postpone(1, "busy", NOON + MINUTE, NOON))
        later = NOON + MINUTE
        (again,) = deliveries.claim("console", 1, later, LEASE_END + MINUTE)
        settle(deliveries, again, delivery.Accept(2, None, later))
        assert list(deliveries.attempts(claimed.id)) == [
            Attempt(1, NOON, NOON, "postponed", "busy"),
            Attempt(2, later, later, "accepted"),
        ]

    def test_the_latest_due_of_some_statuses_are_listed_first(self, deliveries: Deliveries) -> None:
        made_ = [made(n, due_at=NOON - n % 3 * MINUTE) for n in range(1, 7)]
        other = attrs.evolve(made(8), tenant_id=OTHER_TENANT)
        deliveries.receive([Received(REMINDER, [*made_, other])], NOON)
        assert ids(deliveries.latest([Status.PENDING], 9, TENANT)) == [
            made_[number - 1].id for number in (3, 6, 1, 4, 2, 5)
        ]
        assert ids(deliveries.latest([Status.PENDING], 3)) == [made_[2].id, made_[5].id, other.id]
        (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
        settle(deliveries, claimed, delivery.Refuse(1, "no", NOON))
        assert ids(deliveries.latest([Status.FAILED, Status.UNKNOWN], 9)) == [made_[1].id]
        assert list(deliveries.latest([Status.SENDING], 9)) == []
        assert deliveries.by_id(made(9).id) is None

    def test_a_lost_claim_writes_nothing(self, deliveries: Deliveries) -> None:
        mine = claimed_one(deliveries)
        settle(deliveries, mine, delivery.GiveBack(1, NOON))
        (current,) = deliveries.claim("console", 5, NOON, LEASE_END)
        with pytest.raises(ClaimIsLost):
            settle(deliveries, mine, delivery.Accept(1, "provider-7", NOON))
        assert list(deliveries.of_reminder(REMINDER)) == [current]

    def test_an_outcome_is_written_once(self, deliveries: Deliveries) -> None:
        mine = claimed_one(deliveries)
        settled = settle(deliveries, mine, delivery.LoseTrack(1, "silence", NOON))
        with pytest.raises(ClaimIsLost):
            settle(deliveries, mine, delivery.Accept(1, None, NOON))
        assert list(deliveries.of_reminder(REMINDER)) == [settled]

    def test_a_delivery_that_is_not_there_cannot_be_settled(self, deliveries: Deliveries) -> None:
        ghost = attrs.evolve(made(9), status=Status.SENDING, claim=1, attempts=1, lease_until=LEASE_END)
        with pytest.raises(ClaimIsLost):
            settle(deliveries, ghost, delivery.Accept(1, None, NOON))
        assert list(deliveries.of_reminder(REMINDER)) == []

    def test_of_two_outcomes_at_once_one_is_written(self, deliveries: Deliveries) -> None:
        mine = claimed_one(deliveries)
        answers = at_once(
            lambda: settle(deliveries, mine, delivery.Accept(1, "provider-7", NOON)),
            lambda: settle(deliveries, mine, delivery.LoseTrack(1, "silence", NOON)),
        )
        (written,) = (answer for answer in answers if isinstance(answer, Delivery))
        assert [type(answer) for answer in answers if answer is not written] == [ClaimIsLost]
        assert list(deliveries.of_reminder(REMINDER)) == [written]
