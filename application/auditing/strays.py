"""Messages, deliveries, and what stands alone though it should not."""

from collections.abc import Iterator

from application.auditing.rules import AFTER_LEASE, LATE, UNPUBLISHED, Breach, Moment, Rule
from application.auditing.streams import fold, is_pruned, kind_of
from application.ports.auditing import DeliveryFacts, MessageFacts, SpoiltMessage, StrayReminder, StrayStream
from application.ports.ledger import Unreadable
from domain.delivery import Delivery, Status, Template

# Reminders of an event may go to an id that nobody has told us of, on the console.
ONLY_TO_THE_KNOWN = (Template.TOUCH_ANSWER, Template.OPERATOR_NOTICE)


def stray_reminder_breaches(facts: StrayReminder, moment: Moment) -> Iterator[Breach]:
    yield Breach(Rule.REMINDER_HAS_EVENT, facts.id, f"event {facts.event_id} is not there")


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
        yield Breach(Rule.STREAM_HAS_ROW, facts.id, f"{len(facts.stream)} events, and no row")


def message_breaches(facts: MessageFacts, moment: Moment) -> Iterator[Breach]:
    if facts.about != facts.id:
        yield Breach(Rule.ONE_MESSAGE, facts.id, f"a record about {facts.about or 'nothing'} beside its own")
    elif not facts.is_known and not facts.was_sent:
        yield Breach(Rule.ONE_MESSAGE, facts.id, "a record of a reminder that was never sent")
    if (facts.claimed_by is None) != (facts.claimed_until is None):
        had = "a lease without an owner" if facts.claimed_by is None else "an owner without a lease"
        yield Breach(Rule.OUTBOX_CLAIM, facts.id, had)
    if facts.published_at is not None or facts.parked_at is not None:
        return
    if facts.created_at < moment.now - UNPUBLISHED:
        yield Breach(Rule.STUCK_MESSAGE, facts.id, f"not published since {facts.created_at.isoformat()}")
    if facts.claimed_until is not None and facts.claimed_until < moment.now - AFTER_LEASE:
        ended = facts.claimed_until.isoformat()
        yield Breach(Rule.STUCK_CLAIM, facts.id, f"an outbox record whose lease ended at {ended}")


def spoilt_message_breaches(facts: SpoiltMessage) -> Iterator[Breach]:
    yield Breach(Rule.ROW_IS_READABLE, facts.id, facts.problem.problem)


def delivery_breaches(facts: DeliveryFacts, moment: Moment) -> Iterator[Breach]:
    one = facts.delivery
    if isinstance(one, Unreadable):
        yield Breach(Rule.ROW_IS_READABLE, facts.id, one.problem)
        return
    if not facts.is_about_something:
        yield Breach(
            Rule.DELIVERY_IS_WANTED, one.id, f"nothing is known of {one.about_id}, which it tells of"
        )
    if facts.contact_user_id not in (None, one.user_id):
        yield Breach(Rule.DELIVERY_IS_WANTED, one.id, "it goes to the address of somebody else")
    if not facts.is_known and _was_known(one):
        yield Breach(Rule.PERSON_IS_THERE, one.id, f"person {one.user_id} is not there")
    if one.status is Status.DELIVERED and not facts.was_tried:
        yield Breach(Rule.DELIVERY_WAS_TRIED, one.id, "it is Delivered, and no attempt of it is kept")
    yield from _of_claim(one, moment)


def _was_known(one: Delivery) -> bool:
    return one.contact_point_id is not None or one.template in ONLY_TO_THE_KNOWN


def _of_claim(one: Delivery, moment: Moment) -> Iterator[Breach]:
    if (one.lease_until is not None) != (one.status is Status.SENDING):
        yield Breach(
            Rule.DELIVERY_CLAIM, one.id, f"it is {one.status} with {'a' if one.lease_until else 'no'} lease"
        )
    elif one.lease_until is not None and one.lease_until < moment.now - AFTER_LEASE:
        yield Breach(
            Rule.STUCK_CLAIM, one.id, f"a delivery whose lease ended at {one.lease_until.isoformat()}"
        )
    if one.status is Status.PENDING and one.not_before < moment.now - LATE:
        yield Breach(Rule.STUCK_DELIVERY, one.id, f"to be tried since {one.not_before.isoformat()}")
