"""CalendarEvent: given what happened, when a command, then what follows."""

from collections.abc import Callable
from datetime import timedelta
from functools import reduce
from itertools import product
from typing import get_args

import attrs
import pytest

from domain.calendar_event import (
    CalendarEvent,
    CalendarEventCancelled,
    CalendarEventChanged,
    CalendarEventCompleted,
    CalendarEventMoved,
    CalendarEventPlanned,
    CalendarEventRezoned,
    CalendarEventStarted,
    Cancel,
    Change,
    Command,
    Complete,
    Event,
    Move,
    Plan,
    Rezone,
    Start,
    decide,
    evolve,
)
from domain.errors import BrokenHistory, EventIsOver, Invalid, NoSuchEvent, Refused
from domain.triggers import MAX_TRIGGERS, MinutesBeforeStart
from domain.values import EventStatus, Timing
from tests.domain.examples import (
    CLIENT,
    HOUR,
    LATER,
    NOW,
    OTHER_TIMING,
    OWNER,
    QUARTER,
    TIMING,
    event_in,
    plan,
    planned,
    utc,
    wall,
)

KEEP = Change(OWNER, CLIENT, (QUARTER,), "Europe/Berlin", "2026a", LATER)
COMMANDS: dict[type, Command] = {
    Plan: plan(),
    Change: attrs.evolve(KEEP, triggers=(HOUR,)),
    Move: Move(OTHER_TIMING, LATER),
    Rezone: Rezone("2026b", LATER),
    Start: Start(LATER),
    Complete: Complete(LATER),
    Cancel: Cancel(LATER),
}
ACCEPTED: dict[EventStatus, dict[type, list[Event]]] = {
    EventStatus.PLANNED: {
        Plan: [],
        Change: [CalendarEventChanged(OWNER, CLIENT, (HOUR,), TIMING, LATER)],
        Move: [CalendarEventMoved(OTHER_TIMING, LATER)],
        Rezone: [CalendarEventRezoned(TIMING, LATER)],
        Start: [CalendarEventStarted(LATER)],
        Complete: [CalendarEventCompleted(LATER)],
        Cancel: [CalendarEventCancelled(LATER)],
    },
    EventStatus.IN_PROGRESS: {
        Plan: [],
        Change: [CalendarEventChanged(OWNER, CLIENT, (HOUR,), TIMING, LATER)],
        Move: [CalendarEventMoved(OTHER_TIMING, LATER)],
        Rezone: [CalendarEventRezoned(TIMING, LATER)],
        Start: [],
        Complete: [CalendarEventCompleted(LATER)],
        Cancel: [CalendarEventCancelled(LATER)],
    },
    EventStatus.COMPLETED: {Plan: [], Complete: []},
    EventStatus.CANCELLED: {Plan: [], Cancel: []},
}


def test_there_is_an_example_of_every_command() -> None:
    assert set(COMMANDS) == set(get_args(Command))


def test_a_plan_becomes_a_planned_event_with_all_that_it_named() -> None:
    (happened,) = decide(None, plan())
    event = evolve(None, happened)
    wanted = attrs.asdict(plan(), recurse=False)
    at = wanted.pop("at")
    assert isinstance(happened, CalendarEventPlanned)
    assert happened.at == at
    assert attrs.asdict(event, recurse=False) == {**wanted, "status": EventStatus.PLANNED}


@pytest.mark.parametrize("command", [one for kind, one in COMMANDS.items() if kind is not Plan])
def test_without_a_planned_event_every_other_command_is_refused(command: Command) -> None:
    with pytest.raises(NoSuchEvent, match="INV-EVT-1"):
        decide(None, command)


@pytest.mark.parametrize(("status", "kind"), list(product(EventStatus, COMMANDS)))
def test_each_command_in_each_status_does_what_the_table_says(status: EventStatus, kind: type) -> None:
    event = event_in(status)
    if kind in ACCEPTED[status]:
        assert decide(event, COMMANDS[kind]) == ACCEPTED[status][kind]
    else:
        with pytest.raises(EventIsOver, match="INV-EVT-2"):
            decide(event, COMMANDS[kind])


