"""The loops of a running Tickler, a thread each: dispatch, relay, consumer, and one delivery loop a channel.

A loop outlives whatever its work raises: it says so in one line, waits a little longer each time, and goes
on. Between ticks it sleeps on the stop's event, so a stop wakes it.
"""

import random
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from attrs import define, field, frozen

from adapters.observability.logging import log, one_line
from adapters.observability.pulse import Pulse, unwatched
from application.delivering.handled import Handled
from application.delivering.senders import Delivering
from application.dispatching import ReminderDispatchJob
from application.ports.errors import Busy, Conflict, Unavailable
from application.ports.machine import Clock
from application.relaying import Relay
from domain import delivery

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 5.0
NOTHING_WENT_REST = 2.0
AS_MEANT = (delivery.Status.DELIVERED, delivery.Status.SKIPPED)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Hindered(Exception):
    """The work could not be done now, and nobody here can help it: try again a little later.

    `rest` is the least pause in seconds before that, where somebody else may do better meanwhile.
    """

    def __init__(self, problem: str, rest: float = 0.0) -> None:
        super().__init__(problem)
        self.rest = rest


class Stop:
    """Somebody's wish that the loops end. `wait` sleeps at most so many seconds; True when it is time."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        return self._event.wait(seconds)


Wait = Callable[[float], bool]


@define
class Loop:
    """`step` does what is to be done now and returns the seconds until it should be called again.

    It returns None where it found nothing to try, so that what failed before may fail still: the loop has not
    recovered, and rests as after the failure.
    `wait` sleeps and tells whether to stop; `spread` gives a number from 0 to 1, so that instances which fell
    together do not come back together; `close` is called when the loop ends.
    """

    name: str
    step: Callable[[], float | None]
    wait: Wait
    spread: Callable[[], float] = random.random
    close: Callable[[], None] = lambda: None
    pulse: Pulse = field(factory=unwatched)
    _failures: int = field(default=0, init=False)
    _longest: float = field(default=FIRST_PAUSE, init=False)

    def run(self) -> None:
        try:
            while not self.wait(self._turn()):
                pass
        finally:
            self.close()

    def _turn(self) -> float:
        self.pulse.begin()
        try:
            pause = self.step()
        except Exception as problem:
            return self._failed(problem)
        if pause is None:
            pause = self._rest()
            self.pulse.end(pause, succeeded=False)
            return pause
        if self._failures:
            log(loop=self.name).info("loop recovered", failures=self._failures)
            self._failures = 0
        self.pulse.end(pause, succeeded=True)
        return pause

    def _failed(self, problem: Exception) -> float:
        self._failures += 1
        if self.wait(0):
            return 0
        # Of the longest pause at least half is rested.
        least = 2 * problem.rest if isinstance(problem, Hindered) else 0.0
        grown = max(FIRST_PAUSE, least) * (1 << min(self._failures - 1, 10))
        self._longest = min(grown, max(LONGEST_PAUSE, least))
        pause = self._rest()
        self.pulse.fail(pause)
        said = log(loop=self.name, failures=self._failures, again_in_s=round(pause, 2))
        if isinstance(problem, Unavailable | Busy | Conflict | Hindered):
            said.warning("loop hindered", problem=one_line(problem) or type(problem).__name__)
        else:
            # Of an error that nobody foresaw only the kind and the place: its text may hold rows.
            said.error("loop failed", problem=type(problem).__name__, at=_place(problem))
        return pause

    def _rest(self) -> float:
        return self._longest * (0.5 + self.spread() / 2)


def _place(problem: Exception) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"


@define
class DispatchStep:
    """One tick of the job; the next is due at the next whole interval of the UTC clock.

    Ticks never overlap, and those that a long one missed are dropped; `dropped` is told how many. Source: the
    specification, "Schedule" and "Max duration".
    """

    job: ReminderDispatchJob
    clock: Clock
    stopping: Callable[[], bool]
    dropped: Callable[[int], object] = lambda ticks: None
    _next: datetime = field(default=EPOCH, init=False)

    def __call__(self) -> float:
        started = self.clock.monotonic()
        for _ in self.job.tick(self.stopping):
            pass
        took = timedelta(seconds=self.clock.monotonic() - started)
        interval = self.job.options.interval
        self.dropped(took // interval)
        if took > self.job.options.max_duration:
            log(loop="dispatch").warning(
                "tick was long", DurationMs=round(took.total_seconds() * 1000), DroppedTicks=took // interval
            )
        now = self.clock.now()
        # A sleep may end a little early by this clock: that was the tick of `_next`, not one before it.
        early = now < self._next <= now + interval / 10
        self._next = next_whole(self._next if early else now, interval)
        return float(min(self._next - now, interval).total_seconds())


def next_whole(after: datetime, interval: timedelta) -> datetime:
    """The first instant after `after` that is a whole number of intervals from the epoch."""
    return EPOCH + ((after - EPOCH) // interval + 1) * interval


@define
class RelayStep:
    """Batches until one is not full; Hindered when not all of one went. `interval` in seconds.

    When nothing of one went the pause outlasts an idle relay's interval, so that a relay that can publish
    takes those messages first. None until a message was published after that: an empty claim proves nothing.
    """

    relay: Relay
    interval: float
    stopping: Callable[[], bool]
    _is_hindered: bool = field(default=False, init=False)

    def __call__(self) -> float | None:
        while not self.stopping():
            began = time.monotonic()
            result = self.relay.batch()
            said = log(loop="relay")
            if result.claimed:
                said.info(
                    "batch relayed",
                    count=result.claimed,
                    published=result.published,
                    postponed=result.postponed,
                    parked=result.parked,
                    DurationMs=round((time.monotonic() - began) * 1000),
                )
            if result.parked:
                said.error("messages parked", count=result.parked, reasons=_reasons(result.reasons))
            if result.postponed:
                self._is_hindered = True
                rest = 0.0 if result.published else max(NOTHING_WENT_REST, 1.5 * self.interval)
                raise Hindered(_reasons(result.reasons), rest)
            if result.published:
                self._is_hindered = False
            if result.claimed < self.relay.batch_size:
                break
        return None if self._is_hindered else self.interval


def _reasons(reasons: Iterable[str]) -> str:
    return "; ".join(one_line(reason) for reason in reasons)


@frozen
class DeliverStep:
    """All that is due on one channel; what was put off, refused or lost sight of is a warning."""

    delivering: Delivering
    interval: float
    stopping: Callable[[], bool]

    def __call__(self) -> float:
        for one in self.delivering.tick(self.stopping):
            tell_handled(f"deliver {self.delivering.channel.name}", one)
        return self.interval


def tell_handled(loop: str, handled: Handled) -> None:
    said = log(loop=loop)
    tell = said.info if handled.status in AS_MEANT else said.warning
    tell(
        "delivery handled",
        DeliveryId=handled.delivery_id,
        AboutId=handled.about_id,
        TenantId=handled.tenant_id,
        channel=handled.channel,
        status=handled.status.value,
        reason=handled.reason,
    )


class Loops:
    """Loops in threads of their own. They are daemons: one that is stuck for good keeps no process alive."""

    def __init__(self, loops: Sequence[Loop], stop: Stop, interrupt: Callable[[], None]) -> None:
        self._stop = stop
        self._interrupt = interrupt
        self._threads = [threading.Thread(target=loop.run, name=loop.name, daemon=True) for loop in loops]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, grace: float = 0.3, budget: float = 2.0) -> list[str]:
        """End all loops and name those that did not within `budget` seconds.

        After `grace`, in which a batch may still commit, running statements are interrupted.
        """
        began = time.monotonic()
        self._stop.set()
        self._join(began + grace)
        while self._alive() and time.monotonic() - began < budget:
            # In a thread of its own: a silent database answers no cancel request either.
            threading.Thread(target=self._interrupt, name="interrupt", daemon=True).start()
            self._join(min(time.monotonic() + 0.5, began + budget))
        return self._alive()

    def _join(self, until: float) -> None:
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))

    def _alive(self) -> list[str]:
        return [thread.name for thread in self._threads if thread.is_alive()]
