"""What is known of a reminder."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from application.explaining.drift import Drift
from application.explaining.explanation import Explanation, Setup, Subject, What, noted, wall
from application.ports.ledger import Unreadable
from application.ports.outbox import Standing
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder


@frozen
class ReminderFacts:
    """A reminder and what there is about it. `since` is when the last of its events happened; `due_count` how
    many reminders are due by `now`; `siblings` are all reminders of its event, this one among them. Without
    `has_row` its history is all there is of it.
    """

    reminder: Reminder
    event: CalendarEvent | Unreadable | None
    now: datetime
    setup: Setup
    since: datetime | None = None
    has_row: bool = True
    drift: Drift | None = None
    is_held: bool = False
    due_count: int = 0
    siblings: Sequence[Reminder] = ()
    message: Standing | None = None
    received_at: datetime | None = None
    deliveries: Sequence[Explanation] = ()

    @property
    def time_zone(self) -> str:
        return self.event.timing.time_zone if isinstance(self.event, CalendarEvent) else "UTC"

    def wall(self, at: datetime) -> str:
        return wall(at, self.time_zone)

    def noted(self, at: datetime) -> str:
        return noted(at, self.time_zone)

    @property
    def subject(self) -> Subject:
        one = self.reminder
        return Subject(
            What.REMINDER,
            one.id,
            one.status.value,
            f"Reminder {one.id}",
            self.time_zone,
            since=one.sent_at or self.since,
            parts=self.deliveries,
        )
