"""The real time and real ids. The only module that asks the machine for either."""

import os
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from uuid import UUID


class SystemClock:
    """This machine's clock; where instances must agree, the database's is the one to take."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def new_secret() -> str:
    """256 random bits as 43 letters of URL-safe base64 without padding (RFC 4648, section 5)."""
    return secrets.token_urlsafe(32)


class UuidIds:
    """UUIDs of version 7 (RFC 9562, section 5.7); each sorts after all that were given before it.

    Within a millisecond, or when the clock is set back, a counter of 42 bits goes on from a random start
    (section 6.2, method 1); the last 32 bits are random, so that two processes do not meet.
    """

    def __init__(self, milliseconds: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._milliseconds = milliseconds
        self._lock = Lock()
        self._last = -1
        self._counter = 0

    def new(self) -> UUID:
        tail = int.from_bytes(os.urandom(4), "big")
        with self._lock:
            now = self._milliseconds()
            if now > self._last:
                self._start(now)
            else:
                self._counter += 1
                if self._counter >> 42:
                    self._start(self._last + 1)
            stamp, counter = self._last, self._counter
        high, low = counter >> 30, counter & 0x3FFF_FFFF
        return UUID(int=stamp << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low << 32 | tail)

    def _start(self, stamp: int) -> None:
        self._last = stamp
        # The top bit stays clear: at least 2**41 ids fit behind any start.
        self._counter = int.from_bytes(os.urandom(6), "big") & 0x1FF_FFFF_FFFF
