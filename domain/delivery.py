"""A delivery: one message about one thing to one address over one channel.

    Pending -> Sending -> Delivered | Failed | Unknown
    Sending -> Pending (later),  Pending -> Skipped(reason),  Unknown -> Pending | Delivered (a person's word)
    Failed -> Pending (a person's retry)

A Sending whose lease has run out is Unknown: a frozen sender cannot be fenced off a wire, so nobody knows
whether the message left. Delivered and Skipped are terminal, Failed until a person retries it (INV-DLV-2).
Kept as a row, not a stream.
"""

from datetime import datetime
from enum import StrEnum

import attrs
from attrs import frozen

from domain.errors import (
    BrokenHistory,
    ClaimIsLost,
    DeliveryIsOver,
    DeliveryIsUnderWay,
    MayArriveTwice,
    NoSuchDelivery,
)
from domain.values import ContactPointId, DeliveryId, EventId, NoticeId, ReminderId, TenantId, TouchId, UserId

AboutId = ReminderId | NoticeId | TouchId


class Status(StrEnum):
    PENDING = "Pending"
    SENDING = "Sending"
    DELIVERED = "Delivered"
    FAILED = "Failed"
    UNKNOWN = "Unknown"
    SKIPPED = "Skipped"


class SkipReason(StrEnum):
    """Why a message is not sent after all, as found at the moment of sending."""

    CANCELLED = "cancelled"
    EVENT_OVER = "event_over"
    MOVED = "moved"  # to another time, for which there is a reminder of its own
    OPTED_OUT = "opted_out"
    ADDRESS_GONE = "address_gone"  # it was removed
    NOT_MEMBER = "not_member"  # the person has left the tenant
    OTHER_TENANT = "other_tenant"  # the person is one of another tenant
    TAKEN_OFF = "taken_off"  # the person is no more the event's owner or client, or the tenant's operator


class Template(StrEnum):
    """Which message it is; of reminders the specification, algorithm, "Событие"."""

    APPOINTMENT_REMINDER = "AppointmentReminder"
    CALENDAR_REMINDER = "CalendarReminder"
    TOUCH_ANSWER = "TouchAnswer"  # what came of a deferred touch, to where it was asked for and nowhere else
    OPERATOR_NOTICE = "OperatorNotice"  # to a tenant's operator, about what went wrong


REMINDERS = (Template.APPOINTMENT_REMINDER, Template.CALENDAR_REMINDER)


@frozen
class Delivery:
    """`contact_point_id` is None for the console; the address itself is never a part of a delivery, and
    `address_key` is its hash: (about_id, channel, address_key) is unique. What it is about is a reminder of
    the event, or else a notice or a touch, which have none.

    `not_before` is when it may be tried next; `claim` counts the claims; a lease ends at `lease_until`. It is
    `in_doubt` when the answer to any of its attempts was lost, whatever came of it later.
    """

    id: DeliveryId
    tenant_id: TenantId
    about_id: AboutId
    event_id: EventId | None
    user_id: UserId
    channel: str
    contact_point_id: ContactPointId | None
    address_key: str
    template: Template
    due_at: datetime
    not_before: datetime
    status: Status = Status.PENDING
    attempts: int = 0
    claim: int = 0
    lease_until: datetime | None = None
    reason: str | None = None
    provider_id: str | None = None
    in_doubt: bool = False

    @property
    def reached_nobody(self) -> bool:
        """Whether it is over or held, still wanted, and nobody is known to have got it."""
        if self.status is Status.SKIPPED:
            return self.reason in (
                SkipReason.EVENT_OVER,
                SkipReason.ADDRESS_GONE,
                SkipReason.OTHER_TENANT,
            )
        return self.status is Status.FAILED or self.status is Status.UNKNOWN


@frozen
class Create:
    id: DeliveryId
    tenant_id: TenantId
    about_id: AboutId
    event_id: EventId | None
    user_id: UserId
    channel: str
    contact_point_id: ContactPointId | None
    address_key: str
    template: Template
    due_at: datetime
    at: datetime


