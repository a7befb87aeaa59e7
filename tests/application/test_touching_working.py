"""A worker claims what is due, has it worked on, says what came of it, and takes back what is stuck."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve, field, frozen

from adapters.outbound.agents import AgentPlatforms
from adapters.outbound.memory.touch_transaction import MemoryTouchTransaction
from adapters.outbound.memory.touches import MemoryTouches
from application.ports.errors import Unavailable
from application.ports.ledger import Context
from application.ports.notices import MatterKind
from application.ports.touches import TouchTexts
from application.ports.work import Again, NothingToSay, Outcome, Say, Work, WorkFailed
from domain.deferred_touch import DeferredTouch, Limits, Status
from domain.delivery import Template
from domain.errors import TouchIsInProgress
from domain.values import TenantId, TouchId
from tests.application.touching_world import LEASE, PATIENCE_S, SECOND, TouchingWorld, at, ticking
from tests.application.world import NOON, OLGA, TENANT

OTHER_TENANT = TenantId(OLGA)


@pytest.fixture
def world() -> TouchingWorld:
    return TouchingWorld()


class Gate:
    """A handler that tells of each touch that it began, and works until it is let go."""

    def __init__(self) -> None:
        self.began = threading.Semaphore(0)
        self._open = threading.Event()

    def __call__(self, work: Work) -> Outcome:
        self.began.release()
        assert self._open.wait(PATIENCE_S)
        return Say("at last")

    def has_begun(self, count: int = 1) -> bool:
        return all(self.began.acquire(timeout=PATIENCE_S) for _ in range(count))

    def open(self) -> None:
        self._open.set()


@frozen
class Shaky(MemoryTouches):
    """A store that is away for as many transactions, and cannot read as many texts, as are in the lists."""

    away: list[str] = field(factory=list)
    unreadable: list[str] = field(factory=list)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[MemoryTouchTransaction]:
        if self.away:
            raise Unavailable(self.away.pop())
        with super().transaction(context) as transaction:
            yield transaction

    def texts(self, touch_id: TouchId) -> TouchTexts:
        if self.unreadable:
            raise Unavailable(self.unreadable.pop())
        return super().texts(touch_id)


# What a touch comes to


def test_what_is_due_is_answered_and_one_delivery_brings_it_to_the_origin(world: TouchingWorld) -> None:
    touch_id = world.defer(text="call the clinic")
    (worked,) = world.work()

    assert (worked.touch_id, worked.what, worked.status) == (touch_id, "answered", Status.ANSWERED)
    assert world.answer_of(touch_id) == "call the clinic"
    (brings,) = world.all_deliveries()
    assert (brings.about_id, brings.channel) == (touch_id, world.origin.channel)
    assert brings.contact_point_id == world.origin.contact_point_id


def test_a_message_whose_text_is_gone_fails_and_says_why(world: TouchingWorld) -> None:
    touch_id = world.defer(text="call the clinic")
    world.store.touch_texts.clear()
    (worked,) = world.work(limits=Limits(attempts=1))
    assert (worked.what, worked.status) == ("failed", Status.FAILED)
    assert "its text is gone" in str(world.touch(touch_id).reason)
    assert world.all_deliveries() == []


def test_nothing_is_worked_on_before_its_time_nor_at_that_very_instant(world: TouchingWorld) -> None:
    touch_id = world.deferring().defer(world.caller(), world.wish(due_at=at(60))).touch.id
    for now in (at(0), at(59), at(60)):
        world.clock.set(now)
        assert world.work() == []
    assert world.touch(touch_id).claim == 0
    world.clock.set(at(60.001))
    assert [one.touch_id for one in world.work()] == [touch_id]


def test_the_attempt_is_committed_before_the_work_begins(world: TouchingWorld) -> None:
    seen: list[DeferredTouch] = []

    def look(work: Work) -> Outcome:
        seen.append(world.touch(work.touch_id))
        return NothingToSay()

    world.defer(kind="check")
    world.work({"check": look}, name="worker-1")
    (found,) = seen
    assert (found.status, found.worker, found.claim) == (Status.IN_PROGRESS, "worker-1", 1)


def test_a_handler_is_told_what_it_is_about_and_until_when(world: TouchingWorld) -> None:
    works: list[Work] = []

    def again(work: Work) -> Outcome:
        works.append(work)
        if work.attempt == 1:
            raise WorkFailed("busy")
        return NothingToSay()

    touch_id = world.defer(world.caller(depth=2), kind="check", text="the lab's results")
    world.work({"check": again}, deadline=60 * SECOND)
    world.clock.advance(11 * SECOND)
    world.work({"check": again})

    first, second = works
    assert (first.touch_id, first.text, first.origin) == (touch_id, "the lab's results", world.origin)
    assert (first.attempt, first.depth, first.deadline) == (1, 2, NOON + 61 * SECOND)
    assert (second.touch_id, second.attempt) == (touch_id, 2)


def test_what_is_asked_for_again_comes_again_and_is_no_failure(world: TouchingWorld) -> None:
    touch_id = world.defer(kind="check")
    (worked,) = world.work({"check": lambda work: Again(at(600))})
    assert (worked.what, worked.status) == ("put off", Status.PENDING)
    found = world.touch(touch_id)
    assert (found.due_at, found.failures, found.rounds) == (at(600), 0, 1)


def test_a_touch_that_kills_its_workers_is_failed_once_the_limit_is_what_it_lost_and_may_then_be_cancelled(
    world: TouchingWorld,
) -> None:
    killer = world.defer(kind="check")
    for _ in range(3):
        world.claimed_by_one_that_died(killer)
        world.clock.advance(LEASE + SECOND)
        world.work({}, limits=Limits())
    assert (world.touch(killer).recoveries, world.touch(killer).status) == (3, Status.PENDING)
    world.claimed_by_one_that_died(killer)
    with pytest.raises(TouchIsInProgress):
        world.deferring().cancel(TENANT, killer, "an operator")
    world.clock.advance(LEASE + SECOND)
    (worked,) = world.work({}, limits=Limits(recoveries=3))
    assert worked.status is Status.FAILED
    assert world.deferring().cancel(TENANT, killer, "an operator").status is Status.CANCELLED


def test_each_round_has_a_key_of_its_own_that_its_attempts_share_and_a_retry_does_not_use_again(
    world: TouchingWorld,
) -> None:
    worked: list[Work] = []

    def check(work: Work) -> Outcome:
        worked.append(work)
        if len(worked) % 2:
            raise WorkFailed("answered 503")
        return Again(world.clock.now() + 60 * SECOND)

    touch_id = world.defer(kind="check")
    for _ in range(5):
        world.work({"check": check}, limits=Limits(attempts=2, rounds=1))
        world.clock.advance(120 * SECOND)
        if world.touch(touch_id).status is Status.FAILED:
            world.deferring().retry(TENANT, touch_id, "an operator")
            world.clock.advance(SECOND)
    assert [work.round for work in worked] == [1, 1, 2, 2, 2]
    assert [work.key for work in worked] == [str(touch_id)] * 2 + [f"{touch_id}:2"] * 3


def test_work_with_nothing_to_say_is_closed_and_brings_nothing(world: TouchingWorld) -> None:
    touch_id = world.defer(kind="check")
    (worked,) = world.work({"check": lambda work: NothingToSay()})
    assert (worked.what, worked.status) == ("nothing_to_say", Status.CLOSED)
    assert world.all_deliveries() == []
    assert world.touch(touch_id).reason == "nothing_to_say"


def _raise(problem: BaseException) -> Outcome:
    raise problem


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (lambda work: _raise(WorkFailed("answered 503\nand more")), "answered 503 and more"),
        (lambda work: _raise(WorkFailed()), "WorkFailed"),
        (lambda work: _raise(RuntimeError("Anna's secret")), "RuntimeError"),
        (lambda work: _raise(SystemExit(1)), "SystemExit"),
        (lambda work: _raise(KeyboardInterrupt()), "KeyboardInterrupt"),
        (lambda work: None, "its handler gave NoneType"),
        (lambda work: "text", "its handler gave str"),
        (lambda work: Say(5), "its handler gave Say"),  # type: ignore[arg-type]
        (
            lambda work: Again(datetime.fromisoformat("2026-12-01T10:00")),
            "its handler said again, at what is no instant before the year 2200",
        ),
        (
            lambda work: Again(datetime.fromisoformat("2300-12-01T10:00Z")),
            "its handler said again, at what is no instant before the year 2200",
        ),
    ],
)
def test_an_attempt_that_went_wrong_is_told_in_one_line_without_content(
    world: TouchingWorld, handler: Any, reason: str
) -> None:
    touch_id = world.defer(kind="check")
    (worked,) = world.work({"check": handler})
    assert (worked.what, worked.problem, worked.status) == ("failed", reason, Status.PENDING)
    found = world.touch(touch_id)
    assert (found.reason, found.failures) == (reason, 1)
    assert found.due_at == world.clock.now() + 10 * SECOND


def test_when_its_attempts_are_spent_it_is_failed_and_kept_until_it_is_retried(world: TouchingWorld) -> None:
    touch_id = world.defer(kind="check")
    for _ in range(2):
        world.work({"check": lambda work: _raise(RuntimeError())}, limits=Limits(attempts=2))
        world.clock.advance(60 * SECOND)
    assert world.touch(touch_id).status is Status.FAILED
    assert world.work({"check": lambda work: NothingToSay()}) == []

    world.deferring().retry(world.touch(touch_id).tenant_id, touch_id, "operator")
    world.clock.advance(SECOND)
    assert [one.what for one in world.work({"check": lambda work: NothingToSay()})] == ["nothing_to_say"]


def test_a_kind_that_nobody_here_knows_is_left_for_one_who_does(world: TouchingWorld) -> None:
    touch_id = world.defer(kind="call")
    assert world.work() == []
    assert world.touch(touch_id).status is Status.PENDING
    assert len(world.work({"call": lambda work: Say("done")})) == 1


# Recovery


def test_a_touch_of_a_worker_that_died_is_taken_back_and_repeated_when_its_lease_has_run_out(
    world: TouchingWorld,
) -> None:
    touch_id = world.defer()
    world.claimed_by_one_that_died(touch_id)
    world.clock.advance(LEASE)
    assert world.work() == []

    world.clock.advance(SECOND)
    assert [one.what for one in world.work()] == ["recovered", "answered"]
    found = world.touch(touch_id)
    assert (found.recoveries, found.failures, found.claim) == (1, 0, 2)


def test_no_limit_keeps_a_worker_from_taking_back_what_is_stuck(world: TouchingWorld) -> None:
    stuck, gate = world.defer(), Gate()
    world.claimed_by_one_that_died(stuck)
    world.defer(kind="check")
    with ticking(world.worker({"check": gate}, workers=1)) as worker:
        assert gate.has_begun()
        world.clock.advance(LEASE + SECOND)
        worker.until(lambda worked: stuck in [one.touch_id for one in worked])
        assert world.touch(stuck).status is Status.PENDING
        gate.open()


def test_more_than_one_page_of_stuck_ones_is_taken_back_at_once(world: TouchingWorld) -> None:
    ids = [world.defer() for _ in range(150)]
    for touch_id in ids:
        world.claimed_by_one_that_died(touch_id)
    world.clock.advance(LEASE + SECOND)
    tick = world.worker(workers=1).tick()
    assert {next(tick).what for _ in range(150)} == {"recovered"}


# Room


def test_a_slow_touch_holds_up_no_other(world: TouchingWorld) -> None:
    gate = Gate()
    slow = world.defer(kind="check")
    quick = [world.defer() for _ in range(5)]
    with ticking(world.worker({"check": gate})) as worker:
        worker.until(lambda worked: {one.touch_id for one in worked} == set(quick))
        assert world.touch(slow).status is Status.IN_PROGRESS
        gate.open()


def test_a_kind_with_little_room_left_narrows_no_other_kind(world: TouchingWorld) -> None:
    gate, other = Gate(), Gate()
    for _ in range(2):
        world.defer(kind="check")
    with ticking(world.worker({"check": gate, "call": other}, per_kind=3, workers=5, per_tenant=9)):
        assert gate.has_begun(2)
        ids = [world.defer(kind="call") for _ in range(3)]
        world.defer(kind="check")
        assert other.has_begun(3)
        runs = {world.touches.history(one)[1].correlation_id for one in ids}
        assert len(runs) == 1  # in one commit, though only one more of the other kind had room
        assert not gate.began.acquire(blocking=False)  # the process is full
        gate.open()
        other.open()


def test_no_more_of_one_kind_and_of_one_tenant_are_begun_than_may_be(world: TouchingWorld) -> None:
    gate = Gate()
    checks = [world.defer(kind="check") for _ in range(5)]
    with ticking(world.worker({"check": gate}, per_kind=2)) as worker:
        assert gate.has_begun(2)
        quick = world.defer()
        worker.until(lambda worked: [one.touch_id for one in worked] == [quick])
        assert [world.touch(one).claim for one in checks] == [1, 1, 0, 0, 0]
        gate.open()

    world, gate = TouchingWorld(), Gate()
    flood = [world.defer(kind="check") for _ in range(5)]
    other = world.defer(world.caller(tenant_id=OTHER_TENANT))
    with ticking(world.worker({"check": gate}, per_tenant=2)) as worker:
        worker.until(lambda worked: other in [one.touch_id for one in worked])
        assert gate.has_begun(2)
        assert sum(world.touch(one).claim for one in flood) == 2
        gate.open()


@pytest.mark.parametrize("later", [5 * SECOND, 60 * SECOND], ids=["its lease stands", "its lease is gone"])
def test_work_that_never_ends_has_failed_at_its_deadline_and_keeps_no_place(
    world: TouchingWorld, later: Any
) -> None:
    gate, others = Gate(), set(threading.enumerate())
    slow = world.defer(kind="check")
    working = world.worker({"check": gate}, workers=1, deadline=later, lease=30 * SECOND)
    with ticking(working) as worker:
        assert gate.has_begun()
        quick = world.defer()
        world.clock.advance(later)
        assert [(one.touch_id, one.what) for one in worker.join()] == [(slow, "failed"), (quick, "answered")]
    assert worker.worked[0].problem == "its deadline passed"
    assert (world.touch(slow).status, world.touch(slow).failures) == (Status.PENDING, 1)

    gate.open()
    for thread in set(threading.enumerate()) - others:
        if thread.name == "touch check":
            thread.join(PATIENCE_S)
    (refused,) = working.tick()
    assert (refused.touch_id, refused.what, refused.claim) == (slow, "refused", 1)
    assert refused.problem == "INV-TCH-3: it held claim 1, which is over"
    assert world.answer_of(slow) is None


def test_work_that_lost_its_claim_and_never_ends_keeps_no_place_beyond_its_deadline(
    world: TouchingWorld,
) -> None:
    gate = Gate()
    working = world.worker({"check": gate}, workers=1, deadline=60 * SECOND)
    slow = world.defer(kind="check")
    with ticking(working) as worker:
        assert gate.has_begun()
        world.clock.advance(LEASE + SECOND)
        worker.until(lambda worked: [one.what for one in worked] == ["recovered"])
        world.deferring().cancel(world.touch(slow).tenant_id, slow, "operator")
        assert [one.touch.id for one in working.holding.beat()] == [slow]

        quick = world.defer()
        world.clock.advance(60 * SECOND)
        worker.until(lambda worked: quick in [one.touch_id for one in worked])
        gate.open()


# A stop


def test_on_a_stop_what_was_not_begun_goes_back_and_costs_no_attempt(world: TouchingWorld) -> None:
    touch_id = world.defer(kind="check")
    working = world.worker({"check": lambda work: _raise(AssertionError("it was begun"))})

    def stopping() -> bool:
        return world.touch(touch_id).claim > 0  # the wish comes with the commit of the claim

    assert [one.what for one in working.tick(stopping)] == ["released"]
    found = world.touch(touch_id)
    assert (found.status, found.failures, found.recoveries, found.reason) == (Status.PENDING, 0, 0, None)
    assert found.due_at == NOON


def test_on_a_stop_nothing_more_is_begun_and_what_is_worked_on_is_waited_for(world: TouchingWorld) -> None:
    gate = Gate()
    slow = world.defer(kind="check")
    with ticking(world.worker({"check": gate})) as worker:
        assert gate.has_begun()
        worker.stop()
        waiting = world.defer()
        gate.open()
        assert [one.touch_id for one in worker.join()] == [slow]
    assert world.touch(slow).status is Status.ANSWERED
    assert world.touch(waiting).claim == 0


def test_a_handler_hears_of_a_stop_and_what_it_then_says_counts(world: TouchingWorld) -> None:
    began = threading.Event()

    def until_the_stop(work: Work) -> Outcome:
        began.set()
        return Say("so far") if work.stopping.wait(PATIENCE_S) else NothingToSay()

    touch_id = world.defer(kind="check")
    with ticking(world.worker({"check": until_the_stop})) as worker:
        assert began.wait(PATIENCE_S)
        worker.stop()
        worker.join()
    assert world.answer_of(touch_id) == "so far"


def test_where_the_machine_gives_no_thread_the_touch_goes_back(
    world: TouchingWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    touch_id = world.defer(kind="check")
    tick = world.worker({"check": lambda work: NothingToSay()}).tick()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        assert next(tick).what == "released"
    assert world.touch(touch_id).failures == 0


# A store that is away


def test_what_is_done_is_written_when_the_store_is_back_and_not_done_again(world: TouchingWorld) -> None:
    touches = Shaky(world.store)
    world.touches = touches
    times = []

    def check(work: Work) -> Outcome:
        times.append(work.attempt)
        touches.away.extend(["gone"] * 5)
        return Say("it is done")

    touch_id = world.defer(kind="check")
    worked = world.work({"check": check}, rest=lambda seconds: world.clock.advance(LEASE))
    assert (times, touches.away) == ([1], [])
    assert [one.what for one in worked] == ["answered"]
    assert world.answer_of(touch_id) == "it is done"
    assert len(world.all_deliveries()) == 1


def test_what_another_has_by_then_is_refused_to_the_one_that_was_frozen(world: TouchingWorld) -> None:
    touch_id = world.defer(kind="check")

    def frozen(work: Work) -> Outcome:
        world.clock.advance(LEASE + SECOND)
        assert work.lost.is_set()
        world.work({"check": lambda work: Say("from the other")}, name="other")
        return Say("from the frozen one")

    (worked,) = world.work({"check": frozen})
    assert (worked.what, worked.claim, worked.current_claim) == ("refused", 1, 2)
    assert worked.status is Status.ANSWERED
    assert worked.problem == "INV-TCH-3: it held claim 1, and claim 2 counts"
    assert world.answer_of(touch_id) == "from the other"
    assert len(world.all_deliveries()) == 1


def test_where_its_text_cannot_be_read_it_goes_back_and_costs_no_attempt(world: TouchingWorld) -> None:
    touches = Shaky(world.store, unreadable=["gone"])
    world.touches = touches
    touch_id = world.defer()
    assert [one.what for one in world.work()] == ["released", "answered"]
    assert world.touch(touch_id).failures == 0


def test_an_answer_that_can_be_kept_by_no_means_is_a_failed_attempt(world: TouchingWorld) -> None:
    class Refusing(MemoryTouches):
        @contextmanager
        def transaction(self, context: Context) -> Iterator[MemoryTouchTransaction]:
            with super().transaction(context) as transaction:

                def keep_answer(*_: object) -> None:
                    raise ValueError("row contains (Anna)")

                transaction.keep_answer = keep_answer  # type: ignore[method-assign, assignment]
                yield transaction

    touch_id = world.defer()
    (worked,) = world.work(touches=Refusing(world.store))
    assert (worked.what, worked.problem) == ("failed", "ValueError")
    assert world.touch(touch_id).failures == 1


# What the operator hears of


def with_operator(world: TouchingWorld) -> None:
    known = world.people.tenant(TENANT)
    assert known is not None
    world.people.set_tenant(evolve(known, operator_id=OLGA))


def operator_told(world: TouchingWorld) -> list[UUID]:
    """The touches that the notices of the tenant's operator tell of."""
    matters = [matter for notice in world.store.matters.values() for matter in notice.values()]
    return [matter.id for matter in matters if matter.kind is MatterKind.TOUCH]


