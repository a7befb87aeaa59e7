"""The traces of records, read out of their headers as carefully as these have to be read.

Where a header's name is no UTF-8, confluent-kafka's list has tuples with holes in it, and an error hangs on
that nobody raised: whoever touches such a tuple brings the process down. So it is called in the one way that
raises that error, never twice for a record, and a tuple is looked at only after the collector, which knows of
holes, has counted what is in it (docs/decisions/0015, 0025).
"""

import gc
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import methodcaller
from typing import Protocol
from uuid import UUID

from adapters.codec import TRACEPARENT
from adapters.inbound.kafka.records import Record
from adapters.observability.tracing.traceparent import carrying, sound

PAIR = 2
# Called by the interpreter's own instruction for it, the error would stay where it hangs.
_headers_of = methodcaller("headers")


class Carry(Protocol):
    """Lets whoever takes in these reminders find the traces of their records."""

    def __call__(self, records: Mapping[UUID, Record]) -> AbstractContextManager[None]: ...


def carry_nothing(records: Mapping[UUID, Record]) -> AbstractContextManager[None]:
    return nullcontext()


def carry_traces(records: Mapping[UUID, Record]) -> AbstractContextManager[None]:
    found = {reminder_id: traceparent_of(record) for reminder_id, record in records.items()}
    return carrying({reminder_id: one for reminder_id, one in found.items() if one is not None})


def traceparent_of(record: Record) -> str | None:
    """None for a record with none, with two, or with one that is of another form."""
    try:
        headers: Sequence[tuple[str, bytes | None]] | None = _headers_of(record)
    except Exception:
        return None
    whole = [pair for pair in headers or () if len(gc.get_referents(pair)) == PAIR]
    found = [value for name, value in whole if name == TRACEPARENT]
    return sound(found[0]) if len(found) == 1 else None
