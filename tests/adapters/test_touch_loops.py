"""The loops of deferred touches: what they tell, how long they rest, and that a heartbeat outlasts a stop."""

import io
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from dependency_injector import providers

from adapters.container import Container
from adapters.inbound.loops import Loop, Stop
from adapters.inbound.touch_loops import BeatStep, FollowStep, PlanStep, TouchLoops, WorkStep, beating
from adapters.settings import Settings
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.ports.errors import Unavailable
from application.ports.people import ContactPoint, Person, Tenant
from application.ports.work import NothingToSay, Outcome, Say, Work, WorkFailed
from application.touching.deferring import Caller, Wish
from application.touching.working import Working
from domain.deferred_touch import DeferredTouch, Status
from domain.recurrence import Every
from domain.touch_plan import Terms
from domain.values import ContactPointId, Origin, TenantId, TouchId, UserId
from tests.adapters.test_loops import NOW, lines, said

__all__ = ["lines"]

TENANT, ANNA = TenantId(UUID(int=1)), UserId(UUID(int=2))
ORIGIN = Origin(ANNA, "recording", ContactPointId(UUID(int=3)))
SECOND = timedelta(seconds=1)
PATIENCE_S = 20.0


@pytest.fixture
def container() -> Container:
    container = Container(store="memory", settings=Settings(touch_attempts=1))
    container.clock.override(providers.Object(SettableClock(NOW)))
    people = container.people()
    people.add_tenant(Tenant(TENANT, "acme"))
    people.add_person(Person(ANNA, TENANT, "anna"))
    people.add_contact_point(ContactPoint(ContactPointId(UUID(int=3)), ANNA, "recording", "anna's"))
    return container


def defer(container: Container, kind: str = "message", key: str = "1") -> TouchId:
    wish = Wish(kind, container.clock().now(), "call back", key)
    made: DeferredTouch = container.deferring().defer(Caller(TENANT, "agent", ORIGIN), wish).touch
    container.clock().advance(SECOND)
    return made.id


def with_check(container: Container, handler: Callable[[Work], Outcome]) -> None:
    container.handlers.override(providers.Object({"check": handler}))
    container.kinds.override(providers.Object(["check", "message"]))


def never() -> bool:
    return False


def test_a_touch_goes_through_all_the_loops_to_its_origin_and_is_told_in_ids(
    container: Container, lines: io.StringIO
) -> None:
    touch_id = defer(container)
    channel = RecordingChannel()
    loops: TouchLoops = container.touch_loops()
    assert WorkStep(loops.working, 2.0, never)() == 2.0
    list(container.delivering(channel=channel).tick())
    assert FollowStep(loops.answering, loops.touches, loops.clock, 2.0)() == 2.0

    assert [message.text for message in channel.accepted] == ["call back"]
    (handled,) = said(lines, "touch handled")
    assert (handled["level"], handled["outcome"], handled["status"]) == ("info", "answered", "Answered")
    assert (handled["TouchId"], handled["TenantId"], handled["claim"]) == (str(touch_id), str(TENANT), 1)
    (closed,) = said(lines, "touch closed")
    assert (closed["level"], closed["TouchId"], closed["status"]) == ("info", str(touch_id), "Delivered")
    assert "call back" not in lines.getvalue()


def test_a_worker_that_was_frozen_past_its_lease_is_told_that_its_write_was_refused(
    container: Container, lines: io.StringIO
) -> None:
    other: list[TouchLoops] = []

    def frozen(work: Work) -> Outcome:
        if work.attempt > 1:
            return Say("from the other")
        container.clock().advance(11 * SECOND)
        list(other[0].working.tick())
        return Say("from the frozen one")

    with_check(container, frozen)
    touch_id = defer(container, "check")
    other.append(container.touch_loops())
    WorkStep(container.touch_loops().working, 2.0, never)()
    (refused,) = said(lines, "touch handled")
    assert (refused["level"], refused["outcome"], refused["status"]) == ("warning", "refused", "Answered")
    assert (refused["claim"], refused["currentClaim"]) == (1, 2)
    assert refused["problem"] == "INV-TCH-3: it held claim 1, and claim 2 counts"
    assert container.touches().texts(touch_id).answer == "from the other"


def test_a_touch_whose_attempts_are_spent_is_an_error(container: Container, lines: io.StringIO) -> None:
    def fails(work: Work) -> Outcome:
        raise WorkFailed("answered 503")

    with_check(container, fails)
    defer(container, "check")
    WorkStep(container.touch_loops().working, 2.0, never)()
    (failed,) = said(lines, "touch handled")
    assert (failed["level"], failed["status"], failed["problem"]) == ("error", "Failed", "answered 503")