@frozen
class Claim:
    """Take it for sending until `lease_until`."""

    lease_until: datetime
    at: datetime


@frozen
class Accept:
    """The channel took it; `provider_id` is the channel's own name for the message, where it gives one."""

    claim: int
    provider_id: str | None
    at: datetime


@frozen
class Refuse:
    """The channel said no for good."""

    claim: int
    reason: str
    at: datetime


@frozen
class Postpone:
    """The channel did not take it now; try again from `until`."""

    claim: int
    reason: str
    until: datetime
    at: datetime


@frozen
class GiveBack:
    """Claimed, and nothing was sent: back to Pending, not before `until`, and the attempt does not count."""

    claim: int
    at: datetime
    until: datetime | None = None


@frozen
class Skip:
    """Not to be sent after all, as the sender found when it looked again."""

    claim: int
    reason: SkipReason
    at: datetime


@frozen
class LoseTrack:
    """It may have left or not: the answer was lost, or the lease ran out while it was being sent."""

    claim: int
    reason: str
    at: datetime


@frozen
class Repeat:
    """Try an Unknown one again from `not_before`, under the same idempotency key."""

    not_before: datetime
    at: datetime


@frozen
class Confirm:
    """An Unknown one did arrive, says `by`, who has looked."""

    by: str
    at: datetime


@frozen
class Retry:
    """A person's wish that a Failed or Unknown one be tried again, under the same idempotency key, its tries
    counted anew; `may_arrive_twice` where it is in doubt whether it arrived.
    """

    at: datetime
    may_arrive_twice: bool = False


Command = Create | Claim | Accept | Refuse | Postpone | GiveBack | Skip | LoseTrack | Repeat | Confirm | Retry


@frozen
class DeliveryCreated:
    delivery: Delivery


@frozen
class DeliveryClaimed:
    lease_until: datetime
    at: datetime


@frozen
class DeliveryAccepted:
    provider_id: str | None
    at: datetime


@frozen
class DeliveryRefused:
    reason: str
    at: datetime


@frozen
class DeliveryPostponed:
    reason: str
    until: datetime
    at: datetime


@frozen
class DeliveryGivenBack:
    at: datetime
    until: datetime | None = None


@frozen
class DeliverySkipped:
    reason: SkipReason
    at: datetime


@frozen
class DeliveryLost:
    reason: str
    at: datetime


@frozen
class DeliveryRepeated:
    not_before: datetime
    at: datetime


@frozen
class DeliveryConfirmed:
    by: str
    at: datetime


@frozen
class DeliveryRetried:
    at: datetime


Event = (
    DeliveryCreated
    | DeliveryClaimed
    | DeliveryAccepted
    | DeliveryRefused
    | DeliveryPostponed
    | DeliveryGivenBack
    | DeliverySkipped
    | DeliveryLost
    | DeliveryRepeated
    | DeliveryConfirmed
    | DeliveryRetried
)

OVER = (Status.DELIVERED, Status.FAILED, Status.SKIPPED)


def decide(delivery: Delivery | None, command: Command) -> list[Event]:
    """What follows from a command; only the current claim may say what became of a message (INV-DLV-3)."""
    match delivery, command:
        case None, Create():
            return [DeliveryCreated(_created(command))]
        case None, _:
            raise NoSuchDelivery
        case Delivery(), Create():
            return []
        case Delivery(status=Status.DELIVERED), Confirm():
            return []
        case Delivery(status=Status.FAILED | Status.UNKNOWN), Retry(at, may_arrive_twice):
            if delivery.in_doubt and not may_arrive_twice:
                raise MayArriveTwice
            return [DeliveryRetried(at)]
        case Delivery(status=Status.PENDING | Status.SENDING), Retry():
            return []
        case Delivery(status=Status.DELIVERED | Status.FAILED | Status.SKIPPED), _:
            raise DeliveryIsOver
        case Delivery(status=Status.PENDING), Claim():
            return (
                [DeliveryClaimed(command.lease_until, command.at)]
                if delivery.not_before <= command.at
                else []
            )
        case Delivery(status=Status.UNKNOWN), Repeat(not_before, at):
            return [DeliveryRepeated(not_before, at)]
        case Delivery(status=Status.UNKNOWN), Confirm(by, at):
            return [DeliveryConfirmed(by, at)]
        case Delivery(), Confirm():
            raise DeliveryIsUnderWay
        case Delivery(), Claim() | Repeat() | Retry():
            raise ClaimIsLost
        case Delivery(), Accept() | Refuse() | Postpone() | GiveBack() | Skip() | LoseTrack():
            if delivery.status is not Status.SENDING or command.claim != delivery.claim:
                raise ClaimIsLost
            return [_outcome(command)]