@pytest.mark.parametrize(("status", "kind"), list(product(EventStatus, COMMANDS)))
def test_a_command_repeated_at_once_gives_nothing(status: EventStatus, kind: type) -> None:
    event, command = event_in(status), COMMANDS[kind]
    try:
        after = reduce(evolve, decide(event, command), event)
    except Refused:
        return
    assert decide(after, command) == []


@pytest.mark.parametrize("status", [EventStatus.COMPLETED, EventStatus.CANCELLED])
def test_inv_evt_2_nothing_changes_an_event_that_is_over(status: EventStatus) -> None:
    event = event_in(status)
    for command in COMMANDS.values():
        try:
            assert decide(event, command) == []
        except EventIsOver:
            continue


def test_a_change_to_what_is_already_so_gives_nothing() -> None:
    assert decide(planned(), KEEP) == []


def test_a_change_to_newer_zone_data_that_says_the_same_gives_nothing() -> None:
    assert decide(planned(), attrs.evolve(KEEP, tz_version="2026z")) == []


def test_a_change_of_zone_keeps_the_wall_clock_and_the_length() -> None:
    timing = Timing.of(wall("2026-06-01T10:00"), "Europe/Madrid", end_at=utc("2026-06-01T09:00"))
    change = attrs.evolve(KEEP, time_zone="America/Bogota")
    (happened,) = decide(planned(timing), change)
    assert isinstance(happened, CalendarEventChanged)
    assert happened.timing.start_local == wall("2026-06-01T10:00")
    assert happened.timing.start_at == utc("2026-06-01T15:00")
    assert happened.timing.end_at == utc("2026-06-01T16:00")


def test_a_client_can_be_taken_off() -> None:
    (happened,) = decide(planned(), attrs.evolve(KEEP, client_user_id=None))
    assert evolve(planned(), happened).client_user_id is None


def test_a_move_back_is_a_move_again() -> None:
    moved = evolve(planned(), CalendarEventMoved(OTHER_TIMING, LATER))
    assert decide(moved, Move(TIMING, LATER)) == [CalendarEventMoved(TIMING, LATER)]


def test_a_trigger_named_twice_counts_once_in_the_order_given() -> None:
    assert plan(triggers=(HOUR, QUARTER, HOUR)).triggers == (HOUR, QUARTER)


@pytest.mark.parametrize(
    "make", [lambda many: plan(triggers=many), lambda many: attrs.evolve(KEEP, triggers=many)]
)
def test_more_triggers_than_the_bound_are_refused(make: Callable[[object], object]) -> None:
    triggers = tuple(MinutesBeforeStart(one) for one in range(MAX_TRIGGERS + 1))
    make(triggers[:-1])
    with pytest.raises(Invalid, match=str(MAX_TRIGGERS)):
        make(triggers)


@pytest.mark.parametrize("happened", get_args(Event))
def test_a_stream_that_begins_with_anything_but_planned_is_broken(happened: type) -> None:
    if happened is CalendarEventPlanned:
        return
    with pytest.raises(BrokenHistory, match=happened.__name__):
        evolve(None, _example(happened))


@pytest.mark.parametrize("status", [EventStatus.COMPLETED, EventStatus.CANCELLED])
@pytest.mark.parametrize("happened", get_args(Event))
def test_a_stream_that_goes_on_after_the_end_is_broken(status: EventStatus, happened: type) -> None:
    with pytest.raises(BrokenHistory, match=happened.__name__):
        evolve(event_in(status), _example(happened))


def test_planned_twice_is_broken() -> None:
    with pytest.raises(BrokenHistory, match="twice"):
        evolve(planned(), _example(CalendarEventPlanned))


def test_evolve_takes_every_event_of_an_open_one() -> None:
    for happened in set(get_args(Event)) - {CalendarEventPlanned}:
        assert isinstance(evolve(planned(), _example(happened)), CalendarEvent)


def _example(happened: type) -> Event:
    (planned_,) = decide(None, plan())
    examples: list[Event] = [
        planned_,
        CalendarEventChanged(OWNER, CLIENT, (HOUR,), TIMING, LATER),
        CalendarEventMoved(OTHER_TIMING, LATER),
        CalendarEventRezoned(TIMING, LATER),
        CalendarEventStarted(LATER),
        CalendarEventCompleted(LATER),
        CalendarEventCancelled(NOW + timedelta(hours=1)),
    ]
    return next(one for one in examples if type(one) is happened)
