"""A Tickler of use cases over one store, at a clock that a test sets: for what the field reports tell."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from attrs import frozen

from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from application.calendar import Calendar, Done, Draft
from application.dispatching import ReminderDispatchJob, ReminderDispatchOptions
from application.ports.imports import Imports
from application.ports.ledger import Ledger
from application.ports.outbox import Message, Outbox
from domain.reminder import Reminder, Status
from domain.triggers import Trigger, trigger
from domain.values import EventId, TenantId, Timing, UserId

TENANT = TenantId(UUID(int=1))
OTHER_TENANT = TenantId(UUID(int=2))
OWNER = UserId(UUID(int=3))
MINUTE = timedelta(minutes=1)


def utc(text: str) -> datetime:
    """An instant from `2026-12-01 10:00`, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def told(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M}"


@frozen
class Desk:
    ledger: Ledger
    outbox: Outbox
    imports: Imports
    clock: SettableClock
    ids: CountedIds

    @property
    def calendar(self) -> Calendar:
        return Calendar(self.ledger, self.clock, self.ids)

    def job(self, **options: Any) -> ReminderDispatchJob:
        """A dispatcher as it is after a start."""
        return ReminderDispatchJob(
            self.ledger, self.clock, self.ids, options=ReminderDispatchOptions(**options)
        )

    def plan(
        self,
        wall: str,
        *triggers: str,
        zone: str = "UTC",
        tenant: TenantId = TENANT,
        minutes: int | None = None,
    ) -> Done:
        """An event at a wall time such as `2026-12-01 10:00`, lasting so many minutes."""
        start = Timing.of(datetime.fromisoformat(wall), zone)
        end_at = None if minutes is None else start.start_at + minutes * MINUTE
        timing = Timing.of(datetime.fromisoformat(wall), zone, end_at=end_at)
        return self.calendar.plan(Draft(tenant, OWNER, timing, triggers=_triggers(triggers)))

    def tick(self, at: datetime, **options: Any) -> list[datetime]:
        """Let the time be this and dispatch; the DueAt of each reminder that was sent."""
        self.clock.set(at)
        return [
            item.due_at
            for cycle in self.job(**options).tick()
            for item in cycle.items
            if item.status is Status.SENT
        ]

    def reminders(self, event_id: EventId) -> list[Reminder]:
        return [row.state for row in self.ledger.reminders(event_id)]

    def pending(self, event_id: EventId) -> list[str]:
        """When the event's Pending reminders are due."""
        return [told(row.due_at) for row in self.reminders(event_id) if row.status is Status.PENDING]

    def messages(self) -> Sequence[Message]:
        """What was told so far and not taken yet."""
        lease = timedelta(days=365)
        found: list[Message] = []
        while claimed := self.outbox.claim("reader", 1000, self.clock.now(), lease):
            found += [one.message for one in claimed]
        return found


def _triggers(spellings: Sequence[str]) -> tuple[Trigger, ...]:
    return tuple(trigger(one) for one in spellings)
