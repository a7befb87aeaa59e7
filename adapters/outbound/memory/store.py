"""What the memory adapters hold between them. It lives as long as its process.

Adapters made anew over the same store are what a restart is to a database.
"""

from datetime import datetime
from enum import Enum
from threading import Condition, RLock
from uuid import UUID

from attrs import evolve, frozen

from adapters.outbound.memory.locks import RowLocks
from application.ports.deliveries import Attempt
from application.ports.imports import Imported
from application.ports.ledger import Recorded, Versioned
from application.ports.notices import Matter
from application.ports.outbox import Message
from application.ports.people import ContactPoint, Person, Tenant
from application.ports.pruning import What
from application.ports.quarantine import Quarantined
from application.ports.tokens import KeptToken, TokenId
from application.ports.touches import RecordedTouchEvent, TouchTexts
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.delivery import Delivery
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan
from domain.values import (
    ContactPointId,
    DeliveryId,
    EventId,
    EventStatus,
    NoticeId,
    PlanId,
    ReminderId,
    TenantId,
    TouchId,
    UserId,
)


@frozen
class OutboxRow:
    """A message and what relays did with it; `claim` counts the claims."""

    message: Message
    created_at: datetime
    claim: int = 0
    relay: str | None = None
    lease_until: datetime | None = None
    published_at: datetime | None = None
    parked_at: datetime | None = None
    problem: str | None = None


@frozen
class TouchRow:
    """A touch, and who asked for it; None for one that a plan made."""

    touch: Versioned[DeferredTouch]
    caller: str | None


class Spoilt(Enum):
    """How a row is spoilt: it makes no sense when read, or the store refuses every write of it."""

    UNREADABLE = "it makes no sense"
    REFUSED = "the store refuses it"


class MemoryStore:
    """Committed rows; whoever reads or writes them holds `changed`. All rows are frozen values."""

    def __init__(self) -> None:
        self.changed = Condition(RLock())
        self.locks = RowLocks(self.changed)
        self.events: dict[EventId, Versioned[CalendarEvent]] = {}
        self.reminders: dict[ReminderId, Versioned[Reminder]] = {}
        self.titles: dict[EventId, str] = {}
        self.history: dict[UUID, tuple[Recorded, ...]] = {}
        self.outbox: dict[UUID, OutboxRow] = {}
        self.inbox: dict[ReminderId, datetime] = {}
        self.deliveries: dict[DeliveryId, Delivery] = {}
        self.traceparents: dict[DeliveryId, str] = {}
        self.attempts: dict[DeliveryId, tuple[Attempt, ...]] = {}
        self.quarantine: dict[tuple[object, ...], Quarantined] = {}
        self.matters: dict[NoticeId, dict[tuple[str, UUID], Matter]] = {}
        self.tenants: dict[TenantId, Tenant] = {}
        self.persons: dict[UserId, Person] = {}
        self.contact_points: dict[ContactPointId, ContactPoint] = {}
        self.imports: dict[EventId, Imported] = {}
        self.touches: dict[TouchId, TouchRow] = {}
        self.touch_texts: dict[TouchId, TouchTexts] = {}
        self.touch_requests: dict[tuple[TenantId, str, str], tuple[str, TouchId]] = {}
        self.plans: dict[PlanId, Versioned[TouchPlan]] = {}
        self.plan_texts: dict[PlanId, str] = {}
        self.plan_requests: dict[tuple[TenantId, str, str], tuple[str, PlanId, UserId]] = {}
        self.touch_history: dict[UUID, tuple[RecordedTouchEvent, ...]] = {}
        self.tokens: dict[TokenId, KeptToken] = {}
        self.pruning_marks: dict[What, datetime] = {}
        self.channel_opt_outs: set[tuple[UserId, str]] = set()
        self._spoilt: dict[UUID, Spoilt] = {}

    def spoil(self, row: UUID, how: Spoilt) -> None:
        """For tests: make a reminder or an event poison, as a bad hand in the database would."""
        with self.changed:
            self._spoilt[row] = how

    def mend(self, row: UUID) -> None:
        """For tests: make a spoilt row good again."""
        with self.changed:
            self._spoilt.pop(row, None)

    def is_spoilt(self, row: UUID, how: Spoilt) -> bool:
        return self._spoilt.get(row) is how

    def is_erased(self, user_id: UserId) -> bool:
        found = self.persons.get(user_id)
        return found is not None and found.is_erased

    def change_event_alone(
        self, event_id: EventId, status: EventStatus = EventStatus.CANCELLED, *, raise_version: bool = True
    ) -> None:
        """For tests: change an event in its row alone, from outside; its reminders and history stay."""
        outsider = object()
        with self.changed:
            self.locks.take(event_id, outsider, 15)
            row = self.events[event_id]
            changed = evolve(row.state, status=status)
            self.events[event_id] = Versioned(changed, row.version + raise_version)
            self.locks.release(outsider)
