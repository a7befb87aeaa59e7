"""Gathers the facts about a delivery, and has them explained."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from application.explaining.deliveries import explain_delivery
from application.explaining.delivery_facts import DeliveryFacts
from application.explaining.explanation import Explanation, Setup
from application.notifying import is_anothers
from application.ports.deliveries import Deliveries
from application.ports.ledger import Unreadable
from application.ports.people import People, Recipient
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery
from domain.values import TenantId, UserId


@frozen
class OfDeliveries:
    deliveries: Deliveries
    people: People
    setup: Setup

    def explained(
        self,
        one: Delivery,
        event: CalendarEvent | Unreadable | None,
        about: Sequence[Delivery],
        now: datetime,
        time_zone: str | None = None,
    ) -> Explanation:
        """`about` are all deliveries about the same thing; times are in the event's zone or the person's,
        unless another is asked for.
        """
        known = self.person(one.tenant_id, one.user_id)
        if time_zone is None and isinstance(event, CalendarEvent):
            time_zone = event.timing.time_zone
        facts = DeliveryFacts(
            one,
            now,
            self.setup,
            time_zone or zone_of(known),
            attempts=self.deliveries.attempts(one.id),
            event=event,
            recipient=known,
            is_anothers=known is None and is_anothers(self.people, one.tenant_id, one.user_id),
            others=[other for other in about if other.id != one.id],
        )
        return explain_delivery(facts)

    def person(self, tenant_id: TenantId, user_id: UserId) -> Recipient | None:
        return self.people.recipients({(tenant_id, user_id)}).get(user_id)


def zone_of(known: Recipient | None) -> str:
    return known.person.time_zone if known is not None else "UTC"
