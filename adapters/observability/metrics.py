"""What operators count and time, under the names of the specification and the same shape for the other loops.

No label holds a tenant or a person. Source: the specification, "Наблюдаемость", row "Metrics"; design section
7; what each means: docs/observability/README.md.
"""

from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.process_collector import ProcessCollector

from adapters.observability.instruments import LATENESS_SECONDS, WORK_SECONDS, Family
from adapters.observability.pulse import Pulse

Now = Callable[[], datetime]
SETTLED = ("sent", "skipped")


class DispatchMetrics(Family):
    def __init__(self, now: Now) -> None:
        super().__init__()
        self._now = now
        of = "calendar_reminder_dispatch_"
        self.cycle_duration = self._histogram(
            f"{of}cycle_duration_seconds", "How long cycles took, failed ones too.", WORK_SECONDS
        )
        self.items = self._counter(
            f"{of}items_total", "Reminders that left Pending, by what became of them.", result=SETTLED
        )
        self.lateness = self._histogram(
            f"{of}lateness_seconds", "SentAt - DueAt of reminders that were sent.", LATENESS_SECONDS
        )
        self.skip_locked = self._counter(
            f"{of}skip_locked_total", "Due rows that a cycle passed over, since somebody else held them."
        )
        self.errors = self._counter(
            f"{of}errors_total", "Failed cycles, and poison rows, each once in a tick that meets it."
        )
        self.overruns = self._counter(
            f"{of}overruns_total", "Ticks that were dropped, since the one before took too long."
        )
        self.last_success = self._gauge(
            f"{of}last_success_timestamp_seconds",
            "When a cycle last committed; the process's start where none has.",
        )
        self.succeed()

    def succeed(self) -> None:
        self.last_success.set(self._now().timestamp())


class LoopMetrics(Family):
    def __init__(self) -> None:
        super().__init__()
        of = "tickler_loop_"
        self.last_success = self._gauge(
            f"{of}last_success_timestamp_seconds", "When the loop's work last succeeded.", loop=()
        )
        self.last_turn = self._gauge(
            f"{of}last_turn_timestamp_seconds", "When the loop last showed a sign of life.", loop=()
        )
        self.errors = self._counter(f"{of}errors_total", "Turns of the loop that failed.", loop=())


class BuildMetrics(Family):
    def __init__(self) -> None:
        super().__init__()
        release = version("tickler")
        self.info = self._gauge("tickler_build_info", "Always 1; which version runs.", version=(release,))
        self.info.labels(release).set(1)


class Metrics:
    """All of one process. `now` is the process's own clock: it must not fail with the database.

    What is of a loop is in `registry` from the moment that the loop is made.
    """

    def __init__(self, now: Now) -> None:
        self.now = now
        self.registry = CollectorRegistry()
        self.dispatch = DispatchMetrics(now)
        self.loops = LoopMetrics()
        self.pulses: dict[str, Pulse] = {}
        BuildMetrics().show(self.registry)
        ProcessCollector(registry=self.registry)

    def pulse(self, loop: str, longest: float, success: Gauge | None = None) -> Pulse:
        """The signs of life of a loop that this process is to run, by its name.

        `longest` is the most seconds that it works between two of them; `success` another gauge to be set
        where the loop's own one is.
        """
        self.loops.show(self.registry)
        own = self.loops.last_success.labels(loop)
        own.set(self.now().timestamp())
        pulse = Pulse(
            self.now,
            longest,
            self.loops.last_turn.labels(loop),
            [own] if success is None else [own, success],
            [self.loops.errors.labels(loop)],
        )
        self.pulses[loop] = pulse
        return pulse
