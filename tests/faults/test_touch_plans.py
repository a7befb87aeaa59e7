"""Two plans previewed and run over two years of an injected clock, through every clock change and over stops.

The instants that are expected are written out, and not reckoned by what is tried here.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, date, datetime, time, timedelta

import pytest
from attrs import evolve, field, frozen

from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.outbound.system import UuidIds
from adapters.outbound.templates.plan_texts import JinjaPlanTexts
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import TENANT
from adapters.testkit.touches.examples import ORIGIN
from application.ports.touches import Touches
from application.touching.planning import Planning
from domain.deferred_touch import DeferredTouch
from domain.recurrence import BeforeDeadline, ClockChange, Every, Schedule, ShortMonth
from domain.touch_plan import EndReason, Status, Terms, TouchPlan

YEARS = timedelta(days=2 * 365 + 1)
DAY, MINUTE, SECOND = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1)

RENEWAL = BeforeDeadline(date(2027, 3, 31), (45, 30, 14, 7, 1), time(10), "Europe/Moscow")
# The 31st, at an hour that a clock change leaves out in spring and has twice in autumn.
MONTHLY = Every(
    "FREQ=MONTHLY;BYMONTHDAY=31", datetime.fromisoformat("2026-10-31T02:30"), "Europe/Berlin", ShortMonth.LAST
)


def utc(text: str) -> list[datetime]:
    """`2027-02-14 07:00, …`: instants."""
    return [datetime.fromisoformat(one.strip()).replace(tzinfo=UTC) for one in text.split(",")]


@frozen
class Case:
    """A schedule from an instant on: what it comes to in two years, and what clock changes shift of it."""

    name: str
    schedule: Schedule
    since: datetime
    instants: Sequence[datetime]
    # By the place of an occurrence.
    changed: dict[int, ClockChange] = field(factory=dict)
    # When the clocks of its zone change in these years.
    clock_changes: Sequence[datetime] = ()
    # When no process runs: from, to.
    stops: Sequence[Sequence[datetime]] = ()


CASES = (
    Case(
        "45, 30, 14, 7 and 1 days before 2027-03-31, at 10:00 Europe/Moscow",
        RENEWAL,
        datetime.fromisoformat("2026-12-01 00:00Z"),
        utc("2027-02-14 07:00, 2027-03-01 07:00, 2027-03-17 07:00, 2027-03-24 07:00, 2027-03-30 07:00"),
        # Over the second and third, and over the last.
        stops=[utc("2027-02-20 00:00, 2027-03-20 12:34"), utc("2027-03-29 00:00, 2027-04-02 09:00")],
    ),
    Case(
        "every month on the 31st, else the last day, Europe/Berlin, from December 2026",
        MONTHLY,
        datetime.fromisoformat("2026-12-01 00:00Z"),
        utc(
            "2026-12-31 01:30, 2027-01-31 01:30, 2027-02-28 01:30, 2027-03-31 00:30, 2027-04-30 00:30,"
            "2027-05-31 00:30, 2027-06-30 00:30, 2027-07-31 00:30, 2027-08-31 00:30, 2027-09-30 00:30,"
            "2027-10-31 00:30, 2027-11-30 01:30, 2027-12-31 01:30, 2028-01-31 01:30, 2028-02-29 01:30,"
            "2028-03-31 00:30, 2028-04-30 00:30, 2028-05-31 00:30, 2028-06-30 00:30, 2028-07-31 00:30,"
            "2028-08-31 00:30, 2028-09-30 00:30, 2028-10-31 01:30, 2028-11-30 01:30"
        ),
        changed={10: ClockChange.TWICE},
        clock_changes=utc("2027-03-28 01:00, 2027-10-31 01:00, 2028-03-26 01:00, 2028-10-29 01:00"),
        # Over a spring's change, and over three with the hour that comes twice.
        stops=[utc("2027-03-20 00:00, 2027-04-01 00:00"), utc("2027-10-30 12:00, 2027-12-31 12:00")],
    ),
    Case(
        "every month on the 31st, else the last day, Europe/Berlin, from July 2029",
        MONTHLY,
        datetime.fromisoformat("2029-07-01 00:00Z"),
        utc(
            "2029-07-31 00:30, 2029-08-31 00:30, 2029-09-30 00:30, 2029-10-31 01:30, 2029-11-30 01:30,"
            "2029-12-31 01:30, 2030-01-31 01:30, 2030-02-28 01:30, 2030-03-31 01:30, 2030-04-30 00:30,"
            "2030-05-31 00:30, 2030-06-30 00:30, 2030-07-31 00:30, 2030-08-31 00:30, 2030-09-30 00:30,"
            "2030-10-31 01:30, 2030-11-30 01:30, 2030-12-31 01:30, 2031-01-31 01:30, 2031-02-28 01:30,"
            "2031-03-31 00:30, 2031-04-30 00:30, 2031-05-31 00:30, 2031-06-30 00:30"
        ),
        changed={8: ClockChange.LEFT_OUT},
        clock_changes=utc("2029-10-28 01:00, 2030-03-31 01:00, 2030-10-27 01:00, 2031-03-30 01:00"),
        # Within the change's own hours, over the time that it leaves out.
        stops=[utc("2030-03-31 00:59, 2030-03-31 01:59"), utc("2031-01-15 00:00, 2031-04-30 00:29")],
    ),
)
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)

Boot = Callable[[], Touches]


@pytest.fixture(params=["memory", "postgres"])
def boot(request: pytest.FixtureRequest) -> Iterator[Boot]:
    """A process's own adapters over the one store."""
    if request.param == "memory":
        store = MemoryStore()
        yield lambda: MemoryTouches(store)
        return
    url = request.getfixturevalue("postgres_url")
    with ExitStack() as opened:
        yield lambda: PostgresTouches(opened.enter_context(closing(Database(url))))


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(CASES[0].since)


