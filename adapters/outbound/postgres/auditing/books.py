"""What PostgreSQL holds, laid open page by page, each page in one short snapshot that cannot write."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import LiteralString
from uuid import UUID

from attrs import frozen

from adapters.codec import has_headers
from adapters.outbound.postgres.auditing.reading import (
    IS_BEYOND,
    deliveries_about,
    delivery_or_problem,
    event_rows,
    held_back,
    is_beyond,
    lost_people,
    messages,
    of_touches,
    plan_rows,
    read_any_time,
    reminder_rows_of,
    streams,
    taken_in,
    tenants_of,
    touch_rows,
    tries,
    uuids,
)
from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.session import Session
from application.ports.auditing import (
    CalendarFacts,
    DeliveryFacts,
    Facts,
    MessageFacts,
    Page,
    Part,
    PlanFacts,
    ReminderFacts,
    SpoiltMessage,
    StrayAttempts,
    StrayImport,
    StrayReminder,
    StrayStream,
    Stream,
    TouchFacts,
    Tried,
)
from application.ports.auditing import Row as StoredRow
from application.ports.ledger import Unreadable
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import ReminderSent
from domain.touch_plan import TouchPlan
from domain.values import EventId, Occurrence, ReminderId, TenantId, UserId

FIRST = UUID(int=0)
COUNTED = 100_000
# Of a table that is large the planner's own estimate will do.
ABOUT: Mapping[Part, LiteralString] = {
    Part.EVENTS: "calendar_events",
    Part.REMINDERS: "event_reminders",
    Part.TOUCHES: "deferred_touches",
    Part.PLANS: "touch_plans",
    Part.OUTBOX: "outbox",
    Part.DELIVERIES: "deliveries",
    Part.ATTEMPTS: "delivery_attempts",
    Part.IMPORTS: "imports",
}
ESTIMATE = "select reltuples::bigint from pg_class where oid = ('tickler.' || %s)::regclass"
COUNT = "select count(*) from (select from tickler.{table} limit {most}) part"
IDS: Mapping[Part, LiteralString] = {
    Part.EVENTS: "select id from tickler.calendar_events where id > %s order by id limit %s",
    Part.REMINDERS: "select id from tickler.event_reminders where id > %s order by id limit %s",
    Part.TOUCHES: "select id from tickler.deferred_touches where id > %s order by id limit %s",
    Part.PLANS: "select id from tickler.touch_plans where id > %s order by id limit %s",
    Part.OUTBOX: (
        "select distinct message_id from tickler.outbox where message_id > %s order by message_id limit %s"
    ),
    Part.DELIVERIES: "select id from tickler.deliveries where id > %s order by id limit %s",
    Part.ATTEMPTS: (
        "select distinct delivery_id from tickler.delivery_attempts where delivery_id > %s"
        " order by delivery_id limit %s"
    ),
    Part.IMPORTS: "select source from tickler.imports where source > %s order by source limit %s",
    Part.STREAMS: (
        "select distinct stream_id from tickler.domain_events where stream_id > %s"
        " order by stream_id limit %s"
    ),
}
STRAY_REMINDERS = (
    "select r.id, r.event_id from tickler.event_reminders r where r.id = any(%b::uuid[])"
    " and not exists (select from tickler.calendar_events e where e.id = r.event_id)"
)
STRAY_STREAMS = (
    "select s.id from unnest(%b::uuid[]) s (id)"
    " where not exists (select from tickler.event_reminders where id = s.id)"
    " and not exists (select from tickler.calendar_events where id = s.id)"
    " and not exists (select from tickler.deferred_touches where id = s.id)"
    " and not exists (select from tickler.touch_plans where id = s.id)"
)
STRAY_ATTEMPTS = (
    "select a.id from unnest(%b::uuid[]) a (id)"
    " where not exists (select from tickler.deliveries where id = a.id)"
    " and exists (select from tickler.delivery_attempts where delivery_id = a.id)"
)
STRAY_IMPORTS = (
    "select i.source, i.event_id from tickler.imports i where i.source = any(%b::uuid[])"
    " and not exists (select from tickler.calendar_events e where e.id = i.event_id)"
)
MADE = (
    "select plan_id, id, tenant_id, plan_revision, plan_slot from tickler.deferred_touches"
    " where plan_id = any(%b::uuid[])"
)
PLAN_TENANTS = "select id, tenant_id from tickler.touch_plans where id = any(%b::uuid[])"
OUTBOX = (
    "select o.message_id, o.payload ->> 'reminderId',"
    " exists (select from tickler.event_reminders where id = o.message_id),"
    " exists (select from tickler.domain_events"
    "  where stream_id = o.message_id and type = 'reminder.sent.v1'),"
    " o.topic, o.headers, o.created_at, o.published_at, o.parked_at, o.claimed_by, o.claimed_until"
    " from tickler.outbox o where o.message_id = any(%b::uuid[])"
)
DELIVERIES = (
    "select d.id, d.tenant_id, d.about_id, d.event_id, d.user_id, d.channel, d.contact_point_id,"
    " d.address_key, d.template, d.due_at, d.not_before, d.status, d.attempts, d.claim, d.lease_until,"
    " d.reason, d.provider_id, d.in_doubt,"
    " case when d.template = 'OperatorNotice'"
    "  then exists (select from tickler.notice_matters where notice_id = d.about_id)"
    "  else exists (select from tickler.domain_events where stream_id = d.about_id"
    "   and type in ('reminder.sent.v1', 'touch.answered.v1')) end,"
    " exists (select from tickler.event_reminders where id = d.about_id),"
    " u.id is not null, coalesce(u.tenant_id <> d.tenant_id, false), p.user_id,"
    " case when d.address_key = d.id::text"
    "  then coalesce(u.is_erased, true)"
    "  when d.contact_point_id is null then d.address_key = d.user_id::text"
    "  else coalesce(d.address_key = encode(sha256(convert_to("
    "   p.channel || chr(10) || p.address, 'UTF8')), 'hex'), true) end"
    " from tickler.deliveries d left join tickler.contact_points p on p.id = d.contact_point_id"
    " left join tickler.people u on u.id = d.user_id"
    " where d.id = any(%b::uuid[])"
)


@frozen
class PostgresBooks:
    database: Database

    def about(self, part: Part) -> int:
        if part is Part.STREAMS:
            having = (Part.EVENTS, Part.REMINDERS, Part.TOUCHES, Part.PLANS)
            return sum(self.about(one) for one in having)
        table = ABOUT[part]
        with self.database.snapshot() as session:
            found = session.row(ESTIMATE, (table,))
            if found is None or found[0] < COUNTED:
                found = session.row(COUNT.format(table=table, most=COUNTED))
        assert found is not None
        return int(found[0])

    def page(self, part: Part, after: UUID | None, limit: int) -> Page:
        with self.database.snapshot() as session:
            ids = [row[0] for row in session.rows(IDS[part], (after or FIRST, limit))]
            return Page(_facts(session, part, ids), len(ids), ids[-1] if ids else None)

    def look_again(self, part: Part, ids: Collection[UUID]) -> Sequence[Facts]:
        with self.database.snapshot() as session:
            return _facts(session, part, list(ids))


def _facts(session: Session, part: Part, ids: Sequence[UUID]) -> Sequence[Facts]:
    read_any_time(session)
    match part if ids else None:
        case None:
            return []
        case Part.EVENTS:
            return _calendar(session, ids)
        case Part.REMINDERS:
            return [StrayReminder(*row) for row in session.rows(STRAY_REMINDERS, (uuids(ids),))]
        case Part.TOUCHES:
            return _touches(session, ids)
        case Part.PLANS:
            return _plans(session, ids)
        case Part.OUTBOX:
            return [_message(row) for row in session.rows(OUTBOX, (uuids(ids),))]
        case Part.DELIVERIES:
            tried = tries(session, ids)
            return [_delivery(row, tried.get(row[0], ())) for row in session.rows(DELIVERIES, (uuids(ids),))]
        case Part.ATTEMPTS:
            return [StrayAttempts(*row) for row in session.rows(STRAY_ATTEMPTS, (uuids(ids),))]
        case Part.IMPORTS:
            return [StrayImport(*row) for row in session.rows(STRAY_IMPORTS, (uuids(ids),))]
        case Part.STREAMS:
            strays = [row[0] for row in session.rows(STRAY_STREAMS, (uuids(ids),))]
            happened = streams(session, strays) if strays else {}
            return [StrayStream(id_, stream) for id_, stream in happened.items()]


def _calendar(session: Session, ids: Sequence[UUID]) -> list[CalendarFacts]:
    rows = event_rows(session, ids)
    reminders = reminder_rows_of(session, ids)
    of_all = [reminder_id for some in reminders.values() for reminder_id in some]
    happened = streams(session, [*rows, *of_all])
    sent, told = messages(session, of_all), deliveries_about(session, of_all)
    left = {
        id_: event_id
        for event_id, some in reminders.items()
        for id_ in some
        if id_ in told or _was_sent(happened.get(id_, ()))
    }
    known = taken_in(session, left)
    held = held_back(session, {event_id for id_, event_id in left.items() if id_ not in known})
    concerned = {event_id: _concerned(row) for event_id, row in rows.items()}
    people = {user_id for some in concerned.values() for user_id in some}
    lost, tenants = lost_people(session, people), tenants_of(session, people)

    def one_of(id_: ReminderId, event_id: EventId) -> ReminderFacts:
        row, stream = reminders[event_id][id_], happened.get(id_, ())
        is_known, may_be_held = id_ in known, id_ not in known and event_id in held
        return ReminderFacts(id_, row, stream, sent.get(id_, ()), told.get(id_, ()), is_known, may_be_held)

    return [
        CalendarFacts(
            event_id,
            row,
            happened.get(event_id, ()),
            [one_of(id_, event_id) for id_ in reminders[event_id]],
            sorted(lost & concerned[event_id]),
            sorted(user_id for user_id in concerned[event_id] if _is_foreign(row, tenants.get(user_id))),
        )
        for event_id, row in rows.items()
    ]


def _was_sent(stream: Stream) -> bool:
    return bool(stream) and isinstance(stream[-1].event, ReminderSent)


def _concerned(row: StoredRow[CalendarEvent]) -> AbstractSet[UserId]:
    event = row.state
    if isinstance(event, Unreadable):
        return frozenset()
    return {user_id for user_id in (event.owner_user_id, event.client_user_id) if user_id is not None}


def _is_foreign(row: StoredRow[CalendarEvent | TouchPlan], tenant_id: TenantId | None) -> bool:
    """Whether a person of this tenant is not of the row's; False for nobody."""
    owned = row.state
    return not isinstance(owned, Unreadable) and tenant_id not in (None, owned.tenant_id)


