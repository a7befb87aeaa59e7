"""A decided batch, written in a number of statements that does not grow with it (design 4, step 5)."""

from collections.abc import Sequence

import psycopg
from attrs import frozen

from adapters.outbound.postgres import binary, copying
from adapters.outbound.postgres.copying import Copying
from adapters.outbound.postgres.database import Session
from adapters.outbound.postgres.errors import is_about_a_row, refusal
from application.ports.ledger import Poison, Settled, Settlement
from domain.values import ReminderId

# The event's row is looked at again, not locked. Its status is asked for beside its version, since whoever
# changes that row alone, from elsewhere, need not know of versions (INV-REM-4).
UPDATE = """
update tickler.event_reminders r
   set status = case when b.sent_at is not null then 'Sent' else 'Skipped' end,
       reason = b.reason, sent_at = b.sent_at, version = b.version, updated_at = b.at
  from unnest(%b::uuid[], %b::int8[], %b::int8[], %b::int8[], %b::timestamptz[], %b::text[],
              %b::timestamptz[]) with ordinality
       as b (id, after, version, event_version, sent_at, reason, at, number)
     , tickler.calendar_events e
 where r.id = b.id and r.status = 'Pending' and r.version = b.after
   and e.id = r.event_id and e.version = b.event_version
   and (b.sent_at is null or e.status in ('Planned', 'InProgress'))
returning b.number
"""


@frozen
class Row:
    """A decided reminder and what will be written of it."""

    settled: Settled
    id: bytes
    history: Sequence[bytes]
    message: bytes | None


def settle(session: Session, copying: Copying, batch: Sequence[Settled]) -> Settlement:
    rows: list[Row] = []
    poison: list[Poison] = []
    for settled in batch:
        try:
            rows.append(_encode(settled, copying))
        except Exception as problem:
            poison.append(_poison(settled, f"it cannot be encoded: {type(problem).__name__}: {problem}"))
    moved, refused = _write_past_refusals(session, rows)
    written = {row.settled.state.id for row in moved}
    out: set[ReminderId] = {one.reminder_id for one in refused}
    ids = [row.settled.state.id for row in rows] if len(written) < len(rows) else []
    return Settlement(
        written, [id_ for id_ in ids if id_ not in written and id_ not in out], poison + refused
    )


def _encode(settled: Settled, copying: Copying) -> Row:
    id_ = settled.state.id.bytes
    history = [
        copying.history_row(id_, version, event)
        for version, event in enumerate(settled.events, settled.after + 1)
    ]
    return Row(settled, id_, history, copying.outbox_row(id_, settled.message) if settled.message else None)


def _write_past_refusals(session: Session, rows: Sequence[Row]) -> tuple[list[Row], list[Poison]]:
    """Write the rows, and where the database refuses one look for it by halves, under a savepoint each."""
    moved: list[Row] = []
    refused: list[Poison] = []
    halves = [rows] if rows else []
    while halves:
        half = halves.pop()
        session.say("savepoint half")
        try:
            moved += _write(session, half)
        except psycopg.Error as error:
            if not is_about_a_row(error):
                raise
            session.say("rollback to savepoint half; release savepoint half")
            if len(half) == 1:
                refused.append(_poison(half[0].settled, f"the database refused it: {refusal(error)}"))
            else:
                middle = len(half) // 2
                halves += [half[middle:], half[:middle]]
        else:
            session.say("release savepoint half")
    return moved, refused


def _write(session: Session, rows: Sequence[Row]) -> list[Row]:
    """Write those that are still as they were decided on: the reminder, its history, its message."""
    settled = [row.settled for row in rows]
    states = [one.state for one in settled]
    numbers = session.rows(
        UPDATE,
        (
            binary.uuids([row.id for row in rows]),
            binary.int8s([one.after for one in settled]),
            binary.int8s([one.after + len(one.events) for one in settled]),
            binary.int8s([one.event_version for one in settled]),
            binary.instants([state.sent_at for state in states]),
            binary.texts([state.reason for state in states]),
            binary.instants([one.events[-1].at for one in settled]),
        ),
    )
    moved = [rows[number - 1] for (number,) in numbers]
    session.copy(copying.HISTORY, copying.stream([event for row in moved for event in row.history]))
    session.copy(copying.OUTBOX, copying.stream([row.message for row in moved if row.message is not None]))
    return moved


def _poison(settled: Settled, problem: str) -> Poison:
    return Poison(settled.state.id, settled.state.event_id, problem)
