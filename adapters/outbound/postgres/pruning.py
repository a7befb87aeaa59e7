"""What is over leaves PostgreSQL: a walk through each table, a batch a commit.

Where a row cannot be over before its id was given, the walk goes along the ids, which sort by time, and ends
with those of `before`: an index on the time of the last change would cost each dispatch a write. Else it goes
along an index on time. Rows are locked as an erasure locks them: deliveries, attempts, keys, texts.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import LiteralString
from uuid import UUID

from attrs import frozen

from adapters.outbound.postgres.auditing.reading import read_any_time
from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.session import Session
from application.ports.pruning import Batch, Place, What

BEGINNING = datetime(1, 1, 2, tzinfo=UTC)
NIL = UUID(int=0)
MARKS = "select what, pruned_before from tickler.pruning_marks"
IS_MARKED = "select what from tickler.pruning_marks where what = %s and pruned_before >= %s"
MARK = (
    "insert into tickler.pruning_marks as m (what, pruned_before) values (%s, %s) on conflict (what)"
    " do update set pruned_before = greatest(m.pruned_before, excluded.pruned_before)"
)
ROWS = "select greatest(reltuples, 0)::bigint from pg_class where oid = %s::text::regclass"


@frozen
class Walk:
    """`seen` gives the columns by which rows are ordered and found, and last whether the row can go; these
    come as `k0`, `k1` … to go on from, and as arrays to `hold`, which gives back those that are ours, and to
    `gone`, the last of which removes the rows themselves.
    """

    table: LiteralString
    seen: LiteralString
    start: Sequence[object]
    gone: Sequence[LiteralString]
    hold: LiteralString | None = None


SEEN = (
    "select r.id, coalesce({is_over}, false) from tickler.{table} r"
    " where r.id > %(k0)s and r.id < %(last_id)s order by r.id limit %(limit)s"
)
HOLD = "select id from tickler.{table} where id = any(%(k0)s) for update skip locked"
REMOVE = "delete from tickler.{table} where id = any(%(k0)s)"


def _along_ids(table: LiteralString, is_over: LiteralString, *with_it: LiteralString) -> Walk:
    return Walk(
        "tickler." + table,
        SEEN.format(table=table, is_over=is_over),
        (NIL,),
        (*with_it, REMOVE.format(table=table)),
        HOLD.format(table=table),
    )


# Asked row by row, by an index: `not exists` may be answered by reading the other table whole.
NOTHING_WAITS = (
    " and (select true from tickler.deliveries d where d.about_id = r.id"
    " and d.status not in ('Delivered', 'Skipped') limit 1) is null"
)
IS_PUBLISHED = (
    " and (select published_at is null from tickler.outbox o where o.message_id = r.id) is not true"
)
WALKS: Mapping[What, Walk] = {
    What.DELIVERIES: _along_ids(
        "deliveries",
        "r.status in ('Delivered', 'Skipped') and r.due_at < %(before)s",
        "delete from tickler.delivery_attempts where delivery_id = any(%(k0)s)",
        "delete from tickler.notice_matters where notice_id = any(select about_id from tickler.deliveries d"
        " where d.id = any(%(k0)s) and d.template = 'OperatorNotice' and not exists (select"
        " from tickler.deliveries o where o.about_id = d.about_id and o.id <> all(%(k0)s)))",
    ),
    What.REMINDERS: _along_ids(
        "event_reminders",
        "r.status in ('Sent', 'Skipped') and r.updated_at < %(before)s" + IS_PUBLISHED + NOTHING_WAITS,
    ),
    What.TOUCHES: _along_ids(
        "deferred_touches",
        "r.status in ('Delivered', 'Closed', 'Cancelled') and r.updated_at < %(before)s" + NOTHING_WAITS,
        "delete from tickler.touch_requests where touch_id = any(%(k0)s)",
        "delete from tickler.touch_texts where touch_id = any(%(k0)s)",
    ),
    What.OUTBOX: Walk(
        "tickler.outbox",
        "select published_at, message_id, true from tickler.outbox where published_at is not null"
        " and published_at < %(before)s and (published_at, message_id) > (%(k0)s, %(k1)s)"
        " order by published_at, message_id limit %(limit)s",
        (BEGINNING, NIL),
        (
            "delete from tickler.outbox where message_id = any(array(select message_id from tickler.outbox"
            " where message_id = any(%(k1)s) and published_at is not null for update skip locked))",
        ),
    ),
    What.INBOX: Walk(
        "tickler.inbox",
        "select received_at, reminder_id, consumer, (select published_at is null from tickler.outbox o"
        " where o.message_id = i.reminder_id) is not true from tickler.inbox i"
        " where received_at < %(before)s and (received_at, reminder_id, consumer) > (%(k0)s, %(k1)s, %(k2)s)"
        " order by received_at, reminder_id, consumer limit %(limit)s",
        (BEGINNING, NIL, ""),
        (
            "delete from tickler.inbox where (consumer, reminder_id) in (select i.consumer, i.reminder_id"
            " from unnest(%(k1)s::uuid[], %(k2)s::text[]) as b (id, consumer) join tickler.inbox i"
            " on i.consumer = b.consumer and i.reminder_id = b.id for update of i skip locked)",
        ),
    ),
    What.SESSIONS: _along_ids(
        "tokens",
        "r.user_id is not null and (r.expires_at <= %(before)s or r.revoked_at is not null"
        " or (select p.revoked_at from tickler.tokens p where p.id = r.parent) is not null)",
    ),
    What.TOKENS: _along_ids(
        "tokens",
        "r.user_id is null and least(r.revoked_at, r.expires_at) < %(before)s"
        " and (select true from tickler.tokens s where s.parent = r.id limit 1) is null",
    ),
    What.QUARANTINE: Walk(
        "tickler.quarantine",
        'select at, topic, partition, "offset", fingerprint, true from tickler.quarantine'
        ' where at < %(before)s and (at, topic, partition, "offset", fingerprint)'
        " > (%(k0)s, %(k1)s, %(k2)s, %(k3)s, %(k4)b)"
        ' order by at, topic, partition, "offset", fingerprint limit %(limit)s',
        (BEGINNING, "", -1, -1, b""),
        (
            'delete from tickler.quarantine where (topic, partition, "offset", fingerprint) in'
            ' (select q.topic, q.partition, q."offset", q.fingerprint'
            " from unnest(%(k1)s::text[], %(k2)s::int4[], %(k3)s::int8[], %(k4)b::bytea[])"
            " as b (topic, partition, at_offset, fingerprint) join tickler.quarantine q"
            ' on q.topic = b.topic and q.partition = b.partition and q."offset" = b.at_offset'
            " and q.fingerprint = b.fingerprint for update of q skip locked)",
        ),
    ),
}


@frozen
class PostgresPrunable:
    database: Database

    def prune(
        self,
        what: What,
        before: datetime,
        start: Place | None = None,
        *,
        limit: int = 1_000,
        only_count: bool = False,
    ) -> Batch:
        walk = WALKS[what]
        given = {"before": before, "last_id": first_id(before), "limit": limit}
        with self.database.transaction() as session:
            seen = session.rows(walk.seen, given | _named(walk.start if start is None else start))
            over = [row[:-1] for row in seen if row[-1]]
            pruned = len(over) if only_count or not over else _remove(session, walk, over)
            if pruned and not only_count:
                _mark(session, what, before)
        return Batch(pruned, len(seen), seen[-1][:-1] if len(seen) == limit else None)

    def marks(self) -> Mapping[What, datetime]:
        known = {what.value: what for what in What}
        with self.database.snapshot() as session:
            rows = read_any_time(session).rows(MARKS)
        return {known[name]: before for name, before in rows if name in known}

    def rows(self, what: What) -> int:
        with self.database.transaction() as session:
            found = session.row(ROWS, (WALKS[what].table,))
        assert found is not None
        return int(found[0])


def first_id(at: datetime) -> UUID:
    """Before every UUID of version 7 that is given at that instant or later."""
    since_1970 = (at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    return UUID(int=max(0, int(since_1970 * 1000)) << 80)


def _remove(session: Session, walk: Walk, over: Sequence[Row]) -> int:
    held = _columns(over) if walk.hold is None else _columns(session.rows(walk.hold, _columns(over)))
    pruned = 0
    if held:
        for statement in walk.gone:
            pruned = session.change(statement, held)
    return pruned


def _mark(session: Session, what: What, before: datetime) -> None:
    """Last of all, so that pruners wait for each other's commit alone, and once a run."""
    if session.row(IS_MARKED, (what.value, before)) is None:
        session.change(MARK, (what.value, before))


def _columns(rows: Sequence[Row]) -> dict[str, object]:
    return _named([list(column) for column in zip(*rows, strict=True)])


def _named(values: Sequence[object]) -> dict[str, object]:
    return {f"k{number}": value for number, value in enumerate(values)}
