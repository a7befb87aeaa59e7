"""How it stands, in PostgreSQL: what waits is found by the indexes that find it for the work."""

from datetime import datetime

from attrs import frozen

from adapters.outbound.postgres.database import Database
from application.ports.backlog import Backlog
from application.ports.standing import STUCK_AFTER, ClaimKind, Standing

REMINDERS = (
    "select count(*), min(due_at) from tickler.event_reminders where status = 'Pending' and due_at < %s"
)
OUTBOX = """
select count(*), min(created_at), count(*) filter (where claimed_by is not null and claimed_until < %s)
  from tickler.outbox where published_at is null and parked_at is null
"""
PARKED = "select count(*) from tickler.outbox where parked_at is not null"
DELIVERIES = """
select channel, count(*), min(not_before) from tickler.deliveries
 where status = 'Pending' and not_before <= %s group by channel
"""
DELIVERIES_STUCK = "select count(*) from tickler.deliveries where status = 'Sending' and lease_until < %s"
DELIVERIES_LEFT = """
select count(*) filter (where status = 'Unknown'), count(*) filter (where status = 'Failed')
  from tickler.deliveries where status in ('Failed', 'Unknown')
"""
TOUCHES = (
    "select count(*), min(due_at) from tickler.deferred_touches where status = 'Pending' and due_at < %s"
)
TOUCHES_OVERDUE = """
select count(*), count(*) filter (where lease_until < %s)
  from tickler.deferred_touches where status = 'InProgress' and lease_until < %s
"""
TOUCHES_FAILED = "select count(*) from tickler.deferred_touches where status = 'Failed'"


@frozen
class PostgresStanding:
    """`database` is best one of its own, with little patience: whoever watches waits for nobody's work."""

    database: Database

    def standing(self, now: datetime) -> Standing:
        long_ago = now - STUCK_AFTER
        with self.database.transaction() as session:
            ((reminders, oldest_reminder),) = session.rows(REMINDERS, (now,))
            ((outbox, oldest_message, outbox_stuck),) = session.rows(OUTBOX, (long_ago,))
            ((parked,),) = session.rows(PARKED)
            deliveries = session.rows(DELIVERIES, (now,))
            ((deliveries_stuck,),) = session.rows(DELIVERIES_STUCK, (long_ago,))
            ((unknown, failed),) = session.rows(DELIVERIES_LEFT)
            ((touches, oldest_touch),) = session.rows(TOUCHES, (now,))
            ((overdue, touches_stuck),) = session.rows(TOUCHES_OVERDUE, (long_ago, now))
            ((touches_failed,),) = session.rows(TOUCHES_FAILED)
        return Standing(
            reminders=Backlog(reminders, oldest_reminder),
            outbox=Backlog(outbox, oldest_message),
            outbox_parked=parked,
            deliveries={channel: Backlog(count, oldest) for channel, count, oldest in deliveries},
            deliveries_unknown=unknown,
            deliveries_failed=failed,
            touches=Backlog(touches, oldest_touch),
            touches_overdue=overdue,
            touches_failed=touches_failed,
            stuck_claims={
                ClaimKind.TOUCH: touches_stuck,
                ClaimKind.DELIVERY: deliveries_stuck,
                ClaimKind.OUTBOX: outbox_stuck,
            },
        )
