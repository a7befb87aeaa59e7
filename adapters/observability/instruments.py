"""Instruments of Prometheus that are shown when they are wanted, and read 0 from then on."""

from collections.abc import Sequence
from itertools import product
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

# They would be a series more for each, which no panel looks at.
disable_created_metrics()  # type: ignore[no-untyped-call]

WORK_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0)
# Around the two minutes that are promised they are close together.
LATENESS_SECONDS = (
    *(1.0, 5.0, 10.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 105.0, 120.0, 150.0, 180.0),
    *(300.0, 600.0, 1800.0, 3600.0, 14_400.0, 86_400.0),
)

Instrument = Counter | Gauge | Histogram
Made = TypeVar("Made", bound=Instrument)


class Family:
    """Instruments that belong together. A registry shows them from `show` on.

    A process shows those of the loops that it runs: of another's it would say that nothing moves. Each
    combination of labels that is known beforehand is there from the start, since the rate of a series that
    is not there fires no alert.
    """

    def __init__(self) -> None:
        self._made: list[Instrument] = []
        self._shown_by: CollectorRegistry | None = None

    def show(self, registry: CollectorRegistry) -> None:
        """Once shown they stay so; a second call changes nothing."""
        if self._shown_by is None:
            self._shown_by = registry
            for one in self._made:
                registry.register(one)

    def _counter(self, name: str, what: str, **labels: Sequence[str]) -> Counter:
        counter = Counter(name, what, list(labels), registry=None)
        return self._keep(counter, labels)

    def _gauge(self, name: str, what: str, **labels: Sequence[str]) -> Gauge:
        gauge = Gauge(name, what, list(labels), registry=None)
        return self._keep(gauge, labels)

    def _histogram(
        self, name: str, what: str, buckets: Sequence[float], **labels: Sequence[str]
    ) -> Histogram:
        histogram = Histogram(name, what, list(labels), buckets=buckets, registry=None)
        return self._keep(histogram, labels)

    def _keep(self, made: Made, labels: dict[str, Sequence[str]]) -> Made:
        self._made.append(made)
        if labels:
            for values in product(*labels.values()):
                made.labels(*values)
        return made
