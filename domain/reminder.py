"""A reminder: one promise to nudge somebody once, at a time that follows from its event.

    Pending -> Sent | Skipped(reason)

Sent and Skipped are terminal (INV-REM-2).
"""

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from domain.errors import (
    BrokenHistory,
    EventIsNotOpen,
    NoSuchReminder,
    ReminderIsNotDue,
    ReminderIsOver,
)
from domain.triggers import Trigger, due_at, offset_minutes
from domain.values import EventId, EventStatus, ReminderId, TenantId, Timing


class Status(StrEnum):
    PENDING = "Pending"
    SENT = "Sent"
    SKIPPED = "Skipped"


class SkipReason(StrEnum):
    """Why a reminder will never be sent."""

    CANCELLED = "cancelled"  # its event was cancelled
    COMPLETED = "completed"  # its event was completed
    MOVED = "moved"  # its event was moved; another reminder stands for the new time
    WITHDRAWN = "withdrawn"  # its trigger was taken off the event
    PAST = "past"  # its time had passed when it was made
    STALE = "stale"  # found later than `stale_after`


@frozen
class Reminder:
    """`due_at` and `sent_at` are instants in UTC; `offset_minutes` counts from `due_at` to the start."""

    id: ReminderId
    event_id: EventId
    tenant_id: TenantId
    trigger: Trigger
    offset_minutes: int
    due_at: datetime
    status: Status = Status.PENDING
    reason: SkipReason | None = None
    sent_at: datetime | None = None


@frozen
class Schedule:
    id: ReminderId
    event_id: EventId
    tenant_id: TenantId
    trigger: Trigger
    timing: Timing
    at: datetime


@frozen
class Send:
    """Send it on this version of its event; `at` is the AsOf of the cycle."""

    event_status: EventStatus
    event_version: int
    at: datetime


@frozen
class Skip:
    reason: SkipReason
    at: datetime


Command = Schedule | Send | Skip


@frozen
class ReminderScheduled:
    id: ReminderId
    event_id: EventId
    tenant_id: TenantId
    trigger: Trigger
    offset_minutes: int
    due_at: datetime
    at: datetime


@frozen
class ReminderSent:
    event_version: int
    at: datetime


@frozen
class ReminderSkipped:
    reason: SkipReason
    at: datetime


Event = ReminderScheduled | ReminderSent | ReminderSkipped


def decide(reminder: Reminder | None, command: Command) -> list[Event]:
    """What follows from a command; the cases are the rows of design section 3."""
    match reminder, command:
        case None, Schedule():
            due = due_at(command.trigger, command.timing)  # INV-REM-1
            scheduled = ReminderScheduled(
                id=command.id,
                event_id=command.event_id,
                tenant_id=command.tenant_id,
                trigger=command.trigger,
                offset_minutes=offset_minutes(due, command.timing),
                due_at=due,
                at=command.at,
            )
            if due < command.at:
                return [scheduled, ReminderSkipped(SkipReason.PAST, command.at)]
            return [scheduled]
        case None, _:
            raise NoSuchReminder
        case Reminder(), Schedule():
            return []
        case Reminder(status=Status.PENDING), Send():
            return [_send(reminder, command)]
        case Reminder(status=Status.PENDING), Skip(reason, at):
            return [ReminderSkipped(reason, at)]
        case Reminder(status=Status.SENT), Send():
            return []
        case Reminder(status=Status.SKIPPED), Skip():
            return []
        case Reminder(), _:
            raise ReminderIsOver  # INV-REM-2, for every command there will ever be


def _send(reminder: Reminder, command: Send) -> ReminderSent:
    if not command.event_status.is_open:
        raise EventIsNotOpen  # INV-REM-4
    if not reminder.due_at < command.at:
        raise ReminderIsNotDue
    return ReminderSent(command.event_version, command.at)


def evolve(reminder: Reminder | None, happened: Event) -> Reminder:
    """The reminder after what happened; it never refuses and never reads a clock."""
    match reminder, happened:
        case None, ReminderScheduled():
            return Reminder(
                id=happened.id,
                event_id=happened.event_id,
                tenant_id=happened.tenant_id,
                trigger=happened.trigger,
                offset_minutes=happened.offset_minutes,
                due_at=happened.due_at,
            )
        case None, _:
            raise BrokenHistory(f"{type(happened).__name__} before ReminderScheduled")
        case Reminder(), ReminderScheduled():
            raise BrokenHistory("ReminderScheduled twice")
        case Reminder(status=Status.SENT | Status.SKIPPED), _:
            raise BrokenHistory(f"{type(happened).__name__} after {reminder.status}")
        case Reminder(), ReminderSent(at=at):
            return _ended(reminder, Status.SENT, sent_at=at)  # INV-REM-3
        case Reminder(), ReminderSkipped(reason):
            return _ended(reminder, Status.SKIPPED, reason=reason)


def _ended(
    reminder: Reminder, status: Status, reason: SkipReason | None = None, sent_at: datetime | None = None
) -> Reminder:
    # Spelled out: attrs.evolve takes three times as long, and a cycle does it for every row.
    return Reminder(
        reminder.id,
        reminder.event_id,
        reminder.tenant_id,
        reminder.trigger,
        reminder.offset_minutes,
        reminder.due_at,
        status,
        reason,
        sent_at,
    )
