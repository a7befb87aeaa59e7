"""What happened, in words: a phrase for each event of each aggregate, and for each attempt at a delivery."""

from collections.abc import Mapping

from application.explaining.explanation import counted, noted, wall
from application.ports.deliveries import Attempt
from domain import calendar_event, deferred_touch, delivery, reminder, touch_plan
from domain.deferred_touch import CloseReason
from domain.reminder import SkipReason
from domain.touch_plan import EndReason
from domain.values import Timing

Event = calendar_event.Event | reminder.Event | deferred_touch.Event | touch_plan.Event

OUTCOMES: Mapping[str, str] = {
    "accepted": "the channel took it",
    "refused": "the channel refused it for good",
    "postponed": "the channel did not take it now",
    "given_back": "given back unsent, at no cost",
    "skipped": "not sent after all",
    "lost": "its answer was lost, so nobody knows whether it arrived",
    "confirmed": "its answer was lost, and somebody has looked",
}
NOT_WANTED: Mapping[str, str] = {
    delivery.SkipReason.CANCELLED: "it was cancelled, or its words were erased",
    delivery.SkipReason.EVENT_OVER: "its event is over",
    delivery.SkipReason.MOVED: "its event was moved to another time",
    delivery.SkipReason.OPTED_OUT: "the person opted out of the channel or the address",
    delivery.SkipReason.ADDRESS_GONE: "the address was removed",
    delivery.SkipReason.NOT_MEMBER: "the person has left the tenant or was erased",
    delivery.SkipReason.OTHER_TENANT: "the person is one of another tenant",
    delivery.SkipReason.TAKEN_OFF: "the person is no longer one of those whom it is for",
}
SKIPPED: Mapping[SkipReason, str] = {
    SkipReason.CANCELLED: "its event was cancelled",
    SkipReason.COMPLETED: "its event was completed",
    SkipReason.MOVED: "its event was moved to another time",
    SkipReason.WITHDRAWN: "its trigger was taken off the event",
    SkipReason.PAST: "its time had passed when it was made",
    SkipReason.STALE: "it was found too late to be of use",
}
CLOSED: Mapping[CloseReason, str] = {
    CloseReason.NOTHING_TO_SAY: "there was nothing to say",
    CloseReason.UNDELIVERABLE: "its answer could not be delivered where it was asked for",
}
# Those who act in the name of nobody, as histories have them; anybody else is told by name.
ACTORS: Mapping[str, str] = {
    "user": "a command",
    "cli": "a command",
    "erasure": "the erasing of its person",
}
ENDED: Mapping[EndReason, str] = {
    EndReason.BY_HAND: "somebody ended it",
    EndReason.FINISHED: "its schedule has no further occurrence",
}


def by(actor: str | None) -> str:
    """Who did it, in a user's words."""
    return "somebody" if actor is None else ACTORS.get(actor, actor)


def words(event: Event, time_zone: str) -> str:
    """What happened, in the past, with times in this zone where the event itself names none."""
    match event:
        case calendar_event.CalendarEventPlanned() as planned:
            reminders = counted(len(planned.triggers), "reminder")
            return f"planned as {planned.kind}, to start at {_start(planned.timing)}, with {reminders}"
        case calendar_event.CalendarEventChanged() as changed:
            reminders = counted(len(changed.triggers), "reminder")
            return f"changed: it starts at {_start(changed.timing)}, with {reminders}"
        case calendar_event.CalendarEventMoved(timing):
            return f"moved to {_start(timing)}"
        case calendar_event.CalendarEventRezoned(timing):
            return f"reckoned by new zone data: it starts at {_start(timing)}, {wall(timing.start_at, 'UTC')}"
        case calendar_event.CalendarEventStarted():
            return "started"
        case calendar_event.CalendarEventCompleted():
            return "completed"
        case calendar_event.CalendarEventCancelled():
            return "cancelled"
        case reminder.ReminderScheduled() as scheduled:
            return f"scheduled for {wall(scheduled.due_at, time_zone)} ({scheduled.trigger})"
        case reminder.ReminderSent(version):
            return f"sent, on version {version} of its event, and its message put into the outbox"
        case reminder.ReminderSkipped(reason):
            return f"skipped: {SKIPPED[reason]}"
        case (
            touch_plan.PlanCreated()
            | touch_plan.PlanEdited()
            | touch_plan.PlanPaused()
            | touch_plan.PlanResumed()
            | touch_plan.PlanAdvanced()
            | touch_plan.PlanEnded()
        ):
            return _of_plan(event)
        case _:
            return _of_touch(event, time_zone)


