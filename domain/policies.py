"""What one aggregate's event asks of another: how reminders follow their event, and what a sent one tells.

Each policy is a pure function; it gives the commands that are to be decided in the same commit.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from attrs import frozen

from domain import calendar_event, reminder
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder, Schedule, Send, Skip, SkipReason
from domain.triggers import Trigger, due_at, offset_minutes
from domain.values import AppointmentId, EventId, EventStatus, Kind, ReminderId, TenantId, UserId


@frozen
class Ask:
    """A command for one reminder."""

    reminder_id: ReminderId
    command: reminder.Command


def when_event_happened(
    happened: calendar_event.Event,
    before: CalendarEvent | None,
    after: CalendarEvent,
    pending: Sequence[Reminder],
    ids: Iterator[ReminderId],
) -> list[Ask]:
    """What becomes of an event's Pending reminders, and which new ones it gets.

    `pending` are the reminders of this event that are Pending now; `ids` gives an id for each new one.
    """
    match happened:
        case calendar_event.CalendarEventPlanned(at=at):
            return _schedule(after, after.triggers, at, ids)
        case calendar_event.CalendarEventMoved(at=at) | calendar_event.CalendarEventChanged(at=at):
            return when_event_moved_or_changed(before, after, pending, at, ids)
        case calendar_event.CalendarEventRezoned(at=at):
            return when_event_rezoned(after, pending, at, ids)
        case calendar_event.CalendarEventStarted():
            return []
        case calendar_event.CalendarEventCompleted(at=at):
            return _skip(pending, SkipReason.COMPLETED, at)
        case calendar_event.CalendarEventCancelled(at=at):
            return _skip(pending, SkipReason.CANCELLED, at)


def when_event_moved_or_changed(
    before: CalendarEvent | None,
    event: CalendarEvent,
    pending: Sequence[Reminder],
    at: datetime,
    ids: Iterator[ReminderId],
) -> list[Ask]:
    """What no longer fits is skipped, what is missing is scheduled under a new id (INV-REM-6).

    A trigger that falls where it fell is left alone: its reminder, though due this very minute, still leaves,
    and one that was sent is not promised again.
    """
    fell = {} if before is None else {trigger: _falls(trigger, before) for trigger in before.triggers}
    stands = fell | {one.trigger: (one.due_at, one.offset_minutes) for one in pending}
    stays = {trigger for trigger in event.triggers if stands.get(trigger) == _falls(trigger, event)}
    gone = [one for one in pending if one.trigger not in stays]
    moved = [one for one in gone if one.trigger in event.triggers]
    withdrawn = [one for one in gone if one.trigger not in event.triggers]
    missing = [trigger for trigger in event.triggers if trigger not in stays]
    return [
        *_skip(moved, SkipReason.MOVED, at),
        *_skip(withdrawn, SkipReason.WITHDRAWN, at),
        *_schedule(event, missing, at, ids),
    ]


def when_event_rezoned(
    event: CalendarEvent, pending: Sequence[Reminder], at: datetime, ids: Iterator[ReminderId]
) -> list[Ask]:
    """What is Pending and still to come is put to where it falls by the new zone data.

    A reminder that has left is not promised again: whoever got it read a wall clock, and that stayed. One
    that is due already leaves as it is. Days before may fall elsewhere though the start does not.
    """
    moved = [
        one
        for one in pending
        if one.due_at > at and (one.due_at, one.offset_minutes) != _falls(one.trigger, event)
    ]
    return [
        *_skip(moved, SkipReason.MOVED, at),
        *_schedule(event, [one.trigger for one in moved], at, ids),
    ]


def unheld(
    before: CalendarEvent, after: CalendarEvent, pending: Sequence[Reminder]
) -> list[tuple[Trigger, datetime]]:
    """What a change takes off or puts elsewhere, of what no reminder is Pending for, and when it fell."""
    held = {one.trigger for one in pending}
    return [
        (trigger, _falls(trigger, before)[0])
        for trigger in before.triggers
        if trigger not in held
        and (trigger not in after.triggers or _falls(trigger, before) != _falls(trigger, after))
    ]


def why_unwanted(
    pending: Reminder, event: CalendarEvent | None, others: Iterable[Reminder]
) -> SkipReason | None:
    """Why a Pending reminder should have been skipped long ago; None for one that its event wants.

    An open event wants one for each trigger that it has, the last that was made (INV-REM-6); the ids of
    reminders sort by when they were made. Without the event only the others speak.
    """
    if event is not None and event.status.is_open and pending.trigger not in event.triggers:
        return SkipReason.WITHDRAWN
    later = [one for one in others if one.trigger == pending.trigger and one.id > pending.id]
    if not later:
        return None
    is_elsewhere = max(later, key=lambda one: one.id).due_at != pending.due_at
    return SkipReason.MOVED if is_elsewhere else SkipReason.WITHDRAWN


def when_reminder_due(
    due: Reminder,
    event: CalendarEvent,
    event_version: int,
    as_of: datetime,
    stale_after: timedelta | None,
) -> Send | Skip:
    """Skip on an event that is over (INV-REM-4), then what is found later than `stale_after`, else send.

    The first reason that holds wins, in that order. Without `stale_after` nothing is too late.

    Source: the specification's algorithm, "Бизнес-правила и переходы".
    """
    status = event.status
    if status is EventStatus.CANCELLED:
        return Skip(SkipReason.CANCELLED, as_of)
    if status is EventStatus.COMPLETED:
        return Skip(SkipReason.COMPLETED, as_of)
    if stale_after is not None and as_of - due.due_at > stale_after:
        return Skip(SkipReason.STALE, as_of)
    return Send(status, event_version, as_of)


@frozen
class ReminderDueEvent:
    """What a sent reminder tells the world (contract version 1): ids, times and closed lists, no PII.

    Source: the specification's algorithm, "Событие"; `start_at` is an instant in UTC.
    """

    reminder_id: ReminderId
    event_id: EventId
    tenant_id: TenantId
    owner_user_id: UserId
    client_user_id: UserId | None
    kind: Kind
    start_at: datetime
    time_zone: str
    offset_minutes: int
    appointment_id: AppointmentId | None


def when_reminder_sent(sent: Reminder, event: CalendarEvent) -> ReminderDueEvent:
    """The one message of a sent reminder, put into the outbox in the same commit (INV-REM-5)."""
    return ReminderDueEvent(
        reminder_id=sent.id,
        event_id=event.id,
        tenant_id=event.tenant_id,
        owner_user_id=event.owner_user_id,
        client_user_id=event.client_user_id,
        kind=event.kind,
        start_at=event.timing.start_at,
        time_zone=event.timing.time_zone,
        offset_minutes=sent.offset_minutes,
        appointment_id=event.appointment_id,
    )


def _falls(trigger: Trigger, event: CalendarEvent) -> tuple[datetime, int]:
    due = due_at(trigger, event.timing)
    return due, offset_minutes(due, event.timing)


def _skip(reminders: Sequence[Reminder], reason: SkipReason, at: datetime) -> list[Ask]:
    return [Ask(one.id, Skip(reason, at)) for one in reminders]


def _schedule(
    event: CalendarEvent, triggers: Sequence[Trigger], at: datetime, ids: Iterator[ReminderId]
) -> list[Ask]:
    return [
        Ask(id_, Schedule(id_, event.id, event.tenant_id, trigger, event.timing, at))
        for trigger, id_ in zip(triggers, ids, strict=False)
    ]
