"""The time, and new ids."""

from datetime import datetime
from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """The instant now, in UTC; one clock for all instances (the database's in production)."""

    def monotonic(self) -> float:
        """Seconds that only ever grow, to measure durations with."""


class Ids(Protocol):
    """New ids."""

    def new(self) -> UUID:
        """An id that was never given before; later ones sort after earlier ones."""
