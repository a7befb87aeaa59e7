"""A message of which nobody knew whether it arrived did arrive, a person says."""

from attrs import frozen

from application.ports.deliveries import Deliveries
from application.ports.machine import Clock
from domain import delivery
from domain.delivery import Delivery
from domain.errors import NoSuchDelivery
from domain.values import DeliveryId


@frozen
class Confirming:
    deliveries: Deliveries
    clock: Clock

    def confirm(self, id_: DeliveryId, by: str) -> Delivery:
        """The delivery, which is Delivered by the word of `by`; one that was so before is left as it is.

        Raises NoSuchDelivery, DeliveryIsOver, DeliveryIsUnderWay, and ClaimIsLost when it changes meanwhile.
        """
        before = self.deliveries.by_id(id_)
        if before is None:
            raise NoSuchDelivery
        happened = delivery.decide(before, delivery.Confirm(by, self.clock.now()))
        after = before
        for one in happened:
            after = delivery.evolve(after, one)
        if happened:
            self.deliveries.settle(before, happened, after)
        return after
