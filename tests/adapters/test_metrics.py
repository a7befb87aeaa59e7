"""What is counted and timed, under the names of the specification."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from attrs import define, field
from dependency_injector import providers

from adapters.__main__ import services
from adapters.container import Container
from adapters.inbound.cli.running import KINDS, make_loops
from adapters.inbound.loops import DispatchStep, Loop, Stop
from adapters.observability.metrics import Metrics
from adapters.outbound.memory.store import Spoilt
from adapters.settings import Settings
from adapters.testkit.clock import SettableClock
from application.calendar import Draft
from application.ports.errors import Unavailable
from domain.triggers import MinutesBeforeStart
from domain.values import EventId, TenantId, Timing, UserId

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TENANT, OWNER = TenantId(UUID(int=1)), UserId(UUID(int=2))
OF = "calendar_reminder_dispatch_"


@define
class Desk:
    """A process over memory; its own clock and the store's are one."""

    container: Container
    clock: SettableClock

    @classmethod
    def new(cls, *kinds: str, settings: Settings | None = None) -> "Desk":
        container = Container(store="memory", settings=settings or Settings())
        clock = SettableClock(NOW)
        container.clock.override(providers.Object(clock))
        container.own_clock.override(providers.Object(clock))
        desk = cls(container, clock)
        make_loops(services(container), container.settings(), kinds, Stop())
        container.pages()
        return desk

    @property
    def metrics(self) -> Metrics:
        found: Metrics = self.container.metrics()
        return found

    def value(self, name: str, **labels: str) -> float | None:
        return self.metrics.registry.get_sample_value(name, labels)

    def names(self) -> set[str]:
        return {family.name for family in self.metrics.registry.collect()}

    def plan(self, minutes: int = 30) -> EventId:
        timing = Timing.of((NOW + timedelta(minutes=minutes)).replace(tzinfo=None), "UTC")
        draft = Draft(TENANT, OWNER, timing, title="Anna's secret", triggers=(MinutesBeforeStart(15),))
        event_id: EventId = self.container.calendar().plan(draft).event.id
        return event_id

    def tick(self) -> None:
        for _ in self.container.dispatch_job().tick():
            pass


@pytest.fixture
def desk() -> Desk:
    return Desk.new("dispatch")


def test_a_cycle_counts_what_was_sent_skipped_and_poison_after_its_commit(desk: Desk) -> None:
    events = [desk.plan(), desk.plan(), desk.plan(), desk.plan()]
    store = desk.container.memory()
    of_event = {row.state.event_id: row.state.id for row in store.reminders.values()}
    store.change_event_alone(events[2])
    store.spoil(of_event[events[3]], Spoilt.UNREADABLE)
    desk.clock.advance(16 * MINUTE)
    desk.tick()
    assert desk.value(f"{OF}items_total", result="sent") == 2
    assert desk.value(f"{OF}items_total", result="skipped") == 1
    assert desk.value(f"{OF}errors_total") == 1
    assert desk.value(f"{OF}cycle_duration_seconds_count") == 1
    desk.tick()
    assert desk.value(f"{OF}errors_total") == 2  # the poison row once in each tick
    assert desk.value(f"{OF}items_total", result="sent") == 2


def test_lateness_tells_whether_the_promised_two_minutes_were_kept(desk: Desk) -> None:
    desk.plan(15)
    desk.plan(16)
    desk.clock.advance(timedelta(seconds=120))
    desk.tick()
    assert desk.value(f"{OF}lateness_seconds_bucket", le="60.0") == 1
    assert desk.value(f"{OF}lateness_seconds_bucket", le="105.0") == 1
    assert desk.value(f"{OF}lateness_seconds_bucket", le="120.0") == 2
    assert desk.value(f"{OF}lateness_seconds_sum") == 180


