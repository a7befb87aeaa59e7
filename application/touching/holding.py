"""The touches in a worker's hands, and the heartbeat that keeps them there.

A lease is lengthened several times before it ends. Whoever cannot do so learns that the claim is lost before
another can have it: by this process's own monotonic clock, counted from before the last question that was
answered, so neither a slow answer nor a step of the wall clock makes it too late.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from attrs import define, field

from application.ports.machine import Clock
from application.ports.touches import Touches
from domain.deferred_touch import DeferredTouch, Status
from domain.values import TouchId

# How soon a wait sees that the clock has moved: a frozen process, or a clock that is set.
SLICE_S = 0.2


@define
class Lost:
    """True for good once it was set, or seen at `until` or later, in seconds of the monotonic clock."""

    monotonic: Callable[[], float]
    until: float
    _set: threading.Event = field(factory=threading.Event, init=False)

    def set(self) -> None:
        self._set.set()

    def is_set(self) -> bool:
        if not self._set.is_set() and self.monotonic() >= self.until:
            self._set.set()
        return self._set.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        end = None if timeout is None else self.monotonic() + timeout
        while not self.is_set():
            now = self.monotonic()
            if end is not None and now >= end:
                return False
            left = self.until - now if end is None else min(end, self.until) - now
            self._set.wait(max(0.0, min(left, SLICE_S)))
        return True


@define(eq=False)
class Held:
    """A touch as it was claimed. Its attempt has failed from `deadline` on, an instant, which is `ends` by
    the monotonic clock; unless it `is_ending`: the work is done, and what came of it is being written.
    """

    touch: DeferredTouch
    deadline: datetime
    ends: float
    lost: Lost
    is_ending: bool = False


@define
class Holding:
    """`touches` and `clock` are its own, apart from the work's: what is busy there holds up no beat."""

    touches: Touches
    clock: Clock
    lease: timedelta
    _held: dict[TouchId, Held] = field(factory=dict, init=False)
    _changed: threading.Condition = field(factory=threading.Condition, init=False)

    @property
    def margin(self) -> float:
        """How long before the end of its lease a claim counts as lost, in seconds."""
        return self.lease.total_seconds() / 10

    @property
    def interval(self) -> float:
        """How often to beat, in seconds: a beat that fails leaves time for two more."""
        return self.lease.total_seconds() / 4

    def take(self, touch: DeferredTouch, asked_at: float, deadline: datetime, ends: float) -> Held:
        """Hold a touch that was claimed by a question asked at `asked_at` (monotonic seconds)."""
        held = Held(touch, deadline, ends, Lost(self.clock.monotonic, self._until(asked_at)))
        with self._changed:
            self._held[touch.id] = held
        return held

    def drop(self, held: Held) -> None:
        """It is in nobody's hands any more."""
        held.lost.set()
        with self._changed:
            if self._held.get(held.touch.id) is held:
                del self._held[held.touch.id]
            self._changed.notify_all()

    def wait_until_empty(self, timeout: float) -> bool:
        """Wait up to so many seconds until nothing is held; whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._held, timeout)

    def beat(self) -> Sequence[Held]:
        """Lengthen the leases of all that is held; those that turned out to be lost.

        Raises Unavailable or Busy, and nothing is lost by that alone: only time passes.
        """
        with self._changed:
            held = list(self._held.values())
        if not held:
            return []
        asked_at = self.clock.monotonic()
        now = self.clock.now()
        kept = self.touches.extend({one.touch.id: one.touch.claim for one in held}, now, now + self.lease)
        for one in held:
            if one.touch.id in kept and not one.lost.is_set():
                one.lost.until = self._until(asked_at)
        lost = [one for one in held if self._is_lost(one, one.touch.id in kept, now)]
        for one in lost:
            self.drop(one)
        return lost

    def _is_lost(self, one: Held, is_kept: bool, now: datetime) -> bool:
        """Whether another may have it. One that is being written ends by itself, in one way or the other."""
        if one.is_ending or is_kept:
            return one.lost.is_set() and not one.is_ending
        found = self.touches.touch(one.touch.id)
        # Not kept and still ours: somebody had its row locked at that moment.
        is_ours = (
            found is not None
            and found.state.status is Status.IN_PROGRESS
            and found.state.claim == one.touch.claim
            and found.state.lease_until is not None
            and found.state.lease_until >= now
        )
        return not is_ours and not one.is_ending

    def _until(self, asked_at: float) -> float:
        return asked_at + self.lease.total_seconds() - self.margin
