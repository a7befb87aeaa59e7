"""TouchPlan: which occurrences become touches, and what happens to those that were missed."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import product
from typing import get_args
from uuid import UUID

import attrs
import pytest

from domain.errors import BrokenHistory, Invalid, NoSuchPlan, PlanIsOver
from domain.recurrence import BeforeDeadline, Every, ShortMonth, occurrences
from domain.touch_plan import (
    Advance,
    Command,
    Create,
    Edit,
    End,
    EndReason,
    Event,
    Made,
    Pause,
    PlanAdvanced,
    PlanCreated,
    PlanEdited,
    PlanEnded,
    PlanPaused,
    PlanResumed,
    Resume,
    Status,
    Terms,
    TouchPlan,
    decide,
    evolve,
    next_occurrence,
)
from domain.values import Occurrence, Origin, PlanId, TenantId, UserId

wall = datetime.fromisoformat

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAILY = Every("FREQ=DAILY", wall("2026-01-01 09:00"), "UTC")
TERMS = Terms(DAILY, Origin(UserId(UUID(int=3)), "console"))
PLAN = PlanId(UUID(int=7))
CREATE = Create(PLAN, TenantId(UUID(int=2)), TERMS, NOW)
NINE = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
POLL = timedelta(seconds=2)


def plan_of(terms: Terms = TERMS, *events: Event) -> TouchPlan:
    plan = evolve(None, PlanCreated(PLAN, CREATE.tenant_id, terms, NOW))
    for event in events:
        plan = evolve(plan, event)
    return plan


def slot(at: datetime) -> Occurrence:
    return Occurrence(PLAN, 1, at.replace(tzinfo=None))


def test_an_occurrence_whose_time_has_come_becomes_a_touch_due_at_it() -> None:
    assert decide(plan_of(), Advance(NINE)) == [PlanAdvanced(NINE, (Made(slot(NINE), NINE),), 0, NINE)]
    assert decide(plan_of(), Advance(NINE - timedelta(microseconds=1))) == []


def test_an_occurrence_that_was_dealt_with_is_not_dealt_with_again() -> None:
    (advanced,) = decide(plan_of(), Advance(NINE + POLL))
    plan = plan_of(TERMS, advanced)
    assert decide(plan, Advance(NINE + POLL)) == []
    (again,) = decide(plan, Advance(NINE + DAY + POLL))
    assert isinstance(again, PlanAdvanced)
    assert [one.occurrence for one in again.made] == [slot(NINE + DAY)]


@pytest.mark.parametrize(
    ("catch_up", "made"),
    [(0, []), (1, [4]), (3, [2, 3, 4]), (100, [0, 1, 2, 3, 4])],
)
def test_what_was_missed_is_made_up_for_as_the_plan_says(catch_up: int, made: list[int]) -> None:
    found = NINE + 4 * DAY + timedelta(hours=1)
    (advanced,) = decide(plan_of(attrs.evolve(TERMS, catch_up=catch_up)), Advance(found))
    assert isinstance(advanced, PlanAdvanced)
    assert [one.occurrence for one in advanced.made] == [slot(NINE + day * DAY) for day in made]
    assert [one.due_at for one in advanced.made] == [found + late * TERMS.spread for late in range(len(made))]
    assert advanced.missed == 5 - len(made)


@pytest.mark.parametrize(("catch_up", "made"), [(0, [4]), (1, [4]), (3, [2, 3, 4])])
def test_one_that_is_on_time_leaves_in_any_case_and_stands_for_those_missed(
    catch_up: int, made: list[int]
) -> None:
    (advanced,) = decide(plan_of(attrs.evolve(TERMS, catch_up=catch_up)), Advance(NINE + 4 * DAY + POLL))
    assert isinstance(advanced, PlanAdvanced)
    assert [one.occurrence for one in advanced.made] == [slot(NINE + day * DAY) for day in made]
    assert advanced.made[-1].due_at == NINE + 4 * DAY


def test_what_fell_into_a_pause_is_not_made_up_for() -> None:
    paused = plan_of(TERMS, PlanPaused(NINE))
    assert decide(paused, Advance(NINE + 9 * DAY)) == []
    assert next_occurrence(paused) is None
    resumed = evolve(paused, PlanResumed(NINE + 9 * DAY + POLL))
    (advanced,) = decide(resumed, Advance(NINE + 10 * DAY))
    assert isinstance(advanced, PlanAdvanced)
    assert ([one.occurrence for one in advanced.made], advanced.missed) == ([slot(NINE + 10 * DAY)], 0)


def test_an_edit_begins_a_revision_and_goes_on_from_its_moment() -> None:
    at_ten = attrs.evolve(TERMS, schedule=attrs.evolve(DAILY, anchor=wall("2026-01-01 10:00")))
    (edited,) = decide(plan_of(), Edit(at_ten, NINE + POLL))
    plan = plan_of(TERMS, edited)
    assert plan.revision == 2
    (advanced,) = decide(plan, Advance(NINE + timedelta(hours=1)))
    assert isinstance(advanced, PlanAdvanced)
    assert [one.occurrence.revision for one in advanced.made] == [2]
    assert decide(plan, Edit(at_ten, NINE + DAY)) == []


def test_a_plan_ends_with_its_last_occurrence() -> None:
    twice = attrs.evolve(TERMS, schedule=attrs.evolve(DAILY, rule="FREQ=DAILY;COUNT=2"))
    happened = decide(plan_of(twice), Advance(NINE + DAY + POLL))
    assert isinstance(happened[0], PlanAdvanced)
    assert happened[1:] == [PlanEnded(EndReason.FINISHED, NINE + DAY + POLL)]


@pytest.mark.parametrize("rule", ["FREQ=YEARLY;INTERVAL=1000", "FREQ=YEARLY;INTERVAL=1000;COUNT=3"])
def test_a_plan_whose_next_occurrence_is_too_far_is_refused_as_that_and_not_as_passed(rule: str) -> None:
    far = attrs.evolve(TERMS, schedule=Every(rule, wall("2024-02-29 10:00"), "UTC"))
    with pytest.raises(Invalid, match=r"^schedule: none of its occurrences comes before the year 2200$"):
        decide(None, attrs.evolve(CREATE, terms=far))


def test_a_plan_whose_occurrences_have_all_passed_is_refused() -> None:
    past = attrs.evolve(TERMS, schedule=BeforeDeadline(date(2025, 12, 31), (1, 7), time(10, 0), "UTC"))
    with pytest.raises(Invalid, match="passed"):
        decide(None, attrs.evolve(CREATE, terms=past))
    with pytest.raises(Invalid, match="passed"):
        decide(plan_of(), Edit(past, NINE))


COMMANDS: dict[type, Command] = {
    Create: CREATE,
    Edit: Edit(attrs.evolve(TERMS, catch_up=2), NINE),
    Pause: Pause(NINE),
    Resume: Resume(NINE),
    End: End(NINE),
    Advance: Advance(NINE),
}
PLANS = {
    Status.ACTIVE: plan_of(),
    Status.PAUSED: plan_of(TERMS, PlanPaused(NOW)),
    Status.ENDED: plan_of(TERMS, PlanEnded(EndReason.BY_HAND, NOW)),
}
FOLLOWS: dict[tuple[Status, type], type] = {
    (Status.ACTIVE, Edit): PlanEdited,
    (Status.PAUSED, Edit): PlanEdited,
    (Status.ACTIVE, Pause): PlanPaused,
    (Status.PAUSED, Resume): PlanResumed,
    (Status.ACTIVE, End): PlanEnded,
    (Status.PAUSED, End): PlanEnded,
    (Status.ACTIVE, Advance): PlanAdvanced,
}


def test_there_is_an_example_of_every_command_and_status() -> None:
    assert set(COMMANDS) == set(get_args(Command))
    assert {status: plan.status for status, plan in PLANS.items()} == {status: status for status in Status}


@pytest.mark.parametrize(("status", "kind"), list(product(Status, COMMANDS)))
def test_a_plan_does_what_its_status_allows_and_nothing_else(status: Status, kind: type) -> None:
    if status is Status.ENDED and kind in (Edit, Pause, Resume):
        with pytest.raises(PlanIsOver):
            decide(PLANS[status], COMMANDS[kind])
        return
    expected = FOLLOWS.get((status, kind))
    assert [type(event) for event in decide(PLANS[status], COMMANDS[kind])] == (
        [expected] if expected else []
    )


def test_a_plan_that_is_not_there_is_refused_and_a_broken_history_is_a_bug() -> None:
    with pytest.raises(NoSuchPlan):
        decide(None, Pause(NOW))
    with pytest.raises(BrokenHistory):
        evolve(None, PlanPaused(NOW))
    with pytest.raises(BrokenHistory):
        evolve(PLANS[Status.ENDED], PlanPaused(NOW))


@pytest.mark.parametrize(
    "wrong",
    [{"catch_up": -1}, {"catch_up": 101}, {"spread": -DAY}, {"spread": 2 * DAY}, {"grace": timedelta(0)}],
)
def test_terms_stay_within_bounds(wrong: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        attrs.evolve(TERMS, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("step", [timedelta(hours=1), timedelta(hours=7, minutes=13), timedelta(days=40)])
@pytest.mark.parametrize(
    "schedule",
    [
        Every("FREQ=MONTHLY", wall("2026-01-31 02:30"), "Europe/Berlin", ShortMonth.LAST),
        Every("FREQ=WEEKLY;BYDAY=SU", wall("2026-01-04 02:30"), "America/New_York"),
        BeforeDeadline(date(2027, 3, 31), (45, 30, 14, 7, 1), time(10, 0), "Europe/Moscow"),
    ],
)
def test_over_two_years_of_any_poll_each_occurrence_is_made_once(
    schedule: Every | BeforeDeadline, step: timedelta
) -> None:
    plan = plan_of(attrs.evolve(TERMS, schedule=schedule, catch_up=100))
    end = NOW + 730 * DAY
    made: list[Occurrence] = []
    now = NOW
    while now < end:
        now += step
        following = next_occurrence(plan)
        polls = 0 if following is None or following.at <= now else (following.at - now) // step
        now += polls * step  # each of these polls finds nothing
        for event in decide(plan, Advance(now)):
            plan = evolve(plan, event)
            made += [one.occurrence for one in event.made] if isinstance(event, PlanAdvanced) else []
    wanted = [one.slot for one in occurrences(schedule, NOW) if one.at <= now]
    assert [one.slot for one in made] == wanted
