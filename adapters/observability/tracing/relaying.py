"""What is published and taken in, in the trace of the cycle that sent it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import attrs
from attrs import field, frozen
from opentelemetry.trace import SpanKind

from adapters.observability.relaying import ObservedReceiving
from adapters.observability.tracing.spans import Spans, fail
from adapters.observability.tracing.traceparent import carried, carrying, told_of
from application.notifying import Notifying
from application.ports.deliveries import Deliveries, Received
from application.ports.outbox import Message
from application.ports.publisher import Acknowledgement, Published, Publisher
from application.receiving import Outcome, Receiving, TakenIn
from domain.policies import ReminderDueEvent


@frozen
class TracedPublisher:
    """Each message is a span; who takes it in within this process finds its trace by its id."""

    publisher: Publisher
    spans: Spans

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        parents = [told_of(message.headers) for message in messages]
        begun = [
            self.spans.begin(
                "relay publish",
                parent=parent,
                kind=SpanKind.PRODUCER,
                reminder_id=message.id,
                event_id=message.key,
            )
            for message, parent in zip(messages, parents, strict=True)
        ]
        known = {
            message.id: parent
            for message, parent in zip(messages, parents, strict=True)
            if parent is not None
        }
        answers: Sequence[Acknowledgement] = ()
        try:
            with carrying(known):
                answers = self.publisher.publish(messages)
        finally:
            for place, span in enumerate(begun):
                answer = answers[place] if place < len(answers) else None
                if not isinstance(answer, Published):
                    fail(span, type(answer).__name__)
                span.end()
        return answers


class TracedInbox:
    """Deliveries whose inbox keeps the traces that reminders came with. All else passes through."""

    def __init__(self, deliveries: Deliveries) -> None:
        self._deliveries = deliveries

    def __getattr__(self, name: str) -> Any:
        return getattr(self._deliveries, name)

    def receive(self, received: Sequence[Received], now: datetime) -> Sequence[bool]:
        followed = [attrs.evolve(one, traceparent=carried(one.reminder_id)) for one in received]
        return self._deliveries.receive(followed, now)


def traced_receiving(receiving: ObservedReceiving, spans: Spans) -> Receiving:
    fields = {one.name: getattr(receiving, one.name) for one in attrs.fields(type(receiving))}
    notifying: Notifying = receiving.notifying
    followed = attrs.evolve(notifying, deliveries=TracedInbox(notifying.deliveries))
    return TracedReceiving(**{**fields, "notifying": followed}, spans=spans)


@frozen
class TracedReceiving(ObservedReceiving):
    spans: Spans = field(kw_only=True)

    def take_in(self, due: Sequence[ReminderDueEvent]) -> Sequence[Outcome]:
        begun = [
            self.spans.begin(
                "consumer receive",
                parent=carried(one.reminder_id),
                kind=SpanKind.CONSUMER,
                tenant_id=one.tenant_id,
                reminder_id=one.reminder_id,
                event_id=one.event_id,
            )
            for one in due
        ]
        outcomes: Sequence[Outcome] = ()
        try:
            outcomes = super().take_in(due)
        finally:
            for place, span in enumerate(begun):
                outcome = outcomes[place] if place < len(outcomes) else None
                if isinstance(outcome, TakenIn):
                    span.set_attribute("tickler.is_new", outcome.is_new)
                else:
                    fail(span, type(outcome).__name__)
                span.end()
        return outcomes
