"""One delivery in a sender's hands: made ready, sent in its turn, and what became of it written down."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import reduce

from attrs import frozen

from application.delivering.composing import Composing
from application.delivering.tries import Tries
from application.delivering.wanted import following
from application.notifying import address_key
from application.pacing import Lanes, Rates
from application.ports.channel import Channel, Later, Outcome, OutcomeUnknown, OutgoingMessage
from application.ports.deliveries import Deliveries
from application.ports.errors import Busy, Unavailable
from application.ports.machine import Clock, Ids
from application.ports.notices import Matter, MatterKind, Notice
from application.ports.people import People
from application.resting import Rests
from application.telling_operators import TellingOperators
from domain import delivery
from domain.delivery import Delivery, SkipReason, Template
from domain.errors import ClaimIsLost
from domain.values import DeliveryId

LANE_WAIT = timedelta(seconds=2)


@frozen
class Handling:
    deliveries: Deliveries
    people: People
    channel: Channel
    clock: Clock
    ids: Ids
    composing: Composing
    tries: Tries
    telling: TellingOperators
    lanes: Lanes
    rests: Rests
    rates: Rates | None

    def handle(self, claimed: Delivery, stopping: Callable[[], bool]) -> Delivery | None:
        """Send what was claimed, and give it back as it is then; None when it was given back unsent, or is
        another's by now.

        Raises Unavailable or Busy, and leaves it unsent where it can, when the store does not answer.
        """
        if stopping() or not self._has_time_for(claimed):
            self._give_back(claimed)
            return None
        found: OutgoingMessage | SkipReason | Outcome
        try:
            found = self.composing.message(claimed)
        except (Unavailable, Busy):
            with suppress(Unavailable, Busy):
                self._give_back(claimed)
            raise
        except Exception as problem:
            # Something about this one cannot be read or told. The others are no worse for it.
            found = Later(f"it could not be made ready: {type(problem).__name__}")
        outcome = self._send_in_turn(claimed, found) if isinstance(found, OutgoingMessage) else found
        if isinstance(outcome, delivery.GiveBack):
            self._settle(claimed, outcome)
            return None
        return self._settle(claimed, self.tries.meaning(claimed, outcome, self.clock.now()))

    def lose_track(self, overdue: Delivery) -> Delivery | None:
        """The lease ran out while it was in somebody's hands; None when it is another's by now."""
        return self._settle(
            overdue, delivery.LoseTrack(overdue.claim, "its sender fell silent", self.clock.now())
        )

    def _has_time_for(self, claimed: Delivery) -> bool:
        """Whether a send that takes its longest would end within the lease."""
        lease_until = claimed.lease_until
        return lease_until is not None and self.clock.now() + self.channel.timeout < lease_until

    def _send_in_turn(self, claimed: Delivery, message: OutgoingMessage) -> Outcome | delivery.GiveBack:
        """Send it, unless that would be too fast, too much at once for its host, or in its host's rest.

        What is put off for a rest has had a try: it goes to the next address no later than if it had waited
        in vain itself.
        """
        if not self.lanes.enter(message.address):
            return self._later(claimed, LANE_WAIT)
        try:
            wait = self.rates.wait(self.channel.name, claimed.tenant_id) if self.rates else 0.0
            if wait:
                return self._later(claimed, timedelta(seconds=wait))
            if not self.rests.enter(message.address):
                return Later("its host answers nobody at present")
            return self._send(message)
        finally:
            self.lanes.leave(message.address)

    def _later(self, claimed: Delivery, wait: timedelta) -> delivery.GiveBack:
        now = self.clock.now()
        return delivery.GiveBack(claimed.claim, now, now + wait)

    def _send(self, message: OutgoingMessage) -> Outcome:
        began = self.clock.monotonic()
        try:
            outcome = self.channel.send(message)
        except Exception as problem:
            # A channel that breaks its promise: it may have broken before the message left, or after.
            outcome = OutcomeUnknown(f"the channel broke: {type(problem).__name__}")
        self.rests.leave(message.address, self.clock.monotonic() - began, outcome)
        return outcome

    def _give_back(self, claimed: Delivery) -> None:
        self._settle(claimed, delivery.GiveBack(claimed.claim, self.clock.now()))

    def _settle(self, before: Delivery, command: delivery.Command) -> Delivery | None:
        """The delivery after the command, and after its repeat; None when another claim has it by now."""
        try:
            happened = delivery.decide(before, command)
            after = reduce(delivery.evolve, happened, before)
            again = self.tries.repeat(after, self.clock.now())
            if again is not None:
                repeat = delivery.decide(after, again)
                happened, after = [*happened, *repeat], reduce(delivery.evolve, repeat, after)
            then = self._next(after)
            self.deliveries.settle(before, happened, after, then, None if then else self._notice(after))
        except ClaimIsLost:
            return None
        return after

    def _notice(self, after: Delivery) -> Notice | None:
        """That it reached nobody, for the operator; a notice itself is not told of."""
        if not after.reached_nobody or after.template is Template.OPERATOR_NOTICE:
            return None
        matter = Matter(MatterKind.DELIVERY, after.id, after.event_id)
        return self.telling.notice(after.tenant_id, matter, self.clock.now())

    def _next(self, after: Delivery) -> Sequence[Delivery]:
        """After a refusal for good, the same to the person's next contact point; never where it is in doubt
        whether the first one arrived.
        """
        if after.status is not delivery.Status.FAILED or after.in_doubt:
            return ()
        known = self.people.recipients({(after.tenant_id, after.user_id)}).get(after.user_id)
        point = following(known.contact_points if known else (), after)
        if point is None:
            return ()
        create = delivery.Create(
            id=DeliveryId(self.ids.new()),
            tenant_id=after.tenant_id,
            about_id=after.about_id,
            event_id=after.event_id,
            user_id=after.user_id,
            channel=point.channel,
            contact_point_id=point.id,
            address_key=address_key(point),
            template=after.template,
            due_at=after.due_at,
            at=self.clock.now(),
        )
        return [delivery.evolve(None, created) for created in delivery.decide(None, create)]
