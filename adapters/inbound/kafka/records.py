"""A record of the topic as a due reminder, or as what the quarantine keeps of it."""

from datetime import datetime
from typing import TypeAlias

from confluent_kafka import Message

from adapters.codec import Malformed, decode_due
from application.ports.quarantine import Quarantined
from domain.policies import ReminderDueEvent

LARGEST_VALUE = 64 * 1024
"""Bytes; a message of the contract has about 500."""

Record: TypeAlias = "Message[bytes, bytes]"


def place_of(record: Record) -> tuple[str, int, int]:
    """Topic, partition and offset."""
    topic, partition, offset = record.topic(), record.partition(), record.offset()
    assert topic is not None
    assert partition is not None
    assert offset is not None
    return topic, partition, offset


def due_of(record: Record) -> ReminderDueEvent:
    """Raises Malformed, in one line without content, for whatever is no due reminder."""
    value = record.value()
    if value is None:
        raise Malformed("it has no value")
    if len(value) > LARGEST_VALUE:
        raise Malformed(f"it is larger than {LARGEST_VALUE} bytes")
    try:
        return decode_due(value)
    except Malformed:
        raise
    except Exception as problem:
        # One record must not stop those behind it, whatever we did not think of.
        raise Malformed(f"it cannot be read: {type(problem).__name__}") from None


def quarantined(record: Record, reason: str, at: datetime) -> Quarantined:
    """The record with its key and value as they came, and without its headers: see `headers.py`.

    No header of ours is needed to read a record.
    """
    return Quarantined(*place_of(record), record.key(), record.value(), (), reason, at)
