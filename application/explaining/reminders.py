"""Where a reminder stands: before its time, due, held up, sent or skipped."""

from datetime import datetime

from application.explaining.explanation import Explanation, Situation, What, counted, lasting, told
from application.explaining.forgotten import REBUILD
from application.explaining.reminder_facts import ReminderFacts
from application.explaining.sent import explain_sent
from application.ports.ledger import Poison, Unreadable
from domain import policies, reminder
from domain.calendar_event import CalendarEvent
from domain.reminder import SkipReason, Status

NOTHING_ELSE = (
    "The dispatch leaves it out and logs an error that names it, once a tick, until that is mended;"
    " the others leave as ever."
)


def explain_reminder(facts: ReminderFacts) -> Explanation:
    if facts.drift is not None:
        return told(facts, Situation.DRIFTED, f"cannot be believed: {facts.drift.says}")
    match facts.reminder.status:
        case Status.PENDING:
            return _pending(facts)
        case Status.SENT:
            return explain_sent(facts)
        case Status.SKIPPED:
            return _skipped(facts)


def explain_unreadable(poison: Poison, time_zone: str) -> Explanation:
    """Of a reminder whose row makes no sense nothing more is known."""
    says = f"Reminder {poison.reminder_id} cannot be read: {poison.problem}. {NOTHING_ELSE} {REBUILD}"
    return Explanation(
        What.REMINDER, poison.reminder_id, Status.PENDING.value, Situation.POISON, says, time_zone
    )


def _pending(facts: ReminderFacts) -> Explanation:
    one, event, now = facts.reminder, facts.event, facts.now
    if not facts.has_row:
        says = (
            "is Pending by its history, but its row is not there: no cycle finds it, and it does not leave"
            f" at {facts.wall(one.due_at)} nor ever, until that is mended. {REBUILD}"
        )
        return told(facts, Situation.POISON, says)
    match event:
        case None:
            return _poison(facts, f"its event {one.event_id} is not there", REBUILD)
        case Unreadable(problem):
            return _poison(facts, f"its event {one.event_id} cannot be read: {problem}", REBUILD)
        case CalendarEvent():
            pass
    is_due = one.due_at < now
    interval = facts.setup.dispatch.interval
    stale_after = facts.setup.dispatch.stale_after
    first_cycle = now if is_due else one.due_at + interval
    try:
        # Whatever the next cycle will decide, by its own rules.
        command = policies.when_reminder_due(one, event, 1, first_cycle, stale_after)
        reminder.decide(one, command)
    except Exception as problem:
        audit = "`tickler audit` looks for what is wrong."
        return _poison(facts, f"the rules fail on it: {type(problem).__name__}", audit)
    due, latest_at = facts.wall(one.due_at), one.due_at + interval
    if isinstance(command, reminder.Skip) and not facts.is_held:
        when = f"the first cycle after {due}" if not is_due else "the next cycle"
        why = _reason(facts, command.reason, first_cycle)
        says = f"is Pending, but will be skipped and not sent at {when}: {why}."
        return told(facts, Situation.WILL_BE_SKIPPED, says, next_at=one.due_at, latest_at=latest_at)
    if not is_due:
        soon = f"at the latest about {lasting(interval)} later"
        says = f"is Pending: it leaves at the first cycle after {due}, {soon}."
        return told(facts, Situation.WAITS_FOR_ITS_TIME, says, next_at=one.due_at, latest_at=latest_at)
    if facts.is_held:
        says = (
            f"is Pending and due since {due}. At this moment somebody holds it: a cycle that is sending it,"
            " or a change to its event. When they are done it has left or is skipped, or the next cycle,"
            f" within about {lasting(interval)}, takes it."
        )
        return told(facts, Situation.HELD, says, next_at=one.due_at)
    late = now - latest_at
    if late <= facts.setup.dispatch.max_duration:
        says = (
            f"is Pending and due since {due}: it leaves at the next cycle, by about {facts.wall(latest_at)}."
        )
        return told(facts, Situation.DUE, says, next_at=one.due_at, latest_at=latest_at)
    says = (
        f"is Pending and overdue: it was due at {due} and should have left by about {facts.wall(latest_at)},"
        f" {lasting(late)} ago, but no cycle has taken it."
        " Look whether `tickler run` is running with its dispatch loop; if it is, its log says what goes"
        " wrong. It leaves at the first cycle that succeeds;"
        f" {counted(facts.due_count, 'reminder is', 'reminders are')} due by now."
    )
    return told(facts, Situation.OVERDUE, says, next_at=one.due_at, latest_at=latest_at)


def _poison(facts: ReminderFacts, problem: str, mends: str) -> Explanation:
    due = facts.wall(facts.reminder.due_at)
    says = f"is Pending, with {due} as its time, and cannot be sent: {problem}. {NOTHING_ELSE} {mends}"
    return told(facts, Situation.POISON, says, next_at=facts.reminder.due_at)


def _skipped(facts: ReminderFacts) -> Explanation:
    reason = facts.reminder.reason
    assert reason is not None
    at = f" at {facts.noted(facts.since)}" if facts.since else ""
    why = _reason(facts, reason, facts.since)
    says = f"was Skipped{at}: {why}. Nothing was sent, and it stays so.{_replacement(facts)}"
    return told(facts, Situation.SKIPPED, says)


def _reason(facts: ReminderFacts, reason: SkipReason, at: datetime | None) -> str:
    one = facts.reminder
    match reason:
        case SkipReason.CANCELLED:
            return "its event was cancelled"
        case SkipReason.COMPLETED:
            return "its event was completed"
        case SkipReason.MOVED:
            return f"its event was moved, so that {facts.wall(one.due_at)} is no longer its time"
        case SkipReason.WITHDRAWN:
            return f"its trigger {one.trigger} was taken off the event"
        case SkipReason.PAST:
            return f"its time, {facts.wall(one.due_at)}, had passed when it was made"
        case SkipReason.STALE if one.status is Status.PENDING:
            return f"its time is {lasting(facts.now - one.due_at)} past, too late to be of use"
        case SkipReason.STALE:
            late = "" if at is None else f" {lasting(at - one.due_at)} after its time"
            return f"it was found{late}, too late to be of use"


def _replacement(facts: ReminderFacts) -> str:
    """Which reminder stands for the trigger of one whose event was moved."""
    one = facts.reminder
    if one.reason is not SkipReason.MOVED:
        return ""
    others = [other for other in facts.siblings if other.id != one.id and other.trigger == one.trigger]
    standing = [other for other in others if other.reason is not SkipReason.MOVED]
    if not standing:
        return " No other reminder stands for it now."
    # Ids sort by time: the last one is that of the last move.
    last = max(standing, key=lambda other: (other.status is Status.PENDING, other.id))
    became = last.status.value + (f" as {last.reason.value}" if last.reason else "")
    return f" Reminder {last.id} stands for it now: {became}, with {facts.wall(last.due_at)} as its time."
