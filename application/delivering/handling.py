"""One delivery in a sender's hands: made ready, sent in its turn, and what became of it written down."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import reduce

from attrs import frozen

from application.delivering.composing import Composing
from application.delivering.following import Following
from application.delivering.held import Held
from application.delivering.settling import Settling
from application.delivering.tries import Tries
from application.pacing import Lanes, Rates
from application.ports.channel import Channel, Later, Outcome, OutcomeUnknown, OutgoingMessage
from application.ports.errors import Busy, Unavailable
from application.ports.machine import Clock
from application.resting import Rests
from domain import delivery
from domain.delivery import Delivery, SkipReason
from domain.errors import ClaimIsLost

LANE_WAIT = timedelta(seconds=2)
# How soon an outcome is written again that the store did not take.
WRITE_AGAIN = timedelta(seconds=0.5)


@frozen
class Handling:
    """`pause` lets so many seconds pass."""

    channel: Channel
    clock: Clock
    composing: Composing
    following: Following
    settling: Settling
    tries: Tries
    lanes: Lanes
    rests: Rests
    rates: Rates | None
    pause: Callable[[float], object]

    def handle(self, held: Held, stopping: Callable[[], bool]) -> Delivery | None:
        """Send what was claimed, and give it back as it is then; None when it was given back unsent, or is
        another's by now.

        What became of it is written as soon as the store answers: tried until the lease ends, or a stop.
        Raises Unavailable or Busy when that is too late.
        """
        claimed = held.delivery
        if stopping() or not held.has(self.channel.timeout):
            self._give_back(held, stopping)
            return None
        found: OutgoingMessage | SkipReason | Outcome
        try:
            found = self.composing.message(claimed)
        except (Unavailable, Busy):
            with suppress(Unavailable, Busy):
                self._give_back(held, stopping)
            raise
        except Exception as problem:
            # Something about this one cannot be read or told. The others are no worse for it.
            found = Later(f"it could not be made ready: {type(problem).__name__}")
        outcome = self._send_in_turn(held, found) if isinstance(found, OutgoingMessage) else found
        if isinstance(outcome, delivery.GiveBack):
            self._settle_in_time(held, lambda: outcome, stopping)
            return None
        at = held.now()
        return self._settle_in_time(held, lambda: self._meaning(claimed, outcome, at), stopping)

    def lose_track(self, overdue: Delivery) -> Delivery | None:
        """The lease ran out while it was in somebody's hands; None when it is another's by now."""
        now = self.clock.now()
        return self._settle(overdue, delivery.LoseTrack(overdue.claim, "its sender fell silent", now), now)

    def _send_in_turn(self, held: Held, message: OutgoingMessage) -> Outcome | delivery.GiveBack:
        """Send it, unless that would be too fast, too much at once for its host, or in its host's rest.

        What is put off for a rest has had a try: it goes to the next address no later than if it had waited
        in vain itself.
        """
        if not self.lanes.enter(message.address):
            return _later(held, LANE_WAIT)
        try:
            wait = self.rates.wait(self.channel.name, held.delivery.tenant_id) if self.rates else 0.0
            if wait:
                return _later(held, timedelta(seconds=wait))
            if not self.rests.enter(message.address):
                return Later("its host answers nobody at present")
            return self._send(message)
        finally:
            self.lanes.leave(message.address)

    def _send(self, message: OutgoingMessage) -> Outcome:
        began = self.clock.monotonic()
        try:
            outcome = self.channel.send(message)
        except Exception as problem:
            # A channel that breaks its promise: it may have broken before the message left, or after.
            outcome = OutcomeUnknown(f"the channel broke: {type(problem).__name__}")
        self.rests.leave(message.address, self.clock.monotonic() - began, outcome)
        return outcome

    def _give_back(self, held: Held, stopping: Callable[[], bool]) -> None:
        command = delivery.GiveBack(held.delivery.claim, held.now())
        self._settle_in_time(held, lambda: command, stopping)

    def _meaning(self, claimed: Delivery, outcome: Outcome | SkipReason, at: datetime) -> delivery.Command:
        return self.tries.meaning(
            claimed, outcome, at, lambda: self.following.next_address(claimed) is not None
        )

    def _settle_in_time(
        self, held: Held, command: Callable[[], delivery.Command], stopping: Callable[[], bool]
    ) -> Delivery | None:
        """Settle, again and again while the store is away: an answer that was heard is not given twice."""
        while True:
            try:
                return self._settle(held.delivery, command(), held.now())
            except (Unavailable, Busy):
                if stopping() or not held.has(WRITE_AGAIN):
                    raise
            self.pause(WRITE_AGAIN.total_seconds())

    def _settle(self, before: Delivery, command: delivery.Command, now: datetime) -> Delivery | None:
        """The delivery after the command, and after its repeat; None when another claim has it by now."""
        try:
            happened = delivery.decide(before, command)
            after = reduce(delivery.evolve, happened, before)
            again = self.tries.repeat(after, now)
            if again is not None:
                happened = [*happened, *delivery.decide(after, again)]
            return self.settling.settle(before, happened, now)
        except ClaimIsLost:
            return None


def _later(held: Held, wait: timedelta) -> delivery.GiveBack:
    now = held.now()
    return delivery.GiveBack(held.delivery.claim, now, now + wait)
