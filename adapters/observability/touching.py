"""Deferred touches, counted when what happened to them is committed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from adapters.observability.metrics import TouchMetrics
from application.ports.ledger import Context
from application.ports.touches import PlanChange, TouchChange, Touches, TouchTransaction
from domain import deferred_touch
from domain.deferred_touch import CloseReason


class ObservedTouches:
    """Touches that count what is committed to their streams. All else passes through."""

    def __init__(self, touches: Touches, metrics: TouchMetrics) -> None:
        self._touches = touches
        self._metrics = metrics

    def __getattr__(self, name: str) -> Any:
        return getattr(self._touches, name)

    @contextmanager
    def transaction(self, context: Context) -> Iterator["_Recorded"]:
        with self._touches.transaction(context) as transaction:
            recorded = _Recorded(transaction)
            yield recorded
        for change in recorded.changes:
            self._count(change)

    def _count(self, change: TouchChange) -> None:
        touch = change.state
        for event in change.events:
            match event:
                case deferred_touch.TouchClaimed():
                    self._metrics.claims.labels(touch.kind).inc()
                    if touch.claim == 1:
                        self._metrics.lateness.observe((event.at - touch.due_at).total_seconds())
                case deferred_touch.TouchRecovered():
                    self._metrics.recoveries.inc()
                case _ if result := _result(event):
                    self._metrics.items.labels(result).inc()


def _result(event: deferred_touch.Event) -> str | None:
    match event:
        case deferred_touch.TouchAnswered():
            return "answered"
        case deferred_touch.TouchClosed(reason=CloseReason.NOTHING_TO_SAY):
            return "nothing_to_say"
        case deferred_touch.TouchClosed(reason=CloseReason.UNDELIVERABLE):
            return "undeliverable"
        case deferred_touch.TouchPutOff():
            return "again"
        case deferred_touch.TouchAttemptFailed():
            return "failed_attempt"
        case deferred_touch.TouchFailed():
            return "failed"
    return None


class _Recorded:
    """A transaction that remembers what was done to touches in it."""

    def __init__(self, transaction: TouchTransaction) -> None:
        self._transaction = transaction
        self.changes: list[TouchChange] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def record(self, changes: Sequence[TouchChange | PlanChange]) -> None:
        self._transaction.record(changes)
        self.changes += [change for change in changes if isinstance(change, TouchChange)]
