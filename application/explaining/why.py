"""Why something stands where it stands: gathers the facts about an id, and has them explained."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from attrs import evolve, frozen

from application.explaining.deliveries import explain_delivery
from application.explaining.delivery_facts import DeliveryFacts, what_about
from application.explaining.drift import drift
from application.explaining.events import (
    EventFacts,
    PlanFacts,
    explain_event,
    explain_plan,
    explain_unreadable_event,
)
from application.explaining.explanation import Explanation, Setup
from application.explaining.forgotten import Forgotten
from application.explaining.reminder_facts import ReminderFacts
from application.explaining.reminders import explain_reminder, explain_unreadable
from application.explaining.touches import TouchFacts, explain_touch
from application.ports.deliveries import Deliveries
from application.ports.ledger import Context, Ledger, Poison, Recorded, Unreadable, Versioned
from application.ports.machine import Clock, Ids
from application.ports.outbox import Outbox
from application.ports.people import People, Recipient
from application.ports.touches import RecordedTouchEvent, Touches
from domain import calendar_event, deferred_touch, reminder
from domain.calendar_event import CalendarEvent, CalendarEventStarted
from domain.deferred_touch import DeferredTouch
from domain.delivery import Delivery
from domain.reminder import Reminder, SkipReason
from domain.touch_plan import TouchPlan
from domain.values import DeliveryId, EventId, PlanId, ReminderId, TenantId, TouchId, UserId

REPLACED = (SkipReason.MOVED, SkipReason.WITHDRAWN)


@frozen
class Explaining:
    """Reads what is committed, and changes nothing. `reaches` tells whether a touch can be answered."""

    ledger: Ledger
    outbox: Outbox
    deliveries: Deliveries
    people: People
    touches: Touches
    clock: Clock
    ids: Ids
    setup: Setup
    reaches: Callable[[DeferredTouch], bool]

    @property
    def _forgotten(self) -> Forgotten:
        return Forgotten(self.ledger, self.touches)

    def why(self, id_: UUID, *, replaced_too: bool = False) -> Explanation | None:
        """Where the event, reminder, delivery, touch or plan of this id stands; None for an id of none.

        Of an event the reminders in whose place others came are only counted, unless `replaced_too`.
        """
        now = self.clock.now()
        for explain in (self._reminder_of, self._delivery_of, self._touch_of, self._plan_of):
            found = explain(id_, now)
            if found is not None:
                return found
        return self._event_of(EventId(id_), now, replaced_too)

    # Events and reminders.

    def _event_of(self, event_id: EventId, now: datetime, replaced_too: bool) -> Explanation | None:
        event = self._event(event_id)
        if event is None:
            forgotten = self._forgotten.event(event_id)
            return None if forgotten is None else _by_history(self._explained(forgotten, (), now))
        if isinstance(event, Unreadable):
            return explain_unreadable_event(event_id, event.problem)
        found = self.ledger.each_reminder(event_id)
        rows = _sound(found)
        left_out = {row.id for row in rows if row.reason in REPLACED and not replaced_too}
        explained = [
            explain_unreadable(one, event.timing.time_zone)
            if isinstance(one, Poison)
            else self._reminder(one.state, event, rows, now)
            for one in found
            if isinstance(one, Poison) or one.state.id not in left_out
        ]
        return self._explained(event, explained, now, len(left_out))

    def _explained(
        self,
        event: CalendarEvent,
        reminders: Sequence[Explanation],
        now: datetime,
        replaced: int = 0,
    ) -> Explanation:
        happened = self.ledger.history(event.id)
        facts = EventFacts(
            event,
            now,
            self.ledger.title(event.id),
            since=happened[-1].occurred_at if happened else None,
            reminders=reminders,
            replaced=replaced,
            began_at=_began_at(happened),
            drift=drift(event, happened, calendar_event.evolve, lambda: self._event_row(event.id)),
        )
        return explain_event(facts)

    def _reminder_of(self, id_: UUID, now: datetime) -> Explanation | None:
        found = self.ledger.reminder(ReminderId(id_))
        if isinstance(found, Poison):
            event = self._event(found.event_id)
            return explain_unreadable(
                found, event.timing.time_zone if isinstance(event, CalendarEvent) else "UTC"
            )
        one = found.state if found is not None else self._forgotten.reminder(id_)
        if one is None:
            return None
        event, siblings = self._event(one.event_id), self._siblings(one)
        explained = self._reminder(one, event, siblings, now, has_row=found is not None)
        is_lost = one.status is reminder.Status.PENDING  # which says itself that it has no row
        return explained if found is not None or is_lost else _by_history(explained)

    def _reminder(
        self,
        one: Reminder,
        event: CalendarEvent | Unreadable | None,
        siblings: Sequence[Reminder],
        now: datetime,
        *,
        has_row: bool = True,
    ) -> Explanation:
        happened = self.ledger.history(one.id)
        is_pending = one.status is reminder.Status.PENDING
        about = [] if is_pending else self.deliveries.of_reminder(one.id)
        facts = ReminderFacts(
            one,
            event,
            now,
            self.setup,
            since=happened[-1].occurred_at if happened else None,
            has_row=has_row,
            drift=drift(one, happened, reminder.evolve, lambda: self.ledger.reminder(one.id)),
            is_held=is_pending and self.ledger.is_held(one.id),
            due_count=self.ledger.backlog(now).count if is_pending and one.due_at < now else 0,
            siblings=siblings,
            message=None if is_pending else self.outbox.standing(one.id),
            received_at=None if is_pending else self.deliveries.received_at(one.id),
            deliveries=[self._delivery(each, event, about, now) for each in about],
        )
        return explain_reminder(facts)

    def _event(self, event_id: EventId) -> CalendarEvent | Unreadable | None:
        found = self._event_row(event_id)
        return found.state if isinstance(found, Versioned) else found

    def _event_row(self, event_id: EventId) -> Versioned[CalendarEvent] | Unreadable | None:
        with self.ledger.transaction(Context(self.ids.new(), "why")) as transaction:
            return transaction.parents([event_id]).get(event_id)

    def _siblings(self, one: Reminder) -> Sequence[Reminder]:
        if one.reason is not SkipReason.MOVED:
            return [one]
        return _sound(self.ledger.each_reminder(one.event_id))

    # Deliveries.

    def _delivery_of(self, id_: UUID, now: datetime) -> Explanation | None:
        one = self.deliveries.by_id(DeliveryId(id_))
        if one is None:
            return None
        event = None if one.event_id is None else self._event(one.event_id)
        explained = self._delivery(one, event, self.deliveries.of_reminder(ReminderId(one.about_id)), now)
        return evolve(explained, about=what_about(one))

    def _delivery(
        self,
        one: Delivery,
        event: CalendarEvent | Unreadable | None,
        about: Sequence[Delivery],
        now: datetime,
        time_zone: str | None = None,
    ) -> Explanation:
        known = self._person(one.tenant_id, one.user_id)
        if time_zone is None and isinstance(event, CalendarEvent):
            time_zone = event.timing.time_zone
        facts = DeliveryFacts(
            one,
            now,
            self.setup,
            time_zone or _zone_of(known),
            attempts=self.deliveries.attempts(one.id),
            event=event,
            recipient=known,
            others=[other for other in about if other.id != one.id],
        )
        return explain_delivery(facts)

    def _person(self, tenant_id: TenantId, user_id: UserId) -> Recipient | None:
        return self.people.recipients({(tenant_id, user_id)}).get(user_id)

    # Touches and plans.

    def _touch_of(self, id_: UUID, now: datetime) -> Explanation | None:
        found = self.touches.touch(TouchId(id_))
        touch = found.state if found is not None else self._forgotten.touch(id_)
        if touch is None:
            return None
        happened = self.touches.history(touch.id)
        known = self._person(touch.tenant_id, touch.origin.user_id)
        time_zone = self._zone_of_plan(touch) or _zone_of(known)
        about = self.deliveries.of_reminder(ReminderId(touch.id))
        answer = next(iter(about), None)
        is_pending = touch.status is deferred_touch.Status.PENDING
        facts = TouchFacts(
            touch,
            now,
            self.setup,
            time_zone,
            last=_last_of_touch(happened),
            since=happened[-1].occurred_at if happened else None,
            actor=happened[-1].actor if happened else None,
            in_work=self._in_work(touch) if is_pending else 0,
            reaches=not is_pending or self.reaches(touch),
            recipient=known,
            answer=None if answer is None else self._delivery(answer, None, about, now, time_zone),
        )
        explained = explain_touch(facts)
        return explained if found is not None else _by_history(explained)

    def _in_work(self, touch: DeferredTouch) -> int:
        most = self.setup.work.per_tenant
        busy = [deferred_touch.Status.IN_PROGRESS]
        return len(self.touches.listed(touch.tenant_id, most, statuses=busy))

    def _zone_of_plan(self, touch: DeferredTouch) -> str | None:
        if touch.occurrence is None:
            return None
        found = self.touches.plan(touch.occurrence.plan_id)
        return None if found is None else found.state.terms.schedule.time_zone

    def _plan_of(self, id_: UUID, now: datetime) -> Explanation | None:
        found: Versioned[TouchPlan] | None = self.touches.plan(PlanId(id_))
        if found is None:
            return None
        happened = self.touches.history(PlanId(id_))
        return explain_plan(PlanFacts(found.state, now, happened[-1].occurred_at if happened else None))


def _began_at(happened: Sequence[Recorded]) -> datetime | None:
    started = (one.occurred_at for one in happened if isinstance(one.event, CalendarEventStarted))
    return next(started, None)


def _sound(rows: Sequence[Versioned[Reminder] | Poison]) -> Sequence[Reminder]:
    """Those that can be read, which are none the worse for the others."""
    return [row.state for row in rows if not isinstance(row, Poison)]


def _by_history(explained: Explanation) -> Explanation:
    return evolve(explained, says=f"{explained.says} Its row is not there any more: its history says so.")


def _last_of_touch(happened: Sequence[RecordedTouchEvent]) -> deferred_touch.Event | None:
    last = happened[-1].event if happened else None
    return last if isinstance(last, deferred_touch.Event) else None


def _zone_of(known: Recipient | None) -> str:
    return known.person.time_zone if known is not None else "UTC"
