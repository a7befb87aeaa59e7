"""The outbox relay: claims messages, publishes outside of any transaction, marks what was acknowledged."""

from datetime import timedelta

from attrs import field, frozen

from application.ports.machine import Clock
from application.ports.outbox import ClaimedMessage, Outbox
from application.ports.publisher import Never, NotNow, Published, Publisher


@frozen
class RelayResult:
    """How many of a batch were published, put off, parked; `reasons` names each reason once."""

    claimed: int = 0
    published: int = 0
    postponed: int = 0
    parked: int = 0
    reasons: tuple[str, ...] = ()


@frozen
class Relay:
    """One batch at a time; several relays may run beside each other. At least once.

    `lease` must outlast the longest `publish`; a relay that comes back after its lease marks nothing.
    """

    outbox: Outbox
    publisher: Publisher
    clock: Clock
    name: str
    batch_size: int = 500
    lease: timedelta = field(default=timedelta(seconds=60))

    def batch(self) -> RelayResult:
        claims = self.outbox.claim(self.name, self.batch_size, self.clock.now(), self.lease)
        if not claims:
            return RelayResult()
        answers = self.publisher.publish([claim.message for claim in claims])
        published: list[ClaimedMessage] = []
        postponed: list[ClaimedMessage] = []
        parked: list[tuple[ClaimedMessage, str]] = []
        reasons: dict[str, None] = {}
        for claim, answer in zip(claims, answers, strict=True):
            match answer:
                case Published():
                    published.append(claim)
                case NotNow(reason):
                    postponed.append(claim)
                    reasons[reason] = None
                case Never(reason):
                    parked.append((claim, reason))
                    reasons[reason] = None
        now = self.clock.now()
        marked = self.outbox.mark_published(published, now) if published else 0
        if parked:
            self.outbox.park(parked, now)
        if postponed:
            self.outbox.release(postponed)
        return RelayResult(len(claims), marked, len(postponed), len(parked), tuple(reasons))
