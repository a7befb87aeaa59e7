"""Claim deliveries, look again whether they are still wanted, send them, and say what became of them.

One message, one delivery: at most once, except where the answer was lost and the channel's policy is to
repeat under the same id (design section 3).
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import datetime, timedelta
from functools import reduce

from attrs import field, frozen

from application.notifying import CONSOLE, address_key
from application.pacing import Lanes, Rates
from application.ports.channel import (
    Accepted,
    Channel,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from application.ports.deliveries import Deliveries
from application.ports.errors import Busy, Unavailable
from application.ports.ledger import Ledger
from application.ports.machine import Clock, Ids
from application.ports.people import ContactPoint, People, Recipient
from application.ports.templates import Templates
from application.wording import language_of
from domain import delivery
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery, SkipReason
from domain.errors import ClaimIsLost, Invalid
from domain.values import DeliveryId, EventStatus

# How soon a free sender looks for more while others are busy, in seconds.
LOOK_AGAIN_S = 0.5
LANE_WAIT = timedelta(seconds=2)


@frozen
class DeliveryOptions:
    """`lease` outlasts a send; waits between tries double from `first_wait` to `longest_wait`.

    At once `senders` messages are sent on a channel, no more of one tenant than `per_tenant` and no more to
    one host than `per_host`, so that one that hangs leaves room for the others.
    """

    senders: int = 8
    per_tenant: int = 2
    per_host: int = 2
    lease: timedelta = timedelta(seconds=60)
    max_attempts: int = 5
    first_wait: timedelta = timedelta(seconds=15)
    longest_wait: timedelta = timedelta(minutes=30)


@frozen
class Handled:
    """What became of one delivery, in ids only."""

    delivery_id: DeliveryId
    channel: str
    status: delivery.Status
    reason: str | None


@frozen
class Delivering:
    """The deliveries of one channel. `spread` gives a number from 0 to 1: waits differ by up to a half."""

    deliveries: Deliveries
    people: People
    ledger: Ledger
    channel: Channel
    clock: Clock
    templates: Templates
    ids: Ids
    options: DeliveryOptions = DeliveryOptions()
    rates: Rates | None = None
    spread: Callable[[], float] = lambda: 1.0
    _lanes: Lanes = field(init=False)

    @_lanes.default
    def _new_lanes(self) -> Lanes:
        return Lanes(self.options.per_host)

    def __attrs_post_init__(self) -> None:
        if self.options.lease <= self.channel.timeout:
            raise Invalid(f"lease: it must be longer than a send on {self.channel.name} can take")

    def tick(self, stopping: Callable[[], bool] = lambda: False) -> Iterator[Handled]:
        """Send what is due on this channel until nothing is, several at once.

        On a stop nothing more is begun, and what is being sent is waited for. What is claimed is in a
        sender's hands at once: what a process holds when it dies becomes Unknown, sent or not.
        """
        with ThreadPoolExecutor(self.options.senders, f"send {self.channel.name}") as senders:
            sending: set[Future[Handled | None]] = set()
            while True:
                yield from self._lose_track_of_overdue()
                if not stopping():
                    claimed = self._claim(self.options.senders - len(sending))
                    sending |= {senders.submit(self._deliver, one, stopping) for one in claimed}
                if not sending:
                    return
                done, sending = wait(sending, LOOK_AGAIN_S, FIRST_COMPLETED)
                for handled in [one.result() for one in done]:
                    if handled is not None:
                        yield handled

    def _claim(self, free: int) -> Sequence[Delivery]:
        if not free:
            return []
        now = self.clock.now()
        return self.deliveries.claim(
            self.channel.name, free, now, now + self.options.lease, self.options.per_tenant
        )

    def _lose_track_of_overdue(self) -> Iterator[Handled]:
        now = self.clock.now()
        for one in self.deliveries.overdue(self.channel.name, now, 100):
            lost = self._settle(one, delivery.LoseTrack(one.claim, "its sender fell silent", now))
            if lost is not None:
                yield _handled(lost)

    def _has_time_for(self, claimed: Delivery) -> bool:
        """Whether a send that takes its longest would end within the lease."""
        lease_until = claimed.lease_until
        return lease_until is not None and self.clock.now() + self.channel.timeout < lease_until

    def _deliver(self, claimed: Delivery, stopping: Callable[[], bool]) -> Handled | None:
        if stopping() or not self._has_time_for(claimed):
            self._give_back(claimed)
            return None
        found: OutgoingMessage | SkipReason | Outcome
        try:
            found = self._look_again(claimed)
        except (Unavailable, Busy):
            with suppress(Unavailable, Busy):
                self._give_back(claimed)
            raise
        except Exception as problem:
            # Something about this one cannot be read or told. The others are no worse for it.
            found = Later(f"it could not be made ready: {type(problem).__name__}")
        outcome = self._send_in_turn(claimed, found) if isinstance(found, OutgoingMessage) else found
        command = outcome if isinstance(outcome, delivery.GiveBack) else self._meaning(claimed, outcome)
        settled = self._settle(claimed, command)
        if isinstance(command, delivery.GiveBack):
            return None
        return _handled(settled) if settled is not None else None

    def _look_again(self, claimed: Delivery) -> OutgoingMessage | SkipReason:
        """The message, or why it is not wanted any more."""
        found = self.ledger.event(claimed.event_id)
        if found is None:
            return SkipReason.CANCELLED
        known = self.people.recipients({(claimed.tenant_id, claimed.user_id)}).get(claimed.user_id)
        unwanted = _unwanted(found.state, known, claimed, self.clock.now())
        if unwanted is not None:
            return unwanted
        point = _point(known, claimed)
        if self.channel.name != CONSOLE and point is not None:
            return self._message(claimed, found.state, known, point.address, point.secret)
        address = known.person.handle if known else str(claimed.user_id)
        return self._message(claimed, found.state, known, address, None)

    def _send_in_turn(self, claimed: Delivery, message: OutgoingMessage) -> Outcome | delivery.GiveBack:
        """Send it, unless that would be too fast, or too much at once for its host."""
        if not self._lanes.enter(message.address):
            return self._later(claimed, LANE_WAIT)
        try:
            wait = self.rates.wait(self.channel.name, claimed.tenant_id) if self.rates else 0.0
            return self._later(claimed, timedelta(seconds=wait)) if wait else self._send(message)
        finally:
            self._lanes.leave(message.address)

    def _later(self, claimed: Delivery, wait: timedelta) -> delivery.GiveBack:
        now = self.clock.now()
        return delivery.GiveBack(claimed.claim, now, now + wait)

    def _send(self, message: OutgoingMessage) -> Outcome:
        try:
            return self.channel.send(message)
        except Exception as problem:
            # A channel that breaks its promise: it may have broken before the message left, or after.
            return OutcomeUnknown(f"the channel broke: {type(problem).__name__}")

    def _meaning(self, claimed: Delivery, outcome: Outcome | SkipReason) -> delivery.Command:
        now = self.clock.now()
        match outcome:
            case SkipReason():
                return delivery.Skip(claimed.claim, outcome, now)
            case Accepted(provider_id):
                return delivery.Accept(claimed.claim, provider_id, now)
            case RefusedForGood(reason):
                return delivery.Refuse(claimed.claim, reason, now)
            case Later(reason, retry_after):
                if claimed.attempts >= self.options.max_attempts:
                    return delivery.Refuse(claimed.claim, f"{claimed.attempts} tries: {reason}", now)
                wait = max(self._wait(claimed), retry_after or timedelta(0))
                return delivery.Postpone(claimed.claim, reason, now + wait, now)
            case OutcomeUnknown(reason):
                return delivery.LoseTrack(claimed.claim, reason, now)

    def _give_back(self, claimed: Delivery) -> None:
        self._settle(claimed, delivery.GiveBack(claimed.claim, self.clock.now()))

    def _message(
        self,
        claimed: Delivery,
        event: CalendarEvent,
        known: Recipient | None,
        address: str,
        secret: str | None,
    ) -> OutgoingMessage:
        person = known.person if known else None
        language = language_of(person, claimed.tenant_id, self.people, self.templates)
        time_zone = person.time_zone if person else event.timing.time_zone
        title = self.ledger.title(event.id)
        said = self.templates.reminder(claimed.template, event, title, language, time_zone)
        data: dict[str, str | int | None] = {
            "reminderId": str(claimed.reminder_id),
            "eventId": str(event.id),
            "tenantId": str(event.tenant_id),
            "kind": event.kind.value,
            "startAt": event.timing.start_at.isoformat(),
            "timeZone": event.timing.time_zone,
        }
        return OutgoingMessage(
            claimed.id,
            address,
            claimed.template.value,
            said.subject,
            said.text,
            data,
            html=said.html,
            secret=secret,
        )

    def _wait(self, claimed: Delivery) -> timedelta:
        doublings = min(max(claimed.attempts - 1, 0), 16)
        longest = min(self.options.first_wait * (1 << doublings), self.options.longest_wait)
        return longest * (0.5 + self.spread() / 2)

    def _settle(self, before: Delivery, command: delivery.Command) -> Delivery | None:
        """The delivery after the command, and after its repeat; None when another claim has it by now."""
        try:
            happened = delivery.decide(before, command)
            after = reduce(delivery.evolve, happened, before)
            if self._is_repeated(after):
                now = self.clock.now()
                repeat = delivery.decide(after, delivery.Repeat(now + self._wait(after), now))
                happened, after = [*happened, *repeat], reduce(delivery.evolve, repeat, after)
            self.deliveries.settle(before, happened, after, self._next(after))
        except ClaimIsLost:
            return None
        return after

    def _next(self, after: Delivery) -> Sequence[Delivery]:
        """After a refusal for good, the same to the person's next contact point; never where it is in doubt
        whether the first one arrived.
        """
        if after.status is not delivery.Status.FAILED or after.in_doubt:
            return ()
        known = self.people.recipients({(after.tenant_id, after.user_id)}).get(after.user_id)
        point = _following(known.contact_points if known else (), after)
        if point is None:
            return ()
        create = delivery.Create(
            id=DeliveryId(self.ids.new()),
            tenant_id=after.tenant_id,
            reminder_id=after.reminder_id,
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

    def _is_repeated(self, one: Delivery) -> bool:
        """An Unknown one goes back to Pending where the channel repeats and tries are left."""
        return (
            one.status is delivery.Status.UNKNOWN
            and self.channel.repeats_unknown
            and one.attempts < self.options.max_attempts
        )


def _unwanted(
    event: CalendarEvent, known: Recipient | None, claimed: Delivery, now: datetime
) -> SkipReason | None:
    """Why the message is not to be sent after all; the first reason that holds."""
    if event.status is EventStatus.CANCELLED:
        return SkipReason.CANCELLED
    if _is_over(event, claimed, now):
        return SkipReason.EVENT_OVER
    if claimed.user_id not in (event.owner_user_id, event.client_user_id):
        return SkipReason.TAKEN_OFF
    if known is not None and not known.person.is_member:
        return SkipReason.NOT_MEMBER
    return SkipReason.OPTED_OUT if _has_opted_out(known, claimed) else None


def _is_over(event: CalendarEvent, claimed: Delivery, now: datetime) -> bool:
    """Whether the event is over; a reminder that was due only after its end is for afterwards."""
    end = event.timing.end_at
    if event.status is EventStatus.COMPLETED:
        return True
    return end is not None and claimed.due_at < end <= now


def _point(known: Recipient | None, claimed: Delivery) -> ContactPoint | None:
    points = known.contact_points if known else ()
    return next((point for point in points if point.id == claimed.contact_point_id), None)


def _has_opted_out(known: Recipient | None, claimed: Delivery) -> bool:
    """Of the address or of the channel; an address that is gone is one nobody wants to be written to at."""
    point = _point(known, claimed)
    if known is not None and claimed.channel in known.opted_out:
        return True
    return claimed.contact_point_id is not None and (point is None or point.opted_out)


def _following(points: Sequence[ContactPoint], after: Delivery) -> ContactPoint | None:
    """The first after the delivery's own that the person did not opt out of."""
    behind = iter(points)
    if not any(point.id == after.contact_point_id for point in behind):
        return None
    return next((point for point in behind if not point.opted_out), None)


def _handled(one: Delivery) -> Handled:
    return Handled(one.id, one.channel, one.status, one.reason)
