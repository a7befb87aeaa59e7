"""What became of a delivery is written down, with what follows from it."""

from collections.abc import Sequence
from datetime import datetime
from functools import reduce

from attrs import frozen

from application.delivering.following import Following
from application.ports.deliveries import Deliveries
from application.ports.notices import Matter, MatterKind, Notice
from application.telling_operators import TellingOperators
from domain import delivery
from domain.delivery import Delivery, Template


@frozen
class Settling:
    deliveries: Deliveries
    following: Following
    telling: TellingOperators

    def settle(self, before: Delivery, happened: Sequence[delivery.Event], now: datetime) -> Delivery:
        """The delivery as it is then. Raises ClaimIsLost when another claim has it by now."""
        after = reduce(delivery.evolve, happened, before)
        then = self.following.after(after, now)
        self.deliveries.settle(before, happened, after, then, None if then else self._notice(after, now))
        return after

    def _notice(self, after: Delivery, now: datetime) -> Notice | None:
        """That it reached nobody, for the operator; a notice itself is not told of."""
        if not after.reached_nobody or after.template is Template.OPERATOR_NOTICE:
            return None
        if after.template is Template.TOUCH_ANSWER and after.status in delivery.OVER:
            return None  # the touch itself is closed for that, and told of
        matter = Matter(MatterKind.DELIVERY, after.id, after.event_id)
        return self.telling.notice(after.tenant_id, matter, now)
