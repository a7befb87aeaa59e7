"""A due reminder becomes deliveries: for the event's owner and, where there is one, its client.

Source: the specification, "Цепочка следствий"; the consumer deduplicates by ReminderId.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from attrs import frozen

from application.ports.deliveries import Deliveries, Received
from application.ports.machine import Clock, Ids
from application.ports.people import ContactPoint, People, Recipient
from domain import delivery
from domain.delivery import AboutId, Delivery, Template
from domain.policies import ReminderDueEvent
from domain.values import DeliveryId, EventId, TenantId, UserId

CONSOLE = "console"


@frozen
class Notifying:
    deliveries: Deliveries
    people: People
    clock: Clock
    ids: Ids

    def receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[bool]:
        """Take in due reminders, each with its deliveries, in one commit; False for one taken in before."""
        wanted = {(event.tenant_id, user_id) for event in due for user_id in recipients_of(event)}
        known = self.people.recipients(wanted)
        now = self.clock.now()
        received = [
            Received(
                event.reminder_id, [self._delivery(event, user, known, now) for user in recipients_of(event)]
            )
            for event in due
        ]
        return self.deliveries.receive(received, now)

    def _delivery(
        self, event: ReminderDueEvent, user_id: UserId, known: Mapping[UserId, Recipient], now: datetime
    ) -> Delivery:
        return first_delivery(
            known.get(user_id),
            id=self.ids.new(),
            tenant_id=event.tenant_id,
            about_id=event.reminder_id,
            event_id=event.event_id,
            user_id=user_id,
            template=template_of(event),
            due_at=event.start_at - timedelta(minutes=event.offset_minutes),
            at=now,
        )


def first_delivery(
    recipient: Recipient | None,
    *,
    id: UUID,
    tenant_id: TenantId,
    about_id: AboutId,
    event_id: EventId | None,
    user_id: UserId,
    template: Template,
    due_at: datetime,
    at: datetime,
) -> Delivery:
    """A message to the address that a person prefers, from `at` on; on the console for one without any."""
    # Who has left has no address: theirs may by now be that of somebody who is to be told.
    is_member = recipient is not None and recipient.person.is_member
    point = preferred(recipient.contact_points) if recipient and is_member else None
    create = delivery.Create(
        id=DeliveryId(id),
        tenant_id=tenant_id,
        about_id=about_id,
        event_id=event_id,
        user_id=user_id,
        channel=point.channel if point else CONSOLE,
        contact_point_id=point.id if point else None,
        address_key=address_key(point) if point else str(user_id),
        template=template,
        due_at=due_at,
        at=at,
    )
    (created,) = delivery.decide(None, create)
    return delivery.evolve(None, created)


def recipients_of(event: ReminderDueEvent) -> list[UserId]:
    """The owner, and the client when there is another one."""
    users = [event.owner_user_id, event.client_user_id]
    return list(dict.fromkeys(user for user in users if user is not None))


def template_of(event: ReminderDueEvent) -> Template:
    """AppointmentReminder for events of an appointment, CalendarReminder for the rest."""
    return Template.CALENDAR_REMINDER if event.appointment_id is None else Template.APPOINTMENT_REMINDER


def preferred(points: Sequence[ContactPoint]) -> ContactPoint | None:
    """The first contact point that the person did not opt out of; None for a person without any.

    For one who opted out of all it is the first, and the delivery will be Skipped(opted_out): a console that
    others read is no way round an opt-out.
    """
    return next((point for point in points if not point.opted_out), points[0] if points else None)


def is_anothers(people: People, tenant_id: TenantId, user_id: UserId) -> bool:
    """Whether they are a person of another tenant, to whom nothing of this one ever goes.

    False for an id that nobody has told us of: what is for that stands on the console.
    """
    found = people.by_id(user_id)
    return found is not None and found.tenant_id != tenant_id


def address_key(point: ContactPoint) -> str:
    """What tells two addresses apart without holding either: the hash of channel and address.

    An address is kept in the one spelling that its channel gives it; its case may matter, as in a URL.
    """
    return hashlib.sha256(f"{point.channel}\n{point.address}".encode()).hexdigest()
