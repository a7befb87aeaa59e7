"""A dispatcher process for the fault tests: it says where it stands, and dies where it is told to.

    python -m tests.faults.dispatcher CONNINFO [--die-at POINT] [--batch N]

It prints `ready`, waits for a line, runs one tick at AS_OF, and prints `moved N`. At POINT it kills itself
with SIGKILL: `locked`, `decided`, `written` or `committed`. While it commits, tests.faults.proxy kills it.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime

from attrs import frozen

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.system import UuidIds
from adapters.testkit.clock import SettableClock
from application.dispatching import ReminderDispatchJob, ReminderDispatchOptions
from application.ports.imports import Revision
from application.ports.ledger import (
    Change,
    Claimed,
    Context,
    Settled,
    Settlement,
    Transaction,
    Unreadable,
    Versioned,
)
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder
from domain.triggers import Trigger
from domain.values import EventId, ReminderId, UserId
from tests.faults.planting import AS_OF

POINTS = ("locked", "decided", "written", "committed")


@frozen
class TellingTransaction:
    """A transaction that calls `reached` after each step of a cycle."""

    inner: Transaction
    reached: Callable[[str], None]

    def claim_due(self, as_of: datetime, limit: int, leave_out: Collection[ReminderId] = ()) -> Claimed:
        claimed = self.inner.claim_due(as_of, limit, leave_out)
        if claimed.due:
            self.reached("locked")
        return claimed

    def revise(self, revisions: Collection[Revision]) -> None:
        self.inner.revise(revisions)

    def settle(self, batch: Sequence[Settled]) -> Settlement:
        self.reached("decided")
        settlement = self.inner.settle(batch)
        self.reached("written")
        return settlement

    def parents(
        self, event_ids: Collection[EventId]
    ) -> Mapping[EventId, Versioned[CalendarEvent] | Unreadable]:
        return self.inner.parents(event_ids)

    def count_passed_over(
        self, as_of: datetime, claimed: Collection[ReminderId], last: tuple[datetime, ReminderId] | None
    ) -> int:
        return self.inner.count_passed_over(as_of, claimed, last)

    def event(self, event_id: EventId) -> Versioned[CalendarEvent] | None:
        return self.inner.event(event_id)

    def pending(self, event_id: EventId) -> Sequence[Versioned[Reminder]]:
        return self.inner.pending(event_id)

    def has_lost(self, event_id: EventId, places: Collection[tuple[Trigger, datetime]]) -> bool:
        return self.inner.has_lost(event_id, places)

    def record(self, changes: Sequence[Change]) -> None:
        self.inner.record(changes)

    def erased(self, user_ids: Collection[UserId]) -> AbstractSet[UserId]:
        return self.inner.erased(user_ids)

    def write_title(self, event_id: EventId, title: str) -> bool:
        return self.inner.write_title(event_id, title)


class TellingLedger(PostgresLedger):
    """A ledger whose transactions tell where they stand."""

    reached: Callable[[str], None] = staticmethod(lambda point: None)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[Transaction]:
        with super().transaction(context) as inner:
            yield TellingTransaction(inner, self.reached)
        self.reached("committed")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("conninfo")
    parser.add_argument("--die-at", choices=POINTS)
    parser.add_argument("--batch", type=int, default=200)
    given = parser.parse_args()

    def reached(point: str) -> None:
        if point == given.die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    TellingLedger.reached = staticmethod(reached)
    database = Database(given.conninfo)
    options = ReminderDispatchOptions(batch_size=given.batch)
    job = ReminderDispatchJob(TellingLedger(database), SettableClock(AS_OF), UuidIds(), options)
    print("ready", flush=True)
    sys.stdin.readline()
    print("moved", sum(len(result.items) for result in job.tick()), flush=True)
    database.close()


if __name__ == "__main__":
    main()
