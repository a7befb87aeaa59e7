"""The outbox in PostgreSQL, from the relay's side; no cursor over a sequence tells what is unpublished."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from attrs import frozen

from adapters.outbound.postgres.database import Database
from application.ports.backlog import Backlog
from application.ports.outbox import ClaimedMessage, Message, Parked, ParkedMessage, Standing

# Materialized: else the planner may look for the rows more than once, and take more than the limit.
CLAIM = """
with free as materialized (
    select message_id from tickler.outbox
     where published_at is null and parked_at is null and (claimed_until is null or claimed_until <= %s)
     order by position limit %s
       for update skip locked
)
update tickler.outbox o
   set claim = o.claim + 1, claimed_by = %s, claimed_until = %s
  from free
 where o.message_id = free.message_id
returning o.message_id, o.topic, o.key, o.payload::text, o.headers, o.claim, o.position
"""
MARK = """
update tickler.outbox o
   set {what}
  from unnest(%b::uuid[], %b::int8[], %b::text[]) as b (id, claim, reason)
 where o.message_id = b.id and o.claim = b.claim and o.claimed_by is not null
   and o.published_at is null and o.parked_at is null
"""
MARK_PUBLISHED = MARK.format(what="published_at = %s")
RELEASE = MARK.format(what="claimed_by = null, claimed_until = null")
PARK = MARK.format(what="parked_at = %s, parked_reason = b.reason")
BACKLOG = (
    "select count(*), min(created_at) from tickler.outbox where published_at is null and parked_at is null"
)
PARKED = """
select message_id, topic, key, payload::text, headers, parked_at, parked_reason
  from tickler.outbox
 where parked_at is not null
 order by parked_at, position limit %s
"""
PARKED_COUNT = "select count(*) from tickler.outbox where parked_at is not null"
STANDING = """
select created_at, waiting.claimed_by, waiting.claimed_until, published_at, parked_at, parked_reason
  from tickler.outbox o
  left join lateral (
       select o.claimed_by, o.claimed_until where o.published_at is null and o.parked_at is null
  ) waiting on true
 where message_id = %s
"""
UNPARK = """
update tickler.outbox
   set parked_at = null, parked_reason = null, claimed_by = null, claimed_until = null
 where message_id = any(%b::uuid[]) and parked_at is not null
returning message_id
"""


@frozen
class PostgresOutbox:
    database: Database

    def claim(self, relay: str, limit: int, now: datetime, lease: timedelta) -> Sequence[ClaimedMessage]:
        with self.database.transaction() as session:
            rows = session.rows(CLAIM, (now, limit, relay, now + lease))
        rows.sort(key=lambda row: row[-1])
        return [
            ClaimedMessage(Message(id_, topic, key, payload.encode(), headers), claim)
            for id_, topic, key, payload, headers, claim, _ in rows
        ]

    def mark_published(self, claims: Sequence[ClaimedMessage], now: datetime) -> int:
        with self.database.transaction() as session:
            return session.change(MARK_PUBLISHED, (now, *_arrays([(claim, "") for claim in claims])))

    def release(self, claims: Sequence[ClaimedMessage]) -> int:
        with self.database.transaction() as session:
            return session.change(RELEASE, _arrays([(claim, "") for claim in claims]))

    def park(self, claims: Sequence[tuple[ClaimedMessage, str]], now: datetime) -> int:
        with self.database.transaction() as session:
            return session.change(PARK, (now, *_arrays(claims)))

    def parked(self, limit: int) -> Parked:
        with self.database.transaction() as session:
            count = session.row(PARKED_COUNT)
            rows = session.rows(PARKED, (limit,))
        assert count is not None
        return Parked(
            count[0],
            [
                ParkedMessage(Message(id_, topic, key, payload.encode(), headers), at, reason)
                for id_, topic, key, payload, headers, at, reason in rows
            ],
        )

    def unpark(self, ids: Collection[UUID]) -> Collection[UUID]:
        with self.database.transaction() as session:
            return [id_ for (id_,) in session.rows(UNPARK, (list(ids),))]

    def standing(self, id: UUID) -> Standing | None:
        with self.database.transaction() as session:
            found = session.row(STANDING, (id,))
        return Standing(*found) if found else None

    def backlog(self, now: datetime) -> Backlog:
        with self.database.transaction() as session:
            found = session.row(BACKLOG)
        assert found is not None
        return Backlog(*found)


def _arrays(claims: Sequence[tuple[ClaimedMessage, str]]) -> tuple[list[object], list[int], list[str]]:
    ids: list[object] = [claim.message.id for claim, _ in claims]
    return ids, [claim.claim for claim, _ in claims], [reason.replace("\0", "") for _, reason in claims]
