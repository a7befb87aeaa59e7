"""Rows of the current state in PostgreSQL, made again from their events."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from attrs import frozen

from adapters.codec import Malformed
from adapters.outbound.postgres.auditing.books import FIRST, IDS, PostgresBooks
from adapters.outbound.postgres.auditing.reading import (
    event_rows,
    plan_rows,
    read_any_time,
    reminder_rows,
    streams,
    touch_rows,
    uuids,
)
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.errors import DatabaseRefused
from adapters.outbound.postgres.rows import SELECT_REMINDER, event_values, read_reminder, reminder_values
from adapters.outbound.postgres.session import Session
from adapters.outbound.postgres.touches.rows import TOUCH_COLUMNS, plan_values, touch_values
from application.ports.auditing import Part, Row
from application.ports.errors import Conflict
from application.ports.ledger import Versioned
from application.ports.state_rows import Inserted, Made, Standing, StandingPage, State, StrayPage
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan
from domain.values import EventId

EVENT_COLUMNS = (
    "id, tenant_id, owner_user_id, client_user_id, kind, start_local, time_zone, tz_version, start_at,"
    " end_at, all_day, appointment_id, triggers, status"
)
REMINDER_COLUMNS = "id, event_id, tenant_id, trigger, offset_minutes, due_at, status, reason, sent_at"
PLAN_COLUMNS = "id, tenant_id, revision, status, end_reason, terms, handled_until, next_at"

INSERT = "insert into tickler.{table} ({names}) values ({marks}) on conflict do nothing"
UPDATE = "update tickler.{table} set {changes} where id = %s"
LOCK = "select id from tickler.{table} where id = %s for update"
OF_EVENTS = SELECT_REMINDER + " where event_id = any(%b::uuid[]) order by id"
THERE = "select id from tickler.{table} where id = any(%b::uuid[])"


@frozen
class Table:
    """`columns` begin with the id, and `values` gives those of a state."""

    name: LiteralString
    columns: LiteralString
    values: Callable[[Any], Sequence[Any]]

    @property
    def insert(self) -> LiteralString:
        names = self.columns + ", version, updated_at"
        marks = ", ".join(["%s" for _ in names.split(", ")])
        return INSERT.format(table=self.name, names=names, marks=marks)

    @property
    def update(self) -> LiteralString:
        names = (self.columns + ", version, updated_at").split(", ")
        return UPDATE.format(table=self.name, changes=", ".join([name + " = %s" for name in names]))

    @property
    def lock(self) -> LiteralString:
        return LOCK.format(table=self.name)

    @property
    def there(self) -> LiteralString:
        return THERE.format(table=self.name)


def _plan_values(plan: TouchPlan) -> Sequence[Any]:
    return (plan.id, *plan_values(plan))


STRAYS = (
    "select id, not exists (select from tickler.domain_events where stream_id = id) from ("
    "(select id from tickler.calendar_events where id > %(after)s order by id limit %(limit)s) union all"
    " (select id from tickler.event_reminders where id > %(after)s order by id limit %(limit)s) union all"
    " (select id from tickler.deferred_touches where id > %(after)s order by id limit %(limit)s) union all"
    " (select id from tickler.touch_plans where id > %(after)s order by id limit %(limit)s)"
    ") rows (id) order by id limit %(limit)s"
)
TABLES: Mapping[type[State], Table] = {
    CalendarEvent: Table("calendar_events", EVENT_COLUMNS, event_values),
    Reminder: Table("event_reminders", REMINDER_COLUMNS, reminder_values),
    DeferredTouch: Table("deferred_touches", TOUCH_COLUMNS + ", caller", touch_values),
    TouchPlan: Table("touch_plans", PLAN_COLUMNS, _plan_values),
}


@frozen
class PostgresStateRows:
    database: Database

    def about(self) -> int:
        return PostgresBooks(self.database).about(Part.STREAMS)

    def page(self, after: UUID | None, limit: int) -> StandingPage:
        with self.database.snapshot() as session:
            ids = [row[0] for row in session.rows(IDS[Part.STREAMS], (after or FIRST, limit))]
            return StandingPage(_standing(session, ids) if ids else [], ids[-1] if ids else None)

    def standing(self, ids: Collection[UUID]) -> Sequence[Standing]:
        with self.database.snapshot() as session:
            return _standing(session, list(ids)) if ids else []

    def strays(self, after: UUID | None, limit: int) -> StrayPage:
        with self.database.snapshot() as session:
            rows = session.rows(STRAYS, {"after": after or FIRST, "limit": limit})
        return StrayPage([id_ for id_, is_stray in rows if is_stray], rows[-1][0] if rows else None)

    def reminders(self, event_ids: Collection[EventId]) -> Sequence[Versioned[Reminder]]:
        with self.database.transaction() as session:
            rows = session.rows(OF_EVENTS, (uuids(event_ids),))
        found: list[Versioned[Reminder]] = []
        for row in rows:
            with suppress(Malformed):
                found.append(read_reminder(row))
        return found

    def insert(self, made: Collection[Made]) -> Inserted:
        some = list(made)
        try:
            return self._insert(some)
        except (DatabaseRefused, Conflict):
            if len(some) == 1:
                return Inserted(frozenset(), 0)
        middle = len(some) // 2
        first, second = self.insert(some[:middle]), self.insert(some[middle:])
        return Inserted(first.there | second.there, first.written + second.written)

    def correct(self, state: type[State], id: UUID, decide: Callable[[Standing], Made | None]) -> bool:
        table = TABLES[state]
        try:
            with self.database.transaction() as session:
                if session.row(table.lock, (id,)) is None:
                    return False
                # A statement of its own: it sees what was committed while the lock was waited for.
                for standing in _standing(session, [id]):
                    made = decide(standing)
                    if made is not None:
                        session.change(table.update, (*_values(table, made), id))
        except DatabaseRefused as problem:
            raise Conflict(f"the store refuses its row: {problem}") from None
        return True

    def _insert(self, made: Sequence[Made]) -> Inserted:
        by_state: dict[type[State], list[Made]] = defaultdict(list)
        for one in made:
            by_state[type(one.state)].append(one)
        there: set[UUID] = set()
        written = 0
        with self.database.transaction() as session:
            for state, some in by_state.items():
                table = TABLES[state]
                written += session.change_each(table.insert, [_values(table, one) for one in some])
                ids = uuids([one.state.id for one in some])
                there.update(row[0] for row in session.rows(table.there, (ids,)))
        return Inserted(there, written)


def _values(table: Table, made: Made) -> Sequence[Any]:
    caller = (made.caller,) if isinstance(made.state, DeferredTouch) else ()
    return (*table.values(made.state), *caller, made.version, made.updated_at)


def _standing(session: Session, ids: Sequence[UUID]) -> list[Standing]:
    happened = streams(read_any_time(session), ids)
    plans = plan_rows(session, ids)
    rows: dict[UUID, Row[State]] = {}
    rows.update(event_rows(session, ids).items())
    rows.update(reminder_rows(session, ids).items())
    rows.update(touch_rows(session, ids).items())
    rows.update((id_, row) for id_, (row, _) in plans.items())
    next_at: dict[UUID, datetime | None] = {id_: at for id_, (_, at) in plans.items()}
    return [Standing(id_, happened.get(id_, ()), rows.get(id_), next_at.get(id_)) for id_ in ids]
