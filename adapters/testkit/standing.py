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
from application.ports.standing import STUCK_AFTER, ClaimKind, Watched
from application.ports.touches import Touches
from domain import deferred_touch, delivery
from domain.deferred_touch import Limits
from domain.triggers import MinutesBeforeStart

INSTANT = timedelta(microseconds=1)
NOTHING = Backlog(0, None)


class StandingContract:
    """Each test has a store of its own, without any rows; all of these are adapters over it."""

    @pytest.fixture
    def watched(self) -> Watched:
        raise NotImplementedError

    @pytest.fixture
    def counting_to_two(self) -> Watched:
        """The same store, with two for the most that is counted."""
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
        assert [watched.reminders(NOON), watched.outbox(), watched.touches(NOON)] == 3 * [NOTHING]
        assert watched.deliveries(NOON) == {}
        assert watched.outbox_parked() == watched.touches_overdue(NOON) == watched.touches_failed() == 0
        assert watched.deliveries_unknown() == watched.deliveries_failed() == 0
        assert [watched.stuck(kind, NOON) for kind in ClaimKind] == 3 * [0]

    def test_reminders_wait_from_the_instant_after_they_are_due_until_they_are_settled(
        self, watched: Watched, ledger: Ledger
    ) -> None:
        keep(ledger, planned(1, MinutesBeforeStart(60)), due(2, NOON + MINUTE), due(3, NOON + 3 * MINUTE))
        at = planned(1, MinutesBeforeStart(60)).reminders[0].due_at
        assert at == NOON

        assert watched.reminders(at) == NOTHING
        assert watched.reminders(at + INSTANT) == Backlog(1, at)
        assert watched.reminders(NOON + 2 * MINUTE) == Backlog(2, at)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle(sending_new(planned(1, MinutesBeforeStart(60))))
        assert watched.reminders(NOON + 2 * MINUTE) == Backlog(1, NOON + MINUTE)

    def test_messages_wait_until_they_are_published_or_parked(
        self, watched: Watched, ledger: Ledger, outbox: Outbox
    ) -> None:
        examples = [planned(number, MinutesBeforeStart(75)) for number in (1, 2, 3)]
        keep(ledger, *examples)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle([settled for example in examples for settled in sending_new(example)])
        assert (watched.outbox().count, watched.outbox_parked()) == (3, 0)
        assert watched.outbox() == outbox.backlog(NOON)

        first, second, _ = outbox.claim("relay", 3, NOON, MINUTE)
        outbox.mark_published([first], NOON)
        outbox.park([(second, "it will not do")], NOON)

        assert (watched.outbox().count, watched.outbox_parked()) == (1, 1)

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
        assert watched.deliveries(NOON) == {
            "console": Backlog(1, NOON),
            "email": Backlog(2, NOON - 2 * MINUTE),
        }
        deliveries.claim("email", 1, NOON, NOON + MINUTE)
        assert watched.deliveries(NOON)["email"].count == 1

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

        assert (watched.deliveries_failed(), watched.deliveries_unknown()) == (1, 2)

    def test_touches_wait_from_the_instant_after_they_are_due_until_they_are_claimed(
        self, watched: Watched, touches: Touches
    ) -> None:
        registered(touches, 1, due_at=NOON)
        registered(touches, 2, due_at=NOON + MINUTE)
        assert watched.touches(NOON) == NOTHING
        assert watched.touches(NOON + INSTANT) == Backlog(1, NOON)
        assert watched.touches(NOON + 2 * MINUTE) == Backlog(2, NOON)
        claim_due(touches, NOON + INSTANT)
        assert watched.touches(NOON + 2 * MINUTE) == Backlog(1, NOON + MINUTE)

    def test_a_touch_is_overdue_when_its_lease_is_over_and_stuck_some_time_later(
        self, watched: Watched, touches: Touches
    ) -> None:
        for number in (1, 2):
            registered(touches, number)
        one, _ = claim_due(touches, NOON + INSTANT, lease=MINUTE)
        answer(touches, one)
        over = NOON + INSTANT + MINUTE

        assert watched.touches_overdue(over) == 0
        assert watched.touches_overdue(over + INSTANT) == 1
        self._is_stuck_from(watched, ClaimKind.TOUCH, over)

    def test_touches_that_failed_for_good_are_counted(self, watched: Watched, touches: Touches) -> None:
        registered(touches)
        (claimed,) = claim_due(touches)
        tell(touches, claimed.id, deferred_touch.Fail(claimed.claim, "no", NOON + MINUTE, Limits(attempts=1)))
        assert watched.touches_failed() == 1

    def test_of_much_no_more_is_counted_than_the_most_and_one(
        self,
        counting_to_two: Watched,
        ledger: Ledger,
        outbox: Outbox,
        deliveries: Deliveries,
        touches: Touches,
    ) -> None:
        later = NOON + 60 * MINUTE
        keep(ledger, *[due(number, NOON + number * MINUTE) for number in range(1, 6)])
        assert counting_to_two.reminders(later) == Backlog(3, NOON + MINUTE)

        examples = [planned(number, MinutesBeforeStart(75)) for number in range(11, 16)]
        keep(ledger, *examples)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle([settled for example in examples for settled in sending_new(example)])
        assert counting_to_two.outbox() == Backlog(3, outbox.backlog(NOON).oldest)

        waiting = [made(number, channel="console") for number in range(1, 6)]
        waiting += [made(number, channel="webhook") for number in range(6, 8)]
        deliveries.receive([Received(REMINDER, waiting)], NOON)
        found = counting_to_two.deliveries(later)
        assert {channel: backlog.count for channel, backlog in found.items()} == {"console": 3, "webhook": 2}

        for number in range(1, 6):
            registered(touches, number, due_at=NOON + (10 - number) * MINUTE)
        assert counting_to_two.touches(later) == Backlog(3, NOON + 5 * MINUTE)

    @staticmethod
    def _is_stuck_from(watched: Watched, kind: ClaimKind, over: datetime) -> None:
        def stuck(now: datetime) -> list[ClaimKind]:
            return [one for one in ClaimKind for _ in range(watched.stuck(one, now))]

        assert stuck(over + STUCK_AFTER) == []
        assert stuck(over + STUCK_AFTER + INSTANT) == [kind]
