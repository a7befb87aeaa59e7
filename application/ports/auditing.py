"""What the store holds, laid open for the audit: rows beside the streams that they are to follow from.

Whatever cannot be read is `Unreadable` and never an exception: an audit goes on past it.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from attrs import frozen

from application.ports.ledger import Unreadable
from domain import calendar_event, deferred_touch, reminder, touch_plan
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.delivery import Delivery
from domain.policies import ReminderDueEvent
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan
from domain.values import DeliveryId, EventId, Occurrence, PlanId, ReminderId, TenantId, TouchId, UserId

State = TypeVar("State", covariant=True)
Event = calendar_event.Event | reminder.Event | deferred_touch.Event | touch_plan.Event


@frozen
class Happened:
    """One event of a stream as it is kept; `occurred_at` and `actor` stand beside it."""

    version: int
    event: Event | Unreadable
    occurred_at: datetime
    actor: str


Stream = Sequence[Happened]
"""In the order of their versions, which may have holes and repeats."""


@frozen
class Row(Generic[State]):
    """A row of the current state; `updated_at` is None where the store keeps none.

    `caller` is who asked for a touch, None for a plan's and for all else.
    """

    state: State | Unreadable
    version: int
    updated_at: datetime | None
    caller: str | None = None


@frozen
class MessageRow:
    """A record of the outbox as far as it tells of a reminder."""

    key: UUID
    payload: ReminderDueEvent | Unreadable
    published_at: datetime | None = None


@frozen
class ReminderFacts:
    """A reminder's row, its stream, the outbox records of its id and the deliveries about it.

    `was_taken_in` when the inbox has it, `may_be_held` when it has not, and the quarantine holds a record
    under its event's key.
    """

    id: ReminderId
    row: Row[Reminder]
    stream: Stream
    messages: Sequence[MessageRow] = ()
    deliveries: Sequence[Delivery] = ()
    was_taken_in: bool = False
    may_be_held: bool = False


@frozen
class CalendarFacts:
    """An event with a row, and all reminders of it that have one.

    `lost` are those of its owner and client who have no row, though an address or opt-out of theirs is kept,
    `foreign` those who are people of another tenant.
    """

    id: EventId
    row: Row[CalendarEvent]
    stream: Stream
    reminders: Sequence[ReminderFacts]
    lost: Collection[UserId] = ()
    foreign: Collection[UserId] = ()


@frozen
class TouchFacts:
    """`is_known` when whom it is for has a row among the people, `is_erased` when that says so. `has_texts`
    when a row of its texts is kept, `has_answer` when there is an answer in that.

    `plan_tenant_id` is that of the plan whose occurrence it is; None for a plan that has no row. `is_foreign`
    when whom it is for is a person of another tenant.
    """

    id: TouchId
    row: Row[DeferredTouch]
    stream: Stream
    is_known: bool
    is_erased: bool
    has_texts: bool
    has_answer: bool
    deliveries: Sequence[Delivery] = ()
    plan_tenant_id: TenantId | None = None
    is_foreign: bool = False


@frozen
class PlanFacts:
    """`made` are the touches that have a row and stand for an occurrence of it, with their tenants.

    `is_foreign` when whom it is for is a person of another tenant.
    """

    id: PlanId
    row: Row[TouchPlan]
    next_at: datetime | None
    stream: Stream
    made: Sequence[tuple[TouchId, TenantId, Occurrence]] = ()
    is_foreign: bool = False


@frozen
class StrayReminder:
    """The row of a reminder whose event has none."""

    id: ReminderId
    event_id: EventId


@frozen
class MessageFacts:
    """A record of the outbox: its state, and what it is about, as its payload has it.

    `is_known` when the reminder of its own id has a row, `was_sent` when that one's stream says so.
    `has_headers` when those are there without which nobody takes it in.
    """

    id: UUID
    about: UUID | None
    is_known: bool
    was_sent: bool
    topic: str
    has_headers: bool
    created_at: datetime
    published_at: datetime | None = None
    parked_at: datetime | None = None
    claimed_by: str | None = None
    claimed_until: datetime | None = None


@frozen
class SpoiltMessage:
    """A record of the outbox whose columns cannot be read."""

    id: UUID
    problem: Unreadable


@frozen
class Tried:
    """An attempt at a delivery, by its claim; `outcome` as `Attempt` has it."""

    claim: int
    outcome: str | None


@frozen
class DeliveryFacts:
    """`is_about_something` when what it is about was sent, answered, or is a notice with its matters;
    `is_of_reminder` when that has the row of a reminder. `is_known` when whom it is for has a row among the
    people.

    `contact_user_id` is whose its contact point is; None where it has none, or that is gone.
    `fits_address` unless its key is not that of its contact point, of its person on the console, or of one
    who is erased. `attempts` are in the order of their claims. `is_foreign` when whom it is for is a person
    of another tenant.
    """

    id: DeliveryId
    delivery: Delivery | Unreadable
    is_about_something: bool
    is_of_reminder: bool
    is_known: bool
    contact_user_id: UserId | None = None
    fits_address: bool = True
    attempts: Sequence[Tried] = ()
    is_foreign: bool = False


@frozen
class StrayAttempts:
    """Attempts at a delivery that has no row."""

    id: UUID


@frozen
class StrayImport:
    """What is kept of an imported entry whose event has no row."""

    id: UUID
    event_id: EventId


@frozen
class StrayStream:
    """A stream whose id no row of the current state has."""

    id: UUID
    stream: Stream


Facts = (
    CalendarFacts
    | TouchFacts
    | PlanFacts
    | StrayReminder
    | MessageFacts
    | SpoiltMessage
    | DeliveryFacts
    | StrayAttempts
    | StrayImport
    | StrayStream
)


class Part(StrEnum):
    """What is gone through, one after the other; each has facts of its own kind."""

    EVENTS = "events"
    REMINDERS = "reminders"
    TOUCHES = "touches"
    PLANS = "plans"
    OUTBOX = "outbox"
    DELIVERIES = "deliveries"
    ATTEMPTS = "attempts"
    IMPORTS = "imports"
    STREAMS = "streams"


@frozen
class Page:
    """What there is to judge among `looked_at` ids; `last` is the last of these, None when they were none."""

    facts: Sequence[Facts]
    looked_at: int
    last: UUID | None


class Books(Protocol):
    """All rows, streams, messages and deliveries. It reads only, waits for no lock and holds none up."""

    def about(self, part: Part) -> int:
        """How many ids there are, about: it is for a progress bar, and counting all may take too long."""

    def page(self, part: Part, after: UUID | None, limit: int) -> Page:
        """The first `limit` ids of a part after this one, all of it as one moment has it.

        What is sound on the face of it may be left out: reminders and imports whose event is there, attempts
        at a delivery that is, streams with a row.
        """

    def look_again(self, part: Part, ids: Collection[UUID]) -> Sequence[Facts]:
        """The same of these ids, as they are by now; what is not there any more is left out."""