def test_a_touch_whose_origin_is_gone_is_closed_before_any_work_begins(world: TouchingWorld) -> None:
    called: list[Work] = []

    def check(work: Work) -> Outcome:
        called.append(work)
        return Say("nobody is there to hear it")

    with_operator(world)
    touch_id = world.defer(kind="check")
    assert world.origin.contact_point_id is not None
    world.people.remove_contact_point(world.origin.contact_point_id)

    (worked,) = world.work({"check": check})

    assert (worked.what, worked.status) == ("undeliverable", Status.CLOSED)
    assert called == []
    assert operator_told(world) == [touch_id]
    assert [one.template for one in world.all_deliveries()] == [Template.OPERATOR_NOTICE]


def test_work_that_is_put_off_for_who_was_erased_meanwhile_is_closed_and_does_not_wait(
    world: TouchingWorld,
) -> None:
    def check(work: Work) -> Outcome:
        world.people.erase(TENANT, OLGA)
        return Again(at(30 * 86_400))

    touch_id = world.defer(kind="check")
    (worked,) = world.work({"check": check})
    assert (worked.what, worked.status) == ("undeliverable", Status.CLOSED)
    assert world.touch(touch_id).status is Status.CLOSED


def test_the_operator_is_told_once_of_a_touch_that_failed_for_good_and_of_no_attempt(
    world: TouchingWorld,
) -> None:
    def broken(work: Work) -> Outcome:
        raise WorkFailed("no")

    with_operator(world)
    touch_id = world.defer(kind="check")
    for _ in range(4):
        world.work({"check": broken})
        world.clock.advance(1800 * SECOND)
    assert operator_told(world) == []
    (worked,) = world.work({"check": broken})
    assert worked.status is Status.FAILED
    assert operator_told(world) == [touch_id]


