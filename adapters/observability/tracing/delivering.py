"""An attempt at a delivery, in the trace of what it is about."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from attrs import define, field
from opentelemetry.trace import SpanKind

from adapters.observability.tracing.spans import Spans, fail
from adapters.observability.tracing.traceparent import root_of, sound
from application.ports.channel import Accepted, Channel, Outcome, OutgoingMessage
from application.ports.deliveries import Deliveries
from application.ports.errors import Busy, Unavailable
from application.ports.notices import Notice
from domain.delivery import Delivery, Event, Template
from domain.values import TenantId

MOST = 10_000


@define
class Attempts:
    """What is in senders' hands, and the trace that each belongs to; the oldest give way past `MOST`."""

    spans: Spans
    _held: dict[UUID, tuple[Delivery, str | None]] = field(factory=dict, init=False)

    def take(self, delivery: Delivery, parent: str | None) -> None:
        while len(self._held) >= MOST:
            self._held.pop(next(iter(self._held)), None)
        self._held[delivery.id] = (delivery, parent)

    def find(self, id: UUID) -> tuple[Delivery | None, str | None]:
        return self._held.get(id, (None, None))

    def drop(self, id: UUID) -> None:
        self._held.pop(id, None)


class TracedDeliveries:
    """Deliveries whose claims ask for the traces of what is claimed. All else passes through."""

    def __init__(self, deliveries: Deliveries, attempts: Attempts) -> None:
        self._deliveries = deliveries
        self._attempts = attempts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._deliveries, name)

    def claim(
        self,
        channel: str,
        limit: int,
        now: datetime,
        lease_until: datetime,
        per_tenant: int | None = None,
        in_hand: Collection[TenantId] = (),
    ) -> Sequence[Delivery]:
        claimed = self._deliveries.claim(channel, limit, now, lease_until, per_tenant, in_hand)
        if claimed:
            self._follow(claimed)
        return claimed

    def settle(
        self,
        before: Delivery,
        happened: Sequence[Event],
        after: Delivery,
        then: Sequence[Delivery] = (),
        notice: Notice | None = None,
    ) -> None:
        self._deliveries.settle(before, happened, after, then, notice)
        self._attempts.drop(before.id)

    def _follow(self, claimed: Sequence[Delivery]) -> None:
        try:
            known = self._deliveries.traceparents([one.id for one in claimed])
        except (Unavailable, Busy):
            known = {}
        for one in claimed:
            is_answer = one.template is Template.TOUCH_ANSWER
            self._attempts.take(one, root_of(one.about_id) if is_answer else sound(known.get(one.id)))


class TracedChannel:
    """A channel whose sends are spans. All else passes through."""

    def __init__(self, channel: Channel, attempts: Attempts) -> None:
        self._channel = channel
        self._attempts = attempts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)

    def send(self, message: OutgoingMessage) -> Outcome:
        delivery, parent = self._attempts.find(message.id)
        with self._attempts.spans.span(
            "delivery attempt",
            parent=parent,
            kind=SpanKind.CLIENT,
            delivery_id=message.id,
            channel=self._channel.name,
            tenant_id=delivery.tenant_id if delivery else None,
            event_id=delivery.event_id if delivery else None,
        ) as span:
            if delivery is not None:
                span.set_attribute(_about(delivery), str(delivery.about_id))
                span.set_attribute("tickler.claim", delivery.claim)
            outcome = self._channel.send(message)
            span.set_attribute("tickler.outcome", type(outcome).__name__)
            if not isinstance(outcome, Accepted):
                fail(span, type(outcome).__name__)
        return outcome


def _about(delivery: Delivery) -> str:
    match delivery.template:
        case Template.TOUCH_ANSWER:
            return "tickler.touch_id"
        case Template.OPERATOR_NOTICE:
            return "tickler.notice_id"
        case _:
            return "tickler.reminder_id"
