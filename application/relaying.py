"""The outbox relay: claims messages, publishes outside of any transaction, marks what was acknowledged."""

from collections.abc import Sequence
from datetime import timedelta

from attrs import frozen

from application.ports.machine import Clock
from application.ports.outbox import ClaimedMessage, Outbox
from application.ports.publisher import LONGEST_PUBLISH, Acknowledgement, Never, NotNow, Published, Publisher


@frozen
class RelayResult:
    """How many of a batch were published, put off, parked, those left out whose claim was lost meanwhile;
    `reasons` names each reason once.
    """

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
    lease: timedelta = 2 * LONGEST_PUBLISH

    def batch(self) -> RelayResult:
        claims = self.outbox.claim(self.name, self.batch_size, self.clock.now(), self.lease)
        if not claims:
            return RelayResult()
        answers = self._publish(claims)
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
        return RelayResult(
            claimed=len(claims),
            published=self.outbox.mark_published(published, now) if published else 0,
            postponed=self.outbox.release(postponed) if postponed else 0,
            parked=self.outbox.park(parked, now) if parked else 0,
            reasons=tuple(reasons),
        )

    def _publish(self, claims: Sequence[ClaimedMessage]) -> Sequence[Acknowledgement]:
        """An answer a message, NotNow also where a publisher breaks its promise: nobody knows then."""
        try:
            answers = self.publisher.publish([claim.message for claim in claims])
        except Exception as problem:
            return [NotNow(f"the publisher broke: {type(problem).__name__}")] * len(claims)
        if len(answers) != len(claims):
            return [NotNow(f"the publisher gave {len(answers)} answers for {len(claims)}")] * len(claims)
        return answers
