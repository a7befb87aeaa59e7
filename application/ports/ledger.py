"""The ledger: events, reminders and their history, in one commit."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from attrs import frozen

from application.ports.backlog import Backlog
from application.ports.imports import Revision
from domain import calendar_event, reminder
from domain.calendar_event import CalendarEvent
from domain.policies import ReminderDueEvent
from domain.reminder import Reminder
from domain.triggers import Trigger
from domain.values import EventId, ReminderId, TenantId, UserId

State = TypeVar("State", covariant=True)
Row = TypeVar("Row", covariant=True)


@frozen
class Context:
    """In whose name a transaction runs: `correlation_id` is the run id of a cycle, or a command's own.

    `traceparent` is the W3C trace context that its messages carry on, where somebody follows it.
    """

    correlation_id: UUID
    actor: str = "system"
    traceparent: str | None = None


@frozen
class Versioned(Generic[State]):
    """A state and how many events made it."""

    state: State
    version: int


@frozen
class Change:
    """Events to add to one stream that still has `after` of them, and the state that they lead to.

    `is_lost` when the row of such a reminder is not there: it is made as the state says.
    """

    stream_id: UUID
    after: int
    events: Sequence[calendar_event.Event | reminder.Event]
    state: CalendarEvent | Reminder
    is_lost: bool = False


@frozen
class OutboxMessage:
    """One message to be published: `key` orders it, `payload` is encoded by the adapter's codec.

    The id is that of the reminder it tells of: there is one such message a reminder (INV-REM-5), so that
    no retry can invent a second.
    """

    id: ReminderId
    topic: str
    key: EventId
    payload: ReminderDueEvent


@frozen
class Settled:
    """A due reminder as it was decided: `state` after `events`, on this version of its event."""

    state: Reminder
    after: int
    events: Sequence[reminder.Event]
    event_version: int
    message: OutboxMessage | None


@frozen
class Poison:
    """A due row that cannot be decided, encoded or written; it stays Pending."""

    reminder_id: ReminderId
    event_id: EventId
    problem: str


@frozen
class Claimed:
    """Due rows under lock, oldest DueAt first, and those among them that cannot be read."""

    due: Sequence[Versioned[Reminder]]
    poison: Sequence[Poison] = ()


@frozen
class Unreadable:
    """A row that is there and makes no sense: which it is, and why, in one line."""

    problem: str


@frozen
class Settlement:
    """What came of a batch: written; changed underneath and left out; refused by the store and left out."""

    written: AbstractSet[ReminderId]
    stale: Collection[ReminderId] = ()
    poison: Sequence[Poison] = ()


class Transaction(Protocol):
    """One transaction over many aggregates. Nothing is seen by others before its block ends."""

    def event(self, event_id: EventId) -> Versioned[CalendarEvent] | None:
        """The event, locked against every other change until the block ends; None where there is none.

        Raises Busy when the lock is not had within 15 s.
        """

    def pending(self, event_id: EventId) -> Sequence[Versioned[Reminder]]:
        """The Pending reminders of an event, ordered by id, locked until the block ends; Busy as above."""

    def has_lost(self, event_id: EventId, places: Collection[tuple[Trigger, datetime]]) -> bool:
        """Whether a reminder of the event is Pending by its history, and has no row.

        `places` are the triggers for which no row is Pending, and when they fall. Where each has a row of one
        that was sent, or skipped for its own lateness, nothing is taken to be lost, and no history is read.
        Where a row is Pending for one after all, it was lost until a moment ago: True.
        """

    def record(self, changes: Sequence[Change]) -> None:
        """Add the events and write the states; Conflict when a stream has not the version it should have.

        A second Pending reminder of one event and trigger is a Conflict too (INV-REM-6).
        """

    def erased(self, user_ids: Collection[UserId]) -> AbstractSet[UserId]:
        """Who of these people is erased; none of the others will be before the block ends.

        To be asked of all of them at once, after the event is locked. Busy as above.
        """

    def write_title(self, event_id: EventId, title: str) -> bool:
        """Keep the title of an event where it can be erased; an earlier one is replaced.

        Whether it is another one than before.

        Invalid for a title that is no text: with a NUL or half of a surrogate pair in it.
        """

    def revise(self, revisions: Collection[Revision]) -> None:
        """Keep what was read of these sources, each named once, beside what it comes to here.

        Conflict where a source is not known as it was before; Busy as above.
        """

    def claim_due(self, as_of: datetime, limit: int, leave_out: Collection[ReminderId] = ()) -> Claimed:
        """Lock up to `limit` rows that are Pending with due_at < as_of, oldest first, none of `leave_out`.

        Rows that somebody else holds are passed over without waiting; events are not locked.
        """

    def parents(
        self, event_ids: Collection[EventId]
    ) -> Mapping[EventId, Versioned[CalendarEvent] | Unreadable]:
        """The events as committed now, without a lock; those that are not there are left out."""

    def count_passed_over(
        self, as_of: datetime, claimed: Collection[ReminderId], last: tuple[datetime, ReminderId] | None
    ) -> int:
        """How many rows are Pending with due_at < as_of and not in `claimed`.

        `last` is (due_at, id) of the last row that a full claim gave: those after it were not come to.
        """

    def settle(self, batch: Sequence[Settled]) -> Settlement:
        """Write a decided batch: rows, history and outbox, in a number of statements that does not grow.

        A row is written only where it is still Pending at its version and its event still at the version
        on which it was decided, and for a Sent one still open; else it is stale. A row that cannot be
        encoded, or that the store refuses, is poison. Neither keeps the rest from being written.
        """


@frozen
class Recorded:
    """One event of a stream as it was kept."""

    stream_id: UUID
    version: int
    event: calendar_event.Event | reminder.Event
    correlation_id: UUID
    actor: str
    occurred_at: datetime


@frozen
class Upcoming:
    """A Pending reminder beside what it is about."""

    reminder: Reminder
    event: CalendarEvent
    title: str | None


@frozen
class Listed:
    """An event, its title, and when the next of its Pending reminders is due."""

    event: CalendarEvent
    title: str | None
    next_due_at: datetime | None


@frozen
class Listing(Generic[Row]):
    """Rows in their order, and those that would stand among them and make no sense, each named once.

    An unreadable row takes no place from the others: up to the limit they are all there.
    """

    rows: Sequence[Row]
    unreadable: Sequence[Unreadable] = ()


class Ledger(Protocol):
    """Events, reminders and their history."""

    def transaction(self, context: Context) -> AbstractContextManager[Transaction]:
        """All that is done in the block is committed when it ends, whole, or not at all when it raises.

        Raises Unavailable when the store cannot be reached or falls silent.
        """

    def event(self, event_id: EventId) -> Versioned[CalendarEvent] | None:
        """The event as committed now, without a lock."""

    def reminders(self, event_id: EventId) -> Sequence[Versioned[Reminder]]:
        """All reminders of an event, whatever their status, ordered by due_at and id."""

    def each_reminder(self, event_id: EventId) -> Sequence[Versioned[Reminder] | Poison]:
        """The same, with Poison in the place of a row that makes no sense."""

    def reminder(self, reminder_id: ReminderId) -> Versioned[Reminder] | Poison | None:
        """The reminder as committed now, without a lock; Poison for a row that makes no sense."""

    def is_held(self, reminder_id: ReminderId) -> bool:
        """Whether a transaction that has not ended holds the reminder's row; asking takes no lock."""

    def title(self, event_id: EventId) -> str | None:
        """The title of an event; None where it has none or was erased."""

    def history(self, stream_id: UUID) -> Sequence[Recorded]:
        """All events of a stream in order; nothing for an unknown one."""

    def reminder_ids(self, event_id: EventId) -> Sequence[ReminderId]:
        """All reminders that the event ever had by their history, in order, with a row or without."""

    def upcoming(self, until: datetime, limit: int, tenant_id: TenantId | None = None) -> Listing[Upcoming]:
        """Pending reminders due before `until`, oldest first, of one tenant or of all."""

    def events(
        self,
        since: datetime,
        until: datetime,
        limit: int,
        tenant_id: TenantId | None = None,
        *,
        closed_too: bool = False,
    ) -> Listing[Listed]:
        """Events with since <= start_at < until, ordered by start_at and id, of one tenant or of all.

        Only open ones, unless the completed and cancelled are wanted too.
        """

    def event_ids(self, first: UUID, last: UUID, limit: int) -> Sequence[EventId]:
        """The ids of events from `first` to `last`, both included, in order."""

    def backlog(self, as_of: datetime) -> Backlog:
        """The Pending reminders with due_at < as_of."""
