"""A deferred touch, and the delivery of its answer."""

from collections.abc import Iterator, Mapping

from application.auditing.rules import AFTER_LEASE, LATE, Breach, Moment, Rule, is_far
from application.auditing.streams import TOUCHES, Folded, fold, row_breaches
from application.ports.auditing import TouchFacts
from application.ports.ledger import Unreadable
from application.ports.pruning import What
from domain import delivery
from domain.deferred_touch import (
    DeferredTouch,
    Status,
    TouchAnswered,
    TouchAttemptFailed,
    TouchCancelled,
    TouchClaimed,
    TouchClosed,
    TouchDelivered,
    TouchFailed,
    TouchPutOff,
    TouchRecovered,
    TouchReleased,
    TouchRetried,
)

IN_WORK = (Status.IN_PROGRESS,)
# What `evolve` takes as it comes and `decide` gives only here.
ONLY_AFTER: Mapping[type, tuple[Status, ...]] = {
    TouchClaimed: (Status.PENDING,),
    **dict.fromkeys(
        (TouchRecovered, TouchReleased, TouchAttemptFailed, TouchPutOff, TouchAnswered, TouchFailed), IN_WORK
    ),
    TouchDelivered: (Status.ANSWERED,),
    TouchClosed: (Status.IN_PROGRESS, Status.ANSWERED),
    TouchCancelled: (Status.PENDING, Status.FAILED),
    TouchRetried: (Status.FAILED,),
}


def touch_breaches(facts: TouchFacts, moment: Moment) -> Iterator[Breach]:
    folded = fold(TOUCHES, facts.id, facts.stream)
    for breach in row_breaches(facts.id, facts.row, facts.stream, folded):
        is_unregistered = breach.rule is Rule.STREAM_IS_POSSIBLE and not folded.states
        yield Breach(Rule.REGISTERED, breach.id, breach.text) if is_unregistered else breach
    row = facts.row.state
    if not isinstance(row, Unreadable):
        yield from _of_row(row, moment)
    yield from _of_stream(facts, folded)
    state = row if folded.state is None else folded.state
    if not isinstance(state, Unreadable):
        yield from _of_person(facts, state)
        yield from _of_answer(facts, state, folded, moment)
        yield from _of_plan(facts, state)


def _of_row(row: DeferredTouch, moment: Moment) -> Iterator[Breach]:
    has_owner, has_lease = row.worker is not None, row.lease_until is not None
    if has_owner is not (row.status is Status.IN_PROGRESS) or has_owner is not has_lease:
        owner, lease = "an" if has_owner else "no", "a" if has_lease else "no"
        yield Breach(
            Rule.TOUCH_CLAIM, row.id, f"its row is {row.status} with {owner} owner and {lease} lease"
        )
    if row.status is Status.PENDING and row.due_at < moment.now - LATE:
        yield Breach(Rule.STUCK_TOUCH, row.id, f"due at {row.due_at.isoformat()}")
    if is_far(row.lease_until, moment):
        yield Breach(Rule.FAR_CLAIM, row.id, f"a touch that is held until {row.lease_until}")
    if row.lease_until is not None and row.lease_until < moment.now - AFTER_LEASE:
        yield Breach(Rule.STUCK_CLAIM, row.id, f"a touch whose lease ended at {row.lease_until.isoformat()}")


def _of_stream(facts: TouchFacts, folded: Folded[DeferredTouch]) -> Iterator[Breach]:
    """Each event that fits is held against the state before it."""
    pairs = zip(folded.states, facts.stream[1 : len(folded.states)], strict=False)
    for before, happened in pairs:
        event = happened.event
        name = f"version {happened.version} is {type(event).__name__}"
        if isinstance(event, TouchClaimed) and not before.due_at < event.at:
            yield Breach(Rule.REGISTERED, facts.id, f"{name}, before its time")
        if before.status not in ONLY_AFTER.get(type(event), tuple(Status)):
            rule = Rule.ONE_ANSWER if isinstance(event, TouchAnswered | TouchDelivered) else Rule.TOUCH_CLAIM
            yield Breach(rule, facts.id, f"{name}, when it was {before.status}")
        elif isinstance(event, TouchRecovered) and before.lease_until and event.at <= before.lease_until:
            yield Breach(Rule.RECOVERY, facts.id, f"{name}, before the lease was over")


def _of_person(facts: TouchFacts, touch: DeferredTouch) -> Iterator[Breach]:
    """Nothing is put off for an id that nobody has told us of."""
    if facts.is_foreign:
        yield Breach(Rule.TENANT, facts.id, f"person {touch.origin.user_id} is of another tenant")
    if not facts.is_known:
        yield Breach(Rule.PERSON_IS_THERE, facts.id, f"person {touch.origin.user_id} is not there")
    elif not facts.is_erased and not facts.has_texts:
        yield Breach(Rule.TEXT_IS_THERE, facts.id, f"it is {touch.status}, and its text is not there")
    elif not facts.is_erased and touch.status is Status.ANSWERED and not facts.has_answer:
        yield Breach(Rule.TEXT_IS_THERE, facts.id, "it is Answered, and the words of it are not there")


def _of_answer(
    facts: TouchFacts, touch: DeferredTouch, folded: Folded[DeferredTouch], moment: Moment
) -> Iterator[Breach]:
    answered = [one.event.at for one in facts.stream if isinstance(one.event, TouchAnswered)]
    if facts.deliveries and not answered and folded.state is not None:
        yield Breach(Rule.ONE_ANSWER, facts.id, "there is a delivery, and never was an answer")
    if len(facts.deliveries) > 1:
        yield Breach(Rule.ONE_ANSWER, facts.id, f"its answer has {len(facts.deliveries)} deliveries")
    for one in facts.deliveries:
        origin = (touch.origin.user_id, touch.origin.channel, touch.origin.contact_point_id)
        if (one.user_id, one.channel, one.contact_point_id) != origin:
            yield Breach(Rule.ORIGIN, facts.id, f"delivery {one.id} goes elsewhere")
        if one.tenant_id != touch.tenant_id:
            yield Breach(Rule.TENANT, one.id, f"it is not of the tenant of touch {facts.id}")
    if touch.status is Status.ANSWERED and not facts.deliveries:
        yield Breach(Rule.ONE_ANSWER, facts.id, "it is Answered, and nothing brings the answer")
    if touch.status is Status.DELIVERED:
        statuses = {one.status for one in facts.deliveries}
        is_kept = not answered or answered[-1] >= moment.let_go.before(What.DELIVERIES)
        if (statuses or is_kept) and delivery.Status.DELIVERED not in statuses:
            yield Breach(Rule.ONE_ANSWER, facts.id, "it is Delivered, and no delivery of it is")


def _of_plan(facts: TouchFacts, touch: DeferredTouch) -> Iterator[Breach]:
    if touch.occurrence is None:
        return
    if facts.plan_tenant_id is None:
        yield Breach(Rule.OCCURRENCE, facts.id, f"plan {touch.occurrence.plan_id} is not there")
    elif facts.plan_tenant_id != touch.tenant_id:
        yield Breach(Rule.TENANT, facts.id, f"it is not of the tenant of plan {touch.occurrence.plan_id}")
