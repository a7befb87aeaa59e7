"""Claiming: each touch in one worker's hands, the tenants in turn, and nothing stuck for good."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from adapters.testkit.examples import MINUTE, NOON, OTHER_TENANT, TENANT, numbered
from adapters.testkit.threads import at_once
from adapters.testkit.touches.examples import (
    CONTEXT,
    LATER,
    LEASE_END,
    ROOMY,
    SECOND,
    change,
    claim_due,
    registered,
    tell,
)
from application.ports.errors import Conflict
from application.ports.ledger import Versioned
from application.ports.touches import Room, TouchChange, Touches
from domain import deferred_touch
from domain.deferred_touch import DeferredTouch, Status
from domain.values import TenantId, TouchId

INSTANT = timedelta(microseconds=1)


def numbers(found: Sequence[DeferredTouch]) -> list[int]:
    return [one.id.int - numbered(0).int for one in found]


class ClaimingContract:
    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    def test_a_touch_is_due_right_after_its_time_and_not_before(self, touches: Touches) -> None:
        """T-TCH-10."""
        registered(touches, due_at=NOON)
        assert claim_due(touches, NOON) == []
        assert numbers(claim_due(touches, NOON + INSTANT)) == [1]

    def test_a_claim_is_written_with_owner_number_lease_and_history(self, touches: Touches) -> None:
        """INV-TCH-3."""
        made = registered(touches)
        (claimed,) = claim_due(touches, LATER)
        kept = touches.touch(made.id)
        assert kept == Versioned(claimed, 2)
        assert kept.state.lease_until == LEASE_END
        assert (kept.state.worker, kept.state.claim) == ("worker-a", 1)
        assert [one.version for one in touches.history(made.id)] == [1, 2]
        assert touches.history(made.id)[1].event == deferred_touch.TouchClaimed("worker-a", LEASE_END, LATER)

    def test_a_claimed_touch_is_not_due(self, touches: Touches) -> None:
        registered(touches)
        claim_due(touches)
        assert claim_due(touches, LATER + MINUTE) == []

    def test_two_workers_never_share_one_touch(self, touches: Touches) -> None:
        """T-TCH-4: the specification, "Захват атомарен"."""
        for number in range(1, 61):
            registered(touches, number)

        def work(name: str) -> Callable[[], list[TouchId]]:
            def claim() -> list[TouchId]:
                mine: list[TouchId] = []
                while found := claim_due(touches, room=Room(3, ROOMY.kinds, 100), worker=name):
                    mine += [one.id for one in found]
                return mine

            return claim

        answers = at_once(*(work(f"worker-{name}") for name in "abcd"))

        taken = [touch_id for answer in answers if not isinstance(answer, Exception) for touch_id in answer]
        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        assert Counter(taken) == Counter(TouchId(numbered(number)) for number in range(1, 61))

    def test_what_somebody_holds_is_passed_over_without_waiting(self, touches: Touches) -> None:
        """T-TCH-5: a slow touch holds nobody up."""
        registered(touches, 1, due_at=NOON - MINUTE)
        registered(touches, 2)
        with touches.transaction(CONTEXT) as slow:
            assert [one.state.id for one in slow.due(LATER, Room(1, ROOMY.kinds, 9))] == [
                TouchId(numbered(1))
            ]
            assert numbers(claim_due(touches)) == [2]

    def test_no_more_are_taken_than_there_is_room_for_the_oldest_first(self, touches: Touches) -> None:
        for number, minutes in ((1, 1), (2, 3), (3, 2)):
            registered(touches, number, due_at=NOON - minutes * MINUTE)
        assert numbers(claim_due(touches, room=Room(2, ROOMY.kinds, 9))) == [2, 3]
        assert claim_due(touches, room=Room(0, ROOMY.kinds, 9)) == []

    def test_a_kind_that_nobody_here_knows_is_left_for_who_does(self, touches: Touches) -> None:
        registered(touches, 1, kind="new-kind")
        registered(touches, 2)
        assert numbers(claim_due(touches)) == [2]
        assert numbers(claim_due(touches, room=Room(9, {"new-kind"}, 9))) == [1]

    def test_a_tenant_that_floods_the_queue_holds_up_no_other(self, touches: Touches) -> None:
        for number in range(1, 41):
            registered(touches, number, due_at=NOON - MINUTE)
        registered(touches, 99, tenant_id=OTHER_TENANT, due_at=NOON)

        taken = claim_due(touches, room=Room(10, ROOMY.kinds, 100))

        assert 99 in numbers(taken)
        assert len(taken) == 10

    def test_no_tenant_has_more_in_work_than_it_may_whoever_works(self, touches: Touches) -> None:
        for number in range(1, 6):
            registered(touches, number)
        registered(touches, 9, tenant_id=OTHER_TENANT)
        room = Room(10, ROOMY.kinds, 2)

        first = claim_due(touches, room=room)
        second = claim_due(touches, room=room, worker="worker-b")

        assert Counter(one.tenant_id for one in first) == {TENANT: 2, OTHER_TENANT: 1}
        assert second == []
        tell(touches, first[0].id, deferred_touch.SayNothing(1, LATER))
        assert len(claim_due(touches, room=room)) == (1 if first[0].tenant_id == TENANT else 0)

    def test_a_claim_whose_lease_has_run_out_is_stuck_and_not_before(self, touches: Touches) -> None:
        """INV-TCH-5."""
        made = registered(touches)
        claim_due(touches, LATER)
        with touches.transaction(CONTEXT) as transaction:
            assert list(transaction.stuck(LEASE_END, 10)) == []
            (found,) = transaction.stuck(LEASE_END + INSTANT, 10)
            transaction.record([change(found, deferred_touch.Recover(LEASE_END + INSTANT))])
        kept = touches.touch(made.id)
        assert kept is not None
        assert (kept.state.status, kept.state.recoveries, kept.state.worker) == (Status.PENDING, 1, None)

    def test_long_leases_hide_no_stuck_touch_behind_them(self, touches: Touches) -> None:
        for number in range(1, 31):
            registered(touches, number)
        claim_due(touches, room=Room(29, ROOMY.kinds, 100), lease=timedelta(days=1))
        (stuck,) = claim_due(touches, lease=SECOND)
        with touches.transaction(CONTEXT) as transaction:
            found = transaction.stuck(LATER + MINUTE, 1)
        assert [one.state.id for one in found] == [stuck.id]

    def test_a_full_tenant_keeps_none_of_its_touches_from_being_recovered(self, touches: Touches) -> None:
        registered(touches)
        claim_due(touches, room=Room(1, ROOMY.kinds, 1))
        with touches.transaction(CONTEXT) as transaction:
            assert len(transaction.stuck(LATER + MINUTE, 10)) == 1

    def test_two_who_recover_at_once_do_it_once(self, touches: Touches) -> None:
        for number in range(1, 21):
            registered(touches, number)
        claim_due(touches)
        late = LATER + MINUTE

        def recover() -> int:
            with touches.transaction(CONTEXT) as transaction:
                found = transaction.stuck(late, 100)
                transaction.record([change(one, deferred_touch.Recover(late)) for one in found])
            return len(found)

        assert sum(at_once(recover, recover, recover)) == 20  # type: ignore[arg-type]
        assert {one.recoveries for one in touches.listed(TENANT, 100)} == {1}

    def test_a_heartbeat_lengthens_the_lease_and_makes_no_history(self, touches: Touches) -> None:
        made = registered(touches)
        claim_due(touches, LATER)
        longer = LEASE_END + MINUTE

        assert touches.extend({made.id: 1}, LEASE_END, longer) == {made.id}

        kept = touches.touch(made.id)
        assert kept is not None
        assert (kept.state.lease_until, kept.version) == (longer, 2)
        assert len(touches.history(made.id)) == 2
        with touches.transaction(CONTEXT) as transaction:
            assert list(transaction.stuck(longer, 10)) == []

    def test_a_heartbeat_keeps_only_what_is_still_held(self, touches: Touches) -> None:
        one, two, three, four = (registered(touches, number) for number in range(1, 5))
        claim_due(touches, LATER)
        tell(touches, two.id, deferred_touch.Release(1, LATER))
        claim_due(touches, LATER, worker="worker-b")
        tell(touches, three.id, deferred_touch.SayNothing(1, LATER))
        held = {touch.id: 1 for touch in (one, two, three, four)} | {TouchId(numbered(50)): 1}

        assert touches.extend(held, LATER, LEASE_END + MINUTE) == {one.id, four.id}
        assert touches.extend({one.id: 1}, LEASE_END + 2 * MINUTE, LEASE_END + 3 * MINUTE) == frozenset()
        assert touches.extend({}, LATER, LEASE_END) == frozenset()

    def test_a_lease_whose_touch_somebody_locks_is_passed_over_and_holds_up_no_other(
        self, touches: Touches
    ) -> None:
        for number in (1, 2):
            registered(touches, number)
        one, two = claim_due(touches)
        held = {one.id: one.claim, two.id: two.claim}
        with touches.transaction(CONTEXT) as transaction:
            transaction.touch(one.id)
            assert touches.extend(held, LATER, LEASE_END + MINUTE) == {two.id}
        assert touches.extend(held, LATER, LEASE_END + MINUTE) == set(held)

    def test_a_change_on_a_version_that_has_passed_is_a_conflict_and_nothing_is_written(
        self, touches: Touches
    ) -> None:
        made = registered(touches)
        other = registered(touches, 2)
        stale = change(Versioned(made, 1), deferred_touch.Cancel(NOON))
        tell(touches, made.id, deferred_touch.Cancel(NOON))

        with pytest.raises(Conflict), touches.transaction(CONTEXT) as transaction:
            transaction.record([change(Versioned(other, 1), deferred_touch.Cancel(NOON)), stale])

        assert touches.touch(other.id) == Versioned(other, 1)
        assert len(touches.history(other.id)) == 1

    def test_a_change_to_nothing_writes_nothing(self, touches: Touches) -> None:
        made = registered(touches)
        with touches.transaction(CONTEXT) as transaction:
            transaction.record([TouchChange(1, [], made)])
        assert touches.touch(made.id) == Versioned(made, 1)

    @pytest.mark.parametrize("tenant_id", [TENANT, OTHER_TENANT])
    def test_every_state_of_a_touch_comes_back_equal(self, touches: Touches, tenant_id: TenantId) -> None:
        made = registered(touches, tenant_id=tenant_id)
        (claimed,) = claim_due(touches)
        later = LATER + MINUTE
        failed = tell(touches, made.id, deferred_touch.Fail(1, "OSError", LATER))
        assert touches.touch(made.id) == Versioned(failed, 3)
        (claimed,) = claim_due(touches, later)
        put_off = tell(touches, made.id, deferred_touch.PutOff(2, later, later))
        assert touches.touch(made.id) == Versioned(put_off, 5)
        cancelled = tell(touches, made.id, deferred_touch.Cancel(later))
        assert touches.touch(made.id) == Versioned(cancelled, 6)
        assert claimed.claim == 2
        folded: DeferredTouch | None = None
        for one in touches.history(made.id):
            assert isinstance(one.event, deferred_touch.Event)
            folded = deferred_touch.evolve(folded, one.event)
        assert folded == cancelled
