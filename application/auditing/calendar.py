"""An event, its reminders, what was put into the outbox for them and what was delivered."""

from collections import Counter
from collections.abc import Iterator, Sequence

from application.auditing.inbox import inbox_breaches
from application.auditing.rules import LATE, Breach, Moment, Rule
from application.auditing.streams import EVENTS, REMINDERS, Folded, fold, row_breaches
from application.ports.auditing import CalendarFacts, ReminderFacts, Stream
from application.ports.ledger import Unreadable
from application.ports.pruning import What
from domain import policies
from domain.calendar_event import CalendarEvent, CalendarEventRezoned
from domain.reminder import Reminder, ReminderSent, Status
from domain.triggers import DaysBeforeEnd, DaysBeforeStart, due_at, offset_minutes
from domain.values import Timing


def calendar_breaches(facts: CalendarFacts, moment: Moment) -> Iterator[Breach]:
    event = fold(EVENTS, facts.id, facts.stream)
    yield from row_breaches(facts.id, facts.row, facts.stream, event)
    for user_id in facts.lost:
        yield Breach(Rule.PERSON_IS_THERE, facts.id, f"person {user_id} is not there")
    for user_id in facts.foreign:
        yield Breach(Rule.TENANT, facts.id, f"person {user_id} is of another tenant")
    reminders: list[Reminder] = []
    for one in facts.reminders:
        folded = fold(REMINDERS, one.id, one.stream)
        yield from row_breaches(one.id, one.row, one.stream, folded)
        # Where the stream is broken the row speaks for the reminder, and where the row is, the stream.
        state = one.row.state if folded.state is None else folded.state
        if isinstance(state, Unreadable):
            continue
        reminders.append(state)
        yield from _of_row(one, moment)
        yield from _of_sending(one, folded, event, moment)
        yield from _of_deliveries(one, state, event)
        yield from inbox_breaches(one, state, event, moment)
        if event.state is not None:
            yield from _of_event(state, event.state, event.states, facts.stream, moment)
    for state in reminders:
        if state.status is Status.PENDING and state.event_id == facts.id:
            why = policies.why_unwanted(state, event.state, reminders)
            if why is not None:
                yield Breach(Rule.REMINDER_IS_WANTED, state.id, f"it should have been skipped as {why}")
    yield from _of_triggers(facts, event, reminders, moment)


def _of_row(one: ReminderFacts, moment: Moment) -> Iterator[Breach]:
    row = one.row.state
    if isinstance(row, Unreadable):
        return
    if (row.sent_at is not None) != (row.status is Status.SENT):
        yield Breach(
            Rule.SENT_AT, one.id, f"its row is {row.status} with{'' if row.sent_at else 'out'} sent_at"
        )
    if row.status is Status.PENDING and row.due_at < moment.now - LATE:
        yield Breach(Rule.STUCK_REMINDER, one.id, f"due at {row.due_at.isoformat()}")


def _of_event(
    one: Reminder, event: CalendarEvent, states: Sequence[CalendarEvent], stream: Stream, moment: Moment
) -> Iterator[Breach]:
    if one.event_id != event.id:
        yield Breach(Rule.REMINDER_HAS_EVENT, one.id, f"its events say that it is of {one.event_id}")
        return
    if one.tenant_id != event.tenant_id:
        yield Breach(Rule.TENANT, one.id, f"it is not of the tenant of event {event.id}")
    if not any(one.trigger in state.triggers for state in states):
        yield Breach(Rule.DUE_AT, one.id, "its event never had such a trigger")
        return
    if _depends_on_zone_data(one) and any(state.timing.tz_version != moment.tz_version for state in states):
        return  # by which it cannot be reckoned again
    fits = [version for version, state in enumerate(states, 1) if _falls(one, state.timing)]
    if not fits:
        yield Breach(Rule.DUE_AT, one.id, "it is due when it never should have been")
    elif one.status is Status.PENDING and event.status.is_open and fits[-1] < len(states):
        # What was due when the zone data changed leaves as it is.
        later = (happened.event for happened in stream[fits[-1] :])
        if not any(isinstance(each, CalendarEventRezoned) and one.due_at <= each.at for each in later):
            yield Breach(Rule.DUE_AT, one.id, "it is due when it should have been before its event changed")


