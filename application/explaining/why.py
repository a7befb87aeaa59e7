"""Why something stands where it stands: gathers the facts about an id, and has them explained."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from attrs import evolve, frozen

from application.explaining.delivery_facts import what_about
from application.explaining.drift import Drift, Drifting
from application.explaining.events import EventFacts, explain_event, explain_unreadable_event
from application.explaining.explanation import Explanation, Setup
from application.explaining.forgotten import Forgotten, by_history
from application.explaining.of_deliveries import OfDeliveries
from application.explaining.of_touches import OfTouches
from application.explaining.reminder_facts import ReminderFacts
from application.explaining.reminders import explain_reminder, explain_unreadable
from application.ports.deliveries import Deliveries
from application.ports.ledger import Context, Ledger, Poison, Recorded, Unreadable, Versioned
from application.ports.machine import Clock, Ids
from application.ports.outbox import Outbox
from application.ports.people import People
from application.ports.touches import Touches
from domain import reminder
from domain.calendar_event import CalendarEvent, CalendarEventStarted
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder, SkipReason
from domain.values import DeliveryId, EventId, ReminderId

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
    drifting: Drifting

    @property
    def _sending(self) -> OfDeliveries:
        return OfDeliveries(self.deliveries, self.people, self.setup)

    @property
    def _touching(self) -> OfTouches:
        return OfTouches(
            self.touches, self._sending, self.drifting, self._forgotten, self.setup, self.reaches
        )

    @property
    def _forgotten(self) -> Forgotten:
        return Forgotten(self.ledger, self.touches)

    def why(self, id_: UUID, *, replaced_too: bool = False) -> Explanation | None:
        """Where the event, reminder, delivery, touch or plan of this id stands; None for an id of none.

        Of an event the reminders in whose place others came are only counted, unless `replaced_too`.
        """
        now = self.clock.now()
        touching = self._touching
        ways = (self._reminder_of, self._delivery_of, touching.unreadable, touching.touch, touching.plan)
        for explain in ways:
            found = explain(id_, now)
            if found is not None:
                return found
        return self._event_of(EventId(id_), now, replaced_too)

    # Events and reminders.

    def _event_of(self, event_id: EventId, now: datetime, replaced_too: bool) -> Explanation | None:
        found = self._event(event_id)
        if isinstance(found, Unreadable):
            return explain_unreadable_event(event_id, found.problem)
        event = found or self._forgotten.event(event_id)
        if event is None:
            return None
        each = self.ledger.each_reminder(event_id)
        rows = _sound(each)
        left_out = {row.id for row in rows if row.reason in REPLACED and not replaced_too}
        drifts = self.drifting.of([event_id, *(row.id for row in rows)])
        explained = [
            explain_unreadable(one, event.timing.time_zone)
            if isinstance(one, Poison)
            else self._reminder(one.state, found, rows, now, drifts.get(one.state.id))
            for one in each
            if isinstance(one, Poison) or one.state.id not in left_out
        ]
        happened = self.ledger.history(event_id)
        facts = EventFacts(
            event,
            now,
            self.ledger.title(event_id),
            since=happened[-1].occurred_at if happened else None,
            reminders=explained,
            replaced=len(left_out),
            began_at=_began_at(happened),
            drift=drifts.get(event_id),
        )
        told = explain_event(facts)
        return told if found is not None else by_history(told, is_lost=self.drifting.is_lost(event_id, now))

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
        event, siblings, drifts = self._event(one.event_id), self._siblings(one), self.drifting.of([id_])
        told = self._reminder(one, event, siblings, now, drifts.get(id_), has_row=found is not None)
        if found is not None or one.status is reminder.Status.PENDING:  # which says itself that it has no row
            return told
        return by_history(told, is_lost=self.drifting.is_lost(id_, now))

    def _reminder(
        self,
        one: Reminder,
        event: CalendarEvent | Unreadable | None,
        siblings: Sequence[Reminder],
        now: datetime,
        drift: Drift | None,
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
            drift=drift,
            is_held=is_pending and self.ledger.is_held(one.id),
            due_count=self.ledger.backlog(now).count if is_pending and one.due_at < now else 0,
            siblings=siblings,
            message=None if is_pending else self.outbox.standing(one.id),
            received_at=None if is_pending else self.deliveries.received_at(one.id),
            deliveries=[self._sending.explained(each, event, about, now) for each in about],
        )
        return explain_reminder(facts)

    def _event(self, event_id: EventId) -> CalendarEvent | Unreadable | None:
        with self.ledger.transaction(Context(self.ids.new(), "why")) as transaction:
            found = transaction.parents([event_id]).get(event_id)
        return found.state if isinstance(found, Versioned) else found

    def _delivery_of(self, id_: UUID, now: datetime) -> Explanation | None:
        one = self.deliveries.by_id(DeliveryId(id_))
        if one is None:
            return None
        event = None if one.event_id is None else self._event(one.event_id)
        about = self.deliveries.of_reminder(ReminderId(one.about_id))
        return evolve(self._sending.explained(one, event, about, now), about=what_about(one))

    def _siblings(self, one: Reminder) -> Sequence[Reminder]:
        if one.reason is not SkipReason.MOVED:
            return [one]
        return _sound(self.ledger.each_reminder(one.event_id))


def _began_at(happened: Sequence[Recorded]) -> datetime | None:
    started = (one.occurred_at for one in happened if isinstance(one.event, CalendarEventStarted))
    return next(started, None)


def _sound(rows: Sequence[Versioned[Reminder] | Poison]) -> Sequence[Reminder]:
    """Those that can be read, which are none the worse for the others."""
    return [row.state for row in rows if not isinstance(row, Poison)]
