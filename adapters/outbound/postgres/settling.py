"""A decided batch, written in a number of statements that does not grow with it (design 4, step 5)."""

from collections.abc import Sequence

import psycopg

from adapters.codec import encode_due, encode_event
from adapters.outbound.postgres import copying
from adapters.outbound.postgres.copying import EncodedEvent
from adapters.outbound.postgres.database import Session
from adapters.outbound.postgres.errors import is_about_a_row, refusal
from application.ports.ledger import Context, Poison, Settled, Settlement
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

Encoded = tuple[Settled, list[EncodedEvent], bytes | None]


def settle(session: Session, context: Context, batch: Sequence[Settled]) -> Settlement:
    encoded: list[Encoded] = []
    poison: list[Poison] = []
    for settled in batch:
        try:
            encoded.append(_encode(settled))
        except Exception as problem:
            poison.append(_poison(settled, f"it cannot be encoded: {type(problem).__name__}: {problem}"))
    written: set[ReminderId] = set()
    refused: set[ReminderId] = set()
    halves = [encoded] if encoded else []
    while halves:
        rows = halves.pop()
        session.say("savepoint half")
        try:
            numbers = _write(session, context, rows)
        except psycopg.Error as error:
            if not is_about_a_row(error):
                raise
            session.say("rollback to savepoint half; release savepoint half")
            if len(rows) == 1:
                poison.append(_poison(rows[0][0], f"the database refused it: {refusal(error)}"))
                refused.add(rows[0][0].state.id)
            else:
                middle = len(rows) // 2
                halves += [rows[middle:], rows[:middle]]
        else:
            session.say("release savepoint half")
            written.update(rows[number][0].state.id for number in numbers)
    stale = [
        row[0].state.id
        for row in encoded
        if row[0].state.id not in written and row[0].state.id not in refused
    ]
    return Settlement(written, stale, poison)


def _encode(settled: Settled) -> Encoded:
    state, after = settled.state, settled.after
    events: list[EncodedEvent] = [
        (state.id, version, *encode_event(event), event.at)
        for version, event in enumerate(settled.events, after + 1)
    ]
    return settled, events, encode_due(settled.message.payload) if settled.message else None


def _write(session: Session, context: Context, rows: Sequence[Encoded]) -> list[int]:
    """Write what is still as it was decided on; which of the rows they were."""
    states = [settled.state for settled, _, _ in rows]
    updated = session.rows(
        UPDATE,
        (
            [state.id for state in states],
            [settled.after for settled, _, _ in rows],
            [events[-1][1] for _, events, _ in rows],
            [settled.event_version for settled, _, _ in rows],
            [state.sent_at for state in states],
            [state.reason and state.reason.value for state in states],
            [events[-1][4] for _, events, _ in rows],
        ),
    )
    numbers = [number - 1 for (number,) in updated]
    moved = [rows[number] for number in numbers]
    session.copy(
        copying.HISTORY, copying.history((event for _, events, _ in moved for event in events), context)
    )
    messages = [
        (settled.message, payload)
        for settled, _, payload in moved
        if settled.message is not None and payload is not None
    ]
    session.copy(copying.OUTBOX, copying.outbox(messages, context))
    return numbers


def _poison(settled: Settled, problem: str) -> Poison:
    return Poison(settled.state.id, settled.state.event_id, problem)
