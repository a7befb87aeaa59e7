"""Deliveries, counted when what became of them is committed, and sends, timed."""

from collections.abc import Sequence
from typing import Any

from adapters.observability.metrics import DeliveryMetrics
from application.ports.channel import Channel, Outcome, OutgoingMessage
from application.ports.deliveries import Deliveries
from application.ports.machine import Clock
from application.ports.notices import Notice
from domain import delivery
from domain.delivery import Delivery

OUTCOME_OF: dict[type[object], str] = {
    delivery.DeliveryAccepted: "delivered",
    delivery.DeliveryRefused: "failed",
    delivery.DeliveryLost: "unknown",
    delivery.DeliveryPostponed: "postponed",
    delivery.DeliverySkipped: "skipped",
}


class ObservedDeliveries:
    """Deliveries that count what is settled. All else passes through."""

    def __init__(self, deliveries: Deliveries, metrics: DeliveryMetrics) -> None:
        self._deliveries = deliveries
        self._metrics = metrics

    def __getattr__(self, name: str) -> Any:
        return getattr(self._deliveries, name)

    def settle(
        self,
        before: Delivery,
        happened: Sequence[delivery.Event],
        after: Delivery,
        then: Sequence[Delivery] = (),
        notice: Notice | None = None,
    ) -> None:
        self._deliveries.settle(before, happened, after, then, notice)
        for event in happened:
            if outcome := OUTCOME_OF.get(type(event)):
                self._metrics.items.labels(after.channel, outcome).inc()
            if isinstance(event, delivery.DeliveryAccepted):
                late = (event.at - after.due_at).total_seconds()
                self._metrics.lateness.labels(after.channel).observe(late)


class ObservedChannel:
    """A channel whose sends are timed. All else passes through."""

    def __init__(self, channel: Channel, clock: Clock, metrics: DeliveryMetrics) -> None:
        self._channel = channel
        self._clock = clock
        self._metrics = metrics

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)

    def send(self, message: OutgoingMessage) -> Outcome:
        began = self._clock.monotonic()
        try:
            return self._channel.send(message)
        finally:
            took = self._clock.monotonic() - began
            self._metrics.attempt_duration.labels(self._channel.name).observe(took)
