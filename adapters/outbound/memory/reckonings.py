"""By which zone data events were reckoned, in memory."""

from collections.abc import Collection, Iterator, Sequence
from heapq import nsmallest

from attrs import evolve, frozen

from adapters.outbound.memory.store import MemoryStore, Spoilt
from application.ports.ledger import Versioned
from application.ports.reckonings import Reckoned
from domain.calendar_event import CalendarEvent
from domain.reminder import Status
from domain.values import EventId


@frozen
class MemoryReckonings:
    store: MemoryStore

    def count_otherwise(self, tz_version: str) -> int:
        with self.store.changed:
            return sum(1 for _ in self._otherwise(tz_version))

    def otherwise(self, tz_version: str, after: EventId | None, limit: int) -> Sequence[Reckoned]:
        with self.store.changed:
            events = (one for one in self._otherwise(tz_version) if after is None or one.id > after)
            found = nsmallest(limit, events, key=lambda event: event.id)
            pending = [
                row.state for row in self.store.reminders.values() if row.state.status is Status.PENDING
            ]
            return [
                Reckoned(event, [one for one in pending if one.event_id == event.id])
                for event in found
                if not self.store.is_spoilt(event.id, Spoilt.UNREADABLE)
            ]

    def confirm(self, event_ids: Collection[EventId], tz_version: str) -> None:
        with self.store.changed:
            for event_id in event_ids:
                row = self.store.events[event_id]
                timing = evolve(row.state.timing, tz_version=tz_version)
                self.store.events[event_id] = Versioned(evolve(row.state, timing=timing), row.version)

    def _otherwise(self, tz_version: str) -> Iterator[CalendarEvent]:
        states = (row.state for row in self.store.events.values())
        return (one for one in states if one.status.is_open and one.timing.tz_version != tz_version)
