"""A message that was given up is taken up again by hand."""

from functools import reduce

from attrs import frozen

from application.ports.deliveries import Deliveries
from application.ports.machine import Clock
from domain import delivery
from domain.delivery import Delivery
from domain.errors import NoSuchDelivery
from domain.values import DeliveryId


@frozen
class Retrying:
    deliveries: Deliveries
    clock: Clock

    def retry(self, id_: DeliveryId, *, may_arrive_twice: bool = False) -> Delivery | None:
        """The delivery, which waits to be sent again; None for one that waits or is being sent already, which
        is left as it is.

        Raises NoSuchDelivery, DeliveryIsOver, MayArriveTwice, and ClaimIsLost when it changes meanwhile.
        """
        before = self.deliveries.by_id(id_)
        if before is None:
            raise NoSuchDelivery
        happened = delivery.decide(before, delivery.Retry(self.clock.now(), may_arrive_twice))
        if not happened:
            return None
        after = reduce(delivery.evolve, happened, before)
        self.deliveries.settle(before, happened, after)
        return after
