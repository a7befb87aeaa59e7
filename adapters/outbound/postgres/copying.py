"""Rows for `COPY … FROM STDIN (FORMAT binary)`, laid out by hand: the quickest way into a table.

Source: the PostgreSQL manual, COPY, "Binary Format". A timestamptz is microseconds from 2000-01-01 UTC.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from struct import Struct
from uuid import UUID

from adapters.codec import outbox_headers
from application.ports.ledger import Context, OutboxMessage

HISTORY = (
    "copy tickler.domain_events (stream_id, version, type, occurred_at, correlation_id, actor, data)"
    " from stdin (format binary)"
)
OUTBOX = "copy tickler.outbox (message_id, key, topic, headers, payload) from stdin (format binary)"

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = b"\xff\xff"
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_JSONB_VERSION = b"\1"

_LENGTH = Struct("!i")
_HISTORY_START = Struct("!hi16siq")  # 7 fields; stream_id; version
_OUTBOX_START = Struct("!hi16si16s")  # 5 fields; message_id; key
_INSTANT = Struct("!iq")

EncodedEvent = tuple[UUID, int, str, bytes, datetime]
"""Stream, version, stored name, JSON, and when it happened."""


def history(events: Iterable[EncodedEvent], context: Context) -> bytes:
    """Rows for HISTORY, all in the name of one context."""
    in_whose_name = _field(context.correlation_id.bytes) + _field(context.actor.encode())
    parts = [_HEADER]
    for stream_id, version, name, data, at in events:
        parts += (
            _HISTORY_START.pack(7, 16, stream_id.bytes, 8, version),
            _name_and_instant(name, at),
            in_whose_name,
            _LENGTH.pack(len(data) + 1),
            _JSONB_VERSION,
            data,
        )
    parts.append(_TRAILER)
    return b"".join(parts)


def outbox(messages: Iterable[tuple[OutboxMessage, bytes]], context: Context) -> bytes:
    """Rows for OUTBOX: each message and its payload as JSON."""
    headers = _field(_JSONB_VERSION + json.dumps(outbox_headers(context.correlation_id)).encode())
    parts = [_HEADER]
    for message, payload in messages:
        parts += (
            _OUTBOX_START.pack(5, 16, message.id.bytes, 16, message.key.bytes),
            _text(message.topic),
            headers,
            _LENGTH.pack(len(payload)),
            payload,
        )
    parts.append(_TRAILER)
    return b"".join(parts)


def _field(value: bytes) -> bytes:
    return _LENGTH.pack(len(value)) + value


@lru_cache(maxsize=256)
def _text(value: str) -> bytes:
    return _field(value.encode())


@lru_cache(maxsize=1024)
def _name_and_instant(name: str, at: datetime) -> bytes:
    return _text(name) + _INSTANT.pack(8, (at - _EPOCH) // timedelta(microseconds=1))
