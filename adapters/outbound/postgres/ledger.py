"""Events, reminders and their history in PostgreSQL."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from attrs import frozen

from adapters.codec import decode_event
from adapters.outbound.postgres.copying import Copying
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.rows import SELECT_EVENT, SELECT_REMINDER, read_event, read_reminder
from adapters.outbound.postgres.transaction import PostgresTransaction
from application.ports.backlog import Backlog
from application.ports.ledger import Context, Listed, Recorded, Transaction, Upcoming, Versioned
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder
from domain.values import EventId, TenantId

EVENT = SELECT_EVENT + " where id = %s"
REMINDERS = SELECT_REMINDER + " where event_id = %s order by due_at, id"
TITLE = "select title from tickler.texts where event_id = %s"
HISTORY = (
    "select version, type, data, correlation_id, actor, occurred_at from tickler.domain_events"
    " where stream_id = %s order by version"
)
UPCOMING = (
    SELECT_REMINDER + " where status = 'Pending' and due_at < %s"
    " and (%s::uuid is null or tenant_id = %s) order by due_at, id limit %s"
)
EVENTS = SELECT_EVENT + " where id = any(%b::uuid[])"
TITLES = "select event_id, title from tickler.texts where event_id = any(%b::uuid[])"
# Two texts and not one with `or`: only so does a prepared plan walk the tenant's part of the index.
STARTING = SELECT_EVENT + " where start_at >= %s and start_at < %s"
STARTING_ORDERED = " and (%s or status in ('Planned', 'InProgress')) order by start_at, id limit %s"
STARTING_OF_ALL = STARTING + STARTING_ORDERED
STARTING_OF_TENANT = STARTING + " and tenant_id = %s" + STARTING_ORDERED
NEXT_DUE = (
    "select event_id, min(due_at) from tickler.event_reminders"
    " where status = 'Pending' and event_id = any(%b::uuid[]) group by event_id"
)
EVENT_IDS = "select id from tickler.calendar_events where id between %s and %s order by id limit %s"
BACKLOG = "select count(*), min(due_at) from tickler.event_reminders where status = 'Pending' and due_at < %s"


@frozen
class PostgresLedger:
    database: Database

    @contextmanager
    def transaction(self, context: Context) -> Iterator[Transaction]:
        with self.database.transaction() as session:
            yield PostgresTransaction(session, Copying(context))

    def event(self, event_id: EventId) -> Versioned[CalendarEvent] | None:
        with self.database.transaction() as session:
            found = session.row(EVENT, (event_id,))
        return read_event(found) if found else None

    def reminders(self, event_id: EventId) -> Sequence[Versioned[Reminder]]:
        with self.database.transaction() as session:
            return [read_reminder(row) for row in session.rows(REMINDERS, (event_id,))]

    def title(self, event_id: EventId) -> str | None:
        with self.database.transaction() as session:
            found = session.row(TITLE, (event_id,))
        return found[0] if found else None

    def history(self, stream_id: UUID) -> Sequence[Recorded]:
        with self.database.transaction() as session:
            found = session.rows(HISTORY, (stream_id,))
        return [
            Recorded(
                stream_id, version, decode_event(type_, data, stream_id), correlation_id, actor, occurred_at
            )
            for version, type_, data, correlation_id, actor, occurred_at in found
        ]

    def upcoming(self, until: datetime, limit: int, tenant_id: TenantId | None = None) -> Sequence[Upcoming]:
        with self.database.transaction() as session:
            rows = session.rows(UPCOMING, (until, tenant_id, tenant_id, limit))
            reminders = [read_reminder(row).state for row in rows]
            ids = list({reminder.event_id for reminder in reminders})
            events = {row[0]: read_event(row).state for row in session.rows(EVENTS, (ids,))}
            titles: dict[UUID, str] = dict(session.rows(TITLES, (ids,)))
        return [
            Upcoming(reminder, events[reminder.event_id], titles.get(reminder.event_id))
            for reminder in reminders
            if reminder.event_id in events
        ]

    def events(
        self,
        since: datetime,
        until: datetime,
        limit: int,
        tenant_id: TenantId | None = None,
        *,
        closed_too: bool = False,
    ) -> Sequence[Listed]:
        with self.database.transaction() as session:
            if tenant_id is None:
                rows = session.rows(STARTING_OF_ALL, (since, until, closed_too, limit))
            else:
                rows = session.rows(STARTING_OF_TENANT, (since, until, tenant_id, closed_too, limit))
            found = [read_event(row).state for row in rows]
            ids = [event.id for event in found]
            titles: dict[UUID, str] = dict(session.rows(TITLES, (ids,)))
            next_due_at: dict[UUID, datetime] = dict(session.rows(NEXT_DUE, (ids,)))
        return [Listed(event, titles.get(event.id), next_due_at.get(event.id)) for event in found]

    def event_ids(self, first: UUID, last: UUID, limit: int) -> Sequence[EventId]:
        with self.database.transaction() as session:
            return [row[0] for row in session.rows(EVENT_IDS, (first, last, limit))]

    def backlog(self, as_of: datetime) -> Backlog:
        with self.database.transaction() as session:
            found = session.row(BACKLOG, (as_of,))
        assert found is not None
        return Backlog(*found)
