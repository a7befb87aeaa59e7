"""What a tenant's operator is told of, in ids and counts: no text and no address."""

from collections.abc import Sequence
from enum import StrEnum
from uuid import UUID

from attrs import frozen

from domain.delivery import Delivery
from domain.values import EventId, NoticeId


class MatterKind(StrEnum):
    DELIVERY = "delivery"  # a message that ended without reaching anybody
    TOUCH = "touch"  # a deferred touch whose answer has nowhere to go


@frozen
class Matter:
    """One thing that went wrong: its id, and the event that it is about, where there is one."""

    kind: MatterKind
    id: UUID
    event_id: EventId | None = None


@frozen
class Notice:
    """A matter that is told of in the notice `id`, and the deliveries of that notice.

    Whoever records the matter keeps them in the same commit: the matter once, and of the deliveries those
    whose (about_id, channel, address_key) is not there yet.
    """

    id: NoticeId
    matter: Matter
    deliveries: Sequence[Delivery]


@frozen
class Matters:
    """How many a notice tells of, and the first of them by kind and id."""

    count: int
    first: Sequence[Matter]
