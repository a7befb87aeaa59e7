"""What is known of a delivery, and in which words its parts are told."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from application.explaining.explanation import Setup, Subject, What, noted
from application.notifying import CONSOLE
from application.ports.deliveries import Attempt
from application.ports.ledger import Unreadable
from application.ports.people import Recipient
from domain.calendar_event import CalendarEvent
from domain.delivery import REMINDERS, Delivery, Template
from domain.values import UserId

ERASED = "nothing is kept of why, since the person was erased"


@frozen
class DeliveryFacts:
    """A delivery and what there is about it; `others` are about the same thing, to whomever.

    `is_anothers` when whom it is for is a person of another tenant.
    """

    delivery: Delivery
    now: datetime
    setup: Setup
    time_zone: str
    attempts: Sequence[Attempt] = ()
    event: CalendarEvent | Unreadable | None = None
    recipient: Recipient | None = None
    is_anothers: bool = False
    others: Sequence[Delivery] = ()

    def noted(self, at: datetime) -> str:
        return noted(at, self.time_zone)

    @property
    def whom(self) -> str:
        return named(self.recipient, self.delivery.user_id)

    @property
    def repeats(self) -> bool:
        return self.setup.channels.get(self.delivery.channel, False)

    @property
    def last(self) -> Attempt | None:
        """The last attempt that has ended."""
        return next((one for one in reversed(self.attempts) if one.ended_at is not None), None)

    @property
    def ended(self) -> str:
        """` at …`, or nothing where that is not kept."""
        return f" at {self.noted(self.last.ended_at)}" if self.last and self.last.ended_at else ""

    @property
    def reason(self) -> str:
        return (self.delivery.reason or ERASED).rstrip(".")

    @property
    def subject(self) -> Subject:
        one = self.delivery
        has_no_address = one.channel == CONSOLE and one.contact_point_id is None and one.template in REMINDERS
        where = f"to {self.whom} on {one.channel}" + (", for want of an address," if has_no_address else "")
        return Subject(
            What.DELIVERY,
            one.id,
            one.status.value,
            f"Delivery {one.id} {where}",
            self.time_zone,
            since=self.last.ended_at if self.last else None,
        )


def named(recipient: Recipient | None, user_id: UserId) -> str:
    """A person's handle; of one who is erased, or whom nobody has told us of, the id."""
    if recipient is None:
        return str(user_id)
    return f"a person who was erased ({user_id})" if recipient.person.is_erased else recipient.person.handle


def what_about(one: Delivery) -> str:
    match one.template:
        case Template.APPOINTMENT_REMINDER | Template.CALENDAR_REMINDER:
            return f"It is of reminder {one.about_id} of event {one.event_id}."
        case Template.TOUCH_ANSWER:
            return f"It brings the answer of touch {one.about_id}."
        case Template.OPERATOR_NOTICE:
            return f"It is notice {one.about_id} to the tenant's operator."