def test_an_answer_that_reaches_nobody_is_a_warning(container: Container, lines: io.StringIO) -> None:
    defer(container)
    loops: TouchLoops = container.touch_loops()
    WorkStep(loops.working, 2.0, never)()
    container.people().opt_out_of(ANNA, "recording", True)
    list(container.delivering(channel=RecordingChannel()).tick())
    FollowStep(loops.answering, loops.touches, loops.clock, 2.0)()
    (closed,) = said(lines, "touch closed")
    assert (closed["level"], closed["reason"]) == ("warning", "undeliverable")


def test_a_plan_is_told_as_it_advances_and_its_problem_once(container: Container, lines: io.StringIO) -> None:
    planning = container.planning()
    anchor = datetime.fromisoformat("2026-11-29T12:01")
    made = [
        planning.create(TENANT, Terms(Every("FREQ=DAILY", anchor, "UTC"), ORIGIN), "renew", "operator")
        for _ in range(2)
    ]
    sound, broken = (one.id for one in made)
    container.memory().plan_texts[broken] = "{{ foo }}"
    step = PlanStep(planning, 2.0)
    assert step() == 2.0
    container.clock().advance(timedelta(minutes=1))
    for _ in range(3):
        step()
    (advanced,) = said(lines, "plan advanced")
    assert (advanced["PlanId"], len(advanced["TouchIds"]), advanced["missed"]) == (str(sound), 1, 0)
    (failed,) = said(lines, "plan failed")
    assert (failed["level"], failed["PlanId"]) == ("error", str(broken))
    container.memory().plan_texts[broken] = "{{ ("
    step()
    assert len(said(lines, "plan failed")) == 2


def test_a_beat_comes_four_times_a_lease_and_soon_again_after_one_that_failed(
    container: Container, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding = container.holding()
    step = BeatStep(holding)
    assert step() == 2.5
    with monkeypatch.context() as patch:

        def away() -> None:
            raise Unavailable("gone")

        patch.setattr(type(holding), "beat", lambda self: away())
        assert [step() for _ in range(10)] == [0.5] * 10
    assert len(said(lines, "heartbeat failed")) == 10
    assert step() == 2.5


def test_a_touch_that_turned_out_to_be_lost_is_a_warning(container: Container, lines: io.StringIO) -> None:
    working: list[Working] = []

    def lost(work: Work) -> Outcome:
        container.clock().advance(11 * SECOND)
        BeatStep(working[0].holding)()
        assert work.lost.is_set()
        return NothingToSay()

    with_check(container, lost)
    touch_id = defer(container, "check")
    working.append(container.working())
    WorkStep(working[0], 2.0, never)()
    (line,) = said(lines, "touch lost")
    assert (line["level"], line["TouchId"], line["claim"]) == ("warning", str(touch_id), 1)


def test_after_a_stop_the_heartbeat_goes_on_until_nothing_is_held(container: Container) -> None:
    began, go_on = threading.Event(), threading.Event()

    def slow(work: Work) -> Outcome:
        began.set()
        assert go_on.wait(PATIENCE_S)
        return Say("done")

    with_check(container, slow)
    touch_id = defer(container, "check")
    loops: TouchLoops = container.touch_loops()
    stop, beats = Stop(), threading.Semaphore(0)
    holding = loops.working.holding

    def beat() -> float:
        holding.beat()
        beats.release()
        return 0.01

    heartbeat = threading.Thread(target=Loop("beat", beat, beating(stop, holding)).run, daemon=True)
    work = threading.Thread(
        target=Loop("work", WorkStep(loops.working, 0.01, stop.is_set), stop.wait).run, daemon=True
    )
    work.start()
    assert began.wait(PATIENCE_S)
    heartbeat.start()
    stop.set()
    while beats.acquire(blocking=False):
        pass
    for _ in range(3):
        container.clock().advance(5 * SECOND)
        for _ in range(2):
            assert beats.acquire(timeout=PATIENCE_S)
    assert heartbeat.is_alive()
    found = container.touches().touch(touch_id).state
    assert (found.status, found.claim) == (Status.IN_PROGRESS, 1)
    go_on.set()
    for thread in (work, heartbeat):
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert container.touches().touch(touch_id).state.status is Status.ANSWERED


def test_there_is_a_loop_for_each_of_their_works(container: Container) -> None:
    names = [loop.name for loop in container.touch_loops().loops(Stop())]
    assert names == ["touch work", "touch heartbeat", "touch plans", "touch answers"]


def test_each_worker_has_a_name_of_its_own(container: Container) -> None:
    names = {container.working().name for _ in range(3)}
    assert len(names) == 3


def test_a_heartbeat_has_connections_of_its_own(postgres_url: str) -> None:
    container = Container(conninfo=postgres_url, settings=Settings())
    try:
        working = container.working()
        holding: Any = working.holding
        assert holding.touches.database is holding.clock.database is container.heartbeats()
        assert holding.touches.database is not container.database()
        touches: Any = working.touches
        assert touches.database is container.database()
    finally:
        container.database().close()
        container.heartbeats().close()
