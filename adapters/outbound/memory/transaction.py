"""One transaction of the memory ledger: what it wrote lies over what is committed until it ends."""

from collections import ChainMap
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from heapq import nsmallest
from types import MappingProxyType
from typing import TypeVar
from uuid import UUID

from adapters import codec
from adapters.outbound.memory.store import MemoryStore, OutboxRow, Spoilt
from application.ports.errors import Conflict
from application.ports.imports import Imported, Revision
from application.ports.ledger import (
    Change,
    Claimed,
    Context,
    OutboxMessage,
    Poison,
    Recorded,
    Settled,
    Settlement,
    Unreadable,
    Versioned,
)
from application.ports.outbox import Message
from domain import calendar_event, reminder
from domain.calendar_event import CalendarEvent
from domain.errors import BrokenHistory
from domain.reminder import Reminder, ReminderScheduled, SkipReason, Status
from domain.triggers import Trigger
from domain.values import EventId, ReminderId, UserId

Key = TypeVar("Key", EventId, ReminderId)
State = TypeVar("State", CalendarEvent, Reminder)


class MemoryTransaction:
    """Reads what is committed now and its own writes; keeps its row locks until `commit` or `abandon`."""

    def __init__(self, store: MemoryStore, context: Context, lock_wait: float) -> None:
        self._store = store
        self._context = context
        self._lock_wait = lock_wait
        self._events = _over(store.events)
        self._reminders = _over(store.reminders)
        self._titles: dict[EventId, str] = {}
        self._imports: dict[EventId, Imported | None] = {}
        self._history: list[Recorded] = []
        self._outbox: dict[UUID, OutboxRow] = {}

    def commit(self) -> None:
        with self._store.changed:
            self._store.events.update(self._events.maps[0])
            self._store.reminders.update(self._reminders.maps[0])
            self._store.titles.update(self._titles)
            self._commit_imports()
            self._store.outbox.update(self._outbox)
            for recorded in self._history:
                kept = self._store.history.get(recorded.stream_id, ())
                self._store.history[recorded.stream_id] = (*kept, recorded)
            self._store.locks.release(self)

    def abandon(self) -> None:
        with self._store.changed:
            self._store.locks.release(self)

    def event(self, event_id: EventId) -> Versioned[CalendarEvent] | None:
        with self._store.changed:
            if event_id not in self._events:
                return None
            self._lock(event_id)
            self._must_be_readable(event_id)
            return self._events.get(event_id)

    def pending(self, event_id: EventId) -> Sequence[Versioned[Reminder]]:
        with self._store.changed:
            found = sorted(row.state.id for row in self._all_pending() if row.state.event_id == event_id)
            for reminder_id in found:
                self._lock(reminder_id)
                self._must_be_readable(reminder_id)
            rows = (self._reminders[reminder_id] for reminder_id in found)
            return [row for row in rows if row.state.status is Status.PENDING]

    def has_lost(self, event_id: EventId, places: Collection[tuple[Trigger, datetime]]) -> bool:
        with self._store.changed:
            rows = [row.state for row in self._reminders.values() if row.state.event_id == event_id]
            gone = (SkipReason.MOVED, SkipReason.WITHDRAWN)
            stand = {
                (one.trigger, one.due_at)
                for one in rows
                if one.status is not Status.PENDING and one.reason not in gone
            }
            if stand.issuperset(places):
                return False
            held = {one.trigger for one in rows if one.status is Status.PENDING}
            if any(trigger in held for trigger, _ in places):
                return True
            begun = [(id_, stream) for id_, stream in self._store.history.items() if len(stream) == 1]
            return any(
                isinstance(first.event, ReminderScheduled)
                and first.event.event_id == event_id
                and ReminderId(id_) not in self._reminders
                for id_, (first,) in begun
            )

    def record(self, changes: Sequence[Change]) -> None:
        with self._store.changed:
            for change in changes:
                self._lock(change.stream_id)
                self._add(change)
            for change in changes:
                if isinstance(change.state, Reminder) and change.state.status is Status.PENDING:
                    self._must_be_the_only_one(change.state)

    def erased(self, user_ids: Collection[UserId]) -> AbstractSet[UserId]:
        with self._store.changed:
            for user_id in sorted(set(user_ids)):
                self._store.locks.share(("person", user_id), self, self._lock_wait)
            return {id_ for id_ in user_ids if self._store.is_erased(id_)}

    def write_title(self, event_id: EventId, title: str) -> bool:
        codec.check_text("title", title)
        is_other = self._titles.get(event_id, self._store.titles.get(event_id)) != title
        self._titles[event_id] = title
        return is_other

    def revise(self, revisions: Collection[Revision]) -> None:
        with self._store.changed:
            for one in sorted(revisions, key=lambda one: one.source):
                self._lock(("import", one.source))
                if self._imports.get(one.source, self._store.imports.get(one.source)) != one.before:
                    raise Conflict(f"{one.source} was read by another import meanwhile")
                self._imports[one.source] = one.after

    def claim_due(self, as_of: datetime, limit: int, leave_out: Collection[ReminderId] = ()) -> Claimed:
        with self._store.changed:
            left_out = set(leave_out)
            free = (
                row
                for row in self._all_due(as_of)
                if row.state.id not in left_out and self._store.locks.is_free_for(row.state.id, self)
            )
            due: list[Versioned[Reminder]] = []
            poison: list[Poison] = []
            for row in nsmallest(limit, free, key=_age):
                self._lock(row.state.id)
                if self._store.is_spoilt(row.state.id, Spoilt.UNREADABLE):
                    poison.append(Poison(row.state.id, row.state.event_id, Spoilt.UNREADABLE.value))
                else:
                    due.append(row)
            return Claimed(due, poison)

    def parents(
        self, event_ids: Collection[EventId]
    ) -> Mapping[EventId, Versioned[CalendarEvent] | Unreadable]:
        with self._store.changed:
            return {
                event_id: Unreadable(Spoilt.UNREADABLE.value)
                if self._store.is_spoilt(event_id, Spoilt.UNREADABLE)
                else self._events[event_id]
                for event_id in event_ids
                if event_id in self._events
            }

    def count_passed_over(
        self, as_of: datetime, claimed: Collection[ReminderId], last: tuple[datetime, ReminderId] | None
    ) -> int:
        with self._store.changed:
            mine = set(claimed)
            return sum(
                row.state.id not in mine and (last is None or _age(row) <= last)
                for row in self._all_due(as_of)
            )

    def settle(self, batch: Sequence[Settled]) -> Settlement:
        written: list[ReminderId] = []
        stale: list[ReminderId] = []
        poison: list[Poison] = []
        with self._store.changed:
            for settled in batch:
                self._lock(settled.state.id)
                if not self._stands(settled):
                    stale.append(settled.state.id)
                    continue
                try:
                    self._write(settled)
                except Exception as problem:
                    poison.append(Poison(settled.state.id, settled.state.event_id, str(problem)))
                else:
                    written.append(settled.state.id)
        return Settlement(set(written), stale, poison)

    def _commit_imports(self) -> None:
        for source, known in self._imports.items():
            if known is None:
                self._store.imports.pop(source, None)
            else:
                self._store.imports[source] = known

    def _lock(self, row: Hashable) -> None:
        self._store.locks.take(row, self, self._lock_wait)

    def _must_be_readable(self, row: UUID) -> None:
        if self._store.is_spoilt(row, Spoilt.UNREADABLE):
            raise BrokenHistory(f"{row}: {Spoilt.UNREADABLE.value}")

    def _must_be_writable(self, row: UUID) -> None:
        if self._store.is_spoilt(row, Spoilt.REFUSED):
            raise ValueError(f"{row}: {Spoilt.REFUSED.value}")

    def _all_pending(self) -> Iterator[Versioned[Reminder]]:
        return (row for row in self._reminders.values() if row.state.status is Status.PENDING)

    def _all_due(self, as_of: datetime) -> Iterator[Versioned[Reminder]]:
        return (row for row in self._all_pending() if row.state.due_at < as_of)

    def _add(self, change: Change) -> None:
        match change.state:
            case CalendarEvent() as event:
                _put(self._events, event.id, event, change)
            case Reminder() as one:
                self._must_be_writable(one.id)
                if change.is_lost:
                    self._must_be_lost(change)
                _put(self._reminders, one.id, one, change)
        self._remember(change.stream_id, change.after, change.events)

    def _must_be_lost(self, change: Change) -> None:
        kept = len(self._store.history.get(change.stream_id, ()))
        if ReminderId(change.stream_id) in self._reminders or kept != change.after:
            raise Conflict(f"{change.stream_id} is not as it was read any more")

    def _must_be_the_only_one(self, one: Reminder) -> None:
        self._lock((one.event_id, one.trigger))  # else two open transactions would each find themselves alone
        for other in self._all_pending():
            same = (other.state.event_id, other.state.trigger) == (one.event_id, one.trigger)
            if same and other.state.id != one.id:
                raise Conflict(f"event {one.event_id} has a Pending reminder for {one.trigger} already")

    def _stands(self, settled: Settled) -> bool:
        row = self._reminders.get(settled.state.id)
        event = self._events.get(settled.state.event_id)
        if row is None or event is None:
            return False
        # Whoever changes an event's row alone, from elsewhere, need not know of versions (INV-REM-4).
        may_be_so = settled.state.status is not Status.SENT or event.state.status.is_open
        versions = (row.version, event.version) == (settled.after, settled.event_version)
        return versions and may_be_so and row.state.status is Status.PENDING

    def _write(self, settled: Settled) -> None:
        self._must_be_writable(settled.state.id)
        if settled.message is not None:
            if settled.message.id in self._outbox or settled.message.id in self._store.outbox:
                raise ValueError(f"reminder {settled.message.id} has its message already")
            self._outbox[settled.message.id] = self._encoded(settled.message, settled.events[-1].at)
        version = settled.after + len(settled.events)
        self._reminders[settled.state.id] = Versioned(settled.state, version)
        self._remember(settled.state.id, settled.after, settled.events)

    def _encoded(self, message: OutboxMessage, at: datetime) -> OutboxRow:
        payload = codec.encode_due(message.payload)
        context = self._context
        headers = MappingProxyType(codec.outbox_headers(context.correlation_id, context.traceparent))
        return OutboxRow(Message(message.id, message.topic, message.key, payload, headers), at)

    def _remember(
        self, stream_id: UUID, after: int, events: Sequence[calendar_event.Event | reminder.Event]
    ) -> None:
        context = self._context
        self._history += [
            Recorded(stream_id, version, event, context.correlation_id, context.actor, event.at)
            for version, event in enumerate(events, after + 1)
        ]


def _over(committed: dict[Key, Versioned[State]]) -> ChainMap[Key, Versioned[State]]:
    return ChainMap({}, committed)


def _put(rows: ChainMap[Key, Versioned[State]], key: Key, state: State, change: Change) -> None:
    row = rows.get(key)
    if (row.version if row else 0) != (0 if change.is_lost else change.after):
        raise Conflict(f"{key} is at version {row.version if row else 0}, not {change.after}")
    rows[key] = Versioned(state, change.after + len(change.events))


def _age(row: Versioned[Reminder]) -> tuple[datetime, UUID]:
    return row.state.due_at, row.state.id
