"""How it stands, in PostgreSQL: what waits is found by the indexes that find it for the work.

The last parameter of each statement is the most that it counts.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import frozen

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.delivery_rows import EACH_CHANNEL
from application.ports.backlog import Backlog
from application.ports.standing import MOST_COUNTED, STUCK_AFTER, ClaimKind

REMINDERS = """
select count(*), min(due_at) from (
    select due_at from tickler.event_reminders where status = 'Pending' and due_at < %s
     order by due_at limit %s) counted
"""
OUTBOX = """
select count(*), min(created_at) from (
    select created_at from tickler.outbox where published_at is null and parked_at is null
     order by position limit %s) counted
"""
OUTBOX_STUCK = """
select count(*) from (
    select from tickler.outbox
     where published_at is null and parked_at is null and claimed_by is not null and claimed_until < %s
     order by position limit %s) counted
"""
PARKED = "select count(*) from (select from tickler.outbox where parked_at is not null limit %s) counted"
BACKLOGS = """
select waiting.channel, backlog.count, backlog.oldest
  from waiting, lateral (
    select count(*) as count, min(not_before) as oldest from (
        select one.not_before from tickler.deliveries as one
         where one.status = 'Pending' and one.channel = waiting.channel and one.not_before <= %s
         order by one.due_at limit %s) as counted) as backlog
 where backlog.count > 0
"""
DELIVERIES = EACH_CHANNEL + BACKLOGS
DELIVERIES_STUCK = """
select count(*) from (
    select from tickler.deliveries where status = 'Sending' and lease_until < %s limit %s) counted
"""
DELIVERIES_UNKNOWN = """
select count(*) from (select from tickler.deliveries where status = 'Unknown' limit %s) counted
"""
DELIVERIES_FAILED = """
select count(*) from (select from tickler.deliveries where status = 'Failed' limit %s) counted
"""
# No index has them in the order of their DueAt: each tenant's oldest is looked at, as the claim does it.
TOUCHES = """
with recursive tenant (id) as (
    (select tenant_id from tickler.deferred_touches where status = 'Pending' order by tenant_id limit 1)
    union all
    select (select next.tenant_id from tickler.deferred_touches as next
             where next.status = 'Pending' and next.tenant_id > tenant.id order by next.tenant_id limit 1)
      from tenant where tenant.id is not null
)
select counted.count, oldest.due_at
  from (select min(first.due_at) as due_at from tenant, lateral (
            select due_at from tickler.deferred_touches
             where tenant_id = tenant.id and status = 'Pending' and due_at < %s
             order by due_at limit 1) as first) as oldest,
       (select count(*) as count from (
            select from tenant, lateral (
                select from tickler.deferred_touches
                 where tenant_id = tenant.id and status = 'Pending' and due_at < %s) as mine
             limit %s) as due) as counted
"""
TOUCHES_OVERDUE = """
select count(*) from (
    select from tickler.deferred_touches where status = 'InProgress' and lease_until < %s limit %s) counted
"""
TOUCHES_FAILED = """
select count(*) from (select from tickler.deferred_touches where status = 'Failed' limit %s) counted
"""
STUCK = {
    ClaimKind.TOUCH: TOUCHES_OVERDUE,
    ClaimKind.DELIVERY: DELIVERIES_STUCK,
    ClaimKind.OUTBOX: OUTBOX_STUCK,
}


@frozen
class PostgresStanding:
    """`database` is best one of its own, with little patience: whoever watches waits for nobody's work."""

    database: Database
    most: int = MOST_COUNTED

    def reminders(self, now: datetime) -> Backlog:
        return self._backlog(REMINDERS, now, self.most + 1)

    def outbox(self) -> Backlog:
        return self._backlog(OUTBOX, self.most + 1)

    def outbox_parked(self) -> int:
        return self._count(PARKED)

    def deliveries(self, now: datetime) -> Mapping[str, Backlog]:
        found = self._rows(DELIVERIES, now, self.most + 1)
        return {channel: Backlog(count, oldest) for channel, count, oldest in found}

    def deliveries_unknown(self) -> int:
        return self._count(DELIVERIES_UNKNOWN)

    def deliveries_failed(self) -> int:
        return self._count(DELIVERIES_FAILED)

    def touches(self, now: datetime) -> Backlog:
        return self._backlog(TOUCHES, now, now, self.most + 1)

    def touches_overdue(self, now: datetime) -> int:
        return self._count(TOUCHES_OVERDUE, now)

    def touches_failed(self) -> int:
        return self._count(TOUCHES_FAILED)

    def stuck(self, kind: ClaimKind, now: datetime) -> int:
        return self._count(STUCK[kind], now - STUCK_AFTER)

    def _count(self, statement: str, *values: datetime) -> int:
        ((count,),) = self._rows(statement, *values, self.most + 1)
        return int(count)

    def _backlog(self, statement: str, *values: object) -> Backlog:
        ((count, oldest),) = self._rows(statement, *values)
        return Backlog(count, oldest)

    def _rows(self, statement: str, *values: object) -> Sequence[tuple[Any, ...]]:
        with self.database.transaction() as session:
            return session.rows(statement, values)