def _outcome(command: Accept | Refuse | Postpone | GiveBack | Skip | LoseTrack) -> Event:
    match command:
        case Accept():
            return DeliveryAccepted(command.provider_id, command.at)
        case Refuse():
            return DeliveryRefused(command.reason, command.at)
        case Postpone():
            return DeliveryPostponed(command.reason, command.until, command.at)
        case GiveBack():
            return DeliveryGivenBack(command.at, command.until)
        case Skip():
            return DeliverySkipped(command.reason, command.at)
        case LoseTrack():
            return DeliveryLost(command.reason, command.at)


def _created(command: Create) -> Delivery:
    return Delivery(
        id=command.id,
        tenant_id=command.tenant_id,
        about_id=command.about_id,
        event_id=command.event_id,
        user_id=command.user_id,
        channel=command.channel,
        contact_point_id=command.contact_point_id,
        address_key=command.address_key,
        template=command.template,
        due_at=command.due_at,
        not_before=command.at,
    )


def evolve(delivery: Delivery | None, happened: Event) -> Delivery:
    """The delivery after what happened; it never refuses and never reads a clock."""
    match delivery, happened:
        case None, DeliveryCreated(created):
            return created
        case None, _:
            raise BrokenHistory(f"{type(happened).__name__} before DeliveryCreated")
        case Delivery(), DeliveryCreated():
            raise BrokenHistory("DeliveryCreated twice")
        case Delivery(status=Status.FAILED), DeliveryRetried(at):
            return _ended(delivery, Status.PENDING, attempts=0, not_before=at)
        case Delivery(status=Status.DELIVERED | Status.FAILED | Status.SKIPPED), _:
            raise BrokenHistory(f"{type(happened).__name__} after {delivery.status}")
        case Delivery(), DeliveryClaimed():
            return attrs.evolve(
                delivery,
                status=Status.SENDING,
                attempts=delivery.attempts + 1,
                claim=delivery.claim + 1,
                lease_until=happened.lease_until,
            )
        case Delivery(), DeliveryAccepted():
            return _ended(delivery, Status.DELIVERED, reason=None, provider_id=happened.provider_id)
        case Delivery(), DeliveryRefused():
            return _ended(delivery, Status.FAILED, reason=happened.reason)
        case Delivery(), DeliveryPostponed():
            return _ended(delivery, Status.PENDING, reason=happened.reason, not_before=happened.until)
        case Delivery(), DeliveryGivenBack():
            return _ended(
                delivery,
                Status.PENDING,
                attempts=delivery.attempts - 1,
                not_before=happened.until or delivery.not_before,
            )
        case Delivery(), DeliverySkipped():
            return _ended(
                delivery, Status.SKIPPED, reason=happened.reason.value, attempts=delivery.attempts - 1
            )
        case Delivery(), DeliveryLost():
            return _ended(delivery, Status.UNKNOWN, reason=happened.reason, in_doubt=True)
        case Delivery(), DeliveryConfirmed(by):
            return _ended(delivery, Status.DELIVERED, reason=f"{by} says that it arrived")
        case Delivery(), DeliveryRetried(at):
            return _ended(delivery, Status.PENDING, attempts=0, not_before=at)
        case Delivery(), DeliveryRepeated():
            return _ended(delivery, Status.PENDING, not_before=happened.not_before)


def _ended(delivery: Delivery, status: Status, **changes: object) -> Delivery:
    return attrs.evolve(delivery, status=status, lease_until=None, **changes)  # type: ignore[arg-type]
