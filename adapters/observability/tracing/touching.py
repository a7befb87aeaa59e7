"""Deferred touches: the id of a touch is its trace, and its registration the span above all others of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry.trace import SpanKind

from adapters.observability.tracing.spans import Spans, here
from adapters.observability.tracing.traceparent import root_of
from application.ports.ledger import Context
from application.ports.touches import (
    PlanChange,
    Registered,
    Registration,
    TouchChange,
    Touches,
    TouchTransaction,
)
from application.ports.work import Handlers, Outcome, TouchHandler, Work
from domain import deferred_touch
from domain.deferred_touch import DeferredTouch

TOLD: Mapping[type[deferred_touch.Event], str] = {
    deferred_touch.TouchClaimed: "touch claim",
    deferred_touch.TouchRecovered: "touch recovery",
    deferred_touch.TouchReleased: "touch release",
    deferred_touch.TouchAttemptFailed: "touch failed attempt",
    deferred_touch.TouchPutOff: "touch put off",
    deferred_touch.TouchAnswered: "touch answer",
    deferred_touch.TouchDelivered: "touch delivery",
    deferred_touch.TouchClosed: "touch close",
    deferred_touch.TouchCancelled: "touch cancel",
    deferred_touch.TouchFailed: "touch failure",
    deferred_touch.TouchRetried: "touch retry",
}


class TracedTouches:
    """Touches that tell what is committed to their streams. All else passes through."""

    def __init__(self, touches: Touches, spans: Spans) -> None:
        self._touches = touches
        self._spans = spans

    def __getattr__(self, name: str) -> Any:
        return getattr(self._touches, name)

    def register(self, registration: Registration, context: Context) -> Registered:
        registered = self._touches.register(registration, context)
        if registered.is_new:
            self._tell_registration(registered.touch)
        return registered

    @contextmanager
    def transaction(self, context: Context) -> Iterator["_Recorded"]:
        with self._touches.transaction(context) as transaction:
            recorded = _Recorded(transaction)
            yield recorded
        for change in recorded.changes:
            for event in change.events:
                self._tell(change.state, event)

    def _tell(self, touch: DeferredTouch, event: deferred_touch.Event) -> None:
        if isinstance(event, deferred_touch.TouchRegistered):
            self._tell_registration(touch)
            return
        self._spans.begin(
            TOLD[type(event)],
            parent=root_of(touch.id),
            link=here(),
            touch_id=touch.id,
            tenant_id=touch.tenant_id,
            kind_of_touch=touch.kind,
            claim=touch.claim,
            status=touch.status.value,
        ).end()

    def _tell_registration(self, touch: DeferredTouch) -> None:
        self._spans.begin(
            "touch registration",
            root=root_of(touch.id),
            link=here(),
            touch_id=touch.id,
            tenant_id=touch.tenant_id,
            kind_of_touch=touch.kind,
        ).end()


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


def traced_handlers(handlers: Handlers, spans: Spans) -> Handlers:
    return {kind: _traced(handler, spans) for kind, handler in handlers.items()}


def _traced(handler: TouchHandler, spans: Spans) -> TouchHandler:
    def work_on(work: Work) -> Outcome:
        with spans.span(
            "touch attempt",
            parent=root_of(work.touch_id),
            kind=SpanKind.CONSUMER,
            touch_id=work.touch_id,
            tenant_id=work.tenant_id,
            kind_of_touch=work.kind,
            attempt=work.attempt,
        ) as span:
            outcome = handler(work)
            span.set_attribute("tickler.outcome", type(outcome).__name__)
        return outcome

    return work_on
