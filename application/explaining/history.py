"""What happened to one thing, and on wish to what followed from it, in words and in order."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from attrs import frozen

from application.explaining.explanation import What
from application.explaining.words import words, words_of_attempt
from application.ports.deliveries import Deliveries
from application.ports.errors import Busy, Unavailable
from application.ports.ledger import Ledger, Poison, Recorded
from application.ports.people import People
from application.ports.touches import RecordedTouchEvent, Touches
from domain import calendar_event, deferred_touch, reminder, touch_plan
from domain.delivery import Delivery, Status
from domain.values import DeliveryId, EventId, ReminderId, UserId


@frozen
class Happening:
    """One thing that happened, at an instant; `event` is its type's name. Attempts at deliveries are no
    events: they have neither actor nor correlation id.
    """

    at: datetime
    what: What
    id: UUID
    event: str
    says: str
    actor: str | None = None
    correlation_id: UUID | None = None
    version: int | None = None


@frozen
class Past:
    """All that happened, the first first, and the zone in which its times are told."""

    time_zone: str
    happened: Sequence[Happening]


@frozen
class Recalling:
    """Reads what is committed, and changes nothing. History is kept when rows are not any more."""

    ledger: Ledger
    deliveries: Deliveries
    people: People
    touches: Touches

    def history(self, id_: UUID, *, everything: bool = False) -> Past | None:
        """The history of an event, reminder, delivery, touch or plan; None for an id of none.

        With `everything` also of an event its reminders', of those and of touches the attempts to deliver.
        """
        recorded = self._recorded(id_)
        if recorded:
            return self._of_calendar(recorded, everything)
        one = self.deliveries.by_id(DeliveryId(id_))
        if one is not None:
            return Past(self._zone_of_delivery(one), self._attempts(one))
        happened = self._touched(id_)
        return self._of_touch(id_, happened, everything) if happened else None

    def _recorded(self, id_: UUID) -> Sequence[Recorded]:
        try:
            return self.ledger.history(id_)
        except (Unavailable, Busy):
            raise
        except Exception:
            if self._is_touched(id_):
                return ()  # its events are a touch's or a plan's
            raise

    def _is_touched(self, id_: UUID) -> bool:
        try:
            return bool(self._touched(id_))
        except (Unavailable, Busy):
            raise
        except Exception:
            return False

    def _touched(self, id_: UUID) -> Sequence[RecordedTouchEvent]:
        return self.touches.history(id_)

    def _of_calendar(self, recorded: Sequence[Recorded], everything: bool) -> Past:
        id_, first = recorded[0].stream_id, recorded[0].event
        is_event = isinstance(first, calendar_event.Event)
        time_zone = _zone(recorded)
        if not is_event and isinstance(first, reminder.ReminderScheduled):
            time_zone = _zone(self._recorded(first.event_id))
        what = What.EVENT if is_event else What.REMINDER
        happened = [_happening(what, id_, one, time_zone) for one in recorded]
        if everything:
            reminders = self._reminders(id_) if is_event else [ReminderId(id_)]
            for reminder_id in reminders:
                if is_event:
                    stream = self._recorded(reminder_id)
                    happened += [_happening(What.REMINDER, reminder_id, one, time_zone) for one in stream]
                happened += self._attempts_about(reminder_id)
        return Past(time_zone, _in_order(happened))

    def _reminders(self, id_: UUID) -> Sequence[ReminderId]:
        """By their history, for a row may be gone; and by their rows, for a history may be damaged."""
        found = self.ledger.each_reminder(EventId(id_))
        rows = [one.reminder_id if isinstance(one, Poison) else one.state.id for one in found]
        return list(dict.fromkeys([*rows, *self.ledger.reminder_ids(EventId(id_))]))

    def _of_touch(self, id_: UUID, recorded: Sequence[RecordedTouchEvent], everything: bool) -> Past:
        first = recorded[0].event
        is_touch = isinstance(first, deferred_touch.TouchRegistered)
        if isinstance(first, deferred_touch.TouchRegistered):
            time_zone = self._zone_of_person(first.origin.user_id)
        else:
            time_zone = _zone_of_plan(recorded)
        what = What.TOUCH if is_touch else What.PLAN
        happened = [_happening(what, id_, one, time_zone) for one in recorded]
        if everything and is_touch:
            happened += self._attempts_about(ReminderId(id_))
        return Past(time_zone, _in_order(happened))

    def _attempts_about(self, about_id: ReminderId) -> Sequence[Happening]:
        return [each for one in self.deliveries.of_reminder(about_id) for each in self._attempts(one)]

    def _attempts(self, one: Delivery) -> Sequence[Happening]:
        attempts = self.deliveries.attempts(one.id)
        tried = [
            Happening(
                attempt.started_at,
                What.DELIVERY,
                one.id,
                "Attempt",
                words_of_attempt(attempt, before),
                version=attempt.claim,
            )
            for before, attempt in zip([None, *attempts], attempts, strict=False)
        ]
        if one.status is Status.PENDING and attempts and attempts[-1].outcome == "refused":
            says = "given back by hand, to be tried again"
            tried.append(Happening(one.not_before, What.DELIVERY, one.id, "DeliveryRetried", says))
        return tried

    def _zone_of_delivery(self, one: Delivery) -> str:
        found = None if one.event_id is None else self._recorded(one.event_id)
        return _zone(found) if found else self._zone_of_person(one.user_id)

    def _zone_of_person(self, user_id: UserId) -> str:
        person = self.people.by_id(user_id)
        return person.time_zone if person is not None else "UTC"


def _happening(what: What, id_: UUID, one: Recorded | RecordedTouchEvent, time_zone: str) -> Happening:
    return Happening(
        one.occurred_at,
        what,
        id_,
        type(one.event).__name__,
        words(one.event, time_zone),
        one.actor,
        one.correlation_id,
        one.version,
    )


def _in_order(happened: Sequence[Happening]) -> Sequence[Happening]:
    """By time; what happened at one instant stays in the order in which it follows from the other."""
    return sorted(happened, key=lambda one: one.at)


def _zone(recorded: Sequence[Recorded]) -> str:
    """The zone that an event has by now."""
    timings = [timing for one in recorded if (timing := getattr(one.event, "timing", None)) is not None]
    return timings[-1].time_zone if timings else "UTC"


def _zone_of_plan(recorded: Sequence[RecordedTouchEvent]) -> str:
    edits = (touch_plan.PlanCreated, touch_plan.PlanEdited)
    terms = [one.event.terms for one in recorded if isinstance(one.event, edits)]
    return terms[-1].schedule.time_zone if terms else "UTC"
