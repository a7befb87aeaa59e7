"""What operators count and time, under the names of the specification and the same shape for the other loops.

No label holds a tenant or a person. Source: the specification, "Наблюдаемость", row "Metrics"; design section
7; what each means: docs/observability/README.md.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.process_collector import ProcessCollector

from adapters.observability.instruments import LATENESS_SECONDS, WORK_SECONDS, Family
from adapters.observability.pulse import Pulse

Now = Callable[[], datetime]
SETTLED = ("sent", "skipped")
RELAYED = ("published", "postponed", "parked")
CONSUMED = ("received", "repeated", "quarantined")
OUTCOMES = ("delivered", "failed", "unknown", "postponed", "skipped")
WORKED = ("answered", "nothing_to_say", "again", "failed_attempt", "failed", "undeliverable")


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


class RelayMetrics(Family):
    def __init__(self, now: Now) -> None:
        super().__init__()
        of = "calendar_outbox_relay_"
        self.batch_duration = self._histogram(
            f"{of}batch_duration_seconds", "How long batches took that were not empty.", WORK_SECONDS
        )
        self.items = self._counter(
            f"{of}items_total", "Messages of the outbox, by what became of them.", result=RELAYED
        )
        self.errors = self._counter(
            f"{of}errors_total", "Failed turns of the loop, and messages refused for good."
        )
        self.last_success = self._gauge(
            f"{of}last_success_timestamp_seconds",
            "When the loop last published all that there was; the process's start where it never did.",
        )
        self.last_success.set(now().timestamp())


class ConsumerMetrics(Family):
    def __init__(self, now: Now) -> None:
        super().__init__()
        of = "notifications_consumer_"
        self.batch_duration = self._histogram(
            f"{of}batch_duration_seconds", "How long it took to take batches in.", WORK_SECONDS
        )
        self.items = self._counter(
            f"{of}items_total", "Due reminders, by whether they came for the first time.", result=CONSUMED
        )
        self.errors = self._counter(
            f"{of}errors_total", "Failed turns of the loop, and records that were set aside."
        )
        self.last_success = self._gauge(
            f"{of}last_success_timestamp_seconds",
            "When the loop last took in all that there was; the process's start where it never did.",
        )
        self.last_success.set(now().timestamp())


class DeliveryMetrics(Family):
    def __init__(self, now: Now) -> None:
        super().__init__()
        self._now = now
        of = "notifications_delivery_"
        channel: dict[str, Sequence[str]] = {"channel": ()}
        self.items = self._counter(
            f"{of}items_total", "Tries, by what came of them.", channel=(), outcome=OUTCOMES
        )
        self.attempt_duration = self._histogram(
            f"{of}attempt_duration_seconds", "How long sends took.", WORK_SECONDS, **channel
        )
        self.lateness = self._histogram(
            f"{of}lateness_seconds",
            "When messages were delivered, less when they were due.",
            LATENESS_SECONDS,
            **channel,
        )
        self.errors = self._counter(f"{of}errors_total", "Failed turns of the channel's loop.", **channel)
        self.last_success = self._gauge(
            f"{of}last_success_timestamp_seconds", "When the channel's loop last succeeded.", **channel
        )

    def open(self, channel: str) -> None:
        """What there is to tell of a channel, from now on."""
        for outcome in OUTCOMES:
            self.items.labels(channel, outcome)
        self.attempt_duration.labels(channel)
        self.lateness.labels(channel)
        self.errors.labels(channel)
        self.last_success.labels(channel).set(self._now().timestamp())


class TouchMetrics(Family):
    def __init__(self, now: Now) -> None:
        super().__init__()
        of = "deferred_touch_"
        self.claims = self._counter(f"{of}claims_total", "Touches that a worker took.", kind=())
        self.recoveries = self._counter(
            f"{of}recoveries_total", "Touches that were taken back, since their worker's lease was over."
        )
        self.items = self._counter(f"{of}items_total", "Touches, by what came of them.", result=WORKED)
        self.lateness = self._histogram(
            f"{of}lateness_seconds", "First claim of touches, less when they were due.", LATENESS_SECONDS
        )
        self.errors = self._counter(
            f"{of}errors_total",
            "Failed turns of the touch loops, heartbeats too, and broken plans, each once in a turn.",
        )
        self.last_success = self._gauge(
            f"{of}last_success_timestamp_seconds",
            "When the working loop last succeeded; the process's start where it never did.",
        )
        self.last_success.set(now().timestamp())

    def open(self, kinds: Collection[str]) -> None:
        """What there is to tell of kinds of work, from now on."""
        for kind in kinds:
            self.claims.labels(kind)


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
        self.rest = self._gauge(
            f"{of}rest_seconds", "How long the loop rests after its last turn; 0 before the first.", loop=()
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
        self.relay = RelayMetrics(now)
        self.consumer = ConsumerMetrics(now)
        self.deliveries = DeliveryMetrics(now)
        self.touches = TouchMetrics(now)
        self.loops = LoopMetrics()
        self.pulses: dict[str, Pulse] = {}
        BuildMetrics().show(self.registry)
        ProcessCollector(registry=self.registry)

    def pulse(
        self,
        loop: str,
        longest: float,
        succeeded: Sequence[Gauge] = (),
        errors: Sequence[Counter] = (),
    ) -> Pulse:
        """The signs of life of a loop that this process is to run, by its name.

        `longest` is the most seconds that it works between two of them; `succeeded` and `errors` tell what
        the loop's own tell, under other names.
        """
        self.loops.show(self.registry)
        own = self.loops.last_success.labels(loop)
        own.set(self.now().timestamp())
        pulse = Pulse(
            self.now,
            longest,
            self.loops.last_turn.labels(loop),
            self.loops.rest.labels(loop),
            [own, *succeeded],
            [self.loops.errors.labels(loop), *errors],
        )
        self.pulses[loop] = pulse
        return pulse