def test_where_the_agent_platform_was_taken_away_each_attempt_says_so_and_the_operator_is_told(
    world: TouchingWorld,
) -> None:
    with_operator(world)
    touch_id = world.defer(kind="call")
    known = world.people.tenant(TENANT)
    assert known is not None
    world.people.set_tenant(evolve(known, agent=None))
    call = AgentPlatforms(world.people, world.clock)
    worked = []
    for _ in range(5):
        worked += world.work({"call": call})
        world.clock.advance(1800 * SECOND)
    assert len(worked) == 5
    assert {one.problem for one in worked} == {
        "its tenant has no agent platform: tickler tenant agent TENANT --url URL"
    }
    assert world.touch(touch_id).status is Status.FAILED
    assert operator_told(world) == [touch_id]


def test_the_operator_is_told_once_of_a_touch_whose_workers_died_again_and_again(
    world: TouchingWorld,
) -> None:
    with_operator(world)
    touch_id = world.defer(kind="check")
    limits = Limits(recoveries=1)
    for _ in range(2):
        world.claimed_by_one_that_died(touch_id)
        world.clock.advance(LEASE + SECOND)
        said = world.work(limits=limits)
    assert [(one.what, one.status) for one in said] == [("failed", Status.FAILED)]
    assert said[0].problem == "recoveries: its workers were lost"
    assert operator_told(world) == [touch_id]
    assert world.work(limits=limits) == []
    assert operator_told(world) == [touch_id]


def test_work_that_is_put_off_to_a_time_that_has_passed_is_not_called_again_at_once(
    world: TouchingWorld,
) -> None:
    calls: list[Work] = []

    def behind(work: Work) -> Outcome:
        calls.append(work)
        return Again(world.clock.now() - SECOND)

    world.defer(kind="check")
    world.work({"check": behind})
    world.clock.advance(10 * SECOND)
    assert world.work({"check": behind}) == []
    assert len(calls) == 1
