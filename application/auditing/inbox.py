"""What became of a reminder that was sent: taken in, and told to whom it is for."""

from collections.abc import Iterator
from datetime import timedelta

from application.auditing.rules import LATE, UNREAD, Breach, Moment, Rule
from application.auditing.streams import Folded
from application.ports.auditing import ReminderFacts
from application.ports.pruning import What
from domain import policies
from domain.calendar_event import CalendarEvent
from domain.policies import ReminderDueEvent
from domain.reminder import Reminder, ReminderSent


def inbox_breaches(
    one: ReminderFacts, state: Reminder, event: Folded[CalendarEvent], moment: Moment
) -> Iterator[Breach]:
    sent = one.stream[-1].event if one.stream else None
    if not isinstance(sent, ReminderSent):
        return
    if one.was_taken_in or one.deliveries:
        yield from _of_entry(one, sent, moment)
        if 0 < sent.event_version <= len(event.states):
            due = policies.when_reminder_sent(state, event.states[sent.event_version - 1])
            yield from _of_telling(one, due, moment)
    elif not one.may_be_held and _left_long_ago(one, sent, moment):
        rule = Rule.IS_TAKEN_IN if moment.is_direct else Rule.STUCK_RECORD
        yield Breach(rule, one.id, "it was published, and nothing shows that it was taken in")


def _of_entry(one: ReminderFacts, sent: ReminderSent, moment: Moment) -> Iterator[Breach]:
    """It was taken in after it was sent, so that it cannot have been pruned before that."""
    if not one.was_taken_in and sent.at >= moment.let_go.before(What.INBOX):
        yield Breach(Rule.WAS_TAKEN_IN, one.id, "it has deliveries, and is not in the inbox")


def _of_telling(one: ReminderFacts, due: ReminderDueEvent, moment: Moment) -> Iterator[Breach]:
    """The owner comes first, so that theirs is there whosever address the client shares."""
    due_at = due.start_at - timedelta(minutes=due.offset_minutes)
    is_kept = due_at >= moment.let_go.before(What.DELIVERIES)
    if is_kept and one.was_taken_in and due.owner_user_id not in {each.user_id for each in one.deliveries}:
        yield Breach(Rule.IS_TOLD, one.id, "it was taken in, and no delivery is for its event's owner")
    for each in one.deliveries:
        if each.due_at != due_at:
            yield Breach(Rule.IS_TOLD, each.id, f"it is due when reminder {one.id} is not")


def _left_long_ago(one: ReminderFacts, sent: ReminderSent, moment: Moment) -> bool:
    """Whether it was published so long ago that it should be in the inbox, and would not be pruned yet.

    What is in the outbox no more was published before it was pruned.
    """
    before = moment.let_go.before
    # What the consumer could not take in is in the quarantine, as long as that is kept.
    if sent.at < max(before(What.INBOX), before(What.QUARANTINE)):
        return False
    if not one.messages:
        return sent.at < before(What.OUTBOX)
    since = moment.now - (LATE if moment.is_direct else UNREAD)
    return all(each.published_at is not None and each.published_at < since for each in one.messages)
