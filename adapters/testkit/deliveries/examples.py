"""Deliveries for the promises to be tried on."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from adapters.testkit.examples import MINUTE, NOON, OWNER, TENANT, numbered
from application.ports.deliveries import Deliveries, Received
from domain import delivery
from domain.delivery import Delivery, Template
from domain.values import DeliveryId, EventId, ReminderId, TenantId

REMINDER = ReminderId(numbered(501))
OTHER_REMINDER = ReminderId(numbered(502))
LEASE_END = NOON + MINUTE
INSTANT = timedelta(microseconds=1)


def made(
    number: int,
    reminder_id: ReminderId = REMINDER,
    *,
    channel: str = "console",
    address_key: str | None = None,
    due_at: datetime = NOON,
    not_before: datetime = NOON,
    tenant_id: TenantId = TENANT,
) -> Delivery:
    create = delivery.Create(
        id=DeliveryId(numbered(number)),
        tenant_id=tenant_id,
        about_id=reminder_id,
        event_id=EventId(numbered(500)),
        user_id=OWNER,
        channel=channel,
        contact_point_id=None,
        address_key=address_key or f"address {number}",
        template=Template.CALENDAR_REMINDER,
        due_at=due_at,
        at=not_before,
    )
    (created,) = delivery.decide(None, create)
    return delivery.evolve(None, created)


def claimed_one(deliveries: Deliveries) -> Delivery:
    deliveries.receive([Received(REMINDER, [made(1)])], NOON)
    (claimed,) = deliveries.claim("console", 1, NOON, LEASE_END)
    return claimed


def settle(deliveries: Deliveries, before: Delivery, command: delivery.Command, *then: Delivery) -> Delivery:
    (happened,) = delivery.decide(before, command)
    after = delivery.evolve(before, happened)
    deliveries.settle(before, [happened], after, then)
    return after


def ids(found: Sequence[Delivery]) -> list[DeliveryId]:
    return [one.id for one in found]
