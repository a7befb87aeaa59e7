"""The relay, the consumer and what they pass on, counted and timed."""

from collections.abc import Sequence

from attrs import field, frozen

from adapters.observability.metrics import ConsumerMetrics, RelayMetrics
from application.ports.machine import Clock
from application.ports.quarantine import Quarantine, Quarantined
from application.receiving import Outcome, Receiving, TakenIn
from application.relaying import Relay, RelayResult
from domain.policies import ReminderDueEvent


@frozen
class ObservedRelay(Relay):
    """The relay, with each batch counted."""

    metrics: RelayMetrics = field(kw_only=True)

    def batch(self) -> RelayResult:
        began = self.clock.monotonic()
        result = super().batch()
        if result.claimed:
            self.metrics.batch_duration.observe(self.clock.monotonic() - began)
            self.metrics.items.labels("published").inc(result.published)
            self.metrics.items.labels("postponed").inc(result.postponed)
            self.metrics.items.labels("parked").inc(result.parked)
            self.metrics.errors.inc(result.parked)
        return result


@frozen
class ObservedReceiving(Receiving):
    """The consumer's work, with each batch counted, whoever hands it over."""

    clock: Clock = field(kw_only=True)
    metrics: ConsumerMetrics = field(kw_only=True)

    def take_in(self, due: Sequence[ReminderDueEvent]) -> Sequence[Outcome]:
        began = self.clock.monotonic()
        outcomes = super().take_in(due)
        if due:
            self.metrics.batch_duration.observe(self.clock.monotonic() - began)
            taken = [one for one in outcomes if isinstance(one, TakenIn)]
            new = sum(one.is_new for one in taken)
            self.metrics.items.labels("received").inc(new)
            self.metrics.items.labels("repeated").inc(len(taken) - new)
        return outcomes


@frozen
class ObservedQuarantine:
    """The quarantine, with what is new in it counted."""

    quarantine: Quarantine
    metrics: ConsumerMetrics

    def keep(self, records: Sequence[Quarantined]) -> int:
        new = self.quarantine.keep(records)
        self.metrics.items.labels("quarantined").inc(new)
        self.metrics.errors.inc(new)
        return new

    def latest(self, limit: int) -> Sequence[Quarantined]:
        return self.quarantine.latest(limit)

    def count(self) -> int:
        return self.quarantine.count()
