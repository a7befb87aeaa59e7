"""A decided batch, written in a number of statements that does not grow with it (design 4, step 5)."""

from collections.abc import Callable, Sequence

import psycopg
from attrs import define, field

from adapters.outbound.postgres import binary, copying
from adapters.outbound.postgres.copying import Copying
from adapters.outbound.postgres.errors import is_about_a_row, refusal
from adapters.outbound.postgres.session import Session
from application.ports.ledger import Poison, Settled, Settlement

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


# What is to be written of one decided reminder: its history, and its message where it has one.
Encoded = tuple[bytes, bytes | None]


class Unencodable(Exception):
    """Some of a batch cannot be encoded; the rest is to be written without them."""


@define
class Encoding:
    """A batch and, once it has run, what is to be written of it; it then holds no row that cannot be."""

    copying: Copying
    batch: list[Settled]
    encoded: list[Encoded] = field(factory=list)
    poison: list[Poison] = field(factory=list)

    def run(self) -> Sequence[Encoded]:
        good: list[Settled] = []
        for settled in self.batch:
            try:
                self.encoded.append(_encode(settled, self.copying))
            except Exception as problem:
                why = f"it cannot be encoded: {type(problem).__name__}: {problem}"
                self.poison.append(_poison(settled, why))
            else:
                good.append(settled)
        self.batch = good
        if self.poison:
            raise Unencodable
        return self.encoded


def settle(session: Session, copying: Copying, batch: Sequence[Settled]) -> Settlement:
    if not batch:
        return Settlement(frozenset())
    # Ids sort by time: in their order, what was made together is found and written on the same pages.
    encoding = Encoding(copying, sorted(batch, key=lambda settled: settled.state.id.int))
    try:
        moved, refused = _write(session, encoding.batch, encoding.run), list[Poison]()
    except Unencodable:
        moved, refused = _write_past_refusals(session, encoding.batch, encoding.encoded)
    except psycopg.Error as error:
        moved, refused = _write_by_halves(session, encoding.batch, encoding.encoded, error)
    written = {settled.state.id for settled in moved}
    poison = encoding.poison + refused
    if len(written) == len(batch):
        return Settlement(written)
    left = {settled.state.id for settled in batch} - written - {one.reminder_id for one in poison}
    return Settlement(written, left, poison)


def _write_past_refusals(
    session: Session, batch: Sequence[Settled], encoded: Sequence[Encoded]
) -> tuple[list[Settled], list[Poison]]:
    if not batch:
        return [], []
    try:
        return _write(session, batch, lambda: encoded), []
    except psycopg.Error as error:
        return _write_by_halves(session, batch, encoded, error)


def _write_by_halves(
    session: Session, batch: Sequence[Settled], encoded: Sequence[Encoded], error: psycopg.Error
) -> tuple[list[Settled], list[Poison]]:
    """Write what can be of a batch that was refused as a whole: one savepoint a half, never one a row."""
    if not is_about_a_row(error):
        raise error
    if len(batch) == 1:
        return [], [_poison(batch[0], f"the database refused it: {refusal(error)}")]
    middle = len(batch) // 2
    first = _write_past_refusals(session, batch[:middle], encoded[:middle])
    second = _write_past_refusals(session, batch[middle:], encoded[middle:])
    return first[0] + second[0], first[1] + second[1]


def _write(
    session: Session, batch: Sequence[Settled], encode: Callable[[], Sequence[Encoded]]
) -> list[Settled]:
    """Write those that are still as they were decided on, under a savepoint: row, history, message.

    The server updates the rows while their history and messages are encoded here.
    """
    with session.savepoint(UPDATE, _arrays(batch), encode) as (numbers, encoded):
        moved = [number - 1 for (number,) in numbers]
        rows = [encoded[number] for number in moved]
        session.copy(copying.HISTORY, copying.stream([history for history, _ in rows]))
        session.copy(copying.OUTBOX, copying.stream([message for _, message in rows if message is not None]))
    return [batch[number] for number in moved]


def _arrays(batch: Sequence[Settled]) -> Sequence[binary.Array]:
    states = [settled.state for settled in batch]
    return (
        binary.uuids([state.id.bytes for state in states]),
        binary.int8s([settled.after for settled in batch]),
        binary.int8s([settled.after + len(settled.events) for settled in batch]),
        binary.int8s([settled.event_version for settled in batch]),
        binary.instants([state.sent_at for state in states]),
        binary.texts([state.reason for state in states]),
        binary.instants([settled.events[-1].at for settled in batch]),
    )


def _encode(settled: Settled, copying: Copying) -> Encoded:
    id_, version, message = settled.state.id.bytes, settled.after, settled.message
    history = b""
    for event in settled.events:
        version += 1
        history += copying.history_row(id_, version, event)
    return history, None if message is None else copying.outbox_row(id_, message)


def _poison(settled: Settled, problem: str) -> Poison:
    return Poison(settled.state.id, settled.state.event_id, problem)
