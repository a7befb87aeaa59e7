"""Whether a loop still turns, and when its work last succeeded."""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from time import monotonic

from attrs import define, field
from prometheus_client import Counter, Gauge

MARGIN_SECONDS = 15.0


def _never() -> datetime:
    return datetime.min.replace(tzinfo=UTC)


@define
class Pulse:
    """Signs of life of one loop. It may be silent for `longest` seconds at work, and while it rests.

    A loop that asks whether to stop is alive; one that asks a second time in the same turn has done some of
    its work, so that a turn without an end is no silence either.
    """

    now: Callable[[], datetime]
    longest: float
    last_turn: Gauge | None = None
    rest: Gauge | None = None
    last_success: Sequence[Gauge] = ()
    errors: Sequence[Counter] = ()
    clock: Callable[[], float] = monotonic
    _seen: float = field(init=False)
    _silent_until: float = field(init=False)
    _thread: int | None = field(default=None, init=False)
    _beats: int = field(default=0, init=False)
    _has_erred: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self._show_life(0.0)

    @property
    def is_overdue(self) -> bool:
        return self.clock() > self._silent_until

    @property
    def silence(self) -> float:
        """Seconds since the last sign."""
        return self.clock() - self._seen

    def begin(self) -> None:
        """A turn begins, in this thread."""
        self._thread, self._beats, self._has_erred = threading.get_ident(), 0, False
        self._show_life(0.0)

    def asking(self, is_stopping: Callable[[], bool]) -> Callable[[], bool]:
        """The same question, which is a sign of life where the loop itself asks it."""

        def asked() -> bool:
            self.beat()
            return is_stopping()

        return asked

    def beat(self) -> None:
        # What the loop has started in threads of its own says nothing about the loop.
        if threading.get_ident() != self._thread:
            return
        self._beats += 1
        self._show_life(0.0)
        if self._beats > 1:
            self._succeed()

    def end(self, pause: float, *, succeeded: bool) -> None:
        """The turn is over, and the next begins in `pause` seconds."""
        self._show_life(pause)
        if self.rest is not None:
            self.rest.set(pause)
        if succeeded and not self._has_erred:
            self._succeed()

    def fail(self, pause: float) -> None:
        """The turn failed."""
        self._show_life(pause)
        self.err()

    def err(self) -> None:
        """The turn went wrong, though it goes on or ends as others do."""
        self._has_erred = True
        for counter in self.errors:
            counter.inc()

    def _show_life(self, pause: float) -> None:
        self._seen = self.clock()
        self._silent_until = self._seen + pause + self.longest + MARGIN_SECONDS
        if self.last_turn is not None:
            self.last_turn.set(self.now().timestamp())

    def _succeed(self) -> None:
        at = self.now().timestamp()
        for gauge in self.last_success:
            gauge.set(at)


def unwatched() -> Pulse:
    """Of a loop that nobody looks at."""
    return Pulse(_never, 0.0)
