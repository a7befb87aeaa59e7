"""How long what is over is kept before it may be pruned. Source: design section 5.

History (`domain_events`) is never pruned: it is the truth that everything else can be made from again.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from attrs import field, frozen

from application.ports.pruning import What
from domain.errors import Invalid

SHORTEST = timedelta(days=1)
LONGEST = timedelta(days=36_600)


def _within_bounds(_: object, attribute: object, value: timedelta) -> None:
    if not SHORTEST <= value <= LONGEST:
        raise Invalid(f"{getattr(attribute, 'name', 'retention')}: it must be from 1 to 36600 days")


@frozen
class Retention:
    """`outbox` counts from when a message was published, and an unpublished one is kept for ever.

    `inbox` counts from when a reminder was taken in: a record that is read again later would be delivered
    again, so it must be longer than a topic keeps its records (`tickler kafka check` looks).
    `rows` is for reminders and touches that are over, `deliveries` for messages that are, with their
    attempts; both count from their last change. A row that lacks and is older than that is no damage.
    """

    outbox: timedelta = field(default=timedelta(days=7), validator=_within_bounds)
    inbox: timedelta = field(default=timedelta(days=14), validator=_within_bounds)
    rows: timedelta = field(default=timedelta(days=400), validator=_within_bounds)
    deliveries: timedelta = field(default=timedelta(days=400), validator=_within_bounds)

    def before(self, what: What, now: datetime) -> datetime:
        """What was over before that may go."""
        match what:
            case What.OUTBOX:
                return now - self.outbox
            case What.INBOX:
                return now - self.inbox
            case What.REMINDERS | What.TOUCHES | What.TOKENS:
                return now - self.rows
            case What.DELIVERIES | What.QUARANTINE:
                return now - self.deliveries
            case What.SESSIONS:
                return now


@frozen
class LetGo:
    """What may lack at a moment: by the retention, and by the marks of what was pruned by any other."""

    now: datetime
    retention: Retention
    marks: Mapping[What, datetime]

    def before(self, what: What) -> datetime:
        """A mark of a time to come is none: nothing is pruned before it is over."""
        by_settings = self.retention.before(what, self.now)
        mark = self.marks.get(what, by_settings)
        return max(by_settings, mark) if mark <= self.now else by_settings
