"""What has no row any more, as when it was pruned, has its history still, which never is."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeVar
from uuid import UUID

from attrs import evolve, frozen

from application.explaining.explanation import Explanation
from application.ports.errors import Busy, Unavailable
from application.ports.ledger import Ledger, Recorded
from application.ports.touches import RecordedTouchEvent, Touches
from domain import calendar_event, deferred_touch, reminder, touch_plan
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan

REBUILD = "`tickler rebuild` makes the row again from its history."

Kept = TypeVar("Kept", Recorded, RecordedTouchEvent)


@frozen
class Forgotten:
    """States by their history alone; None for an id without one, or with that of something else."""

    ledger: Ledger
    touches: Touches

    def event(self, id_: UUID) -> CalendarEvent | None:
        happened = [one.event for one in _stream(self.ledger.history, id_)]
        events = [one for one in happened if isinstance(one, calendar_event.Event)]
        return reduce(calendar_event.evolve, events, None) if events else None

    def reminder(self, id_: UUID) -> Reminder | None:
        happened = [one.event for one in _stream(self.ledger.history, id_)]
        events = [one for one in happened if isinstance(one, reminder.Event)]
        return reduce(reminder.evolve, events, None) if events else None

    def touch(self, id_: UUID) -> DeferredTouch | None:
        happened = [one.event for one in _stream(self.touches.history, id_)]
        events = [one for one in happened if isinstance(one, deferred_touch.Event)]
        return reduce(deferred_touch.evolve, events, None) if events else None

    def plan(self, id_: UUID) -> TouchPlan | None:
        happened = [one.event for one in _stream(self.touches.history, id_)]
        events = [one for one in happened if isinstance(one, touch_plan.Event)]
        return reduce(touch_plan.evolve, events, None) if events else None


def by_history(told: Explanation, *, is_lost: bool) -> Explanation:
    """Of what has no row: one that is lost is made again by rebuild, one that was pruned is not."""
    gone = "Its row is not there any more: its history says so."
    lost = "Its row is lost, and this is by its history: `tickler rebuild` makes the row again."
    return evolve(told, says=f"{told.says} {lost if is_lost else gone}")


def _stream(read: Callable[[UUID], Sequence[Kept]], id_: UUID) -> Sequence[Kept]:
    """Nothing for a stream that is not of the kind that is read here."""
    try:
        return read(id_)
    except (Unavailable, Busy):
        raise
    except Exception:
        return ()
