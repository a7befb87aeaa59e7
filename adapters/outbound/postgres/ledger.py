"""Events, reminders and their history in PostgreSQL."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID

from attrs import frozen

from adapters.codec import Malformed, decode_event
from adapters.outbound.postgres.copying import Copying
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.rows import (
    SELECT_EVENT,
    SELECT_REMINDER,
    Row,
    read_event,
    read_reminder,
)
from adapters.outbound.postgres.scheduled import SCHEDULED, scheduled
from adapters.outbound.postgres.session import Session
from adapters.outbound.postgres.transaction import PostgresTransaction
from application.ports.backlog import Backlog
from application.ports.ledger import (
    Context,
    Listed,
    Listing,
    Poison,
    Recorded,
    Transaction,
    Unreadable,
    Upcoming,
    Versioned,
)
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder
from domain.values import EventId, ReminderId, TenantId

EVENT = SELECT_EVENT + " where id = %s"
REMINDERS = SELECT_REMINDER + " where event_id = %s order by due_at, id"
REMINDER = SELECT_REMINDER + " where id = %s"
# Whoever locks or changes a row leaves the id of its transaction there, and holds that as long as it runs.
IS_HELD = (
    "select exists (select from tickler.event_reminders r join pg_locks l on l.transactionid = r.xmax"
    " where r.id = %s and l.locktype = 'transactionid' and l.granted)"
)
TITLE = "select title from tickler.texts where event_id = %s"
HISTORY = (
    "select version, type, data, correlation_id, actor, occurred_at from tickler.domain_events"
    " where stream_id = %s order by version"
)
UPCOMING = (
    SELECT_REMINDER + " where status = 'Pending' and due_at < %s and (due_at, id) > (%s, %s)"
    " and (%s::uuid is null or tenant_id = %s) order by due_at, id limit %s"
)
EVENTS = SELECT_EVENT + " where id = any(%b::uuid[])"
TITLES = "select event_id, title from tickler.texts where event_id = any(%b::uuid[])"
# Two texts and not one with `or`: only so does a prepared plan walk the tenant's part of the index.
STARTING = SELECT_EVENT + " where start_at < %s and (start_at, id) > (%s, %s)"
STARTING_ORDERED = " and (%s or status in ('Planned', 'InProgress')) order by start_at, id limit %s"
STARTING_OF_ALL = STARTING + STARTING_ORDERED
STARTING_OF_TENANT = STARTING + " and tenant_id = %s" + STARTING_ORDERED
NEXT_DUE = (
    "select event_id, min(due_at) from tickler.event_reminders"
    " where status = 'Pending' and event_id = any(%b::uuid[]) group by event_id"
)
EVENT_IDS = "select id from tickler.calendar_events where id between %s and %s order by id limit %s"
BACKLOG = "select count(*), min(due_at) from tickler.event_reminders where status = 'Pending' and due_at < %s"

# Before all that a row may hold, and the id after which none comes.
BEGINNING = datetime(1899, 12, 31, tzinfo=UTC)
LAST_ID = UUID(int=2**128 - 1)

Shown = TypeVar("Shown")
Place = tuple[datetime, UUID]
Problems = dict[str, None]


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

    def each_reminder(self, event_id: EventId) -> Sequence[Versioned[Reminder] | Poison]:
        with self.database.transaction() as session:
            return [_reminder_or_poison(row) for row in session.rows(REMINDERS, (event_id,))]

    def reminder(self, reminder_id: ReminderId) -> Versioned[Reminder] | Poison | None:
        with self.database.transaction() as session:
            found = session.row(REMINDER, (reminder_id,))
        return _reminder_or_poison(found) if found else None

    def is_held(self, reminder_id: ReminderId) -> bool:
        with self.database.transaction() as session:
            return session.row(IS_HELD, (reminder_id,)) == (True,)

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

    def reminder_ids(self, event_id: EventId) -> Sequence[ReminderId]:
        with self.database.transaction() as session:
            return [row[0] for row in session.rows(SCHEDULED, scheduled(session, event_id))]

    def upcoming(self, until: datetime, limit: int, tenant_id: TenantId | None = None) -> Listing[Upcoming]:
        with self.database.transaction() as session:
            return _listing(
                limit,
                BEGINNING,
                lambda after: session.rows(UPCOMING, (until, *after, tenant_id, tenant_id, limit)),
                lambda row: (row[5], row[0]),
                lambda rows, bad: _upcoming(session, rows, bad),
            )

    def events(
        self,
        since: datetime,
        until: datetime,
        limit: int,
        tenant_id: TenantId | None = None,
        *,
        closed_too: bool = False,
    ) -> Listing[Listed]:
        def some(after: Place) -> Sequence[Row]:
            if tenant_id is None:
                return session.rows(STARTING_OF_ALL, (until, *after, closed_too, limit))
            return session.rows(STARTING_OF_TENANT, (until, *after, tenant_id, closed_too, limit))

        with self.database.transaction() as session:
            return _listing(
                limit,
                since - timedelta(microseconds=1),
                some,
                lambda row: (row[7], row[0]),
                lambda rows, bad: _listed(session, rows, bad),
            )

    def event_ids(self, first: UUID, last: UUID, limit: int) -> Sequence[EventId]:
        with self.database.transaction() as session:
            return [row[0] for row in session.rows(EVENT_IDS, (first, last, limit))]

    def backlog(self, as_of: datetime) -> Backlog:
        with self.database.transaction() as session:
            found = session.row(BACKLOG, (as_of,))
        assert found is not None
        return Backlog(*found)


def _reminder_or_poison(row: Row) -> Versioned[Reminder] | Poison:
    try:
        return read_reminder(row)
    except Malformed as problem:
        return Poison(row[0], row[1], str(problem))


def _listing(
    limit: int,
    beginning: datetime,
    some: Callable[[Place], Sequence[Row]],
    place: Callable[[Row], Place],
    read: Callable[[Sequence[Row], Problems], list[Shown]],
) -> Listing[Shown]:
    """Up to `limit` rows after `beginning`, read some at a time until those that can be read are enough."""
    found: list[Shown] = []
    problems: Problems = {}
    after = (beginning, LAST_ID)
    while len(found) < limit:
        rows = some(after)
        found += read(rows, problems)
        if len(rows) < limit:
            break
        after = place(rows[-1])
    return Listing(found[:limit], [Unreadable(text) for text in problems])


def _upcoming(session: Session, rows: Sequence[Row], problems: Problems) -> list[Upcoming]:
    reminders = [row.state for row in _readable(read_reminder, rows, problems)]
    ids = list({reminder.event_id for reminder in reminders})
    found = session.rows(EVENTS, (ids,))
    events = {row.state.id: row.state for row in _readable(read_event, found, problems)}
    titles: dict[UUID, str] = dict(session.rows(TITLES, (ids,)))
    return [
        Upcoming(reminder, events[reminder.event_id], titles.get(reminder.event_id))
        for reminder in reminders
        if reminder.event_id in events
    ]


def _listed(session: Session, rows: Sequence[Row], problems: Problems) -> list[Listed]:
    found = [row.state for row in _readable(read_event, rows, problems)]
    ids = [event.id for event in found]
    titles: dict[UUID, str] = dict(session.rows(TITLES, (ids,)))
    next_due_at: dict[UUID, datetime] = dict(session.rows(NEXT_DUE, (ids,)))
    return [Listed(event, titles.get(event.id), next_due_at.get(event.id)) for event in found]


def _readable(read: Callable[[Row], Shown], rows: Sequence[Row], problems: Problems) -> Iterator[Shown]:
    for row in rows:
        try:
            yield read(row)
        except Malformed as problem:
            problems[str(problem)] = None
