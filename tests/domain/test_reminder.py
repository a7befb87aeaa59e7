"""Reminder: given what happened, when a command, then what follows; INV-REM-1 to INV-REM-4."""

from datetime import datetime, timedelta
from itertools import product
from typing import get_args

import pytest

from domain.errors import (
    BrokenHistory,
    EventIsNotOpen,
    NoSuchReminder,
    Refused,
    ReminderIsNotDue,
    ReminderIsOver,
)
from domain.reminder import (
    Command,
    Event,
    Reminder,
    ReminderScheduled,
    ReminderSent,
    ReminderSkipped,
    Schedule,
    Send,
    Skip,
    SkipReason,
    Status,
    decide,
    evolve,
)
from domain.triggers import DaysBeforeStart, MinutesBeforeEnd, MinutesBeforeStart
from domain.values import EventStatus
from tests.domain.examples import NOW, QUARTER, TIMING, pending, schedule

DUE = TIMING.start_at - timedelta(minutes=15)
AS_OF = DUE + timedelta(seconds=30)
TICK = timedelta(microseconds=1)
SENT = ReminderSent(3, AS_OF)
SKIPPED = ReminderSkipped(SkipReason.CANCELLED, AS_OF)
TERMINAL: list[Event] = [SENT, *(ReminderSkipped(reason, AS_OF) for reason in SkipReason)]
COMMANDS: dict[type, Command] = {
    Schedule: schedule(),
    Send: Send(EventStatus.PLANNED, 3, AS_OF + timedelta(days=1)),
    Skip: Skip(SkipReason.COMPLETED, AS_OF + timedelta(days=1)),
}


def test_there_is_an_example_of_every_command() -> None:
    assert set(COMMANDS) == set(get_args(Command))


def test_a_scheduled_reminder_is_pending_at_its_time() -> None:
    assert decide(None, schedule()) == [
        ReminderScheduled(
            id=schedule().id,
            event_id=schedule().event_id,
            tenant_id=schedule().tenant_id,
            trigger=QUARTER,
            offset_minutes=15,
            due_at=DUE,
            at=NOW,
        )
    ]
    assert pending() == Reminder(
        schedule().id, schedule().event_id, schedule().tenant_id, QUARTER, 15, DUE, Status.PENDING
    )


@pytest.mark.parametrize("command", [COMMANDS[Send], COMMANDS[Skip]])
def test_without_a_scheduled_reminder_every_other_command_is_refused(command: Command) -> None:
    with pytest.raises(NoSuchReminder):
        decide(None, command)


def test_inv_rem_1_an_offset_of_minutes_is_exact() -> None:
    for minutes in (0, 1, 15, 1440, 525_600):
        (scheduled, *_) = decide(None, schedule(trigger=MinutesBeforeStart(minutes)))
        assert isinstance(scheduled, ReminderScheduled)
        assert scheduled.due_at == TIMING.start_at - timedelta(minutes=scheduled.offset_minutes)
        assert scheduled.offset_minutes == minutes


def test_inv_rem_1_the_hour_of_scheduling_has_no_say_in_when_it_is_due() -> None:
    for trigger in (QUARTER, DaysBeforeStart(2), MinutesBeforeEnd(5)):
        early, late = (
            decide(None, schedule(at=NOW + shift, trigger=trigger))[0]
            for shift in (timedelta(days=-90), timedelta(days=90))
        )
        assert isinstance(early, ReminderScheduled)
        assert isinstance(late, ReminderScheduled)
        assert (early.due_at, early.offset_minutes) == (late.due_at, late.offset_minutes)


@pytest.mark.parametrize(
    ("at", "past"), [(DUE - TICK, False), (DUE, False), (DUE + TICK, True), (TIMING.start_at, True)]
)
def test_a_time_that_has_passed_when_it_is_made_is_skipped_as_past(at: datetime, past: bool) -> None:
    _, *more = decide(None, schedule(at=at))
    assert more == ([ReminderSkipped(SkipReason.PAST, at)] if past else [])


