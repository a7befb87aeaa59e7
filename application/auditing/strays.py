"""Messages of the outbox, and what stands alone though it should not."""

from collections.abc import Iterator

from application.auditing.rules import AFTER_LEASE, UNPUBLISHED, Breach, Moment, Rule, is_far
from application.auditing.streams import fold, is_pruned, kind_of
from application.dispatching import TOPIC
from application.ports.auditing import (
    MessageFacts,
    SpoiltMessage,
    StrayAttempts,
    StrayImport,
    StrayReminder,
    StrayStream,
)
from application.ports.ledger import Unreadable


def stray_reminder_breaches(facts: StrayReminder, moment: Moment) -> Iterator[Breach]:
    yield Breach(Rule.REMINDER_HAS_EVENT, facts.id, f"event {facts.event_id} is not there")


def stray_attempts_breaches(facts: StrayAttempts) -> Iterator[Breach]:
    yield Breach(Rule.ATTEMPT_HAS_DELIVERY, facts.id, "attempts at a delivery that is not there")


def stray_import_breaches(facts: StrayImport) -> Iterator[Breach]:
    yield Breach(Rule.IMPORT_HAS_EVENT, facts.id, f"event {facts.event_id} is not there")


def stray_stream_breaches(facts: StrayStream, moment: Moment) -> Iterator[Breach]:
    """History is never pruned, rows of reminders and touches are when they have long been over."""
    kind = kind_of(facts.stream)
    if kind is None:
        problems = [one.event.problem for one in facts.stream if isinstance(one.event, Unreadable)]
        yield from (Breach(Rule.EVENT_IS_READABLE, facts.id, problem) for problem in problems[:1])
        return
    folded = fold(kind, facts.id, facts.stream)
    yield from folded.breaches
    if not is_pruned(kind, folded, moment.let_go):
        text = f"{len(facts.stream)} events, and no row"
        yield Breach(Rule.STREAM_HAS_ROW, facts.id, text, is_for_hands=folded.state is None)


def message_breaches(facts: MessageFacts, moment: Moment) -> Iterator[Breach]:
    if facts.about != facts.id:
        yield Breach(Rule.ONE_MESSAGE, facts.id, f"a record about {facts.about or 'nothing'} beside its own")
    elif not facts.is_known and not facts.was_sent:
        yield Breach(Rule.ONE_MESSAGE, facts.id, "a record of a reminder that was never sent")
    if (facts.claimed_by is None) != (facts.claimed_until is None):
        had = "a lease without an owner" if facts.claimed_by is None else "an owner without a lease"
        yield Breach(Rule.OUTBOX_CLAIM, facts.id, had)
    if facts.topic != TOPIC:
        yield Breach(Rule.OUTBOX_ADDRESS, facts.id, "its topic is another")
    elif not facts.has_headers:
        yield Breach(Rule.OUTBOX_ADDRESS, facts.id, "its headers are not those of its contract")
    if facts.published_at is not None or facts.parked_at is not None:
        return
    if is_far(facts.claimed_until, moment):
        yield Breach(Rule.FAR_CLAIM, facts.id, f"an outbox record, until {facts.claimed_until}")
    if facts.created_at < moment.now - UNPUBLISHED:
        yield Breach(Rule.STUCK_MESSAGE, facts.id, f"not published since {facts.created_at.isoformat()}")
    if facts.claimed_until is not None and facts.claimed_until < moment.now - AFTER_LEASE:
        ended = facts.claimed_until.isoformat()
        yield Breach(Rule.STUCK_CLAIM, facts.id, f"an outbox record whose lease ended at {ended}")


def spoilt_message_breaches(facts: SpoiltMessage) -> Iterator[Breach]:
    yield Breach(Rule.ROW_IS_READABLE, facts.id, facts.problem.problem, is_for_hands=True)