def _falls(one: Reminder, timing: Timing) -> bool:
    due = due_at(one.trigger, timing)
    return due == one.due_at and offset_minutes(due, timing) == one.offset_minutes


def _depends_on_zone_data(one: Reminder) -> bool:
    return isinstance(one.trigger, DaysBeforeStart | DaysBeforeEnd)


def _of_sending(
    one: ReminderFacts, folded: Folded[Reminder], event: Folded[CalendarEvent], moment: Moment
) -> Iterator[Breach]:
    if folded.state is None:
        return
    sent = one.stream[-1].event
    if not isinstance(sent, ReminderSent):
        if one.messages:
            yield Breach(Rule.ONE_MESSAGE, one.id, f"it is {folded.state.status}, and in the outbox")
        return
    if not folded.state.due_at < sent.at:
        yield Breach(Rule.SENT_AT, one.id, "it was sent before its time")
    if len(one.messages) > 1:
        yield Breach(Rule.ONE_MESSAGE, one.id, f"it has {len(one.messages)} records in the outbox")
    if not one.messages and sent.at >= moment.let_go.before(What.OUTBOX):
        yield Breach(Rule.ONE_MESSAGE, one.id, "it was sent, and is not in the outbox")
    if not 0 < sent.event_version <= len(event.states):
        if not event.breaches:
            text = f"it was sent on version {sent.event_version} of its event, which there never was"
            yield Breach(Rule.SENT_ON_OPEN, one.id, text)
        return
    decided_on = event.states[sent.event_version - 1]
    if not decided_on.status.is_open:
        text = f"it was sent on version {sent.event_version} of its event, which is {decided_on.status}"
        yield Breach(Rule.SENT_ON_OPEN, one.id, text)
    due = policies.when_reminder_sent(folded.state, decided_on)
    for message in one.messages:
        if isinstance(message.payload, Unreadable):
            yield Breach(Rule.ONE_MESSAGE, one.id, f"its outbox record: {message.payload.problem}")
        elif message.payload.reminder_id == one.id and (
            message.payload != due or message.key != due.event_id
        ):
            yield Breach(Rule.ONE_MESSAGE, one.id, "its outbox record does not say what was decided")


def _of_deliveries(one: ReminderFacts, state: Reminder, event: Folded[CalendarEvent]) -> Iterator[Breach]:
    concerned = {user_id for each in event.states for user_id in (each.owner_user_id, each.client_user_id)}
    addresses = Counter((each.channel, each.address_key) for each in one.deliveries)
    for each in one.deliveries:
        if state.status is not Status.SENT:
            yield Breach(Rule.DELIVERY_IS_WANTED, each.id, f"reminder {one.id} is {state.status}")
        elif each.event_id != state.event_id or each.user_id not in concerned:
            yield Breach(Rule.DELIVERY_IS_WANTED, each.id, f"it is not for whom reminder {one.id} is")
        if each.tenant_id != state.tenant_id:
            yield Breach(Rule.TENANT, each.id, f"it is not of the tenant of reminder {one.id}")
    if any(count > 1 for count in addresses.values()):
        yield Breach(Rule.ONE_DELIVERY, one.id, "it has two deliveries to one address over one channel")


def _of_triggers(
    facts: CalendarFacts, event: Folded[CalendarEvent], reminders: Sequence[Reminder], moment: Moment
) -> Iterator[Breach]:
    pending = Counter(one.trigger for one in reminders if one.status is Status.PENDING)
    rows = [one.row.state for one in facts.reminders if not isinstance(one.row.state, Unreadable)]
    standing = Counter(one.trigger for one in rows if one.status is Status.PENDING)
    for trigger in dict.fromkeys([*pending, *standing]):
        if max(pending[trigger], standing[trigger]) > 1:
            yield Breach(Rule.ONE_PENDING, facts.id, f"more than one is Pending for {trigger}")
    if event.state is None or not event.state.status.is_open or len(reminders) < len(facts.reminders):
        return
    # An older one may have had a reminder that was pruned since.
    if facts.stream[0].occurred_at >= moment.let_go.before(What.REMINDERS):
        known = {one.trigger for one in reminders}
        for trigger in event.state.triggers:
            if trigger not in known:
                yield Breach(Rule.TRIGGER_HAS_REMINDER, facts.id, f"there is none for {trigger}")