@pytest.mark.parametrize("status", [EventStatus.PLANNED, EventStatus.IN_PROGRESS])
def test_a_due_reminder_of_an_open_event_is_sent(status: EventStatus) -> None:
    assert decide(pending(), Send(status, 3, AS_OF)) == [SENT]


@pytest.mark.parametrize("status", [EventStatus.COMPLETED, EventStatus.CANCELLED])
def test_inv_rem_4_a_reminder_of_an_event_that_is_over_is_never_sent(status: EventStatus) -> None:
    with pytest.raises(EventIsNotOpen, match="INV-REM-4"):
        decide(pending(), Send(status, 3, AS_OF))


@pytest.mark.parametrize("as_of", [NOW, DUE - TICK, DUE])
def test_nothing_leaves_before_or_at_its_very_time(as_of: datetime) -> None:
    with pytest.raises(ReminderIsNotDue):
        decide(pending(), Send(EventStatus.PLANNED, 3, as_of))


def test_it_leaves_a_microsecond_after_its_time() -> None:
    assert decide(pending(), Send(EventStatus.PLANNED, 3, DUE + TICK)) == [ReminderSent(3, DUE + TICK)]


@pytest.mark.parametrize("reason", SkipReason)
def test_a_pending_reminder_can_be_skipped_at_any_time_for_each_reason(reason: SkipReason) -> None:
    assert decide(pending(), Skip(reason, NOW)) == [ReminderSkipped(reason, NOW)]


@pytest.mark.parametrize(("ending", "kind"), list(product(TERMINAL, get_args(Command))))
def test_inv_rem_2_a_sent_or_skipped_reminder_never_changes(ending: Event, kind: type) -> None:
    reminder = evolve(pending(), ending)
    try:
        assert decide(reminder, COMMANDS[kind]) == []
    except Refused as refusal:
        said = refusal
    else:
        return
    assert said.rule == "INV-REM-2"


@pytest.mark.parametrize(
    ("ending", "command"),
    [(SENT, COMMANDS[Send]), (SKIPPED, COMMANDS[Skip]), (SENT, schedule()), (SKIPPED, schedule())],
)
def test_a_repeated_command_gives_nothing(ending: Event, command: Command) -> None:
    assert decide(evolve(pending(), ending), command) == []


@pytest.mark.parametrize(("ending", "command"), [(SENT, COMMANDS[Skip]), (SKIPPED, COMMANDS[Send])])
def test_inv_rem_2_what_would_change_the_outcome_is_refused_aloud(ending: Event, command: Command) -> None:
    with pytest.raises(ReminderIsOver, match="INV-REM-2"):
        decide(evolve(pending(), ending), command)


def test_inv_rem_3_sent_at_is_set_if_and_only_if_sent_and_is_the_as_of() -> None:
    assert pending().sent_at is None
    for ending in TERMINAL:
        reminder = evolve(pending(), ending)
        assert (reminder.sent_at is not None) == (reminder.status is Status.SENT)
    assert evolve(pending(), SENT).sent_at == AS_OF


def test_a_skipped_reminder_keeps_its_reason_and_a_sent_one_has_none() -> None:
    assert evolve(pending(), SENT).reason is None
    for reason in SkipReason:
        assert evolve(pending(), ReminderSkipped(reason, AS_OF)).reason is reason


@pytest.mark.parametrize("happened", [SENT, SKIPPED])
def test_a_stream_that_does_not_begin_with_scheduled_is_broken(happened: Event) -> None:
    with pytest.raises(BrokenHistory, match=type(happened).__name__):
        evolve(None, happened)


@pytest.mark.parametrize(("ending", "happened"), list(product(TERMINAL, TERMINAL)))
def test_a_stream_that_goes_on_after_the_end_is_broken(ending: Event, happened: Event) -> None:
    with pytest.raises(BrokenHistory, match=type(happened).__name__):
        evolve(evolve(pending(), ending), happened)


def test_scheduled_twice_is_broken() -> None:
    (scheduled,) = decide(None, schedule())
    with pytest.raises(BrokenHistory, match="twice"):
        evolve(pending(), scheduled)
