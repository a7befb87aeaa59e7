"""The promises of the Watched port, executed."""

from datetime import datetime, timedelta

import pytest

from adapters.testkit.deliveries.examples import OTHER_REMINDER, REMINDER, made, settle
from adapters.testkit.examples import CYCLE, MINUTE, NOON, due, keep, planned, sending_new
from adapters.testkit.touches.examples import answer, claim_due, registered, tell
from application.ports.backlog import Backlog
from application.ports.deliveries import Deliveries, Received
from application.ports.ledger import Ledger
from application.ports.outbox import Outbox
from application.ports.standing import STUCK_AFTER, ClaimKind, Standing, Watched
from application.ports.touches import Touches
from domain import deferred_touch, delivery
from domain.deferred_touch import Limits
from domain.triggers import MinutesBeforeStart

INSTANT = timedelta(microseconds=1)
NOTHING = Backlog(0, None)
QUIET = Standing(
    reminders=NOTHING,
    outbox=NOTHING,
    outbox_parked=0,
    deliveries={},
    deliveries_unknown=0,
    deliveries_failed=0,
    touches=NOTHING,
    touches_overdue=0,
    touches_failed=0,
    stuck_claims=dict.fromkeys(ClaimKind, 0),
)


class StandingContract:
    """Each test has a store of its own, without any rows; all of these are adapters over it."""

    @pytest.fixture
    def watched(self) -> Watched:
        raise NotImplementedError

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def outbox(self) -> Outbox:
        raise NotImplementedError

    @pytest.fixture
    def deliveries(self) -> Deliveries:
        raise NotImplementedError

    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    def test_nothing_waits_and_nothing_went_wrong_in_an_empty_store(self, watched: Watched) -> None:
        assert watched.standing(NOON) == QUIET

    def test_reminders_wait_from_the_instant_after_they_are_due_until_they_are_settled(
        self, watched: Watched, ledger: Ledger
    ) -> None:
        keep(ledger, planned(1, MinutesBeforeStart(60)), due(2, NOON + MINUTE), due(3, NOON + 3 * MINUTE))
        at = planned(1, MinutesBeforeStart(60)).reminders[0].due_at
        assert at == NOON

        assert watched.standing(at).reminders == NOTHING
        assert watched.standing(at + INSTANT).reminders == Backlog(1, at)
        assert watched.standing(NOON + 2 * MINUTE).reminders == Backlog(2, at)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle(sending_new(planned(1, MinutesBeforeStart(60))))
        assert watched.standing(NOON + 2 * MINUTE).reminders == Backlog(1, NOON + MINUTE)

    def test_messages_wait_until_they_are_published_or_parked(
        self, watched: Watched, ledger: Ledger, outbox: Outbox
    ) -> None:
        examples = [planned(number, MinutesBeforeStart(75)) for number in (1, 2, 3)]
        keep(ledger, *examples)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle([settled for example in examples for settled in sending_new(example)])
        standing = watched.standing(NOON)
        assert (standing.outbox.count, standing.outbox_parked) == (3, 0)
        assert standing.outbox == outbox.backlog(NOON)

        first, second, _ = outbox.claim("relay", 3, NOON, MINUTE)
        outbox.mark_published([first], NOON)
        outbox.park([(second, "it will not do")], NOON)

        standing = watched.standing(NOON)
        assert (standing.outbox.count, standing.outbox_parked) == (1, 1)

    def test_a_relays_claim_is_stuck_when_its_lease_was_over_some_time_ago(
        self, watched: Watched, ledger: Ledger, outbox: Outbox
    ) -> None:
        examples = [planned(number, MinutesBeforeStart(75)) for number in (1, 2, 3, 4)]
        keep(ledger, *examples)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle([settled for example in examples for settled in sending_new(example)])
        first, second, third, _ = outbox.claim("relay", 4, NOON, MINUTE)
        outbox.mark_published([first], NOON)
        outbox.park([(second, "it will not do")], NOON)
        outbox.release([third])

        self._is_stuck_from(watched, ClaimKind.OUTBOX, NOON + MINUTE)

    def test_deliveries_wait_by_channel_since_they_might_be_tried(
        self, watched: Watched, deliveries: Deliveries
    ) -> None:
        deliveries.receive(
            [
                Received(
                    REMINDER,
                    [
                        made(1, due_at=NOON - 60 * MINUTE),
                        made(2, channel="email", not_before=NOON - MINUTE),
                        made(3, channel="email", not_before=NOON - 2 * MINUTE),
                        made(4, channel="webhook", not_before=NOON + INSTANT),
                    ],
                )
            ],
            NOON,
        )
        assert watched.standing(NOON).deliveries == {
            "console": Backlog(1, NOON),
            "email": Backlog(2, NOON - 2 * MINUTE),
        }
        deliveries.claim("email", 1, NOON, NOON + MINUTE)
        assert watched.standing(NOON).deliveries["email"].count == 1

    def test_a_sender_is_stuck_when_its_lease_was_over_some_time_ago(
        self, watched: Watched, deliveries: Deliveries
    ) -> None:
        deliveries.receive([Received(REMINDER, [made(1), made(2)])], NOON)
        deliveries.claim("console", 1, NOON, NOON + MINUTE)
        self._is_stuck_from(watched, ClaimKind.DELIVERY, NOON + MINUTE)

    def test_what_stands_failed_or_unknown_is_counted_and_what_arrived_is_not(
        self, watched: Watched, deliveries: Deliveries
    ) -> None:
        deliveries.receive([Received(REMINDER, [made(number) for number in (1, 2, 3)])], NOON)
        deliveries.receive([Received(OTHER_REMINDER, [made(4, OTHER_REMINDER)])], NOON)
        one, two, three, four = deliveries.claim("console", 4, NOON, NOON + MINUTE)
        settle(deliveries, one, delivery.Refuse(one.claim, "no such box", NOON))
        settle(deliveries, two, delivery.LoseTrack(two.claim, "no answer", NOON))
        settle(deliveries, three, delivery.LoseTrack(three.claim, "no answer", NOON))
        settle(deliveries, four, delivery.Accept(four.claim, None, NOON))

        standing = watched.standing(NOON)
        assert (standing.deliveries_failed, standing.deliveries_unknown) == (1, 2)

    def test_touches_wait_from_the_instant_after_they_are_due_until_they_are_claimed(
        self, watched: Watched, touches: Touches
    ) -> None:
        registered(touches, 1, due_at=NOON)
        registered(touches, 2, due_at=NOON + MINUTE)
        assert watched.standing(NOON).touches == NOTHING
        assert watched.standing(NOON + INSTANT).touches == Backlog(1, NOON)
        assert watched.standing(NOON + 2 * MINUTE).touches == Backlog(2, NOON)
        claim_due(touches, NOON + INSTANT)
        assert watched.standing(NOON + 2 * MINUTE).touches == Backlog(1, NOON + MINUTE)

    def test_a_touch_is_overdue_when_its_lease_is_over_and_stuck_some_time_later(
        self, watched: Watched, touches: Touches
    ) -> None:
        for number in (1, 2):
            registered(touches, number)
        one, _ = claim_due(touches, NOON + INSTANT, lease=MINUTE)
        answer(touches, one)
        over = NOON + INSTANT + MINUTE

        assert watched.standing(over).touches_overdue == 0
        assert watched.standing(over + INSTANT).touches_overdue == 1
        self._is_stuck_from(watched, ClaimKind.TOUCH, over)

    def test_touches_that_failed_for_good_are_counted(self, watched: Watched, touches: Touches) -> None:
        registered(touches)
        (claimed,) = claim_due(touches)
        tell(touches, claimed.id, deferred_touch.Fail(claimed.claim, "no", NOON + MINUTE, Limits(attempts=1)))
        assert watched.standing(NOON + MINUTE).touches_failed == 1

    @staticmethod
    def _is_stuck_from(watched: Watched, kind: ClaimKind, over: datetime) -> None:
        none = dict.fromkeys(ClaimKind, 0)
        assert watched.standing(over + STUCK_AFTER).stuck_claims == none
        assert watched.standing(over + STUCK_AFTER + INSTANT).stuck_claims == none | {kind: 1}
