"""A delivery becomes the message that its channel sends: looked at again, and put into words."""

from attrs import frozen

from application.delivering.wanted import point_of, unwanted
from application.notifying import CONSOLE
from application.ports.channel import OutgoingMessage
from application.ports.ledger import Ledger
from application.ports.machine import Clock
from application.ports.people import People, Recipient
from application.ports.templates import Templates
from application.wording import language_of
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery, SkipReason


@frozen
class Composing:
    people: People
    ledger: Ledger
    clock: Clock
    templates: Templates

    def message(self, claimed: Delivery) -> OutgoingMessage | SkipReason:
        """The message, or why it is not wanted any more."""
        found = self.ledger.event(claimed.event_id)
        if found is None:
            return SkipReason.CANCELLED
        known = self.people.recipients({(claimed.tenant_id, claimed.user_id)}).get(claimed.user_id)
        reason = unwanted(found.state, known, claimed, self.clock.now())
        return self._reminder(claimed, found.state, known) if reason is None else reason

    def _reminder(self, claimed: Delivery, event: CalendarEvent, known: Recipient | None) -> OutgoingMessage:
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
        address, secret = _address(claimed, known)
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


def _address(claimed: Delivery, known: Recipient | None) -> tuple[str, str | None]:
    """Where it goes, and what it is signed with; the console is told who it is for."""
    point = point_of(known, claimed)
    if claimed.channel != CONSOLE and point is not None:
        return point.address, point.secret
    return known.person.handle if known else str(claimed.user_id), None
