"""A delivery becomes the message that its channel sends: looked at again, and put into words."""

from collections.abc import Mapping

from attrs import frozen

from application.delivering.wanted import point_of, unwanted, unwelcome
from application.notifying import CONSOLE, is_anothers
from application.ports.channel import OutgoingMessage
from application.ports.deliveries import Deliveries
from application.ports.errors import Busy, Unavailable
from application.ports.ledger import Ledger
from application.ports.machine import Clock
from application.ports.people import People, Recipient
from application.ports.templates import Templates, Words
from application.ports.touches import Touches
from application.telling_operators import HOUR
from application.wording import language_of
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery, SkipReason, Template
from domain.reminder import Status
from domain.triggers import due_at
from domain.values import NoticeId, TouchId

# So many ids fit into one message of any channel.
MOST_IDS = 20

Data = Mapping[str, str | int | None]


@frozen
class Composing:
    deliveries: Deliveries
    people: People
    ledger: Ledger
    clock: Clock
    templates: Templates
    touches: Touches

    def message(self, claimed: Delivery) -> OutgoingMessage | SkipReason:
        """The message, or why it is not wanted any more."""
        known = self._recipient(claimed)
        match self._subject(claimed, known):
            case SkipReason() as reason:
                return reason
            case CalendarEvent() as event:
                return self._reminder(claimed, event, known)
            case Recipient() as operator:
                return self._notice(claimed, operator)
            case str() as answer:
                return self._answer(claimed, answer, known)

    def unwanted(self, waiting: Delivery) -> SkipReason | None:
        """Why there is no message any more; None while there is one."""
        found = self._subject(waiting, self._recipient(waiting))
        return found if isinstance(found, SkipReason) else None

    def _recipient(self, one: Delivery) -> Recipient | None:
        return self.people.recipients({(one.tenant_id, one.user_id)}).get(one.user_id)

    def _subject(
        self, one: Delivery, known: Recipient | None
    ) -> CalendarEvent | Recipient | str | SkipReason:
        """What the message is made of: an event, the operator to be told, or a touch's answer."""
        match one.template:
            case Template.OPERATOR_NOTICE:
                return self._operator(one, known)
            case Template.TOUCH_ANSWER:
                text = self.touches.texts(TouchId(one.about_id)).answer
                # Without words they were erased.
                reason = unwelcome(known, one, self._is_anothers(one, known))
                return reason or (SkipReason.CANCELLED if text is None else text)
            case Template.APPOINTMENT_REMINDER | Template.CALENDAR_REMINDER:
                return self._event(one, known)

    def _event(self, one: Delivery, known: Recipient | None) -> CalendarEvent | SkipReason:
        found = None if one.event_id is None else self.ledger.event(one.event_id)
        if found is None:
            return SkipReason.CANCELLED
        reason = unwanted(found.state, known, one, self._is_anothers(one, known), self.clock.now())
        if reason is None and self._is_told_at_another_time(one, found.state):
            reason = SkipReason.MOVED
        return found.state if reason is None else reason

    def _operator(self, one: Delivery, known: Recipient | None) -> Recipient | SkipReason:
        tenant = self.people.tenant(one.tenant_id)
        if tenant is None or tenant.operator_id != one.user_id:
            return SkipReason.TAKEN_OFF
        return unwelcome(known, one, self._is_anothers(one, known)) or known or SkipReason.TAKEN_OFF

    def _is_anothers(self, one: Delivery, known: Recipient | None) -> bool:
        return known is None and is_anothers(self.people, one.tenant_id, one.user_id)

    def _is_told_at_another_time(self, claimed: Delivery, event: CalendarEvent) -> bool:
        """Whether the event was moved and another reminder is for where this one's trigger falls now."""
        if any(due_at(trigger, event.timing) == claimed.due_at for trigger in event.triggers):
            return False
        try:
            reminders = [row.state for row in self.ledger.reminders(event.id)]
        except (Unavailable, Busy):
            raise
        except Exception:
            # One of its reminders cannot be read. The message about another is no worse for it.
            return False
        mine = next((one for one in reminders if one.id == claimed.about_id), None)
        return mine is not None and any(
            one.id != mine.id
            and one.trigger == mine.trigger
            and one.due_at == due_at(mine.trigger, event.timing) != mine.due_at
            and one.status is not Status.SKIPPED
            for one in reminders
        )

    def _reminder(self, claimed: Delivery, event: CalendarEvent, known: Recipient | None) -> OutgoingMessage:
        time_zone = known.person.time_zone if known else event.timing.time_zone
        title = self.ledger.title(event.id)
        said = self.templates.reminder(
            claimed.template, event, title, self._language(claimed, known), time_zone
        )
        data: Data = {
            "reminderId": str(claimed.about_id),
            "eventId": str(event.id),
            "tenantId": str(event.tenant_id),
            "kind": event.kind.value,
            "startAt": event.timing.start_at.isoformat(),
            "timeZone": event.timing.time_zone,
        }
        return _outgoing(claimed, known, said, data)

    def _notice(self, claimed: Delivery, operator: Recipient) -> OutgoingMessage:
        matters = self.deliveries.matters(NoticeId(claimed.about_id), MOST_IDS)
        since = claimed.due_at - HOUR
        said = self.templates.operator_notice(
            matters, since, self._language(claimed, operator), operator.person.time_zone
        )
        data: Data = {
            "noticeId": str(claimed.about_id),
            "tenantId": str(claimed.tenant_id),
            "since": since.isoformat(),
            "until": claimed.due_at.isoformat(),
            "count": matters.count,
            "ids": " ".join(str(one.id) for one in matters.first),
        }
        return _outgoing(claimed, operator, said, data)

    def _answer(self, claimed: Delivery, answer: str, known: Recipient | None) -> OutgoingMessage:
        """What came of a deferred touch, to its origin."""
        said = self.templates.touch_answer(answer, self._language(claimed, known))
        return _outgoing(
            claimed, known, said, {"touchId": str(claimed.about_id), "tenantId": str(claimed.tenant_id)}
        )

    def _language(self, claimed: Delivery, known: Recipient | None) -> str:
        person = known.person if known else None
        return language_of(person, claimed.tenant_id, self.people, self.templates)


def _outgoing(claimed: Delivery, known: Recipient | None, said: Words, data: Data) -> OutgoingMessage:
    point = point_of(known, claimed)
    if claimed.channel != CONSOLE and point is not None:
        address, secret = point.address, point.secret
    else:
        address, secret = known.person.handle if known else str(claimed.user_id), None
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
