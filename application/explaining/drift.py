"""A row that says other than its history: somebody changed it from outside, and its history is what holds."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeVar

from attrs import frozen

from application.ports.ledger import Poison, Recorded, Unreadable, Versioned
from domain.calendar_event import CalendarEvent
from domain.errors import BrokenHistory
from domain.reminder import Reminder

State = TypeVar("State", CalendarEvent, Reminder)


@frozen
class Drift:
    """`status` is that by the history. A row `is_ahead` whose version is beyond it: no rebuild dares that."""

    status: str
    is_ahead: bool = False

    def says(self, row_status: str) -> str:
        mends = (
            "Its row is ahead of its history: `tickler audit` tells how far."
            if self.is_ahead
            else "`tickler rebuild` mends it."
        )
        return f"its row says {row_status}, and its history says {self.status}. {mends}"


def drift(
    state: State,
    history: Sequence[Recorded],
    evolve: Callable[..., State],
    read_again: Callable[[], Versioned[State] | Poison | Unreadable | None],
) -> Drift | None:
    """None where row and history agree, or where nothing can be said of it."""
    try:
        folded = reduce(evolve, [one.event for one in history], None)
    except BrokenHistory:
        return None
    if folded is None or folded.status is state.status:
        return None
    again = read_again()
    if not isinstance(again, Versioned) or again.state != state:
        return None  # it went on between the two readings
    return Drift(folded.status.value, again.version > len(history))
