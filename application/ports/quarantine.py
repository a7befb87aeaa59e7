"""Where records of a topic that can never be taken in are kept, for a person to look at."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from attrs import field, frozen

Headers = tuple[tuple[str, bytes | None], ...]


@frozen
class Quarantined:
    """A record as it was read, where it stood, why it is here and since when; its bytes may be anything.

    `headers` are empty where its reader could not safely ask for them (docs/decisions/0015).
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None = field(repr=False)
    value: bytes | None = field(repr=False)
    headers: Headers = field(repr=False)
    reason: str
    at: datetime


class Quarantine(Protocol):
    """Records that nobody will try again by themselves."""

    def keep(self, records: Sequence[Quarantined]) -> int:
        """Keep them in one commit; how many were not there yet.

        A record is known by topic, partition, offset and bytes: one read again changes nothing, and another
        at the same place, as of a topic that was made anew, is kept beside it.
        """

    def latest(self, limit: int) -> Sequence[Quarantined]:
        """Up to `limit`, the last kept first; of one instant the last by topic, partition and offset."""

    def count(self) -> int:
        """How many there are."""
