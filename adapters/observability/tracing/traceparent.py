"""The W3C `traceparent` of a message, and what carries those of a batch to whoever takes it in.

Source: W3C Trace Context, section 3.2, version 00. Whatever is not of that form is as if it were not there.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

from adapters.codec import TRACEPARENT

LENGTH = 55
_FORM = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})")
_LOW_64 = (1 << 64) - 1
_carried: ContextVar[Mapping[UUID, str]] = ContextVar("carried", default={})  # noqa: B039


def sound(given: object) -> str | None:
    """What was given, where it is a traceparent as text or as bytes; None for everything else."""
    if isinstance(given, bytes):
        if len(given) != LENGTH or not given.isascii():
            return None
        given = given.decode()
    return given if isinstance(given, str) and _FORM.fullmatch(given) else None


def traceparent(trace_id: int, span_id: int, flags: int = 1) -> str:
    return f"00-{trace_id:032x}-{span_id:016x}-{flags:02x}"


def parts(given: str) -> tuple[int, int, int]:
    """Trace id, span id and flags of a sound one."""
    return int(given[3:35], 16), int(given[36:52], 16), int(given[53:], 16)


def root_of(touch_id: UUID) -> str:
    """Of a touch the id is the trace's, and its last 64 bits are the span of its registration."""
    return traceparent(touch_id.int, touch_id.int & _LOW_64 or 1)


def told_of(headers: Mapping[str, str]) -> str | None:
    return sound(headers.get(TRACEPARENT))


@contextmanager
def carrying(traceparents: Mapping[UUID, str]) -> Iterator[None]:
    """Let whoever takes in these reminders, in this thread and before the block ends, find their traces."""
    before = _carried.set(traceparents)
    try:
        yield
    finally:
        _carried.reset(before)


def carried(reminder_id: UUID) -> str | None:
    return _carried.get().get(reminder_id)
