"""Rows of the current state, as the domain's values."""

from functools import lru_cache
from typing import Any

from adapters.codec import Malformed
from application.ports.ledger import Versioned
from domain.calendar_event import CalendarEvent
from domain.errors import Invalid
from domain.reminder import Reminder, SkipReason, Status
from domain.triggers import Trigger, trigger
from domain.values import EventStatus, Kind, Timing

Row = tuple[Any, ...]

# Triggers come joined: one text is cheaper than an array, and most events have the same few.
SELECT_EVENT = (
    "select id, tenant_id, owner_user_id, client_user_id, kind, start_local, time_zone, start_at, end_at,"
    " all_day, tz_version, appointment_id, array_to_string(triggers, ','), status, version"
    " from tickler.calendar_events"
)
SELECT_REMINDER = (
    "select id, event_id, tenant_id, trigger, offset_minutes, due_at, status, reason, sent_at, version"
    " from tickler.event_reminders"
)

_KINDS = {kind.value: kind for kind in Kind}
_EVENT_STATUSES = {status.value: status for status in EventStatus}
_STATUSES = {status.value: status for status in Status}
_REASONS = {reason.value: reason for reason in SkipReason} | {None: None}


def read_event(row: Row) -> Versioned[CalendarEvent]:
    """Raises Malformed for a row that makes no sense."""
    (
        id_,
        tenant_id,
        owner,
        client,
        kind,
        start_local,
        time_zone,
        start_at,
        end_at,
        all_day,
        tz_version,
        appointment_id,
        triggers,
        status,
        version,
    ) = row
    try:
        timing = Timing(start_local, time_zone, start_at, end_at, all_day, tz_version)
        event = CalendarEvent(
            id_,
            tenant_id,
            owner,
            client,
            _KINDS[kind],
            timing,
            appointment_id,
            _triggers(triggers),
            _EVENT_STATUSES[status],
        )
    except (Invalid, KeyError) as problem:
        raise Malformed(f"the row of event {id_}: {_said(problem)}") from None
    return Versioned(event, version)


def read_reminder(row: Row) -> Versioned[Reminder]:
    """Raises Malformed for a row that makes no sense."""
    id_, event_id, tenant_id, spelling, offset_minutes, due_at, status, reason, sent_at, version = row
    try:
        reminder = Reminder(
            id_,
            event_id,
            tenant_id,
            trigger(spelling),
            offset_minutes,
            due_at,
            _STATUSES[status],
            _REASONS[reason],
            sent_at,
        )
    except (Invalid, KeyError) as problem:
        raise Malformed(f"the row of reminder {id_}: {_said(problem)}") from None
    return Versioned(reminder, version)


@lru_cache(maxsize=4096)
def _triggers(joined: str) -> tuple[Trigger, ...]:
    return tuple(trigger(spelling) for spelling in joined.split(",")) if joined else ()


def _said(problem: Invalid | KeyError) -> str:
    return f"unknown {problem}" if isinstance(problem, KeyError) else str(problem)


def event_values(event: CalendarEvent) -> tuple[Any, ...]:
    """The values of a row of calendar_events, but for the version and updated_at."""
    timing = event.timing
    return (
        event.id,
        event.tenant_id,
        event.owner_user_id,
        event.client_user_id,
        event.kind.value,
        timing.start_local,
        timing.time_zone,
        timing.tz_version,
        timing.start_at,
        timing.end_at,
        timing.all_day,
        event.appointment_id,
        [str(one) for one in event.triggers],
        event.status.value,
    )


def reminder_values(reminder: Reminder) -> tuple[Any, ...]:
    """The values of a row of event_reminders, but for the version and updated_at."""
    return (
        reminder.id,
        reminder.event_id,
        reminder.tenant_id,
        str(reminder.trigger),
        reminder.offset_minutes,
        reminder.due_at,
        reminder.status.value,
        reminder.reason.value if reminder.reason else None,
        reminder.sent_at,
    )
