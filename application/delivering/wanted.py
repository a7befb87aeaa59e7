"""Whether a message is still wanted at the moment of sending, and whom to try after a refusal for good."""

from collections.abc import Sequence
from datetime import datetime

from application.ports.people import ContactPoint, Recipient
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery, SkipReason
from domain.values import EventStatus


def unwanted(
    event: CalendarEvent, known: Recipient | None, claimed: Delivery, now: datetime
) -> SkipReason | None:
    """Why the message is not to be sent after all; the first reason that holds."""
    if event.status is EventStatus.CANCELLED:
        return SkipReason.CANCELLED
    if _is_over(event, claimed, now):
        return SkipReason.EVENT_OVER
    if claimed.user_id not in (event.owner_user_id, event.client_user_id):
        return SkipReason.TAKEN_OFF
    return unwelcome(known, claimed)


def unwelcome(known: Recipient | None, claimed: Delivery) -> SkipReason | None:
    """Why nothing is to be sent to this person there, whatever it is about."""
    if known is not None and not known.person.is_member:
        return SkipReason.NOT_MEMBER
    return SkipReason.OPTED_OUT if _has_opted_out(known, claimed) else None


def point_of(known: Recipient | None, claimed: Delivery) -> ContactPoint | None:
    """Where the delivery goes; None for the console, and for an address that is gone."""
    points = known.contact_points if known else ()
    return next((point for point in points if point.id == claimed.contact_point_id), None)


def following(points: Sequence[ContactPoint], after: Delivery) -> ContactPoint | None:
    """The first after the delivery's own that the person did not opt out of."""
    behind = iter(points)
    if not any(point.id == after.contact_point_id for point in behind):
        return None
    return next((point for point in behind if not point.opted_out), None)


def _is_over(event: CalendarEvent, claimed: Delivery, now: datetime) -> bool:
    """Whether the event is over; a reminder that was due only after its end is for afterwards."""
    end = event.timing.end_at
    if event.status is EventStatus.COMPLETED:
        return True
    return end is not None and claimed.due_at < end <= now


def _has_opted_out(known: Recipient | None, claimed: Delivery) -> bool:
    """Of the address or of the channel; an address that is gone is one nobody wants to be written to at."""
    point = point_of(known, claimed)
    if known is not None and claimed.channel in known.opted_out:
        return True
    return claimed.contact_point_id is not None and (point is None or point.opted_out)
