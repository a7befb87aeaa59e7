"""Rows and streams as they are, readable or not: whatever makes no sense becomes Unreadable."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

import attrs
from psycopg import DataError
from psycopg.abc import Buffer
from psycopg.types.datetime import TimestampBinaryLoader, TimestamptzBinaryLoader

from adapters.codec import Malformed, decode_due, decode_event
from adapters.outbound.postgres import binary
from adapters.outbound.postgres.connection import Row as Values
from adapters.outbound.postgres.deliveries import CONSUMER
from adapters.outbound.postgres.delivery_rows import SELECT as SELECT_DELIVERY
from adapters.outbound.postgres.delivery_rows import read_delivery
from adapters.outbound.postgres.rows import SELECT_EVENT, SELECT_REMINDER, read_event, read_reminder
from adapters.outbound.postgres.session import Session
from adapters.outbound.postgres.touches.rows import SELECT_PLAN, SELECT_TOUCH, read_plan, read_touch
from adapters.touch_codec import decode_touch_event
from application.ports.auditing import Event, Happened, MessageRow, Row, Stream, Tried
from application.ports.ledger import Unreadable, Versioned
from application.ports.touches import Malformed as MalformedRow
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.delivery import Delivery
from domain.policies import ReminderDueEvent
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan
from domain.values import EventId, PlanId, ReminderId, TenantId, TouchId, UserId

State = TypeVar("State")
Ids = Collection[UUID]

_TIMED = ", version, updated_at from"
_SOME = " where id = any(%b::uuid[])"
EVENTS = SELECT_EVENT.replace(", version from", _TIMED) + _SOME
REMINDERS = SELECT_REMINDER.replace(", version from", _TIMED) + _SOME
REMINDERS_OF = SELECT_REMINDER.replace(", version from", _TIMED) + " where event_id = any(%b::uuid[])"
TOUCHES = SELECT_TOUCH.replace(", version from", ", version, updated_at, caller from") + _SOME
PLANS = SELECT_PLAN.replace(", version from", ", version, next_at, updated_at from") + _SOME
STREAMS = (
    "select stream_id, version, type, data, occurred_at, actor from tickler.domain_events"
    " where stream_id = any(%b::uuid[]) order by stream_id, version"
)
MESSAGES = (
    "select message_id, key, payload::text, published_at from tickler.outbox"
    " where message_id = any(%b::uuid[])"
)
DELIVERIES_ABOUT = SELECT_DELIVERY + " where about_id = any(%b::uuid[])"

TAKEN_IN = "select reminder_id from tickler.inbox where consumer = %s and reminder_id = any(%b::uuid[])"
HELD = "select distinct key from tickler.quarantine where key = any(%b::bytea[])"
ATTEMPTS = (
    "select delivery_id, claim, outcome from tickler.delivery_attempts"
    " where delivery_id = any(%b::uuid[]) order by delivery_id, claim"
)
# An event may name an id that nobody has told us of; an address is a person's.
LOST = (
    "select u.id from unnest(%b::uuid[]) u (id)"
    " where not exists (select from tickler.people where id = u.id)"
    " and (exists (select from tickler.contact_points where user_id = u.id)"
    "  or exists (select from tickler.channel_opt_outs where user_id = u.id))"
)
TENANTS_OF = "select id, tenant_id from tickler.people where id = any(%b::uuid[])"
# Whether whom a touch is for is known and erased, whether its texts are kept, and an answer among them; and
# whether that is a person of another tenant.
OF_TOUCHES = (
    "select t.id, p.id is not null, coalesce(p.is_erased, false), x.touch_id is not null,"
    " x.answer is not null, coalesce(p.tenant_id <> t.tenant_id, false)"
    " from tickler.deferred_touches t left join tickler.people p on p.id = t.user_id"
    " left join tickler.touch_texts x on x.touch_id = t.id where t.id = any(%b::uuid[])"
)

# Stand for a time that PostgreSQL keeps and no datetime can tell: infinity, or one after the year 9999.
BEYOND = datetime.max.replace(tzinfo=UTC)
BEYOND_LOCAL = BEYOND.replace(tzinfo=None)
IS_BEYOND = Unreadable("it holds a time that is beyond the calendar")


class _Instant(TimestamptzBinaryLoader):
    def load(self, data: Buffer) -> datetime:
        try:
            return super().load(data)
        except DataError:
            return BEYOND


class _Local(TimestampBinaryLoader):
    def load(self, data: Buffer) -> datetime:
        try:
            return super().load(data)
        except DataError:
            return BEYOND_LOCAL


# Kinds of touch events in history, and of plans; the rest is the calendar's.
_TOUCHING = ("touch.", "plan.")


def uuids(ids: Ids) -> binary.Array:
    return binary.uuids([id_.bytes for id_ in ids])


def read_any_time(session: Session) -> Session:
    """The session, which reads BEYOND and BEYOND_LOCAL from here on where it would fail for a time."""
    session.cursor.adapters.register_loader("timestamptz", _Instant)
    session.cursor.adapters.register_loader("timestamp", _Local)
    return session


def is_beyond(row: Values) -> bool:
    return any(value is BEYOND or value is BEYOND_LOCAL for value in row)


def event_rows(session: Session, ids: Ids) -> dict[EventId, Row[CalendarEvent]]:
    return {row[0]: _row(read_event, row) for row in session.rows(EVENTS, (uuids(ids),))}


def reminder_rows(session: Session, ids: Ids) -> dict[ReminderId, Row[Reminder]]:
    return {row[0]: _row(read_reminder, row) for row in session.rows(REMINDERS, (uuids(ids),))}


def reminder_rows_of(session: Session, event_ids: Ids) -> dict[EventId, dict[ReminderId, Row[Reminder]]]:
    """By event, then by reminder."""
    found: dict[EventId, dict[ReminderId, Row[Reminder]]] = defaultdict(dict)
    for row in session.rows(REMINDERS_OF, (uuids(event_ids),)):
        found[row[1]][row[0]] = _row(read_reminder, row)
    return found


def touch_rows(session: Session, ids: Ids) -> dict[TouchId, Row[DeferredTouch]]:
    found = session.rows(TOUCHES, (uuids(ids),))
    return {row[0]: attrs.evolve(_row(read_touch, row[:-1]), caller=row[-1]) for row in found}


def plan_rows(session: Session, ids: Ids) -> dict[PlanId, tuple[Row[TouchPlan], datetime | None]]:
    """With the `next_at` of each."""
    found = session.rows(PLANS, (uuids(ids),))
    return {
        row[0]: (Row(IS_BEYOND, row[-3], None), row[-2])
        if is_beyond(row)
        else (_row(read_plan, (*row[:-2], row[-1])), row[-2])
        for row in found
    }


def streams(session: Session, ids: Ids) -> Mapping[UUID, Stream]:
    found: dict[UUID, list[Happened]] = defaultdict(list)
    for stream_id, version, name, data, occurred_at, actor in session.rows(STREAMS, (uuids(ids),)):
        found[stream_id].append(Happened(version, _event(stream_id, name, data), occurred_at, actor))
    return found


def messages(session: Session, ids: Ids) -> Mapping[UUID, list[MessageRow]]:
    found: dict[UUID, list[MessageRow]] = defaultdict(list)
    for message_id, key, payload, published_at in session.rows(MESSAGES, (uuids(ids),)):
        found[message_id].append(MessageRow(key, _due(payload), published_at))
    return found


def deliveries_about(session: Session, ids: Ids) -> Mapping[UUID, list[Delivery]]:
    """Those that can be read; who goes through the deliveries meets the others."""
    found: dict[UUID, list[Delivery]] = defaultdict(list)
    for row in session.rows(DELIVERIES_ABOUT, (uuids(ids),)):
        one = delivery_or_problem(row)
        if isinstance(one, Delivery):
            found[one.about_id].append(one)
    return found


def taken_in(session: Session, ids: Ids) -> AbstractSet[UUID]:
    return {row[0] for row in session.rows(TAKEN_IN, (CONSUMER, uuids(ids)))}


def held_back(session: Session, event_ids: Ids) -> AbstractSet[UUID]:
    """Under whose key the quarantine holds a record. It is read whole: ask only where something lacks."""
    keys = {str(id_).encode(): id_ for id_ in event_ids}
    return {keys[row[0]] for row in session.rows(HELD, (list(keys),))} if keys else set()


def tries(session: Session, ids: Ids) -> Mapping[UUID, list[Tried]]:
    found: dict[UUID, list[Tried]] = defaultdict(list)
    for delivery_id, claim, outcome in session.rows(ATTEMPTS, (uuids(ids),)):
        found[delivery_id].append(Tried(claim, outcome))
    return found


def lost_people(session: Session, user_ids: Collection[UserId]) -> AbstractSet[UserId]:
    return {row[0] for row in session.rows(LOST, (uuids(user_ids),))}


def tenants_of(session: Session, user_ids: Collection[UserId]) -> Mapping[UserId | None, TenantId]:
    """Of those who are among the people."""
    return dict(session.rows(TENANTS_OF, (uuids(user_ids),))) if user_ids else {}


def of_touches(session: Session, ids: Ids) -> Mapping[UUID, tuple[bool, bool, bool, bool, bool]]:
    return {row[0]: row[1:] for row in session.rows(OF_TOUCHES, (uuids(ids),))}


def delivery_or_problem(row: Values) -> Delivery | Unreadable:
    if is_beyond(row):
        return IS_BEYOND
    try:
        return read_delivery(row)
    except ValueError as problem:
        return Unreadable(f"the row of delivery {row[0]}: {problem}")


def _row(read: Callable[[Values], Versioned[State]], row: Values) -> Row[State]:
    """The version and `updated_at` stand last."""
    version, updated_at = row[-2:]
    if is_beyond(row):
        return Row(IS_BEYOND, version, None)
    try:
        return Row(read(row[:-1]).state, version, updated_at)
    except (Malformed, MalformedRow, ValueError) as problem:
        return Row(Unreadable(str(problem)), version, updated_at)


def _event(stream_id: UUID, name: str, data: Any) -> Event | Unreadable:
    try:
        if not isinstance(data, dict):
            raise Malformed(f"{name} in stream {stream_id} is no JSON object")
        if name.startswith(_TOUCHING):
            return decode_touch_event(name, data, stream_id)
        return decode_event(name, data, stream_id)
    except Malformed as problem:
        return Unreadable(str(problem))


def _due(payload: str) -> ReminderDueEvent | Unreadable:
    try:
        return decode_due(payload.encode())
    except Malformed as problem:
        return Unreadable(str(problem))
