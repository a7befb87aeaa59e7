"""Due reminders to dispatch, planned by Tickler itself at a time when they were not yet due."""

from datetime import datetime, timedelta
from uuid import UUID

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.system import UuidIds
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import NOON, OWNER, TENANT
from application.calendar import Calendar, Draft
from domain.triggers import MinutesBeforeStart
from domain.values import EventId, ReminderId, Timing

AS_OF = NOON
REMINDERS_AN_EVENT = 20
CANCEL_ALONE = """
with happened as (
    insert into tickler.domain_events (stream_id, version, type, data, correlation_id, actor, occurred_at)
    select stream_id, 2, 'calendar-event.cancelled.v1', jsonb_build_object('at', data -> 'at'),
           correlation_id, 'somebody', occurred_at
      from tickler.domain_events where stream_id = %s and version = 1
    returning stream_id
)
update tickler.calendar_events e set status = 'Cancelled', version = 2 from happened where id = stream_id
"""


def plant(
    conninfo: str, reminders: int, cancelled_every: int = 0, as_of: datetime = AS_OF
) -> list[ReminderId]:
    """So many reminders that are due before `as_of`, 20 an event; their ids, oldest DueAt first.

    Every `cancelled_every`-th event is cancelled alone, as if its cascade had not come.
    """
    database = Database(conninfo)
    try:
        calendar = Calendar(PostgresLedger(database), SettableClock(as_of - timedelta(days=30)), UuidIds())
        due: list[tuple[datetime, ReminderId]] = []
        for number in range(reminders // REMINDERS_AN_EVENT):
            start = (as_of + timedelta(seconds=number % 3600)).replace(tzinfo=None)
            triggers = tuple(MinutesBeforeStart(60 + 10 * step) for step in range(REMINDERS_AN_EVENT))
            done = calendar.plan(Draft(TENANT, OWNER, Timing.of(start, "UTC"), triggers=triggers))
            due += [(row.due_at, row.id) for row in done.reminders]
            if cancelled_every and number % cancelled_every == 0:
                with database.transaction() as session:
                    session.change(CANCEL_ALONE, (done.event.id,))
    finally:
        database.close()
    return [id_ for _, id_ in sorted(due)]


def event_of(conninfo: str, reminder_id: UUID) -> EventId:
    """The event that a reminder is of."""
    database = Database(conninfo)
    try:
        with database.transaction() as session:
            found = session.row("select event_id from tickler.event_reminders where id = %s", (reminder_id,))
    finally:
        database.close()
    assert found is not None
    return EventId(found[0])
