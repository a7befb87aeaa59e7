"""Rows of history and outbox for `COPY … FROM STDIN (FORMAT binary)`, the quickest way into a table."""

import json
from collections.abc import Sequence
from struct import Struct

from adapters.codec import encode_due, encode_event, outbox_headers
from adapters.outbound.postgres import binary
from application.ports.ledger import Context, OutboxMessage
from domain import calendar_event, reminder

HISTORY = (
    "copy tickler.domain_events (stream_id, version, correlation_id, actor, type, occurred_at, data)"
    " from stdin (format binary)"
)
OUTBOX = "copy tickler.outbox (message_id, key, topic, headers, payload) from stdin (format binary)"

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER = b"\xff\xff"
_HISTORY_ROW = Struct("!hi16siq")  # of seven fields: stream_id, version, …
_OUTBOX_ROW = Struct("!hi16si16s")  # of five fields: message_id, key, …
_JSON = Struct("!i")
_JSONB = Struct("!ib")


class Copying:
    """Lays out the rows that a transaction writes in the name of its context."""

    def __init__(self, context: Context) -> None:
        self._whose = binary.field(context.correlation_id.bytes) + binary.field(context.actor.encode())
        headers = json.dumps(outbox_headers(context.correlation_id, context.traceparent)).encode()
        self._headers = binary.field(b"\1" + headers)

    def history_row(
        self, stream_id: bytes, version: int, event: calendar_event.Event | reminder.Event
    ) -> bytes:
        """Raises what `encode_event` raises."""
        name, data = encode_event(event)
        return (
            _HISTORY_ROW.pack(7, 16, stream_id, 8, version)
            + self._whose
            + binary.text(name)
            + binary.instant(event.at)
            + _JSONB.pack(len(data) + 1, 1)
            + data
        )

    def outbox_row(self, message_id: bytes, message: OutboxMessage) -> bytes:
        """Raises what `encode_due` raises."""
        payload = encode_due(message.payload)
        return (
            _OUTBOX_ROW.pack(5, 16, message_id, 16, message.key.bytes)
            + binary.text(message.topic)
            + self._headers
            + _JSON.pack(len(payload))
            + payload
        )


def stream(rows: Sequence[bytes]) -> bytes:
    """Rows between the header and the trailer that COPY wants."""
    return b"".join((_HEADER, *rows, _TRAILER))
