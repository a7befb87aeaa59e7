"""A clock that stands still until it is set."""

from datetime import UTC, datetime, timedelta
from threading import Lock

from domain.errors import Invalid


class SettableClock:
    """`monotonic` follows what `advance` and `set` add to the time, and never goes back."""

    def __init__(self, now: datetime) -> None:
        self._lock = Lock()
        self._now = _utc(now)
        self._monotonic = 0.0

    def now(self) -> datetime:
        with self._lock:
            return self._now

    def monotonic(self) -> float:
        with self._lock:
            return self._monotonic

    def set(self, instant: datetime) -> None:
        """It is `instant` now, be it earlier or later than before; an aware one."""
        instant = _utc(instant)
        with self._lock:
            self._monotonic += max((instant - self._now).total_seconds(), 0.0)
            self._now = instant

    def advance(self, by: timedelta) -> None:
        """So much time has passed."""
        if by < timedelta(0):
            raise Invalid("advance: time does not pass backwards; set the clock instead")
        with self._lock:
            self._monotonic += by.total_seconds()
            self._now += by


def _utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise Invalid("clock: an instant with an offset is wanted")
    return instant.astimezone(UTC)
