"""Gauges that are read when somebody looks: how the store stands, and how its database does.

They are of the store and not of a process, so every process that is watched shows all of them: what waits is
seen to wait also when nobody is left who works on it. While one cannot be read it is left out,
since what was true is no news of what is; `tickler_figures_unread` and `tickler_database_up` say so.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Protocol

from attrs import field, frozen
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from adapters.observability.refreshing import Refreshed
from application.ports.backlog import Backlog
from application.ports.machine import Clock
from application.ports.standing import ClaimKind, Watched

# A scrape waits so long for the store's figures and so long for the database's, whatever either does.
PATIENCE_SECONDS = 1.0
FRESH_SECONDS = 5.0

Sample = tuple[Sequence[str], float]


@frozen
class TableFigures:
    """Rows of a table, and what is left of rows that are not there any more, as the statistics have it."""

    name: str
    live: int
    dead: int


@frozen
class DatabaseFigures:
    """`oldest_transaction` is the age of the oldest open one, in seconds; 0 where none is open."""

    oldest_transaction: float
    tables: Sequence[TableFigures]


class PoolUse(Protocol):
    """The connections of a pool."""

    @property
    def size(self) -> int: ...
    @property
    def in_use(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    @property
    def most(self) -> int: ...


Figure = Callable[[datetime], Iterable[GaugeMetricFamily]]


@frozen(eq=False)
class StoreGauges(Collector):
    """How the store stands. `channels` are there from the start, with nothing waiting.

    Each figure is read apart, so that one that takes too long takes no other with it; which could not be
    read `tickler_figures_unread` says.
    """

    watched: Watched
    clock: Clock
    channels: Collection[str]
    fresh: float = FRESH_SECONDS
    patience: float = PATIENCE_SECONDS
    _reads: Mapping[str, Refreshed[Sequence[GaugeMetricFamily]]] = field(init=False)

    @_reads.default
    def _new_reads(self) -> Mapping[str, Refreshed[Sequence[GaugeMetricFamily]]]:
        figures: dict[str, Figure] = {
            "reminders": self._reminders,
            "outbox": self._outbox,
            "outbox parked": self._outbox_parked,
            "deliveries": self._deliveries,
            "deliveries unknown": self._deliveries_unknown,
            "deliveries failed": self._deliveries_failed,
            "touches": self._touches,
            "touches overdue": self._touches_overdue,
            "touches failed": self._touches_failed,
            "stuck claims": self._stuck_claims,
        }
        return {name: Refreshed(partial(self._read, figure), self.fresh) for name, figure in figures.items()}

    def _read(self, figure: Figure) -> Sequence[GaugeMetricFamily]:
        return list(figure(self.clock.now()))

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Nothing: asking for the names must not ask the store."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        end = monotonic() + self.patience
        for read in self._reads.values():
            # It is read in a thread of its own, beside the others.
            read.get(0)
        found = {name: read.get(max(0.0, end - monotonic())) for name, read in self._reads.items()}
        for families in found.values():
            yield from families or ()
        yield _gauge(
            "tickler_figures_unread",
            "Whether a figure of the store could not be read, or not in time.",
            [([name], families is None) for name, families in found.items()],
            "figure",
        )

    def _reminders(self, now: datetime) -> Iterator[GaugeMetricFamily]:
        of, waiting = "calendar_reminder_dispatch_", self.watched.reminders(now)
        yield _one(f"{of}backlog", "Pending reminders with DueAt < now.", waiting.count)
        yield _one(
            f"{of}oldest_due_age_seconds",
            "How long the oldest of the backlog has been due; 0 where there is none.",
            _age(waiting, now),
        )

    def _outbox(self, now: datetime) -> Iterator[GaugeMetricFamily]:
        of, waiting = "calendar_outbox_", self.watched.outbox()
        yield _one(f"{of}lag_rows", "Messages that wait to be published.", waiting.count)
        yield _one(
            f"{of}lag_seconds",
            "How long the oldest of them has waited; 0 where there is none.",
            _age(waiting, now),
        )

    def _outbox_parked(self, _: datetime) -> Iterator[GaugeMetricFamily]:
        parked = self.watched.outbox_parked()
        yield _one("calendar_outbox_parked", "Messages that were refused for good.", parked)

    def _deliveries(self, now: datetime) -> Iterator[GaugeMetricFamily]:
        of = "notifications_delivery_"
        none = dict.fromkeys(self.channels, Backlog(0, None))
        waiting = sorted({**none, **self.watched.deliveries(now)}.items())
        yield _gauge(
            f"{of}backlog",
            "Deliveries that may be tried now.",
            [([channel], backlog.count) for channel, backlog in waiting],
            "channel",
        )
        yield _gauge(
            f"{of}oldest_age_seconds",
            "How long one of them has waited for that at most; 0 where there is none.",
            [([channel], _age(backlog, now)) for channel, backlog in waiting],
            "channel",
        )

    def _deliveries_unknown(self, _: datetime) -> Iterator[GaugeMetricFamily]:
        unknown = self.watched.deliveries_unknown()
        yield _one("notifications_delivery_unknown", "Deliveries that stand Unknown.", unknown)

    def _deliveries_failed(self, _: datetime) -> Iterator[GaugeMetricFamily]:
        failed = self.watched.deliveries_failed()
        yield _one("notifications_delivery_failed", "Deliveries that stand Failed.", failed)

    def _touches(self, now: datetime) -> Iterator[GaugeMetricFamily]:
        of, waiting = "deferred_touch_", self.watched.touches(now)
        yield _one(f"{of}backlog", "Pending touches that are due.", waiting.count)
        yield _one(
            f"{of}oldest_due_age_seconds",
            "How long the oldest of the backlog has been due; 0 where there is none.",
            _age(waiting, now),
        )

    def _touches_overdue(self, now: datetime) -> Iterator[GaugeMetricFamily]:
        overdue = self.watched.touches_overdue(now)
        yield _one("deferred_touch_stuck", "Touches in work whose lease is over.", overdue)

    def _touches_failed(self, _: datetime) -> Iterator[GaugeMetricFamily]:
        failed = self.watched.touches_failed()
        yield _one("deferred_touch_failed", "Touches that stand Failed.", failed)

    def _stuck_claims(self, now: datetime) -> Iterator[GaugeMetricFamily]:
        yield _gauge(
            "tickler_stuck_claims",
            "Claims whose lease was over 15 seconds ago, and that nobody took back.",
            [([kind.value], self.watched.stuck(kind, now)) for kind in ClaimKind],
            "kind",
        )


@frozen(eq=False)
class DatabaseGauges(Collector):
    """How the database does. `answers` raises where it does not, as `figures` does."""

    answers: Callable[[], bool]
    figures: Callable[[], DatabaseFigures]
    pool: Callable[[], PoolUse]
    fresh: float = FRESH_SECONDS
    patience: float = PATIENCE_SECONDS
    _up: Refreshed[bool] = field(init=False)
    _read: Refreshed[DatabaseFigures] = field(init=False)

    @_up.default
    def _new_up(self) -> Refreshed[bool]:
        return Refreshed(self.answers, self.fresh)

    @_read.default
    def _new_read(self) -> Refreshed[DatabaseFigures]:
        return Refreshed(self.figures, self.fresh)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Nothing: asking for the names must not ask the database."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        of = "tickler_database_"
        is_up = bool(self._up.get(self.patience))
        yield _one(f"{of}up", "Whether the database answers.", is_up)
        use = self.pool()
        yield _one(f"{of}pool_size", "Connections of this process to the database.", use.size)
        yield _one(f"{of}pool_in_use", "Those of them that work.", use.in_use)
        yield _one(f"{of}pool_waiting", "Askers that wait for one.", use.waiting)
        yield _one(f"{of}pool_max", "The most that there may be.", use.most)
        figures = self._read.get(self.patience) if is_up else None
        if figures is not None:
            yield _one(
                f"{of}oldest_transaction_seconds",
                "Age of the oldest open transaction; 0 where none is open.",
                figures.oldest_transaction,
            )
            yield _gauge(
                f"{of}dead_tuples",
                "Row versions that wait for a vacuum, by the database's statistics.",
                [([table.name], table.dead) for table in figures.tables],
                "table",
            )
            yield _gauge(
                f"{of}live_tuples",
                "Rows, by the database's statistics.",
                [([table.name], table.live) for table in figures.tables],
                "table",
            )


def _age(backlog: Backlog, now: datetime) -> float:
    return 0.0 if backlog.oldest is None else max(0.0, (now - backlog.oldest).total_seconds())


def _one(name: str, what: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, what, value=value)


def _gauge(name: str, what: str, samples: Sequence[Sample], *labels: str) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(name, what, labels=labels)
    for values, value in samples:
        gauge.add_metric(values, value)
    return gauge