def planning(boot: Boot, clock: SettableClock) -> Planning:
    return Planning(boot(), MemoryPeople(MemoryStore()), clock, UuidIds(), JinjaPlanTexts(), {"message"})


def kept(plans: Planning, case: Case, **policy: object) -> TouchPlan:
    terms = evolve(Terms(case.schedule, ORIGIN), **policy)  # type: ignore[arg-type]
    return plans.create(TENANT, terms, "{{ date }}", "tester")


def polls(case: Case) -> list[datetime]:
    """Every day, every few minutes around a clock change, and around each occurrence to the second."""
    end = case.since + YEARS
    found = {case.since + step * DAY for step in range(1, YEARS // DAY)}
    for change in case.clock_changes:
        found |= {change + step * 5 * MINUTE for step in range(-36, 37)}
    for at in case.instants:
        found |= {at - SECOND, at, at + SECOND, at + 2 * SECOND}
    return sorted(one for one in found if case.since < one < end)


def run(plans: Planning, clock: SettableClock, case: Case) -> None:
    """Poll through the two years; no touch comes before its time."""
    for now in polls(case):
        clock.set(now)
        for advanced in plans.tick():
            assert advanced.problem is None
            for touch_id in advanced.touch_ids:
                found = plans.touches.touch(touch_id)
                assert found is not None
                assert found.state.due_at <= now < found.state.due_at + SECOND


def made(touches: Touches) -> list[DeferredTouch]:
    return sorted(touches.listed(TENANT, 1000), key=lambda touch: touch.due_at)


@each_case
def test_a_preview_gives_the_right_instants_and_marks_those_that_a_clock_change_shifts(
    boot: Boot, clock: SettableClock, case: Case
) -> None:
    clock.set(case.since)
    seen = planning(boot, clock).preview(case.schedule, len(case.instants))
    assert [one.at for one in seen] == list(case.instants)
    assert {place: one.clock_change for place, one in enumerate(seen) if one.clock_change} == case.changed


@each_case
def test_a_plan_run_through_two_years_makes_each_touch_once_at_its_instant(
    boot: Boot, clock: SettableClock, case: Case
) -> None:
    clock.set(case.since)
    plans = planning(boot, clock)
    previewed = plans.preview(case.schedule, len(case.instants))
    plan = kept(plans, case)

    run(plans, clock, case)

    touches = made(plans.touches)
    assert [touch.due_at for touch in touches] == list(case.instants)
    slots = [touch.occurrence.slot for touch in touches if touch.occurrence is not None]
    assert slots == [one.slot for one in previewed]
    assert [plans.touches.texts(touch.id).text for touch in touches] == [f"{slot.date()}" for slot in slots]
    assert {touch.origin for touch in touches} == {ORIGIN}
    after = plans.plan(TENANT, plan.id)
    ends = isinstance(case.schedule, BeforeDeadline)
    assert (after.status, after.end_reason) == (
        (Status.ENDED, EndReason.FINISHED) if ends else (Status.ACTIVE, None)
    )


@pytest.mark.parametrize("catch_up", [0, 1, 2, 100], ids=lambda count: f"catch-up {count}")
@each_case
def test_what_falls_into_a_stop_is_made_up_for_as_the_plan_has_it_and_the_rest_is_on_time(
    boot: Boot, clock: SettableClock, case: Case, catch_up: int
) -> None:
    clock.set(case.since)
    kept(planning(boot, clock), case, catch_up=catch_up)

    for began, ended in processes(case):
        plans = planning(boot, clock)
        for now in [began, *(one for one in polls(case) if began < one < ended)]:
            clock.set(now)
            assert [one.problem for one in plans.tick() if one.problem] == []

    touches = made(plans.touches)
    assert [touch.due_at for touch in touches] == due_with_stops(case, catch_up)
    assert len({touch.occurrence for touch in touches}) == len(touches)


def processes(case: Case) -> list[tuple[datetime, datetime]]:
    """From when to when a process runs, between the stops."""
    starts = [case.since, *(end for _, end in case.stops)]
    ends = [*(begin for begin, _ in case.stops), case.since + YEARS]
    return list(zip(starts, ends, strict=True))


def due_with_stops(case: Case, catch_up: int) -> list[datetime]:
    """Of each stop's occurrences the last so many, a minute apart from the restart on."""
    on_time = [at for at in case.instants if not any(begin <= at <= end for begin, end in case.stops)]
    late = []
    for begin, end in case.stops:
        missed = [at for at in case.instants if begin <= at <= end]
        assert missed
        late += [end + place * MINUTE for place in range(min(catch_up, len(missed)))]
    return sorted([*on_time, *late])
