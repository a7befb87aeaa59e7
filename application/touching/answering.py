"""The answer of a touch: made fit for people, and given to one delivery to the origin channel.

It goes where the request came from and nowhere else (INV-TCH-2). Where that is gone for good nothing private
goes elsewhere: the touch ends Closed(undeliverable), and the tenant's operator is told of its id.
"""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from application.notifying import CONSOLE, address_key, is_anothers
from application.ports.ledger import Context
from application.ports.machine import Clock, Ids
from application.ports.notices import Matter, MatterKind, Notice
from application.ports.people import People
from application.ports.touches import Touches
from application.telling_operators import TellingOperators
from application.touching.deferring import change_of, then
from application.touching.fitting import fit_for_people
from domain import deferred_touch, delivery
from domain.deferred_touch import DeferredTouch
from domain.delivery import Delivery, Template
from domain.errors import NoSuchTouch
from domain.values import DeliveryId


@frozen
class Answering:
    people: People
    ids: Ids
    telling: TellingOperators

    def answer(
        self, touches: Touches, context: Context, touch: DeferredTouch, text: str, now: datetime
    ) -> DeferredTouch:
        """Write the answer of the claim that `touch` has, and its one delivery; the touch after it.

        An answer without words is none, and closes the touch. Refused as the rules have it.
        """
        words = fit_for_people(text)
        # All that is read, is read before: who holds a transaction waits for no second connection.
        brings = self._delivery(touch, now) if words else None
        notice = self.notice(touch, now) if words and brings is None else None
        with touches.transaction(context) as transaction:
            found = transaction.touch(touch.id)
            if found is None:
                raise NoSuchTouch
            if not words:
                change = change_of(found, deferred_touch.SayNothing(touch.claim, now))
                transaction.record([change])
                return change.state
            change = change_of(found, deferred_touch.Answer(touch.claim, now))
            if not change.events:
                return change.state
            if brings is None:
                change = then(change, deferred_touch.GiveUp(now))
            transaction.record([change])
            transaction.keep_answer(touch.id, words, brings)
            if notice is not None:
                transaction.keep_notice(notice)
        return change.state

    def follow(self, touches: Touches, clock: Clock, limit: int = 200) -> Sequence[DeferredTouch]:
        """Close the touches whose delivery is over: it arrived, or its origin is gone for good."""
        now = clock.now()
        with touches.transaction(Context(self.ids.new(), "answers")) as transaction:
            changes = []
            for found, ended in transaction.answered(limit):
                if ended is delivery.Status.DELIVERED:
                    changes.append(change_of(found, deferred_touch.ConfirmDelivered(now)))
                    continue
                changes.append(change_of(found, deferred_touch.GiveUp(now)))
                notice = self.notice(found.state, now)
                if notice is not None:
                    transaction.keep_notice(notice)
            transaction.record(changes)
        return [change.state for change in changes]

    def reaches(self, touch: DeferredTouch) -> bool:
        """Whether its origin is still there to be answered."""
        return self._address_key(touch) is not None

    def notice(self, touch: DeferredTouch, now: datetime) -> Notice | None:
        """What the tenant's operator is to be told of a touch that came to nothing."""
        return self.telling.notice(touch.tenant_id, Matter(MatterKind.TOUCH, touch.id), now)

    def _delivery(self, touch: DeferredTouch, now: datetime) -> Delivery | None:
        """The message to the origin; None where that is gone."""
        origin = touch.origin
        key = self._address_key(touch)
        if key is None:
            return None
        create = delivery.Create(
            id=DeliveryId(self.ids.new()),
            tenant_id=touch.tenant_id,
            about_id=touch.id,
            event_id=None,
            user_id=origin.user_id,
            channel=origin.channel,
            contact_point_id=origin.contact_point_id,
            address_key=key,
            template=Template.TOUCH_ANSWER,
            due_at=now,
            at=now,
        )
        (created,) = delivery.decide(None, create)
        return delivery.evolve(None, created)

    def _address_key(self, touch: DeferredTouch) -> str | None:
        """That of the origin; None where that is gone, or is a person of another tenant."""
        origin = touch.origin
        known = self.people.recipients({(touch.tenant_id, origin.user_id)}).get(origin.user_id)
        if known is None and is_anothers(self.people, touch.tenant_id, origin.user_id):
            return None
        if known is not None and not known.person.is_member:
            return None
        if origin.contact_point_id is None:
            return str(origin.user_id) if origin.channel == CONSOLE else None
        points = known.contact_points if known else ()
        point = next((one for one in points if one.id == origin.contact_point_id), None)
        return None if point is None or point.opted_out else address_key(point)
