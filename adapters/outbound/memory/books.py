"""What the memory store holds, laid open for the audit."""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from attrs import frozen

from adapters import codec
from adapters.outbound.memory.deliveries import is_erased
from adapters.outbound.memory.store import MemoryStore, OutboxRow, Spoilt
from application.notifying import address_key
from application.ports.auditing import (
    CalendarFacts,
    DeliveryFacts,
    Facts,
    Happened,
    MessageFacts,
    MessageRow,
    Page,
    Part,
    PlanFacts,
    ReminderFacts,
    Row,
    State,
    StrayAttempts,
    StrayImport,
    StrayReminder,
    StrayStream,
    Stream,
    TouchFacts,
    Tried,
)
from application.ports.ledger import Unreadable, Versioned
from application.ports.people import ContactPoint
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import TouchAnswered
from domain.delivery import Delivery, Template
from domain.policies import ReminderDueEvent
from domain.reminder import ReminderSent
from domain.touch_plan import next_occurrence
from domain.values import DeliveryId, EventId, NoticeId, PlanId, ReminderId, TenantId, TouchId, UserId


@frozen
class MemoryBooks:
    store: MemoryStore

    def about(self, part: Part) -> int:
        with self.store.changed:
            return len(set(self._ids(part)))

    def page(self, part: Part, after: UUID | None, limit: int) -> Page:
        with self.store.changed:
            ids = sorted(id_ for id_ in set(self._ids(part)) if after is None or id_ > after)[:limit]
            return Page(self._facts(part, ids), len(ids), ids[-1] if ids else None)

    def look_again(self, part: Part, ids: Collection[UUID]) -> Sequence[Facts]:
        with self.store.changed:
            there = set(self._ids(part))
            return self._facts(part, [id_ for id_ in ids if id_ in there])

    def _ids(self, part: Part) -> Iterable[UUID]:
        match part:
            case Part.EVENTS:
                return self.store.events
            case Part.REMINDERS:
                return self.store.reminders
            case Part.TOUCHES:
                return self.store.touches
            case Part.PLANS:
                return self.store.plans
            case Part.OUTBOX:
                return self.store.outbox
            case Part.DELIVERIES:
                return self.store.deliveries
            case Part.ATTEMPTS:
                return self.store.attempts
            case Part.IMPORTS:
                return self.store.imports
            case Part.STREAMS:
                return [*self.store.history, *self.store.touch_history]

    def _facts(self, part: Part, ids: Sequence[UUID]) -> Sequence[Facts]:
        match part:
            case Part.EVENTS:
                return [self._calendar(EventId(id_)) for id_ in ids]
            case Part.REMINDERS:
                states = [self.store.reminders[ReminderId(id_)].state for id_ in ids]
                strays = (one for one in states if one.event_id not in self.store.events)
                return [StrayReminder(one.id, one.event_id) for one in strays]
            case Part.TOUCHES:
                return [self._touch(TouchId(id_)) for id_ in ids]
            case Part.PLANS:
                return [self._plan(PlanId(id_)) for id_ in ids]
            case Part.OUTBOX:
                return [self._message(id_, self.store.outbox[id_]) for id_ in ids]
            case Part.DELIVERIES:
                return [self._delivery(self.store.deliveries[DeliveryId(id_)]) for id_ in ids]
            case Part.ATTEMPTS:
                return [StrayAttempts(id_) for id_ in ids if DeliveryId(id_) not in self.store.deliveries]
            case Part.IMPORTS:
                imported = [self.store.imports[EventId(id_)] for id_ in ids]
                lost = (one for one in imported if one.event_id not in self.store.events)
                return [StrayImport(one.source, one.event_id) for one in lost]
            case Part.STREAMS:
                return [StrayStream(id_, self.stream(id_)) for id_ in ids if not self._has_row(id_)]

    def _calendar(self, event_id: EventId) -> CalendarFacts:
        reminders = [one for one in self.store.reminders.values() if one.state.event_id == event_id]
        held = {one.key for one in self.store.quarantine.values()}
        return CalendarFacts(
            event_id,
            self._row(event_id, self.store.events[event_id]),
            self.stream(event_id),
            [
                ReminderFacts(
                    one.state.id,
                    self._row(one.state.id, one),
                    self.stream(one.state.id),
                    [
                        MessageRow(row.message.key, _due(row.message.payload), row.published_at)
                        for id_, row in self.store.outbox.items()
                        if id_ == one.state.id
                    ],
                    self._about(one.state.id),
                    one.state.id in self.store.inbox,
                    one.state.id not in self.store.inbox and str(event_id).encode() in held,
                )
                for one in reminders
            ],
            self._lost(self.store.events[event_id].state),
            self._foreign(self.store.events[event_id].state),
        )

    def _lost(self, event: CalendarEvent) -> Sequence[UserId]:
        had_address = {one.user_id for one in self.store.contact_points.values()}
        had_address |= {user_id for user_id, _ in self.store.channel_opt_outs}
        concerned = {event.owner_user_id, event.client_user_id}
        return sorted(one for one in concerned if one in had_address and one not in self.store.persons)

    def _foreign(self, event: CalendarEvent) -> Sequence[UserId]:
        concerned = {one for one in (event.owner_user_id, event.client_user_id) if one is not None}
        return sorted(one for one in concerned if self._is_foreign(event.tenant_id, one))

    def _is_foreign(self, tenant_id: TenantId, user_id: UserId) -> bool:
        person = self.store.persons.get(user_id)
        return person is not None and person.tenant_id != tenant_id

    def _touch(self, touch_id: TouchId) -> TouchFacts:
        found = self.store.touches[touch_id].touch
        occurrence = found.state.occurrence
        plan = self.store.plans.get(occurrence.plan_id) if occurrence else None
        user_id, texts = found.state.origin.user_id, self.store.touch_texts.get(touch_id)
        return TouchFacts(
            touch_id,
            self._row(touch_id, found),
            self.stream(touch_id),
            user_id in self.store.persons,
            self.store.is_erased(user_id),
            texts is not None,
            texts is not None and texts.answer is not None,
            self._about(touch_id),
            plan.state.tenant_id if plan else None,
            self._is_foreign(found.state.tenant_id, user_id),
        )

    def _plan(self, plan_id: PlanId) -> PlanFacts:
        found = self.store.plans[plan_id]
        planned = next_occurrence(found.state)
        touches = [row.touch.state for row in self.store.touches.values()]
        made = [
            (one.id, one.tenant_id, one.occurrence)
            for one in touches
            if one.occurrence is not None and one.occurrence.plan_id == plan_id
        ]
        return PlanFacts(
            plan_id,
            self._row(plan_id, found),
            planned.at if planned else None,
            self.stream(plan_id),
            made,
            self._is_foreign(found.state.tenant_id, found.state.terms.target.user_id),
        )

    def _message(self, id_: UUID, row: OutboxRow) -> MessageFacts:
        due = _due(row.message.payload)
        return MessageFacts(
            id=id_,
            about=None if isinstance(due, Unreadable) else due.reminder_id,
            is_known=ReminderId(id_) in self.store.reminders,
            was_sent=self._was(id_, ReminderSent),
            topic=row.message.topic,
            has_headers=codec.has_headers(row.message.headers),
            created_at=row.created_at,
            published_at=row.published_at,
            parked_at=row.parked_at,
            claimed_by=row.relay,
            claimed_until=row.lease_until,
        )

    def _delivery(self, one: Delivery) -> DeliveryFacts:
        if one.template is Template.OPERATOR_NOTICE:
            is_about_something = NoticeId(one.about_id) in self.store.matters
        else:
            is_about_something = self._was(one.about_id, ReminderSent, TouchAnswered)
        point = self.store.contact_points.get(one.contact_point_id) if one.contact_point_id else None
        return DeliveryFacts(
            one.id,
            one,
            is_about_something,
            is_of_reminder=ReminderId(one.about_id) in self.store.reminders,
            is_known=one.user_id in self.store.persons,
            contact_user_id=point.user_id if point else None,
            fits_address=self._fits_address(one, point),
            attempts=[Tried(each.claim, each.outcome) for each in self.store.attempts.get(one.id, ())],
            is_foreign=self._is_foreign(one.tenant_id, one.user_id),
        )

    def _fits_address(self, one: Delivery, point: ContactPoint | None) -> bool:
        if is_erased(one):
            return one.user_id not in self.store.persons or self.store.is_erased(one.user_id)
        if one.contact_point_id is None:
            return one.address_key == str(one.user_id)
        return point is None or one.address_key == address_key(point)

    def _was(self, stream_id: UUID, *kinds: type) -> bool:
        return any(isinstance(one.event, kinds) for one in self.stream(stream_id))

    def _about(self, id_: UUID) -> Sequence[Delivery]:
        return [one for one in self.store.deliveries.values() if one.about_id == id_]

    def _has_row(self, id_: UUID) -> bool:
        rows = (self.store.events, self.store.reminders, self.store.touches, self.store.plans)
        return any(id_ in some for some in rows)

    def stream(self, id_: UUID) -> Stream:
        of_calendar, of_touch = self.store.history.get(id_, ()), self.store.touch_history.get(id_, ())
        return [
            *(Happened(one.version, one.event, one.occurred_at, one.actor) for one in of_calendar),
            *(Happened(one.version, one.event, one.occurred_at, one.actor) for one in of_touch),
        ]

    def _row(self, id_: UUID, found: Versioned[State]) -> Row[State]:
        is_spoilt = self.store.is_spoilt(id_, Spoilt.UNREADABLE)
        state = Unreadable(Spoilt.UNREADABLE.value) if is_spoilt else found.state
        touch = self.store.touches.get(TouchId(id_))
        return Row(state, found.version, None, touch.caller if touch else None)


def _due(payload: bytes) -> ReminderDueEvent | Unreadable:
    try:
        return codec.decode_due(payload)
    except codec.Malformed as problem:
        return Unreadable(str(problem))
