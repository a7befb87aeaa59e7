"""How long what is over is kept before it may be pruned. Source: design section 5.

History (`domain_events`) is never pruned: it is the truth that everything else can be made from again.
"""

from datetime import timedelta

from attrs import field, frozen

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
