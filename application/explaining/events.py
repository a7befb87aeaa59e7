"""Where a calendar event stands, with its reminders."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from application.explaining.drift import Drift
from application.explaining.explanation import Explanation, Situation, What, counted, noted, wall
from application.wording import one_line
from domain.calendar_event import CalendarEvent
from domain.values import EventId, EventStatus

SITUATIONS = {
    EventStatus.PLANNED: Situation.OPEN,
    EventStatus.IN_PROGRESS: Situation.OPEN,
    EventStatus.COMPLETED: Situation.COMPLETED,
    EventStatus.CANCELLED: Situation.CANCELLED,
}


@frozen
class EventFacts:
    """An event with the explanations of its reminders; `replaced` is how many of before it was moved or
    changed were left out of them.
    """

    event: CalendarEvent
    now: datetime
    title: str | None = None
    since: datetime | None = None
    reminders: Sequence[Explanation] = ()
    replaced: int = 0
    drift: Drift | None = None
    began_at: datetime | None = None


def explain_event(facts: EventFacts) -> Explanation:
    event, timing = facts.event, facts.event.timing
    title = f" “{one_line(facts.title)}”" if facts.title else ""
    start = (
        f"on {timing.start_local:%Y-%m-%d}, all day {timing.time_zone}"
        if timing.all_day
        else f"at {wall(timing.start_at, timing.time_zone)}"
    )
    begins = f"it {'starts' if timing.start_at > facts.now else 'was to start'} {start}"
    if event.status is EventStatus.IN_PROGRESS:
        began = f"it began at {noted(facts.began_at, timing.time_zone)}, and " if facts.began_at else "it "
        begins = f"{began}was to start {start}"
    said = [f"Event {event.id}{title} is {event.status.value}: {begins}."]
    if not event.status.is_open:
        at = f" at {noted(facts.since, timing.time_zone)}" if facts.since else ""
        ended = "completed" if event.status is EventStatus.COMPLETED else "cancelled"
        said = [f"Event {event.id}{title} was {ended}{at}: reminders that had not left by then do not leave."]
    if facts.drift is not None:
        said = [f"Event {event.id}{title} cannot be believed: {facts.drift.says}"]
    said.append(_reminders(facts))
    waiting = [one.next_at for one in facts.reminders if one.status == "Pending" and one.next_at]
    return Explanation(
        What.EVENT,
        event.id,
        event.status.value,
        SITUATIONS[event.status] if facts.drift is None else Situation.DRIFTED,
        " ".join(said),
        timing.time_zone,
        since=facts.since,
        next_at=min(waiting, default=None),
        parts=facts.reminders,
    )


def explain_unreadable_event(event_id: EventId, problem: str) -> Explanation:
    """Of an event whose row makes no sense nothing more is known."""
    says = (
        f"Event {event_id} cannot be read: {problem}. Its reminders do not leave until that is mended:"
        " `tickler rebuild` makes the row again from its history, which `tickler history` tells."
    )
    return Explanation(What.EVENT, event_id, "unreadable", Situation.POISON, says, "UTC")


def _reminders(facts: EventFacts) -> str:
    are = "is" if facts.replaced == 1 else "are"
    told = f"; {facts.replaced} from before it was moved or changed {are} told of with --all"
    before = told if facts.replaced else ""
    if not facts.reminders:
        return f"It has no reminders{before}."
    bad = sum(one.situation is Situation.POISON for one in facts.reminders)
    which = f", {bad} of which cannot be sent as {'it stands' if bad == 1 else 'they stand'}" if bad else ""
    return f"It has {counted(len(facts.reminders), 'reminder')}{which}{before}."
