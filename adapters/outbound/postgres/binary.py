"""Values in PostgreSQL's binary format, laid out by hand: what a cycle sends for each row must cost little.

Sources: the PostgreSQL manual, COPY, "Binary Format"; `array_recv` and `timestamptz_recv` in its source. A
field is its length in four bytes and then its bytes; NULL has the length -1; a timestamptz is microseconds
from 2000-01-01 UTC. psycopg would make the same bytes, an object at a time, in several times the time.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import repeat
from struct import Struct
from typing import ClassVar

from psycopg.abc import AdaptContext
from psycopg.adapt import Dumper
from psycopg.pq import Format

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_LENGTH = Struct("!i")
_INT8 = Struct("!iq")
_ARRAY = Struct("!iiIii")
_LENGTH_OF_UUID = _LENGTH.pack(16)
_NULL = _LENGTH.pack(-1)


class Array:
    """A one-dimensional array as the server reads it."""

    oid: ClassVar[int]
    element_oid: ClassVar[int]

    def __init__(self, elements: bytes, count: int) -> None:
        header = _ARRAY.pack(1 if count else 0, 1, self.element_oid, count, 1)
        self.data = (header if count else header[:12]) + elements


class Uuids(Array):
    oid, element_oid = 2951, 2950


class Int8s(Array):
    oid, element_oid = 1016, 20


class Texts(Array):
    oid, element_oid = 1009, 25


class Instants(Array):
    oid, element_oid = 1185, 1184


def uuids(ids: Sequence[bytes]) -> Uuids:
    """From `UUID.bytes`."""
    return Uuids(_LENGTH_OF_UUID.join((b"", *ids)), len(ids))


def maybe_uuids(ids: Sequence[bytes | None]) -> Uuids:
    """From `UUID.bytes`, or NULL."""
    return Uuids(b"".join(_NULL if id_ is None else _LENGTH_OF_UUID + id_ for id_ in ids), len(ids))


def int8s(numbers: Sequence[int]) -> Int8s:
    return Int8s(b"".join(map(_INT8.pack, repeat(8), numbers)), len(numbers))


def texts(values: Sequence[str | None]) -> Texts:
    return Texts(b"".join(map(text, values)), len(values))


def instants(values: Sequence[datetime | None]) -> Instants:
    return Instants(b"".join(map(instant, values)), len(values))


def field(value: bytes) -> bytes:
    return _LENGTH.pack(len(value)) + value


@lru_cache(maxsize=256)
def text(value: str | None) -> bytes:
    """A field; for the texts of closed lists, which come again and again."""
    return _NULL if value is None else field(value.encode())


@lru_cache(maxsize=1024)
def instant(at: datetime | None) -> bytes:
    """A field; the instants that one batch writes are few."""
    return _NULL if at is None else _INT8.pack(8, (at - _EPOCH) // timedelta(microseconds=1))


class ArrayDumper(Dumper):
    """For Array and what is made of it."""

    format = Format.BINARY

    def __init__(self, cls: type[Array], context: AdaptContext | None = None) -> None:
        super().__init__(cls, context)
        self.oid = cls.oid

    def dump(self, obj: Array) -> bytes:
        return obj.data
