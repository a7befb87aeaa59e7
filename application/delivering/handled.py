"""What became of deliveries, for whoever watches."""

from collections.abc import Sequence

from attrs import frozen

from domain import delivery
from domain.delivery import AboutId, Delivery
from domain.values import DeliveryId, TenantId


@frozen
class Handled:
    """What became of one delivery, in ids only."""

    delivery_id: DeliveryId
    about_id: AboutId
    tenant_id: TenantId
    channel: str
    status: delivery.Status
    reason: str | None


def handled(settled: Sequence[Delivery | None]) -> Sequence[Handled]:
    """None stands for one that another has by now."""
    return [
        Handled(one.id, one.about_id, one.tenant_id, one.channel, one.status, one.reason)
        for one in settled
        if one is not None
    ]
