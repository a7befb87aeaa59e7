"""A stream folded again from its first event, and a row held against what came of it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar
from uuid import UUID

import attrs
from attrs import frozen

from application.auditing.rules import Breach, Rule
from application.ports.auditing import Row, Stream
from application.ports.ledger import Unreadable
from application.ports.pruning import What
from application.retention import LetGo
from domain import calendar_event, deferred_touch, reminder, touch_plan
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.errors import BrokenHistory
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan


class _Aggregate(Protocol):
    __attrs_attrs__: ClassVar[Any]

    @property
    def id(self) -> Any: ...


State = TypeVar("State", bound=_Aggregate)


@frozen
class Kind(Generic[State]):
    """How streams of one kind of aggregate are folded."""

    evolve: Callable[[Any, Any], State]
    events: tuple[type, ...]
    is_over: Callable[[State], bool]
    over: Rule


EVENTS: Kind[CalendarEvent] = Kind(
    calendar_event.evolve,
    calendar_event.Event.__args__,
    lambda event: not event.status.is_open,
    Rule.EVENT_IS_OVER,
)
REMINDERS: Kind[Reminder] = Kind(
    reminder.evolve,
    reminder.Event.__args__,
    lambda one: one.status is not reminder.Status.PENDING,
    Rule.REMINDER_IS_OVER,
)
TOUCHES: Kind[DeferredTouch] = Kind(
    deferred_touch.evolve,
    deferred_touch.Event.__args__,
    lambda touch: touch.status in deferred_touch.OVER,
    Rule.TOUCH_IS_OVER,
)
PLANS: Kind[TouchPlan] = Kind(
    touch_plan.evolve,
    touch_plan.Event.__args__,
    lambda plan: plan.status is touch_plan.Status.ENDED,
    Rule.PLAN_IS_OVER,
)
KINDS: Sequence[Kind[Any]] = (EVENTS, REMINDERS, TOUCHES, PLANS)


@frozen
class Folded(Generic[State]):
    """The states after each event, up to the first that does not fit; `breaches` tell of that one.

    `by` is who recorded the first event.
    """

    states: Sequence[State]
    breaches: Sequence[Breach]
    last_at: datetime | None
    by: str | None = None

    @property
    def state(self) -> State | None:
        """What the whole stream comes to; None for one that does not fit together."""
        return self.states[-1] if self.states and not self.breaches else None

    @property
    def caller(self) -> str | None:
        """Who asked for a touch that is of no plan."""
        is_asked_for = isinstance(self.state, DeferredTouch) and self.state.occurrence is None
        return self.by if is_asked_for else None


def kind_of(stream: Stream) -> Kind[Any] | None:
    """Whose stream it is, by the first of its events that can be read."""
    for happened in stream:
        if not isinstance(happened.event, Unreadable):
            return next(kind for kind in KINDS if isinstance(happened.event, kind.events))
    return None


def fold(kind: Kind[State], id: UUID, stream: Stream) -> Folded[State]:
    states: list[State] = []
    state: State | None = None
    last_at = None
    for place, happened in enumerate(stream, 1):
        event = happened.event
        if happened.version != place:
            broken = Breach(Rule.VERSIONS, id, f"version {place} is followed by {happened.version}")
            if happened.version > place:
                broken = Breach(Rule.VERSIONS, id, f"version {place} is missing")
        elif isinstance(event, Unreadable):
            broken = Breach(Rule.EVENT_IS_READABLE, id, f"version {place}: {event.problem}")
        elif event.at != happened.occurred_at:
            text = f"version {place}: it stands under another time than it tells"
            broken = Breach(Rule.EVENT_IS_READABLE, id, text)
        elif not isinstance(event, kind.events):
            name = type(event).__name__
            broken = Breach(Rule.STREAM_IS_POSSIBLE, id, f"version {place} is {name}, of something else")
        elif state is not None and kind.is_over(state):
            broken = Breach(kind.over, id, f"version {place} is {type(event).__name__}, after the end")
        else:
            try:
                state = kind.evolve(state, event)
            except BrokenHistory as problem:
                broken = Breach(Rule.STREAM_IS_POSSIBLE, id, f"version {place}: {problem}")
            else:
                if state.id == id:
                    states.append(state)
                    last_at = event.at
                    continue
                broken = Breach(Rule.STREAM_IS_POSSIBLE, id, f"it begins with the id {state.id}")
        return Folded(states, [broken], last_at)
    return Folded(states, [], last_at, stream[0].actor if stream else None)


def is_pruned(kind: Kind[Any], folded: Folded[Any], let_go: LetGo) -> bool:
    """Whether the row is one of those that are let go: of a reminder or touch that has long been over."""
    if kind not in (REMINDERS, TOUCHES) or folded.state is None or folded.last_at is None:
        return False
    what = What.REMINDERS if kind is REMINDERS else What.TOUCHES
    return kind.is_over(folded.state) and folded.last_at < let_go.before(what)


def row_breaches(id: UUID, row: Row[State], stream: Stream, folded: Folded[State]) -> list[Breach]:
    """What is wrong with a stream, with a row, and between the two."""
    breaches = list(folded.breaches)
    if isinstance(row.state, Unreadable):
        is_for_hands = folded.state is None or row.version > len(folded.states)
        return [*breaches, Breach(Rule.ROW_IS_READABLE, id, row.state.problem, is_for_hands)]
    if not stream:
        return [Breach(Rule.ROW_HAS_STREAM, id, f"a row at version {row.version}, and no events")]
    if folded.state is not None and (wrong := differences(row, folded)):
        text = f"other than its events say: {', '.join(wrong)}"
        breaches.append(Breach(Rule.ROW_IS_FOLD, id, text, row.version > len(folded.states)))
    return breaches


def differences(row: Row[State], folded: Folded[State]) -> list[str]:
    """The names of the columns in which a row is not what its events come to."""
    if row.state == folded.state:
        wrong = []
    else:
        fields = [one.name for one in attrs.fields(type(row.state)) if one.eq]
        wrong = [name for name in fields if getattr(row.state, name) != getattr(folded.state, name)]
    # A heartbeat lengthens a lease, and leaves no event.
    if (_lease(row.state) is None) != (_lease(folded.state) is None):
        wrong.append("lease_until")
    if row.caller != folded.caller:
        wrong.append("caller")
    if row.version != len(folded.states):
        wrong.append("version")
    if row.updated_at not in (None, folded.last_at):
        wrong.append("updated_at")
    return wrong


def _lease(state: object) -> datetime | None:
    return state.lease_until if isinstance(state, DeferredTouch) else None
