"""The ledger in memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from heapq import nsmallest
from uuid import UUID

from attrs import frozen

from adapters.outbound.memory.store import MemoryStore, Spoilt
from adapters.outbound.memory.transaction import MemoryTransaction
from application.ports.backlog import Backlog
from application.ports.ledger import Context, Listed, Listing, Poison, Recorded, Upcoming, Versioned
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder, ReminderScheduled, Status
from domain.values import EventId, ReminderId, TenantId


@frozen
class MemoryLedger:
    """A lock that is not had within `lock_wait` is Busy."""

    store: MemoryStore
    lock_wait: timedelta = timedelta(seconds=15)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[MemoryTransaction]:
        transaction = MemoryTransaction(self.store, context, self.lock_wait.total_seconds())
        try:
            yield transaction
        except BaseException:
            transaction.abandon()
            raise
        transaction.commit()

    def event(self, event_id: EventId) -> Versioned[CalendarEvent] | None:
        with self.store.changed:
            return self.store.events.get(event_id)

    def reminders(self, event_id: EventId) -> Sequence[Versioned[Reminder]]:
        with self.store.changed:
            rows = [row for row in self.store.reminders.values() if row.state.event_id == event_id]
        return sorted(rows, key=lambda row: (row.state.due_at, row.state.id))

    def each_reminder(self, event_id: EventId) -> Sequence[Versioned[Reminder] | Poison]:
        with self.store.changed:
            return [self._or_poison(row) for row in self.reminders(event_id)]

    def reminder(self, reminder_id: ReminderId) -> Versioned[Reminder] | Poison | None:
        with self.store.changed:
            row = self.store.reminders.get(reminder_id)
            return None if row is None else self._or_poison(row)

    def is_held(self, reminder_id: ReminderId) -> bool:
        with self.store.changed:
            return not self.store.locks.is_free_for(reminder_id, self)

    def title(self, event_id: EventId) -> str | None:
        with self.store.changed:
            return self.store.titles.get(event_id)

    def history(self, stream_id: UUID) -> Sequence[Recorded]:
        with self.store.changed:
            return self.store.history.get(stream_id, ())

    def reminder_ids(self, event_id: EventId) -> Sequence[ReminderId]:
        with self.store.changed:
            begun = [(id_, stream[0].event) for id_, stream in self.store.history.items() if stream]
        scheduled = ((id_, one) for id_, one in begun if isinstance(one, ReminderScheduled))
        return sorted(ReminderId(id_) for id_, one in scheduled if one.event_id == event_id)

    def upcoming(self, until: datetime, limit: int, tenant_id: TenantId | None = None) -> Listing[Upcoming]:
        with self.store.changed:
            wanted = (one for one in self._due(until) if tenant_id is None or one.tenant_id == tenant_id)
            found = nsmallest(limit, wanted, key=lambda one: (one.due_at, one.id))
            return Listing(
                [
                    Upcoming(one, self.store.events[one.event_id].state, self.store.titles.get(one.event_id))
                    for one in found
                ]
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
        with self.store.changed:
            wanted = (
                row.state
                for row in self.store.events.values()
                if since <= row.state.timing.start_at < until
                and (tenant_id is None or row.state.tenant_id == tenant_id)
                and (closed_too or row.state.status.is_open)
            )
            found = nsmallest(limit, wanted, key=lambda one: (one.timing.start_at, one.id))
            return Listing(
                [Listed(one, self.store.titles.get(one.id), self._next_due_at(one.id)) for one in found]
            )

    def event_ids(self, first: UUID, last: UUID, limit: int) -> Sequence[EventId]:
        with self.store.changed:
            return nsmallest(limit, (id_ for id_ in self.store.events if first <= id_ <= last))

    def backlog(self, as_of: datetime) -> Backlog:
        with self.store.changed:
            due = [one.due_at for one in self._due(as_of)]
        return Backlog(len(due), min(due, default=None))

    def _or_poison(self, row: Versioned[Reminder]) -> Versioned[Reminder] | Poison:
        one = row.state
        if self.store.is_spoilt(one.id, Spoilt.UNREADABLE):
            return Poison(one.id, one.event_id, Spoilt.UNREADABLE.value)
        return row

    def _next_due_at(self, event_id: EventId) -> datetime | None:
        rows = (row.state for row in self.store.reminders.values())
        due = (one.due_at for one in rows if one.event_id == event_id and one.status is Status.PENDING)
        return min(due, default=None)

    def _due(self, as_of: datetime) -> Iterator[Reminder]:
        states = (row.state for row in self.store.reminders.values())
        return (one for one in states if one.status is Status.PENDING and one.due_at < as_of)
