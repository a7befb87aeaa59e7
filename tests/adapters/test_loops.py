import io
import json
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import structlog
from attrs import define, field, frozen
from dependency_injector import providers

from adapters.container import Container
from adapters.inbound.loops import (
    LONGEST_PAUSE,
    DeliverStep,
    DispatchStep,
    Hindered,
    Loop,
    Loops,
    RelayStep,
    Stop,
    next_whole,
)
from adapters.observability.logging import configure_logging
from adapters.outbound.memory.store import Spoilt
from adapters.settings import LogFormat, LogLevel, Settings
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.calendar import Draft
from application.dispatching import CycleResult, ReminderDispatchJob
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from application.ports.errors import Unavailable
from application.ports.outbox import Message
from application.ports.publisher import Acknowledgement, NotNow, Published
from domain.triggers import MinutesBeforeStart
from domain.values import ReminderId, TenantId, Timing, UserId

NOW = datetime(2026, 11, 29, 12, 0, 10, tzinfo=UTC)
MINUTE = timedelta(seconds=60)


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    configure_logging(LogLevel.INFO, LogFormat.JSON, stream)
    yield stream
    structlog.reset_defaults()


def said(lines: io.StringIO, *events: str) -> list[dict[str, Any]]:
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    return [line for line in told if line["event"] in events]


@define
class Waits:
    """A sleep that takes no time: it remembers how long each was to be, and ends the loop after some."""

    until: int
    pauses: list[float] = field(factory=list)
    stopping: bool = False

    def __call__(self, seconds: float) -> bool:
        if seconds > 0:
            self.pauses.append(seconds)
        self.stopping = self.stopping or len(self.pauses) >= self.until
        return self.stopping


@frozen
class Steps:
    """Does what the script says, one thing a call, and the last again and again."""

    script: list[float | Exception]

    def __call__(self) -> float:
        what = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(what, Exception):
            raise what
        return what


# One loop


def test_a_loop_sleeps_as_long_as_its_step_says(lines: io.StringIO) -> None:
    waits = Waits(until=3)
    Loop("test", Steps([1.0, 2.0, 3.0]), waits).run()
    assert waits.pauses == [1.0, 2.0, 3.0]
    assert lines.getvalue() == ""


