"""Claim deliveries, look again whether they are still wanted, send them, and say what became of them.

One message, one delivery: at most once, except where the answer was lost and the channel's policy is to
repeat under the same id (design section 3).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event

from attrs import field, frozen

from application.delivering.composing import Composing
from application.delivering.following import Following
from application.delivering.handled import Handled, handled
from application.delivering.handling import Handling
from application.delivering.held import Held
from application.delivering.settling import Settling
from application.delivering.tries import DeliveryOptions, Tries
from application.pacing import Lanes, Rates
from application.ports.channel import Channel
from application.ports.deliveries import Deliveries
from application.ports.ledger import Ledger
from application.ports.machine import Clock, Ids
from application.ports.people import People
from application.ports.templates import Templates
from application.ports.touches import Touches
from application.resting import Rests
from application.telling_operators import TellingOperators
from domain.delivery import Delivery
from domain.errors import Invalid
from domain.values import TenantId

# How soon a free sender looks for more while others are busy, in seconds.
LOOK_AGAIN_S = 0.5


def _wait(seconds: float) -> None:
    Event().wait(seconds)


@frozen
class Delivering:
    """The deliveries of one channel. `spread` gives a number from 0 to 1: waits differ by up to a half.
    `pause` lets so many seconds pass, before what the store did not take is written again.
    """

    deliveries: Deliveries
    people: People
    ledger: Ledger
    channel: Channel
    clock: Clock
    templates: Templates
    touches: Touches
    ids: Ids
    options: DeliveryOptions = field(factory=DeliveryOptions)
    rates: Rates | None = None
    spread: Callable[[], float] = lambda: 1.0
    pause: Callable[[float], object] = _wait
    _handling: Handling = field(init=False)

    @_handling.default
    def _new_handling(self) -> Handling:
        following = Following(self.deliveries, self.people, self.ledger, self.ids)
        return Handling(
            self.channel,
            self.clock,
            Composing(self.deliveries, self.people, self.ledger, self.clock, self.templates, self.touches),
            following,
            Settling(self.deliveries, following, TellingOperators(self.people, self.ids)),
            Tries(self.options, self.channel.repeats_unknown, self.spread),
            Lanes(self.options.per_host),
            Rests(self.clock.monotonic),
            self.rates,
            self.pause,
        )

    def __attrs_post_init__(self) -> None:
        if self.options.lease <= self.channel.timeout:
            raise Invalid(f"lease: it must be longer than a send on {self.channel.name} can take")

    def tick(self, stopping: Callable[[], bool] = lambda: False) -> Iterator[Handled]:
        """Send what is due on this channel until nothing is, several at once.

        On a stop nothing more is begun, and what is being sent is waited for. What is claimed is in a
        sender's hands at once: what a process holds when it dies becomes Unknown, sent or not.
        """
        with ThreadPoolExecutor(self.options.senders, f"send {self.channel.name}") as senders:
            sending: dict[Future[Delivery | None], TenantId] = {}
            while True:
                yield from self._lose_track_of_overdue()
                if not stopping():
                    claimed = self._claim(self.options.senders - len(sending), sending.values())
                    sending |= {
                        senders.submit(self._handling.handle, one, stopping): one.delivery.tenant_id
                        for one in claimed
                    }
                if not sending:
                    return
                done, _ = wait(sending, LOOK_AGAIN_S, FIRST_COMPLETED)
                for one in done:
                    del sending[one]
                yield from handled([one.result() for one in done])

    def _claim(self, free: int, in_hand: Collection[TenantId]) -> Sequence[Held]:
        if not free:
            return []
        began, now = self.clock.monotonic(), self.clock.now()
        claimed = self.deliveries.claim(
            self.channel.name, free, now, now + self.options.lease, self.options.per_tenant, in_hand
        )
        return [Held(one, now, began, self.clock.monotonic) for one in claimed]

    def _lose_track_of_overdue(self) -> Iterator[Handled]:
        overdue = self.deliveries.overdue(self.channel.name, self.clock.now(), 100)
        for one in overdue:
            yield from handled([self._handling.lose_track(one)])
