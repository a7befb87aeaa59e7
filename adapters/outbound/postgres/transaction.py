"""One transaction of the ledger."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from uuid import UUID

from attrs import field, frozen

from adapters.codec import Malformed, check_text
from adapters.outbound.postgres import binary, copying, erasing, imports
from adapters.outbound.postgres.copying import Copying
from adapters.outbound.postgres.rows import (
    SELECT_EVENT,
    SELECT_REMINDER,
    event_values,
    read_event,
    read_reminder,
    reminder_values,
)
from adapters.outbound.postgres.scheduled import SCHEDULED, scheduled
from adapters.outbound.postgres.session import Session
from adapters.outbound.postgres.settling import settle
from application.ports.errors import Conflict
from application.ports.imports import Revision
from application.ports.ledger import (
    Change,
    Claimed,
    Poison,
    Settled,
    Settlement,
    Unreadable,
    Versioned,
)
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder
from domain.triggers import Trigger
from domain.values import EventId, ReminderId, UserId

EVENT_FOR_UPDATE = SELECT_EVENT + " where id = %s for update"
PENDING_FOR_UPDATE = SELECT_REMINDER + " where event_id = %s and status = 'Pending' order by id for update"
# The limit is a part of the text, so that the planner knows how short the walk is.
CLAIM = (
    SELECT_REMINDER + " where status = 'Pending' and due_at < %b and id <> all(%b::uuid[])"
    " order by due_at, id limit {limit} for update skip locked"
)
PARENTS = SELECT_EVENT + " where id = any(%b::uuid[])"
HIGHEST_ID = UUID(int=2**128 - 1)
PASSED_OVER = (
    "select count(*) from tickler.event_reminders"
    " where status = 'Pending' and due_at < %b and (due_at, id) <= (%b, %b) and id <> all(%b::uuid[])"
)
# Rows of those that were moved or withdrawn stand for nothing that is to come.
STAND = (
    "select trigger, due_at from tickler.event_reminders where event_id = %s"
    " and (status = 'Sent' or reason not in ('moved', 'withdrawn'))"
)
HELD = "select trigger from tickler.event_reminders where event_id = %s and status = 'Pending'"
# One that has but its first event is Pending.
HAS_LOST = (
    "select exists (select from ({scheduled}) s where"
    " not exists (select from tickler.event_reminders r where r.id = s.stream_id) and"
    " not exists (select from tickler.domain_events e where e.stream_id = s.stream_id and e.version > 1))"
)
INSERT_EVENT = (
    "insert into tickler.calendar_events (id, tenant_id, owner_user_id, client_user_id, kind, start_local,"
    " time_zone, tz_version, start_at, end_at, all_day, appointment_id, triggers, status, version,"
    " updated_at) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
    " on conflict do nothing"
)
UPDATE_EVENT = (
    "update tickler.calendar_events set tenant_id = %s, owner_user_id = %s, client_user_id = %s, kind = %s,"
    " start_local = %s, time_zone = %s, tz_version = %s, start_at = %s, end_at = %s, all_day = %s,"
    " appointment_id = %s, triggers = %s, status = %s, version = %s, updated_at = %s"
    " where id = %s and version = %s"
)
INSERT_REMINDER = (
    "insert into tickler.event_reminders (id, event_id, tenant_id, trigger, offset_minutes, due_at, status,"
    " reason, sent_at, version, updated_at) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)
UPDATE_REMINDER = (
    "update tickler.event_reminders set event_id = %s, tenant_id = %s, trigger = %s, offset_minutes = %s,"
    " due_at = %s, status = %s, reason = %s, sent_at = %s, version = %s, updated_at = %s"
    " where id = %s and version = %s"
)
WRITE_TITLE = (
    "insert into tickler.texts as kept (event_id, title) values (%s, %s)"
    " on conflict (event_id) do update set title = excluded.title, updated_at = now()"
    " where kept.title <> excluded.title"
)


@frozen
class PostgresTransaction:
    session: Session
    copying: Copying
    _moved: set[ReminderId] = field(init=False, factory=set)

    def event(self, event_id: EventId) -> Versioned[CalendarEvent] | None:
        found = self.session.row(EVENT_FOR_UPDATE, (event_id,))
        return read_event(found) if found else None

    def pending(self, event_id: EventId) -> Sequence[Versioned[Reminder]]:
        return [read_reminder(row) for row in self.session.rows(PENDING_FOR_UPDATE, (event_id,))]

    def has_lost(self, event_id: EventId, places: Collection[tuple[Trigger, datetime]]) -> bool:
        stand = set(self.session.rows(STAND, (event_id,)))
        if all((str(trigger), due) in stand for trigger, due in places):
            return False
        found = self.session.row(HAS_LOST.format(scheduled=SCHEDULED), scheduled(self.session, event_id))
        # A rebuild may have made it since the caller looked.
        held = {row[0] for row in self.session.rows(HELD, (event_id,))}
        return found == (True,) or any(str(trigger) in held for trigger, _ in places)

    def record(self, changes: Sequence[Change]) -> None:
        happened = [change for change in changes if change.events]
        if not happened:
            return
        for change in happened:
            if isinstance(change.state, CalendarEvent):
                self._write_event(change, change.state)
        self._write_reminders(happened)
        rows = [
            self.copying.history_row(change.stream_id.bytes, version, event)
            for change in happened
            for version, event in enumerate(change.events, change.after + 1)
        ]
        self.session.copy(copying.HISTORY, copying.stream(rows))

    def erased(self, user_ids: Collection[UserId]) -> AbstractSet[UserId]:
        return erasing.erased(self.session, user_ids)

    def write_title(self, event_id: EventId, title: str) -> bool:
        check_text("title", title)
        return self.session.change(WRITE_TITLE, (event_id, title)) == 1

    def revise(self, revisions: Collection[Revision]) -> None:
        imports.revise(self.session, revisions)

    def claim_due(self, as_of: datetime, limit: int, leave_out: Collection[ReminderId] = ()) -> Claimed:
        left_out = _uuids(self._not_moved(leave_out))
        due: list[Versioned[Reminder]] = []
        poison: list[Poison] = []
        for row in self.session.rows(CLAIM.format(limit=int(limit)), (as_of, left_out)):
            try:
                due.append(read_reminder(row))
            except Malformed as problem:
                poison.append(Poison(row[0], row[1], str(problem)))
        return Claimed(due, poison)

    def parents(
        self, event_ids: Collection[EventId]
    ) -> Mapping[EventId, Versioned[CalendarEvent] | Unreadable]:
        found: dict[EventId, Versioned[CalendarEvent] | Unreadable] = {}
        for row in self.session.rows(PARENTS, (_uuids(event_ids),)):
            try:
                found[row[0]] = read_event(row)
            except Malformed as problem:
                found[row[0]] = Unreadable(str(problem))
        return found

    def count_passed_over(
        self, as_of: datetime, claimed: Collection[ReminderId], last: tuple[datetime, ReminderId] | None
    ) -> int:
        found = self.session.row(
            PASSED_OVER, (as_of, *(last or (as_of, HIGHEST_ID)), _uuids(self._not_moved(claimed)))
        )
        assert found is not None
        return int(found[0])

    def settle(self, batch: Sequence[Settled]) -> Settlement:
        settlement = settle(self.session, self.copying, batch)
        self._moved.update(settlement.written)
        return settlement

    def _not_moved(self, ids: Collection[ReminderId]) -> Collection[ReminderId]:
        # What this transaction has moved is not Pending any more: there is no need to name it.
        return set(ids) - self._moved if self._moved else ids

    def _write_event(self, change: Change, event: CalendarEvent) -> None:
        values, ends = event_values(event), _version_and_time(change)
        if change.after == 0:
            written = self.session.change(INSERT_EVENT, (*values, *ends))
        else:
            written = self.session.change(UPDATE_EVENT, (*values[1:], *ends, event.id, change.after))
        if written != 1:
            raise Conflict(f"event {event.id} is not at version {change.after} any more")

    def _write_reminders(self, changes: Sequence[Change]) -> None:
        """Old ones first: a new one may stand for the trigger of one that is being skipped."""
        old = [
            (*reminder_values(change.state)[1:], *_version_and_time(change), change.state.id, change.after)
            for change in changes
            if isinstance(change.state, Reminder) and change.after > 0 and not change.is_lost
        ]
        if old and self.session.change_each(UPDATE_REMINDER, old) != len(old):
            raise Conflict("a reminder is not at the version any more that it was read at")
        new = [
            (*reminder_values(change.state), *_version_and_time(change))
            for change in changes
            if isinstance(change.state, Reminder) and (change.after == 0 or change.is_lost)
        ]
        if new:
            self.session.change_each(INSERT_REMINDER, new)


def _uuids(ids: Collection[UUID]) -> binary.Array:
    return binary.uuids([id_.bytes for id_ in ids])


def _version_and_time(change: Change) -> tuple[int, datetime]:
    return change.after + len(change.events), change.events[-1].at
