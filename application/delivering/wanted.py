"""Whether a message is still wanted at the moment of sending, and whom to try after a refusal for good."""

from collections.abc import Sequence
from datetime import datetime

from application.notifying import address_key
from application.ports.people import ContactPoint, Recipient
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery, SkipReason, Status
from domain.values import EventStatus


def unwanted(
    event: CalendarEvent, known: Recipient | None, claimed: Delivery, is_anothers: bool, now: datetime
) -> SkipReason | None:
    """Why the message is not to be sent after all; the first reason that holds.

    `is_anothers` when whom it is for is a person of another tenant.
    """
    if event.status is EventStatus.CANCELLED:
        return SkipReason.CANCELLED
    if _is_over(event, claimed, now):
        return SkipReason.EVENT_OVER
    if claimed.user_id not in (event.owner_user_id, event.client_user_id):
        return SkipReason.TAKEN_OFF
    return unwelcome(known, claimed, is_anothers)


def unwelcome(known: Recipient | None, claimed: Delivery, is_anothers: bool) -> SkipReason | None:
    """Why nothing is to be sent to this person there, whatever it is about."""
    if is_anothers:
        return SkipReason.OTHER_TENANT
    if known is not None and not known.person.is_member:
        return SkipReason.NOT_MEMBER
    if known is not None and claimed.channel in known.opted_out:
        return SkipReason.OPTED_OUT
    if claimed.contact_point_id is None:
        return None
    point = point_of(known, claimed)
    if point is None:
        return SkipReason.ADDRESS_GONE
    return SkipReason.OPTED_OUT if point.opted_out else None


def point_of(known: Recipient | None, claimed: Delivery) -> ContactPoint | None:
    """Where the delivery goes; None for the console, and for an address that is gone.

    An address that was removed and added again is the same address under another id.
    """
    if claimed.contact_point_id is None or known is None:
        return None
    by_id = (point for point in known.contact_points if point.id == claimed.contact_point_id)
    by_address = (point for point in known.contact_points if _place(point) == _place_of(claimed))
    return next(by_id, None) or next(by_address, None)


def following(
    points: Sequence[ContactPoint], one: Delivery, about_the_same: Sequence[Delivery]
) -> ContactPoint | None:
    """The first that the person did not opt out of and that nobody was told at; None once they may know.

    `about_the_same` are the deliveries about the same thing, to whomever.
    """
    others = [other for other in about_the_same if other.id != one.id]
    if any(other.user_id == one.user_id and not _is_in_vain(other) for other in others):
        return None
    mine = {_place_of(other) for other in [one, *others] if other.user_id == one.user_id}
    in_vain = {_place_of(other) for other in others if _is_in_vain(other)}
    fresh = (point for point in points if not point.opted_out and _place(point) not in mine | in_vain)
    found = next(fresh, None)
    # Where another person of the same address is told, this one is too.
    is_told = any(found is not None and _place(found) == _place_of(other) for other in others)
    return None if is_told else found


def _is_over(event: CalendarEvent, claimed: Delivery, now: datetime) -> bool:
    """Whether the event is over; a reminder that was due only after its end is for afterwards."""
    end = event.timing.end_at
    if event.status is EventStatus.COMPLETED:
        return True
    return end is not None and claimed.due_at < end <= now


def _place(point: ContactPoint) -> tuple[str, str]:
    return point.channel, address_key(point)


def _place_of(one: Delivery) -> tuple[str, str]:
    return one.channel, one.address_key


def _is_in_vain(one: Delivery) -> bool:
    """Whether it is certain that nobody got it, nor will."""
    return one.status in (Status.FAILED, Status.SKIPPED) and not one.in_doubt
