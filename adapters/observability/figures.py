"""Gauges that are read when somebody looks: how the store stands, and how its database does.

They are of the store and not of a process, so every process that is watched shows all of them: what waits is
seen to wait also when nobody is left who works on it. While the store does not answer they are left out,
since what was true is no news of what is; `tickler_database_up` says so.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from attrs import field, frozen
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from adapters.observability.refreshing import Refreshed
from application.ports.backlog import Backlog
from application.ports.machine import Clock
from application.ports.standing import Standing, Watched

# A scrape is answered within this, whatever the database does.
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


@frozen(eq=False)
class StoreGauges(Collector):
    """How the store stands. `channels` are there from the start, with nothing waiting."""

    watched: Watched
    clock: Clock
    channels: Collection[str]
    fresh: float = FRESH_SECONDS
    patience: float = PATIENCE_SECONDS
    _read: Refreshed[tuple[datetime, Standing]] = field(init=False)

    @_read.default
    def _new_read(self) -> Refreshed[tuple[datetime, Standing]]:
        return Refreshed(self._stands, self.fresh)

    def _stands(self) -> tuple[datetime, Standing]:
        now = self.clock.now()
        return now, self.watched.standing(now)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Nothing: asking for the names must not ask the store."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        found = self._read.get(self.patience)
        if found is not None:
            yield from _of_reminders(*found)
            yield from _of_outbox(*found)
            yield from _of_deliveries(*found, self.channels)
            yield from _of_touches(*found)
            stuck = found[1].stuck_claims.items()
            yield _gauge(
                "tickler_stuck_claims",
                "Claims whose lease was over 15 seconds ago, and that nobody took back.",
                [([kind.value], count) for kind, count in stuck],
                "kind",
            )


def _of_reminders(now: datetime, standing: Standing) -> Iterator[GaugeMetricFamily]:
    of = "calendar_reminder_dispatch_"
    yield _one(f"{of}backlog", "Pending reminders with DueAt < now.", standing.reminders.count)
    yield _one(
        f"{of}oldest_due_age_seconds",
        "How long the oldest of the backlog has been due; 0 where there is none.",
        _age(standing.reminders, now),
    )


def _of_outbox(now: datetime, standing: Standing) -> Iterator[GaugeMetricFamily]:
    of = "calendar_outbox_"
    yield _one(f"{of}lag_rows", "Messages that wait to be published.", standing.outbox.count)
    yield _one(
        f"{of}lag_seconds",
        "How long the oldest of them has waited; 0 where there is none.",
        _age(standing.outbox, now),
    )
    yield _one(f"{of}parked", "Messages that were refused for good.", standing.outbox_parked)


def _of_deliveries(
    now: datetime, standing: Standing, channels: Collection[str]
) -> Iterator[GaugeMetricFamily]:
    of = "notifications_delivery_"
    none = dict.fromkeys(channels, Backlog(0, None))
    waiting = sorted({**none, **standing.deliveries}.items())
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
    yield _one(f"{of}unknown", "Deliveries that stand Unknown.", standing.deliveries_unknown)
    yield _one(f"{of}failed", "Deliveries that stand Failed.", standing.deliveries_failed)


def _of_touches(now: datetime, standing: Standing) -> Iterator[GaugeMetricFamily]:
    of = "deferred_touch_"
    yield _one(f"{of}backlog", "Pending touches that are due.", standing.touches.count)
    yield _one(
        f"{of}oldest_due_age_seconds",
        "How long the oldest of the backlog has been due; 0 where there is none.",
        _age(standing.touches, now),
    )
    yield _one(f"{of}stuck", "Touches in work whose lease is over.", standing.touches_overdue)
    yield _one(f"{of}failed", "Touches that stand Failed.", standing.touches_failed)


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
