"""The rows of the current state beside the streams that they are made from, to be made from them again."""

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Protocol
from uuid import UUID

from attrs import frozen

from application.ports.auditing import Row, Stream
from application.ports.ledger import Versioned
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan
from domain.values import EventId

State = CalendarEvent | Reminder | DeferredTouch | TouchPlan


@frozen
class Standing:
    """A stream and the row of its id, where there is one; `next_at` is that of a plan's row."""

    id: UUID
    stream: Stream
    row: Row[State] | None
    next_at: datetime | None = None


@frozen
class Made:
    """A row as its events have it; `caller` is who asked for a touch, None for all else."""

    state: State
    version: int
    updated_at: datetime
    caller: str | None = None


@frozen
class StandingPage:
    """`last` is the last id of the page, None when there was none."""

    found: Sequence[Standing]
    last: UUID | None


@frozen
class StrayPage:
    """`found` are the rows of a page that have no stream; `last` is the page's last id, None at the end."""

    found: Sequence[UUID]
    last: UUID | None


@frozen
class Inserted:
    """Which of the rows are there now, by whomever, and how many of them were written for it."""

    there: AbstractSet[UUID]
    written: int


class StateRows(Protocol):
    """Rows of events, reminders, touches and plans."""

    def about(self) -> int:
        """How many streams there are, about; counting them all may take too long."""

    def page(self, after: UUID | None, limit: int) -> StandingPage:
        """The first streams after this one by their ids, as one moment has them, with their rows."""

    def standing(self, ids: Collection[UUID]) -> Sequence[Standing]:
        """These streams with their rows, as one moment has them, without a lock; in the order of `ids`.

        Of an id of nothing the stream is empty and the row None.
        """

    def strays(self, after: UUID | None, limit: int) -> StrayPage:
        """Those without a stream of the first rows after this id, over all kinds, as one moment has them."""

    def reminders(self, event_ids: Collection[EventId]) -> Sequence[Versioned[Reminder]]:
        """The rows of all reminders of these events that can be read, ordered by id, without a lock."""

    def insert(self, made: Collection[Made]) -> Inserted:
        """Write those rows that are not there.

        One that the store refuses keeps none of the others from being written.
        """

    def correct(self, state: type[State], id: UUID, decide: Callable[[Standing], Made | None]) -> bool:
        """Lock the row of such a state as a change of it does, read its stream anew, and write what is
        decided; False where there is no row. Busy after 15 s of waiting, Conflict where it is refused.
        """