def _touches(session: Session, ids: Sequence[UUID]) -> list[TouchFacts]:
    rows, happened = touch_rows(session, ids), streams(session, ids)
    told, beside = deliveries_about(session, ids), of_touches(session, ids)
    of = {
        id_: row.state.occurrence.plan_id
        for id_, row in rows.items()
        if isinstance(row.state, DeferredTouch) and row.state.occurrence is not None
    }
    tenants: dict[UUID | None, TenantId] = {}
    if of:
        tenants.update(session.rows(PLAN_TENANTS, (uuids(set(of.values())),)))
    return [
        TouchFacts(
            id_,
            row,
            happened.get(id_, ()),
            *beside[id_][:-1],
            told.get(id_, ()),
            tenants.get(of.get(id_)),
            beside[id_][-1],
        )
        for id_, row in rows.items()
    ]


def _plans(session: Session, ids: Sequence[UUID]) -> list[PlanFacts]:
    rows, happened = plan_rows(session, ids), streams(session, ids)
    made = session.rows(MADE, (uuids(ids),))
    targets = {id_: _target(row) for id_, (row, _) in rows.items()}
    tenants = tenants_of(session, {one for one in targets.values() if one is not None})
    return [
        PlanFacts(
            id_,
            row,
            next_at,
            happened.get(id_, ()),
            [
                (touch_id, tenant_id, Occurrence(plan_id, revision, slot))
                for plan_id, touch_id, tenant_id, revision, slot in made
                if plan_id == id_
            ],
            _is_foreign(row, tenants.get(targets[id_])),
        )
        for id_, (row, next_at) in rows.items()
    ]


def _delivery(row: Row, tried: Sequence[Tried]) -> DeliveryFacts:
    *columns, is_about_something, is_of_reminder, is_known, is_foreign, point_user_id, fits_address = row
    return DeliveryFacts(
        row[0],
        delivery_or_problem(tuple(columns)),
        is_about_something,
        is_of_reminder,
        is_known,
        point_user_id,
        fits_address,
        tried,
        is_foreign,
    )


def _target(row: StoredRow[TouchPlan]) -> UserId | None:
    return None if isinstance(row.state, Unreadable) else row.state.terms.target.user_id


def _message(row: Row) -> MessageFacts | SpoiltMessage:
    if is_beyond(row):
        return SpoiltMessage(row[0], IS_BEYOND)
    id_, about, is_known, was_sent, topic, headers, *rest = row
    return MessageFacts(id_, _uuid(about), is_known, was_sent, topic, has_headers(headers), *rest)


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text or "")
    except ValueError:
        return None