def test_a_poison_row_is_one_error_in_a_tick_of_several_cycles() -> None:
    desk = Desk.new("dispatch", settings=Settings(dispatch_batch_size=1))
    events = [desk.plan(30), desk.plan(31), desk.plan(32)]
    store = desk.container.memory()
    of_event = {row.state.event_id: row.state.id for row in store.reminders.values()}
    store.spoil(of_event[events[0]], Spoilt.UNREADABLE)
    desk.clock.advance(20 * MINUTE)
    desk.tick()
    assert desk.value(f"{OF}items_total", result="sent") == 2
    assert desk.value(f"{OF}cycle_duration_seconds_count") == 3
    assert desk.value(f"{OF}errors_total") == 1


def test_a_cycle_that_fails_is_an_error_and_no_success(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.tick()
    assert desk.value(f"{OF}last_success_timestamp_seconds") == NOW.timestamp()
    desk.clock.advance(MINUTE)
    store = desk.container.memory()
    monkeypatch.setattr(store, "changed", Away())
    with pytest.raises(Unavailable):
        desk.tick()
    assert desk.value(f"{OF}errors_total") == 1
    assert desk.value(f"{OF}cycle_duration_seconds_count") == 2
    assert desk.value(f"{OF}last_success_timestamp_seconds") == NOW.timestamp()
    monkeypatch.undo()
    desk.tick()
    assert desk.value(f"{OF}last_success_timestamp_seconds") == (NOW + MINUTE).timestamp()


@define
class Away:
    def __enter__(self) -> None:
        raise Unavailable("the store is away")

    def __exit__(self, *_: object) -> None: ...


def test_rows_that_somebody_else_holds_are_counted_in_each_cycle_that_passes_over_them(desk: Desk) -> None:
    event_id = desk.plan()
    store = desk.container.memory()
    (reminder_id,) = (row.state.id for row in store.reminders.values() if row.state.event_id == event_id)
    desk.clock.advance(20 * MINUTE)
    holder = object()
    with store.changed:
        store.locks.take(reminder_id, holder, 1)
    desk.tick()
    desk.tick()
    with store.changed:
        store.locks.release(holder)
    assert desk.value(f"{OF}skip_locked_total") == 2


@define
class Slow:
    """A tick that takes so many seconds."""

    clock: SettableClock
    options: object
    seconds: list[float]

    def tick(self, stopping: object) -> Iterator[object]:
        self.clock.advance(timedelta(seconds=self.seconds.pop(0)))
        yield from ()


def test_ticks_that_a_long_one_drops_are_counted(desk: Desk) -> None:
    options = desk.container.dispatch_job().options
    slow = Slow(desk.clock, options, [59.0, 60.0, 130.0])
    step = DispatchStep(slow, desk.clock, lambda: False, desk.metrics.dispatch.overruns.inc)  # type: ignore[arg-type]
    step()
    assert desk.value(f"{OF}overruns_total") == 0
    step()
    assert desk.value(f"{OF}overruns_total") == 1
    step()
    assert desk.value(f"{OF}overruns_total") == 3


def test_the_backlog_and_its_oldest_are_read_from_the_store() -> None:
    desk = Desk.new("dispatch")
    desk.plan(15)
    desk.plan(16)
    desk.plan(60)
    desk.clock.advance(2 * MINUTE)
    assert desk.value(f"{OF}backlog") == 2
    assert desk.value(f"{OF}oldest_due_age_seconds") == 120


def test_every_series_that_is_known_beforehand_is_there_from_the_start_with_0() -> None:
    desk = Desk.new(*KINDS)
    counters = [
        sample
        for family in desk.metrics.registry.collect()
        if family.type == "counter" and not family.name.startswith("process_")
        for sample in family.samples
    ]
    assert counters
    assert {sample.value for sample in counters} == {0.0}
    assert desk.value(f"{OF}items_total", result="skipped") == 0
    assert desk.value("tickler_loop_errors_total", loop="deliver console") == 0
    assert desk.value(f"{OF}last_success_timestamp_seconds") == NOW.timestamp()
    assert desk.value("tickler_loop_last_success_timestamp_seconds", loop="touch plans") == NOW.timestamp()


def test_a_process_without_dispatch_says_nothing_of_cycles_and_still_what_waits() -> None:
    desk = Desk.new("relay")
    of_dispatch = {name for name in desk.names() if name.startswith(OF)}
    assert of_dispatch == {f"{OF}backlog", f"{OF}oldest_due_age_seconds"}
    assert desk.value("tickler_loop_errors_total", loop="dispatch") is None


def test_metrics_of_two_processes_do_not_meet() -> None:
    one, other = Desk.new("dispatch"), Desk.new("dispatch")
    one.plan()
    one.clock.advance(20 * MINUTE)
    one.tick()
    assert other.value(f"{OF}items_total", result="sent") == 0


def test_no_label_and_no_help_names_a_tenant_or_a_person() -> None:
    desk = Desk.new(*KINDS)
    labels = {
        label
        for family in desk.metrics.registry.collect()
        for sample in family.samples
        for label in sample.labels
    }
    assert labels <= {"result", "le", "loop", "kind", "channel", "outcome", "table", "version", "figure"}


# Loops


@define
class Script:
    """A step that does one thing after the other."""

    what: list[float | Exception | None]
    clock: SettableClock
    done: int = field(default=0)

    def __call__(self) -> float | None:
        self.clock.advance(MINUTE)
        now = self.what[self.done]
        self.done += 1
        if isinstance(now, Exception):
            raise now
        return now

    def is_over(self, seconds: float) -> bool:
        return seconds > 0 and self.done == len(self.what)


@pytest.mark.parametrize(
    ("what", "errors", "success"),
    [
        pytest.param([1.0, 1.0], 0, 2, id="both succeed"),
        pytest.param([1.0, Unavailable("away")], 1, 1, id="one fails"),
        pytest.param([Unavailable("away"), None], 1, 0, id="one fails and the next proves nothing"),
        pytest.param([ValueError("x"), 1.0], 1, 2, id="one fails and the next succeeds"),
    ],
)
def test_a_loop_tells_its_turns_its_errors_and_its_last_success(
    what: list[float | Exception | None], errors: int, success: int
) -> None:
    clock = SettableClock(NOW)
    metrics = Metrics(clock.now)
    script = Script(what, clock)
    Loop("test", script, script.is_over, pulse=metrics.pulse("test", 60.0)).run()

    def value(name: str) -> float | None:
        return metrics.registry.get_sample_value(f"tickler_loop_{name}", {"loop": "test"})

    assert value("errors_total") == errors
    assert value("last_turn_timestamp_seconds") == (NOW + 2 * MINUTE).timestamp()
    assert value("last_success_timestamp_seconds") == (NOW + success * MINUTE).timestamp()


def test_a_loop_tells_how_long_it_rests() -> None:
    metrics = Metrics(lambda: NOW)
    pulse = metrics.pulse("test", 60.0)

    def rest() -> float | None:
        return metrics.registry.get_sample_value("tickler_loop_rest_seconds", {"loop": "test"})

    assert rest() == 0
    pulse.begin()
    pulse.end(3600.0, succeeded=True)
    assert rest() == 3600
    pulse.begin()
    pulse.fail(5.0)
    assert rest() == 3600


def test_a_turn_without_an_end_succeeds_as_long_as_it_goes_on() -> None:
    clock = SettableClock(NOW)
    metrics = Metrics(clock.now)
    pulse = metrics.pulse("test", 60.0)
    asking = pulse.asking(lambda: False)

    def success() -> float | None:
        name = "tickler_loop_last_success_timestamp_seconds"
        return metrics.registry.get_sample_value(name, {"loop": "test"})

    pulse.begin()
    clock.advance(MINUTE)
    asking()
    assert success() == NOW.timestamp()
    clock.advance(MINUTE)
    asking()
    assert success() == (NOW + 2 * MINUTE).timestamp()
