"""The consumer's inbox, and the messages that come of it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from attrs import frozen

from application.ports.backlog import Backlog
from application.ports.notices import Matters, Notice
from domain.delivery import Delivery, Status
from domain.delivery import Event as DeliveryEvent
from domain.values import DeliveryId, NoticeId, ReminderId, TenantId


@frozen
class Received:
    """A due reminder as the consumer took it in, and the deliveries that it makes.

    `traceparent` is the W3C trace context that it came with, 55 characters, where somebody follows it.
    """

    reminder_id: ReminderId
    deliveries: Sequence[Delivery]
    traceparent: str | None = None


ARRIVED = ("accepted", "confirmed")


@frozen
class Attempt:
    """One claim of a delivery, and what became of it: `outcome` is accepted, refused, postponed, given_back,
    skipped or lost, confirmed where a person said since that what was lost arrived, None while it is in a
    sender's hands; `reason` is the channel's, or says who said so.
    """

    claim: int
    started_at: datetime
    ended_at: datetime | None = None
    outcome: str | None = None
    reason: str | None = None


class Deliveries(Protocol):
    """The consumer's inbox and the messages that come of it."""

    def receive(self, received: Sequence[Received], now: datetime) -> Sequence[bool]:
        """Keep inbox rows and their deliveries in one commit; False for a reminder that was taken in before.

        Of several deliveries with one (about_id, channel, address_key) the first is kept. One for a person
        who is erased is kept with its own id for an address_key, also when that happens at the same moment.
        """

    def claim(
        self,
        channel: str,
        limit: int,
        now: datetime,
        lease_until: datetime,
        per_tenant: int | None = None,
        in_hand: Collection[TenantId] = (),
    ) -> Sequence[Delivery]:
        """Take up to `limit` Pending deliveries of a channel whose not_before has come, in one commit.

        Oldest due_at first; those in another's hands are passed over, and those of a tenant of which the
        caller would then hold more than `per_tenant`. `in_hand` are the tenants of those that it holds
        already, one each: what others hold, who may be dead, does not count. They come back as Sending.

        One of which an attempt is kept that ARRIVED is never taken, whatever its row says.
        """

    def waiting(
        self, served: Collection[str], now: datetime, limit: int, after: Delivery | None = None
    ) -> Sequence[Delivery]:
        """Up to `limit` Pending deliveries on channels other than those `served` whose not_before has come.

        By channel, then the oldest due_at first, then by id; where `after` is given, those behind it.
        Nothing is claimed: another may have them by the time they are looked at.
        """

    def settle(
        self,
        before: Delivery,
        happened: Sequence[DeliveryEvent],
        after: Delivery,
        then: Sequence[Delivery] = (),
        notice: Notice | None = None,
    ) -> None:
        """Write what became of it, and keep the deliveries and the notice that follow from it, in one commit.

        A claim may be the first of what happened: none that was claimed otherwise meanwhile is as `before`.
        ClaimIsLost where it is not as `before` any more. One of `then` whose (about_id, channel,
        address_key) is there already is not kept. Of one whose person was erased since `before` neither what
        the channel said nor its name for the message is kept, and no further delivery to that person.
        """

    def overdue(self, channel: str, now: datetime, limit: int) -> Sequence[Delivery]:
        """The deliveries of a channel that are Sending though their lease has run out."""

    def of_reminder(self, reminder_id: ReminderId) -> Sequence[Delivery]:
        """All deliveries about one reminder, ordered by id."""

    def by_id(self, id: DeliveryId) -> Delivery | None:
        """The delivery of this id."""

    def received_at(self, reminder_id: ReminderId) -> datetime | None:
        """When the reminder was taken in; None where it was not, or nothing is kept of it any more."""

    def traceparents(self, ids: Collection[DeliveryId]) -> Mapping[DeliveryId, str]:
        """The trace contexts with which was taken in what these deliveries are about, where there was one."""

    def attempts(self, id: DeliveryId) -> Sequence[Attempt]:
        """The attempts at one delivery, the first one first; of a person who is erased without reasons."""

    def latest(
        self, statuses: Collection[Status], limit: int, tenant_id: TenantId | None = None
    ) -> Sequence[Delivery]:
        """Up to `limit` of these statuses, the latest due first, then by id; of one tenant if it is given."""

    def matters(self, notice_id: NoticeId, limit: int) -> Matters:
        """What a notice tells of: all are counted, and the first `limit` given; none of an unknown one."""

    def backlog(self, now: datetime) -> Backlog:
        """The Pending deliveries whose not_before has come."""
