"""ReminderDispatchJob: one cycle takes what is due, decides it, and commits it whole.

Source: the specification, "Алгоритм"; design section 4.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from attrs import field, frozen

from application.ports.ledger import (
    Context,
    Ledger,
    OutboxMessage,
    Poison,
    Settled,
    Transaction,
    Unreadable,
    Versioned,
)
from application.ports.machine import Clock, Ids
from domain import policies, reminder
from domain.calendar_event import CalendarEvent
from domain.errors import Invalid
from domain.reminder import Reminder, SkipReason, Status
from domain.values import EventId, EventStatus, ReminderId, TenantId

TOPIC = "pin.calendar.reminder-due.v1"


def _at_least(least: int, most: int) -> Callable[[object, object, int], None]:
    def check(_: object, attribute: object, value: int) -> None:
        if not least <= value <= most:
            name = getattr(attribute, "name", "value")
            raise Invalid(f"{name}: {value} is not between {least} and {most}")

    return check


@frozen
class ReminderDispatchOptions:
    """The specification's "Расписание и Locking"; `stale_after`, `catch_up`: design sections 3 and 4."""

    batch_size: int = field(default=200, validator=_at_least(1, 10_000))
    interval: timedelta = timedelta(seconds=60)
    max_duration: timedelta = timedelta(seconds=30)
    catch_up: bool = True
    stale_after: timedelta | None = None

    def __attrs_post_init__(self) -> None:
        for name in ("interval", "max_duration"):
            if not timedelta(0) < getattr(self, name) <= timedelta(days=1):
                raise Invalid(f"{name}: it must be more than nothing and at most a day")
        if self.stale_after is not None and self.stale_after <= timedelta(0):
            raise Invalid("stale_after: it must be more than nothing")


@frozen
class Dispatched:
    """What became of one reminder in a cycle, in ids only; `reason` where it was skipped."""

    reminder_id: ReminderId
    event_id: EventId
    tenant_id: TenantId
    offset_minutes: int
    due_at: datetime
    status: Status
    event_status: EventStatus
    reason: SkipReason | None = None


@frozen
class CycleResult:
    """`{ SentCount, SkippedCount, SkippedLockedCount, DurationMs }`, and the items behind the counts.

    `failed` are the poison rows that this cycle met; `stale` counts rows that changed underneath;
    `more` tells that the batch was full, so that more may be due.
    """

    run_id: UUID
    as_of: datetime
    items: Sequence[Dispatched]
    skipped_locked_count: int
    duration_ms: int
    failed: Sequence[Poison] = ()
    stale: int = 0
    more: bool = False

    @property
    def sent_count(self) -> int:
        return sum(item.status is Status.SENT for item in self.items)

    @property
    def skipped_count(self) -> int:
        return sum(item.status is Status.SKIPPED for item in self.items)


@frozen
class ReminderDispatchJob:
    ledger: Ledger
    clock: Clock
    ids: Ids
    options: ReminderDispatchOptions = ReminderDispatchOptions()

    def tick(self, stopping: Callable[[], bool] = lambda: False) -> Iterator[CycleResult]:
        """The cycles of one tick: the first, and while batches are full and move rows, the next at once.

        Poison rows are left out for the rest of the tick; the next tick tries them again.
        """
        poison: set[ReminderId] = set()
        while not stopping():
            result = self.cycle(self.ids.new(), self.clock.now(), poison)
            yield result
            poison.update(row.reminder_id for row in result.failed)
            if not (self.options.catch_up and result.more and result.items):
                return

    def cycle(self, run_id: UUID, as_of: datetime, leave_out: Collection[ReminderId] = ()) -> CycleResult:
        """Dispatch one batch of what is due at `as_of` in one commit; whatever raises rolls it back whole."""
        started = self.clock.monotonic()
        items: list[Dispatched] = []
        failed: list[Poison] = []
        seen: set[ReminderId] = set(leave_out)
        stale = 0
        more = True
        last: tuple[datetime, ReminderId] | None = None
        with self.ledger.transaction(Context(run_id)) as transaction:
            while more and len(items) < self.options.batch_size:
                wanted = self.options.batch_size - len(items)
                claimed = transaction.claim_due(as_of, wanted, seen)
                found = len(claimed.due) + len(claimed.poison)
                more = found == wanted
                if not found:
                    break
                seen.update(row.state.id for row in claimed.due)
                seen.update(row.reminder_id for row in claimed.poison)
                if claimed.due:
                    last = (claimed.due[-1].state.due_at, claimed.due[-1].state.id)
                moved, poison, left_out = self._dispatch(transaction, claimed.due, as_of)
                items += moved
                failed += [*claimed.poison, *poison]
                stale += left_out
                if len(moved) == found or self._is_long(started):
                    break
            passed_over = transaction.count_passed_over(as_of, seen, last if more else None)
        return CycleResult(
            run_id=run_id,
            as_of=as_of,
            items=items,
            skipped_locked_count=passed_over,
            duration_ms=round((self.clock.monotonic() - started) * 1000),
            failed=failed,
            stale=stale,
            more=more,
        )

    def _is_long(self, started: float) -> bool:
        return self.clock.monotonic() - started > self.options.max_duration.total_seconds()

    def _dispatch(
        self, transaction: Transaction, due: Sequence[Versioned[Reminder]], as_of: datetime
    ) -> tuple[list[Dispatched], list[Poison], int]:
        """Decide and write claimed rows: what moved, what is poison, how many changed underneath."""
        if not due:
            return [], [], 0
        parents = transaction.parents([row.state.event_id for row in due])
        batch: list[Settled] = []
        event_statuses: list[EventStatus] = []
        poison: list[Poison] = []
        for row in due:
            match parents.get(row.state.event_id):
                case Versioned() as parent:
                    try:
                        batch.append(self._decide(row, parent, as_of))
                    except Exception as problem:
                        poison.append(_poison(row.state, f"{type(problem).__name__}: {problem}"))
                    else:
                        event_statuses.append(parent.state.status)
                case Unreadable(problem):
                    poison.append(_poison(row.state, f"its event cannot be read: {problem}"))
                case None:
                    poison.append(_poison(row.state, "it has no event"))
        settlement = transaction.settle(batch)
        written = settlement.written
        all_written = len(written) == len(batch)
        moved = [
            _dispatched(settled.state, event_status)
            for settled, event_status in zip(batch, event_statuses, strict=True)
            if all_written or settled.state.id in written
        ]
        return moved, [*poison, *settlement.poison], len(settlement.stale)

    def _decide(self, row: Versioned[Reminder], parent: Versioned[CalendarEvent], as_of: datetime) -> Settled:
        before, event = row.state, parent.state
        command = policies.when_reminder_due(before, event, parent.version, as_of, self.options.stale_after)
        events = reminder.decide(before, command)
        after = before
        for happened in events:
            after = reminder.evolve(after, happened)
        message = None
        if after.status is Status.SENT:
            message = OutboxMessage(after.id, TOPIC, event.id, policies.when_reminder_sent(after, event))
        return Settled(after, row.version, events, parent.version, message)


def _poison(row: Reminder, problem: str) -> Poison:
    return Poison(row.id, row.event_id, problem)


def _dispatched(state: Reminder, event_status: EventStatus) -> Dispatched:
    return Dispatched(
        state.id,
        state.event_id,
        state.tenant_id,
        state.offset_minutes,
        state.due_at,
        state.status,
        event_status,
        state.reason,
    )
