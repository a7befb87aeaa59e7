"""Reminders that are Pending by their history though their event wants them no more; see decision 0038."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from uuid import UUID

from attrs import frozen

from application.ports.ledger import Change, Context, Ledger
from application.ports.machine import Clock, Ids
from application.ports.state_rows import StateRows
from domain import policies, reminder
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder, Skip, Status


@frozen
class Pending:
    """One that is Pending by its history, which is one event; `is_lost` when it has no row."""

    state: Reminder
    is_lost: bool


@frozen
class Unwanted:
    """One that its event wants no more, among the reminders of that event."""

    state: Reminder
    is_lost: bool
    others: Sequence[Reminder]


@frozen
class Withdrawing:
    """What a change of an event passed by is skipped after all, as that change would have done."""

    rows: StateRows
    ledger: Ledger
    clock: Clock
    ids: Ids

    def unwanted(self, some: Collection[Pending]) -> Iterator[Unwanted]:
        """Those of these, and of the rows that are Pending beside them, that their events do not want."""
        event_ids = {one.state.event_id for one in some}
        events = {one.id: one.row.state for one in self.rows.standing(event_ids) if one.row is not None}
        pending = {one.state.id: one for one in some}
        rows = {row.state.id: row for row in self.rows.reminders(event_ids)}
        for id_, row in rows.items():
            if row.state.status is Status.PENDING:
                pending.setdefault(id_, Pending(row.state, is_lost=False))
        beside: Mapping[UUID, list[Reminder]] = defaultdict(list)
        every = {id_: row.state for id_, row in rows.items()} | {
            id_: one.state for id_, one in pending.items()
        }
        for one in every.values():
            beside[one.event_id].append(one)
        for found in pending.values():
            event = events.get(found.state.event_id)
            others = beside[found.state.event_id]
            readable = event if isinstance(event, CalendarEvent) else None
            if policies.why_unwanted(found.state, readable, others) is not None:
                yield Unwanted(found.state, found.is_lost, others)

    def skip(self, one: Unwanted) -> bool:
        """Skip it, and make its row where that is lost. False where the event wants it by now.

        Raises Conflict where it has changed meanwhile, Busy and Unavailable.
        """
        before = one.state
        with self.ledger.transaction(Context(self.ids.new(), "rebuild")) as transaction:
            found = transaction.event(before.event_id)
            why = policies.why_unwanted(before, found.state if found else None, one.others)
            if why is None:
                return False
            events = reminder.decide(before, Skip(why, self.clock.now()))
            after = reduce(reminder.evolve, events, before)
            change = Change(before.id, 1, events, after, one.is_lost)
            transaction.record([change])
        return True
