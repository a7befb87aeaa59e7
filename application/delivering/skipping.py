"""What waits on channels on which nothing is sent here is skipped once it is not to be sent any more.

Its channel's loop would skip it, but there may be none anywhere (docs/decisions/0037).
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from attrs import field, frozen

from application.delivering.composing import Composing
from application.delivering.following import Following
from application.delivering.handled import Handled, handled
from application.delivering.settling import Settling
from application.ports.deliveries import Deliveries
from application.ports.errors import Busy, Unavailable
from application.ports.ledger import Ledger
from application.ports.machine import Clock, Ids
from application.ports.people import People
from application.ports.templates import Templates
from application.ports.touches import Touches
from application.telling_operators import TellingOperators
from domain import delivery
from domain.delivery import Delivery, SkipReason


@frozen
class Looked:
    """One batch: those that were skipped, and the last that was looked at, or None where no more are left."""

    skipped: Sequence[Handled]
    last: Delivery | None


@frozen
class Skipping:
    """On channels other than those `served`, of which `limit` deliveries are looked at in a batch."""

    deliveries: Deliveries
    people: People
    ledger: Ledger
    clock: Clock
    templates: Templates
    touches: Touches
    ids: Ids
    served: Collection[str]
    limit: int = 100
    _composing: Composing = field(init=False)
    _settling: Settling = field(init=False)

    @_composing.default
    def _new_composing(self) -> Composing:
        return Composing(self.deliveries, self.people, self.ledger, self.clock, self.templates, self.touches)

    @_settling.default
    def _new_settling(self) -> Settling:
        following = Following(self.deliveries, self.people, self.ledger, self.ids)
        return Settling(self.deliveries, following, TellingOperators(self.people, self.ids))

    def batch(self, after: Delivery | None = None, stopping: Callable[[], bool] = lambda: False) -> Looked:
        """The next ones behind `after`. What is still wanted is left as it is, for whoever can send it."""
        now = self.clock.now()
        waiting = self.deliveries.waiting(self.served, now, self.limit, after)
        looked_at = [self._look(one, now) for one in waiting if not stopping()]
        return Looked(handled(looked_at), waiting[-1] if len(waiting) == self.limit else None)

    def _look(self, one: Delivery, now: datetime) -> Delivery | None:
        """The delivery as it was skipped; None when it was not, or is another's by now."""
        try:
            reason = self._composing.unwanted(one)
            return None if reason is None else self._skip(one, reason, now)
        except (Unavailable, Busy):
            raise
        except Exception:
            # It was claimed meanwhile, or something about it cannot be read. The others are no worse for it.
            return None

    def _skip(self, one: Delivery, reason: SkipReason, now: datetime) -> Delivery:
        """Claimed and skipped in one commit, so that it is in nobody's hands in between."""
        (claimed,) = delivery.decide(one, delivery.Claim(now, now))
        held = delivery.evolve(one, claimed)
        skipped = delivery.decide(held, delivery.Skip(held.claim, reason, now))
        return self._settling.settle(one, [claimed, *skipped], now)
