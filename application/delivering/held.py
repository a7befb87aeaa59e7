"""What a sender holds, and for how long."""

from collections.abc import Callable
from datetime import datetime, timedelta

from attrs import frozen

from domain.delivery import Delivery


@frozen
class Held:
    """A claimed delivery in a sender's hands. It was `claimed_at` when the monotonic clock said `began`.

    From then on the time is told without the store, whose clock is away whenever the store is.
    """

    delivery: Delivery
    claimed_at: datetime
    began: float
    monotonic: Callable[[], float]

    def now(self) -> datetime:
        return self.claimed_at + timedelta(seconds=self.monotonic() - self.began)

    def has(self, time: timedelta) -> bool:
        """Whether so much time is left of the lease."""
        lease_until = self.delivery.lease_until
        return lease_until is not None and self.now() + time < lease_until
