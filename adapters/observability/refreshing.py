"""Figures that are asked for seldom, however often they are wanted."""

import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Generic, TypeVar

Read = TypeVar("Read")


class Refreshed(Generic[Read]):
    """What `read` gives; it is asked every `every` seconds at most, by one thread at a time.

    That goes for what it fails to give as well, so that nobody who asks again and again loads a store that
    has trouble. `clock` gives monotonic seconds.
    """

    def __init__(
        self, read: Callable[[], Read], every: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._read = read
        self._every = every
        self._clock = clock
        self._changed = threading.Condition()
        self._is_reading = False
        self._good_until = float("-inf")
        self._value: Read | None = None

    def get(self, patience: float) -> Read | None:
        """The figures; None where they could not be had, or not within so many seconds."""
        with self._changed:
            if not self._is_fresh() and not self._is_reading:
                threading.Thread(target=self._refresh, name="figures", daemon=True).start()
                self._is_reading = True
            self._changed.wait_for(self._is_fresh, patience)
            return self._value if self._is_fresh() else None

    def _is_fresh(self) -> bool:
        return self._clock() < self._good_until

    def _refresh(self) -> None:
        value: Read | None = None
        try:
            with suppress(Exception):
                value = self._read()
        finally:
            with self._changed:
                self._value, self._is_reading = value, False
                self._good_until = self._clock() + self._every
                self._changed.notify_all()
