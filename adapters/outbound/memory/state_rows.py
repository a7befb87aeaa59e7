"""Rows of the current state in memory, made again from their events."""

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from uuid import UUID

from attrs import evolve, frozen

from adapters.outbound.memory.books import MemoryBooks
from adapters.outbound.memory.store import MemoryStore, Spoilt, TouchRow
from application.ports.auditing import Row
from application.ports.ledger import Unreadable, Versioned
from application.ports.state_rows import Inserted, Made, Standing, StandingPage, State, StrayPage
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder
from domain.reminder import Status as ReminderStatus
from domain.touch_plan import TouchPlan, next_occurrence
from domain.values import EventId, PlanId, ReminderId, TouchId


@frozen
class MemoryStateRows:
    """A lock that is not had within `lock_wait` is Busy."""

    store: MemoryStore
    lock_wait: timedelta = timedelta(seconds=15)

    def about(self) -> int:
        with self.store.changed:
            return len({*self.store.history, *self.store.touch_history})

    def page(self, after: UUID | None, limit: int) -> StandingPage:
        with self.store.changed:
            every = {*self.store.history, *self.store.touch_history}
            ids = sorted(id_ for id_ in every if after is None or id_ > after)[:limit]
            return StandingPage([self._standing(id_) for id_ in ids], ids[-1] if ids else None)

    def standing(self, ids: Collection[UUID]) -> Sequence[Standing]:
        with self.store.changed:
            return [self._standing(id_) for id_ in ids]

    def strays(self, after: UUID | None, limit: int) -> StrayPage:
        store = self.store
        with store.changed:
            every = {*store.events, *store.reminders, *store.touches, *store.plans}
            ids: list[UUID] = sorted(id_ for id_ in every if after is None or id_ > after)[:limit]
            found = [id_ for id_ in ids if not MemoryBooks(store).stream(id_)]
            return StrayPage(found, ids[-1] if ids else None)

    def reminders(self, event_ids: Collection[EventId]) -> Sequence[Versioned[Reminder]]:
        wanted = set(event_ids)
        with self.store.changed:
            rows = [row for row in self.store.reminders.values() if row.state.event_id in wanted]
            readable = [row for row in rows if not self.store.is_spoilt(row.state.id, Spoilt.UNREADABLE)]
            return sorted(readable, key=lambda row: row.state.id)

    def insert(self, made: Collection[Made]) -> Inserted:
        there = set()
        written = 0
        with self.store.changed:
            for one in made:
                if self._row(one.state.id) is None and self._may_be(one.state):
                    self._write(one)
                    written += 1
                if self._row(one.state.id) is not None:
                    there.add(one.state.id)
        return Inserted(there, written)

    def correct(self, state: type[State], id: UUID, decide: Callable[[Standing], Made | None]) -> bool:
        owner = object()
        with self.store.changed:
            if self._row(id) is None:
                return False
            self.store.locks.take(id, owner, self.lock_wait.total_seconds())
            try:
                made = decide(self._standing(id))
                if made is not None:
                    self._write(made)
                    self.store.mend(id)
            finally:
                self.store.locks.release(owner)
        return True

    def _may_be(self, state: State) -> bool:
        """Whether there is no other Pending reminder of its event and trigger (INV-REM-6)."""
        if not isinstance(state, Reminder) or state.status is not ReminderStatus.PENDING:
            return True
        others = [row.state for row in self.store.reminders.values()]
        key = (state.event_id, state.trigger, state.status)
        return all((one.event_id, one.trigger, one.status) != key for one in others)

    def _write(self, made: Made) -> None:
        match made.state:
            case CalendarEvent() as event:
                self.store.events[event.id] = Versioned(event, made.version)
            case Reminder() as one:
                self.store.reminders[one.id] = Versioned(one, made.version)
            case DeferredTouch() as touch:
                row = self.store.touches.get(touch.id, TouchRow(Versioned(touch, 0), made.caller))
                self.store.touches[touch.id] = evolve(
                    row, touch=Versioned(touch, made.version), caller=made.caller
                )
            case TouchPlan() as plan:
                self.store.plans[plan.id] = Versioned(plan, made.version)

    def _row(self, id: UUID) -> Versioned[State] | None:
        touch = self.store.touches.get(TouchId(id))
        found: Sequence[Versioned[State] | None] = (
            self.store.events.get(EventId(id)),
            self.store.reminders.get(ReminderId(id)),
            touch.touch if touch else None,
            self.store.plans.get(PlanId(id)),
        )
        return next((row for row in found if row is not None), None)

    def _standing(self, id: UUID) -> Standing:
        found = self._row(id)
        stream = MemoryBooks(self.store).stream(id)
        if found is None:
            return Standing(id, stream, None)
        is_spoilt = self.store.is_spoilt(id, Spoilt.UNREADABLE)
        state = Unreadable(Spoilt.UNREADABLE.value) if is_spoilt else found.state
        planned = next_occurrence(found.state) if isinstance(found.state, TouchPlan) else None
        touch = self.store.touches.get(TouchId(id))
        row: Row[State] = Row(state, found.version, None, touch.caller if touch else None)
        return Standing(id, stream, row, planned.at if planned else None)