def words_of_attempt(attempt: Attempt, before: Attempt | None = None) -> str:
    """What became of one claim of a delivery; after one `before` that was the end, somebody asked for it."""
    tried = "tried"
    if before is not None and before.outcome == "refused":
        tried = "given back by hand, and tried again"
    if attempt.outcome is None:
        return f"{tried} (claim {attempt.claim}): in its sender's hands, or its sender has fallen silent"
    became, reason = OUTCOMES.get(attempt.outcome, attempt.outcome), attempt.reason
    if attempt.outcome == "skipped" and reason is not None:
        reason = NOT_WANTED.get(reason, reason)
    because = f": {reason}" if reason and attempt.outcome not in ("accepted", "given_back") else ""
    return f"{tried} (claim {attempt.claim}): {became}{because}"


def _of_touch(event: deferred_touch.Event, time_zone: str) -> str:
    match event:
        case deferred_touch.TouchRegistered(due_at=due_at, occurrence=None):
            return f"put off until {wall(due_at, time_zone)}"
        case deferred_touch.TouchRegistered(due_at=due_at, occurrence=occurrence):
            assert occurrence is not None
            slot = f"{occurrence.slot:%Y-%m-%d %H:%M}"
            return f"made of plan {occurrence.plan_id} for its {slot}, due at {wall(due_at, time_zone)}"
        case deferred_touch.TouchClaimed(worker, lease_until):
            return f"taken by {worker}, at first until {noted(lease_until, time_zone)}"
        case deferred_touch.TouchRecovered():
            return "taken back from a worker that had fallen silent"
        case deferred_touch.TouchReleased():
            return "given back before any work, at no cost"
        case deferred_touch.TouchAttemptFailed(reason, again_at):
            return f"the attempt failed: {reason}; the next one is after {noted(again_at, time_zone)}"
        case deferred_touch.TouchPutOff(until):
            return f"its work asked to be called again after {wall(until, time_zone)}"
        case deferred_touch.TouchAnswered():
            return "answered, and the answer given to its delivery"
        case deferred_touch.TouchDelivered():
            return "its answer was delivered"
        case deferred_touch.TouchClosed(reason):
            return f"closed: {CLOSED[reason]}"
        case deferred_touch.TouchCancelled():
            return "cancelled"
        case deferred_touch.TouchFailed(spent, reason):
            return f"failed, its {spent.value} being spent: {reason}"
        case deferred_touch.TouchRetried():
            return "to be tried again, with all its attempts"


def _of_plan(event: touch_plan.Event) -> str:
    match event:
        case touch_plan.PlanCreated(terms=terms):
            return f"made, in {terms.schedule.time_zone}"
        case touch_plan.PlanEdited(terms):
            return f"edited, in {terms.schedule.time_zone}"
        case touch_plan.PlanPaused():
            return "paused"
        case touch_plan.PlanResumed():
            return "resumed"
        case touch_plan.PlanAdvanced(made=made, missed=missed):
            if not made:
                return f"{counted(missed, 'occurrence')} passed over"
            passed_over = f", {missed} passed over" if missed else ""
            became = "a touch" if len(made) == 1 else "touches"
            return f"{counted(len(made), 'occurrence')} became {became}{passed_over}"
        case touch_plan.PlanEnded(reason):
            return f"ended: {ENDED[reason]}"


def _start(timing: Timing) -> str:
    return (
        f"{timing.start_local:%Y-%m-%d}, all day"
        if timing.all_day
        else wall(timing.start_at, timing.time_zone)
    )