@pytest.mark.parametrize("problem", [Unavailable("gone"), Hindered("broker"), RuntimeError("a bug")])
def test_a_loop_outlives_any_error_and_waits_longer_each_time_up_to_a_bound(
    lines: io.StringIO, problem: Exception
) -> None:
    waits = Waits(until=7)
    Loop("test", Steps([problem]), waits, spread=lambda: 1.0).run()
    assert waits.pauses == [0.5, 1.0, 2.0, 4.0, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    assert len(said(lines, "loop hindered", "loop failed")) == 7


def test_loops_that_fell_together_do_not_come_back_together(lines: io.StringIO) -> None:
    first, second = Waits(until=1), Waits(until=1)
    Loop("test", Steps([Unavailable()]), first, spread=lambda: 0.0).run()
    Loop("test", Steps([Unavailable()]), second, spread=lambda: 1.0).run()
    assert (first.pauses, second.pauses) == ([0.25], [0.5])


def test_a_loop_that_is_well_again_says_so_and_begins_anew_with_short_waits(lines: io.StringIO) -> None:
    waits = Waits(until=5)
    script: list[float | Exception] = [Unavailable("a"), Unavailable("b"), 9.0, Unavailable("c"), 9.0]
    Loop("test", Steps(script), waits, spread=lambda: 1.0).run()
    assert waits.pauses == [0.5, 1.0, 9.0, 0.5, 9.0]
    assert [line["failures"] for line in said(lines, "loop recovered")] == [2, 1]


def test_an_error_that_nobody_foresaw_is_told_by_kind_and_place_without_its_text(lines: io.StringIO) -> None:
    Loop("test", Steps([RuntimeError("Failing row contains (Anna)")]), Waits(until=1)).run()
    (line,) = said(lines, "loop failed")
    assert (line["level"], line["problem"]) == ("error", "RuntimeError")
    assert line["at"].startswith("test_loops.py:")
    assert "Anna" not in lines.getvalue()


def test_an_error_while_stopping_is_not_told(lines: io.StringIO) -> None:
    stop = Stop()
    stop.set()
    Loop("test", Steps([Unavailable("interrupted")]), stop.wait).run()
    assert lines.getvalue() == ""


# Dispatch


class LastingJob(ReminderDispatchJob):
    """A job whose cycles last as long as `lasting` says, by the clock."""

    lasting: Callable[[], timedelta]

    def cycle(self, run_id: UUID, as_of: datetime, leave_out: Collection[ReminderId] = ()) -> CycleResult:
        clock = self.clock
        assert isinstance(clock, SettableClock)
        clock.advance(type(self).lasting())
        return super().cycle(run_id, as_of, leave_out)


@pytest.fixture
def container() -> Container:
    container = Container(store="memory", settings=Settings())
    container.clock.override(providers.Object(SettableClock(NOW)))
    return container


def dispatch_step(container: Container, *lasting: timedelta) -> DispatchStep:
    durations = list(lasting)
    kind = type("Lasting", (LastingJob,), {"lasting": staticmethod(lambda: durations.pop(0))})
    job = kind(container.ledger(), container.clock(), container.ids())
    return DispatchStep(job, container.clock(), lambda: False)


def test_ticks_begin_on_whole_minutes_of_the_utc_clock(container: Container, lines: io.StringIO) -> None:
    step = dispatch_step(container, timedelta(0), timedelta(seconds=2), timedelta(seconds=29))
    began = []
    pause = 0.0
    for _ in range(3):
        container.clock().advance(timedelta(seconds=pause))
        began.append(container.clock().now())
        pause = step()
    assert began == [NOW, NOW.replace(minute=1, second=0), NOW.replace(minute=2, second=0)]
    assert said(lines, "tick was long") == []


def test_a_sleep_that_ends_early_by_the_clock_makes_no_extra_tick(
    container: Container, lines: io.StringIO
) -> None:
    step = dispatch_step(container, timedelta(0), timedelta(0))
    container.clock().advance(timedelta(seconds=step() - 0.02))
    assert step() == pytest.approx(60, abs=0.1)


def test_ticks_that_a_long_one_missed_are_dropped_with_one_warning(
    container: Container, lines: io.StringIO
) -> None:
    step = dispatch_step(container, timedelta(seconds=130), timedelta(0))
    pause = step()
    assert container.clock().now() + timedelta(seconds=pause) == NOW.replace(minute=3, second=0)
    (warning,) = said(lines, "tick was long")
    assert (warning["level"], warning["DurationMs"], warning["DroppedTicks"]) == ("warning", 130_000, 2)


def test_a_clock_that_is_set_back_stretches_no_sleep_beyond_the_interval(
    container: Container, lines: io.StringIO
) -> None:
    step = dispatch_step(container, timedelta(0), timedelta(0))
    step()
    container.clock().set(NOW - timedelta(days=1))
    assert 0 < step() <= 60


@pytest.mark.parametrize("after", [NOW, NOW.replace(second=0), NOW.replace(microsecond=1)])
def test_the_next_whole_interval_is_later_by_no_more_than_one(after: datetime) -> None:
    found = next_whole(after, MINUTE)
    assert timedelta(0) < found - after <= MINUTE
    assert (found.second, found.microsecond) == (0, 0)


def plan(container: Container, count: int, client: UserId | None = None) -> None:
    for _ in range(count):
        timing = Timing.of(datetime.fromisoformat("2026-11-29 12:30"), "UTC")
        triggers = (MinutesBeforeStart(15),)
        draft = Draft(
            TenantId(UUID(int=1)), UserId(UUID(int=2)), timing, client_user_id=client, triggers=triggers
        )
        container.calendar().plan(draft)


def test_each_poison_row_is_told_once_a_tick_and_the_loop_sleeps_between_ticks(
    container: Container, lines: io.StringIO
) -> None:
    plan(container, 30)
    for reminder_id in container.memory().reminders:
        container.memory().spoil(reminder_id, Spoilt.UNREADABLE)
    plan(container, 1)
    container.settings.override(providers.Object(Settings(dispatch_batch_size=10)))
    container.clock().advance(timedelta(hours=1))
    waits = Waits(until=2)
    Loop("dispatch", DispatchStep(container.dispatch_job(), container.clock(), lambda: False), waits).run()
    assert len(said(lines, "item failed")) == 60
    assert len(said(lines, "reminder sent")) == 1
    assert len(waits.pauses) == 2
    assert min(waits.pauses) >= 10


# Relay


@define
class Publisher:
    answers: list[Acknowledgement]
    batches: list[int] = field(factory=list)

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        self.batches.append(len(messages))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [answer] * len(messages)


def relay_step(container: Container, publisher: Publisher, waiting: int, batch_size: int) -> RelayStep:
    plan(container, waiting)
    container.clock().advance(timedelta(hours=1))
    list(container.dispatch_job().tick())
    container.publisher.override(providers.Object(publisher))
    return RelayStep(container.relay(batch_size=batch_size), 0.5, lambda: False)


def test_the_relay_goes_on_at_once_while_batches_are_full(container: Container, lines: io.StringIO) -> None:
    publisher = Publisher([Published()])
    assert relay_step(container, publisher, waiting=7, batch_size=3)() == 0.5
    assert publisher.batches == [3, 3, 1]


def test_a_publisher_that_cannot_now_is_not_asked_again_at_once(
    container: Container, lines: io.StringIO
) -> None:
    publisher = Publisher([NotNow("no broker"), Published()])
    step = relay_step(container, publisher, waiting=6, batch_size=3)
    with pytest.raises(Hindered, match="no broker"):
        step()
    assert publisher.batches == [3]
    assert step() == 0.5
    assert publisher.batches == [3, 3, 3, 0][: len(publisher.batches)]
    assert sum(publisher.batches[1:]) == 6


def test_a_relay_that_can_publish_nothing_rests_longer_than_an_idle_one_and_ever_longer(
    container: Container, lines: io.StringIO
) -> None:
    step = relay_step(container, Publisher([NotNow("no broker")]), waiting=3, batch_size=3)
    soonest, latest = Waits(until=3), Waits(until=3)
    Loop("relay", step, soonest, spread=lambda: 0.0).run()
    Loop("relay", step, latest, spread=lambda: 1.0).run()
    assert soonest.pauses == [2.0, 2.5, 2.5]
    assert latest.pauses == [4.0, 5.0, 5.0]


def test_the_rest_of_a_relay_with_a_long_interval_is_longer_still(
    container: Container, lines: io.StringIO
) -> None:
    step = relay_step(container, Publisher([NotNow("no broker")]), waiting=3, batch_size=3)
    step.interval = 20.0
    waits = Waits(until=2)
    Loop("relay", step, waits, spread=lambda: 0.0).run()
    assert min(waits.pauses) > 20.0


def test_a_relay_recovers_by_a_published_message_and_not_by_an_empty_claim(
    container: Container, lines: io.StringIO
) -> None:
    publisher = Publisher([NotNow("no broker"), Published()])
    step = relay_step(container, publisher, waiting=3, batch_size=3)
    loop = Loop("relay", step, Waits(until=1), spread=lambda: 0.0)
    loop.run()
    other = container.outbox().claim("other", 3, container.clock().now(), MINUTE)
    loop.wait = empty = Waits(until=2)
    loop.run()
    assert empty.pauses == [2.0, 2.0]
    assert said(lines, "loop recovered") == []

    container.outbox().release(other)
    loop.wait = Waits(until=1)
    loop.run()
    assert [line["failures"] for line in said(lines, "loop recovered")] == [1]


def test_a_relay_that_had_no_store_recovers_by_an_empty_claim(
    container: Container, lines: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = relay_step(container, Publisher([Published()]), waiting=0, batch_size=3)
    loop = Loop("relay", step, Waits(until=1))
    with monkeypatch.context() as patch:

        def away(*_: object) -> None:
            raise Unavailable("gone")

        patch.setattr(type(step.relay.outbox), "claim", away)
        loop.run()
    loop.wait = Waits(until=1)
    loop.run()
    assert len(said(lines, "loop recovered")) == 1


# Delivery, and all together


def test_what_is_due_reaches_owner_and_client_through_all_the_loops(
    container: Container, lines: io.StringIO
) -> None:
    channel = RecordingChannel("console")
    container.console.override(providers.Object(channel))
    plan(container, 3, client=UserId(UUID(int=3)))
    container.clock().advance(timedelta(hours=0, minutes=20))

    def never() -> bool:
        return False

    DispatchStep(container.dispatch_job(), container.clock(), never)()
    RelayStep(container.relay(), 0.5, never)()
    assert DeliverStep(container.delivering(channel=channel), 1.0, never)() == 1.0
    assert len(channel.accepted) == 6
    assert len(said(lines, "delivery handled")) == 6


@pytest.mark.parametrize(
    ("outcome", "level", "status"),
    [
        (Accepted(), "info", "Delivered"),
        (Later("the line is busy"), "warning", "Pending"),
        (RefusedForGood("no such mailbox"), "warning", "Failed"),
        (OutcomeUnknown("the line broke"), "warning", "Unknown"),
    ],
)
def test_a_message_that_did_not_arrive_is_a_warning(
    container: Container, lines: io.StringIO, outcome: Outcome, level: str, status: str
) -> None:
    channel = RecordingChannel("console")
    channel.answer(outcome)
    container.console.override(providers.Object(channel))
    plan(container, 1)
    container.clock().advance(timedelta(minutes=20))
    DispatchStep(container.dispatch_job(), container.clock(), lambda: False)()
    RelayStep(container.relay(), 0.5, lambda: False)()
    DeliverStep(container.delivering(channel=channel), 1.0, lambda: False)()
    (line,) = said(lines, "delivery handled")
    assert (line["level"], line["status"]) == (level, status)
    (delivery,) = container.memory().deliveries.values()
    ids = (str(delivery.id), str(delivery.about_id), str(delivery.tenant_id))
    assert (line["DeliveryId"], line["AboutId"], line["TenantId"]) == ids


def test_a_stop_wakes_sleeping_loops_and_interrupts_none(lines: io.StringIO) -> None:
    stop, interrupts, ticked = Stop(), [], threading.Event()

    def step() -> float:
        ticked.set()
        return 3600.0

    loops = Loops([Loop("test", step, stop.wait)], stop, lambda: interrupts.append(1))
    loops.start()
    assert ticked.wait(10)
    assert loops.stop(grace=10) == []
    assert interrupts == []


def test_a_stop_interrupts_a_statement_that_does_not_end_by_itself(lines: io.StringIO) -> None:
    stop, begun, interrupted = Stop(), threading.Event(), threading.Event()

    def step() -> float:
        begun.set()
        interrupted.wait(30)
        raise Unavailable("interrupted")

    loops = Loops([Loop("test", step, stop.wait)], stop, interrupted.set)
    loops.start()
    assert begun.wait(10)
    assert loops.stop(grace=0.01, budget=20) == []
    assert lines.getvalue() == ""


def test_a_loop_that_never_ends_is_named_and_left_behind(lines: io.StringIO) -> None:
    stop, begun, freed = Stop(), threading.Event(), threading.Event()

    def step() -> float:
        begun.set()
        freed.wait(60)
        return 1.0

    loops = Loops([Loop("stuck", step, stop.wait)], stop, lambda: None)
    loops.start()
    assert begun.wait(10)
    assert loops.stop(grace=0.01, budget=0.02) == ["stuck"]
    freed.set()
