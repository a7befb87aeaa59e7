"""Who else is to be told when a message did not reach the one whom it was for."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from application.delivering.wanted import following
from application.notifying import address_key, first_delivery
from application.ports.deliveries import Deliveries
from application.ports.ledger import Ledger
from application.ports.machine import Ids
from application.ports.people import ContactPoint, People
from domain import delivery
from domain.delivery import Delivery, SkipReason, Status, Template
from domain.values import DeliveryId, ReminderId, UserId

# The person is still to be told, only not there.
ELSEWHERE = (SkipReason.OPTED_OUT, SkipReason.ADDRESS_GONE)


@frozen
class Following:
    deliveries: Deliveries
    people: People
    ledger: Ledger
    ids: Ids

    def after(self, one: Delivery, now: datetime) -> Sequence[Delivery]:
        """The deliveries that follow from how this one ended.

        After a refusal for good, an opt-out or an address that is gone, the same to another address of the
        person; after one who is no more concerned, the same to whoever is now. Never to a second address
        where it is in doubt whether the first one got it, and never the answer of a touch (INV-TCH-2).
        """
        if one.template is Template.TOUCH_ANSWER:
            return []
        if one.status is Status.SKIPPED and one.reason == SkipReason.TAKEN_OFF:
            return self._to_newcomers(one, now)
        if one.status is Status.FAILED or (one.status is Status.SKIPPED and one.reason in ELSEWHERE):
            point = self.next_address(one)
            return [] if point is None else [_to(point, one, DeliveryId(self.ids.new()), now)]
        return []

    def next_address(self, one: Delivery) -> ContactPoint | None:
        """The next address of the person whom this one did not reach; None where it may have.

        None for the answer of a touch, too: it goes where the request came from (INV-TCH-2).
        """
        if one.template is Template.TOUCH_ANSWER:
            return None
        known = self.people.recipients({(one.tenant_id, one.user_id)}).get(one.user_id)
        if one.in_doubt or known is None or not known.contact_points:
            return None
        return following(known.contact_points, one, self._about_the_same(one))

    def _to_newcomers(self, one: Delivery, now: datetime) -> Sequence[Delivery]:
        told = {other.user_id for other in self._about_the_same(one)}
        new = [user_id for user_id in self._concerned(one) if user_id not in told]
        known = self.people.recipients({(one.tenant_id, user_id) for user_id in new}) if new else {}
        return [
            first_delivery(
                known.get(user_id),
                id=self.ids.new(),
                tenant_id=one.tenant_id,
                about_id=one.about_id,
                event_id=one.event_id,
                user_id=user_id,
                template=one.template,
                due_at=one.due_at,
                at=now,
            )
            for user_id in new
        ]

    def _concerned(self, one: Delivery) -> Sequence[UserId]:
        """Whom it is for by now: the event's owner and client, or the tenant's operator."""
        if one.template is Template.OPERATOR_NOTICE:
            tenant = self.people.tenant(one.tenant_id)
            users = [tenant.operator_id] if tenant else []
        else:
            found = None if one.event_id is None else self.ledger.event(one.event_id)
            users = [found.state.owner_user_id, found.state.client_user_id] if found else []
        return [user_id for user_id in dict.fromkeys(users) if user_id is not None]

    def _about_the_same(self, one: Delivery) -> Sequence[Delivery]:
        return self.deliveries.of_reminder(ReminderId(one.about_id))


def _to(point: ContactPoint, one: Delivery, id_: DeliveryId, now: datetime) -> Delivery:
    create = delivery.Create(
        id=id_,
        tenant_id=one.tenant_id,
        about_id=one.about_id,
        event_id=one.event_id,
        user_id=one.user_id,
        channel=point.channel,
        contact_point_id=point.id,
        address_key=address_key(point),
        template=one.template,
        due_at=one.due_at,
        at=now,
    )
    (created,) = delivery.decide(None, create)
    return delivery.evolve(None, created)
