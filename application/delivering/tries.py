"""How often and how soon a message is tried, and what an answer means for its delivery."""

from collections.abc import Callable
from datetime import datetime, timedelta

from attrs import frozen

from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from domain import delivery
from domain.delivery import Delivery, SkipReason


@frozen
class DeliveryOptions:
    """`lease` outlasts a send; waits between tries double from `first_wait` to `longest_wait`.

    After `max_attempts` a message that could not be sent goes on to the person's next address. Where there is
    none it is tried until `patience` has passed since it was due, and so often at least. One of unknown fate
    is repeated up to `max_attempts`.

    At once `senders` messages are sent on a channel, no more of one tenant than `per_tenant` and no more to
    one host than `per_host`, so that one that hangs leaves room for the others.
    """

    senders: int = 8
    per_tenant: int = 2
    per_host: int = 2
    lease: timedelta = timedelta(seconds=60)
    max_attempts: int = 5
    first_wait: timedelta = timedelta(seconds=15)
    longest_wait: timedelta = timedelta(minutes=5)
    patience: timedelta = timedelta(hours=24)


@frozen
class Tries:
    """`spread` gives a number from 0 to 1, by which waits differ by up to a half."""

    options: DeliveryOptions
    repeats_unknown: bool
    spread: Callable[[], float]

    def meaning(
        self,
        claimed: Delivery,
        outcome: Outcome | SkipReason,
        now: datetime,
        goes_on: Callable[[], bool],
    ) -> delivery.Command:
        """What an answer, or why there was no need of one, says of the delivery.

        `goes_on` tells whether the person has another address to be told at.
        """
        match outcome:
            case SkipReason():
                return delivery.Skip(claimed.claim, outcome, now)
            case Accepted(provider_id):
                return delivery.Accept(claimed.claim, provider_id, now)
            case RefusedForGood(reason):
                return delivery.Refuse(claimed.claim, reason, now)
            case Later(reason, retry_after):
                if self._is_given_up(claimed, now, goes_on):
                    return delivery.Refuse(claimed.claim, f"{claimed.attempts} tries: {reason}", now)
                wait = max(self._wait(claimed), retry_after or timedelta(0))
                return delivery.Postpone(claimed.claim, reason, now + wait, now)
            case OutcomeUnknown(reason):
                return delivery.LoseTrack(claimed.claim, reason, now)

    def repeat(self, one: Delivery, now: datetime) -> delivery.Repeat | None:
        """An Unknown one goes back to Pending where the channel repeats and tries are left."""
        is_repeated = (
            one.status is delivery.Status.UNKNOWN
            and self.repeats_unknown
            and one.attempts < self.options.max_attempts
        )
        return delivery.Repeat(now + self._wait(one), now) if is_repeated else None

    def _is_given_up(self, claimed: Delivery, now: datetime, goes_on: Callable[[], bool]) -> bool:
        if claimed.attempts < self.options.max_attempts:
            return False
        return now >= claimed.due_at + self.options.patience or goes_on()

    def _wait(self, one: Delivery) -> timedelta:
        doublings = min(max(one.attempts - 1, 0), 16)
        longest = min(self.options.first_wait * (1 << doublings), self.options.longest_wait)
        return longest * (0.5 + self.spread() / 2)
