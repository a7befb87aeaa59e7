"""Where a deferred touch stands, and the answer that came of it."""

from datetime import datetime

from attrs import frozen

from application.explaining.delivery_facts import named
from application.explaining.drift import Drift
from application.explaining.explanation import (
    OVERDUE,
    Explanation,
    Setup,
    Situation,
    Subject,
    What,
    counted,
    lasting,
    noted,
    told,
    wall,
)
from application.explaining.forgotten import REBUILD
from application.explaining.words import by
from application.ports.people import Recipient
from domain import deferred_touch, delivery
from domain.deferred_touch import CloseReason, DeferredTouch, FailReason, Status

MESSAGE = "message"
# What has no row in one of these says so itself.
UNFINISHED = (Status.PENDING, Status.IN_PROGRESS, Status.ANSWERED)
IN_VAIN = (delivery.Status.FAILED, delivery.Status.SKIPPED)


@frozen
class TouchFacts:
    """A touch and what there is about it. `last` is the last of its events, which happened at `since` by
    `actor`; `in_work` how many touches of its tenant are InProgress; `reaches` whether its origin can still
    be answered; `has_text` whether what it is about is kept; `answer` the explanation of the delivery that
    brings the answer.
    """

    touch: DeferredTouch
    now: datetime
    setup: Setup
    time_zone: str
    last: deferred_touch.Event | None = None
    since: datetime | None = None
    actor: str | None = None
    has_row: bool = True
    drift: Drift | None = None
    in_work: int = 0
    reaches: bool = True
    has_text: bool = True
    recipient: Recipient | None = None
    answer: Explanation | None = None

    def wall(self, at: datetime) -> str:
        return wall(at, self.time_zone)

    def noted(self, at: datetime) -> str:
        return noted(at, self.time_zone)

    @property
    def at(self) -> str:
        return f" at {self.noted(self.since)}" if self.since else ""

    @property
    def subject(self) -> Subject:
        touch = self.touch
        return Subject(
            What.TOUCH,
            touch.id,
            touch.status.value,
            f"Touch {touch.id} ({touch.kind})",
            self.time_zone,
            since=self.since,
            parts=(self.answer,) if self.answer is not None else (),
        )


def explain_touch(facts: TouchFacts) -> Explanation:
    if facts.drift is not None:
        return told(facts, Situation.DRIFTED, f"cannot be believed: {facts.drift.says}")
    if not facts.has_row and facts.touch.status in UNFINISHED:
        says = (
            f"is {facts.touch.status.value} by its history, but its row is not there: nobody finds it, and"
            f" nothing becomes of it until that is mended. {REBUILD}"
        )
        return told(facts, Situation.POISON, says)
    match facts.touch.status:
        case Status.PENDING:
            return _pending(facts)
        case Status.IN_PROGRESS:
            return _in_progress(facts)
        case Status.ANSWERED:
            return _answered(facts)
        case Status.DELIVERED:
            return told(
                facts, Situation.DELIVERED, f"was Delivered{facts.at}: its answer arrived by{_by(facts)}."
            )
        case Status.CLOSED:
            return _closed(facts)
        case Status.CANCELLED:
            says = f"was Cancelled{facts.at} by {by(facts.actor)}. Nobody works on it any more."
            return told(facts, Situation.CANCELLED, says)
        case Status.FAILED:
            return _failed(facts)


def _pending(facts: TouchFacts) -> Explanation:
    touch, now = facts.touch, facts.now
    due, late = facts.wall(touch.due_at), facts.now - touch.due_at
    if touch.kind not in facts.setup.kinds:
        when = f"It is due at {due}" if touch.due_at >= now else f"It has been due since {due}"
        says = (
            f"is Pending and waits for a Tickler that knows its kind: {touch.kind!r} is none of those known"
            f" here ({', '.join(sorted(facts.setup.kinds))}). {when}; waiting costs it no attempt."
        )
        return told(facts, Situation.KIND_IS_UNKNOWN, says, next_at=touch.due_at)
    if not facts.reaches:
        when = f"once it is due ({due})" if touch.due_at >= now else "at its next turn"
        says = (
            f"is Pending, but there is nowhere to answer to any more: {when} it is closed as undeliverable,"
            " without any work, and the tenant's operator, where there is one, is told of its id."
        )
        return told(facts, Situation.WILL_BE_SKIPPED, says, next_at=touch.due_at)
    if touch.kind == MESSAGE and not facts.has_text:
        when = f"once it is due ({due})" if touch.due_at >= now else "at its next turn"
        says = (
            f"is Pending, but its text is gone, and nobody was erased: {when} its attempt fails for that."
            f" Take it back, `tickler touch cancel {touch.id}`, and tell whoever asked for it."
        )
        return told(facts, Situation.TEXT_IS_GONE, says, next_at=touch.due_at)
    if touch.due_at >= now:
        return _waits(facts, due)
    per_tenant = facts.setup.work.per_tenant
    if facts.in_work >= per_tenant:
        says = (
            f"is Pending and due since {due}, and waits for a free place: its tenant has"
            f" {counted(facts.in_work, 'touch', 'touches')} in work, and may have no more than {per_tenant}"
            " at once. It is taken up when one of them ends."
        )
        return told(facts, Situation.WAITS_FOR_A_PLACE, says, next_at=touch.due_at)
    if late > OVERDUE:
        says = (
            f"is Pending and overdue: it was due at {due}, {lasting(late)} ago, and no worker has taken it."
            " Look whether `tickler run` is running with its touch loop; if it is, all of its workers may be"
            " busy: `tickler touch list --status InProgress` shows with what."
        )
        return told(facts, Situation.OVERDUE, says, next_at=touch.due_at)
    says = (
        f"is Pending and due since {due}: a worker takes it up within about"
        f" {lasting(facts.setup.work_every)}, or as soon as one is free."
    )
    return told(facts, Situation.DUE, says, next_at=touch.due_at)


def _waits(facts: TouchFacts, due: str) -> Explanation:
    touch, limits = facts.touch, facts.setup.work.limits
    if isinstance(facts.last, deferred_touch.TouchPutOff):
        says = (
            f"is Pending: its work asked to be called again, which is done after {due}"
            f" ({counted(touch.rounds, 'time')} so far, of at most {limits.rounds})."
        )
        return told(facts, Situation.PUT_OFF_AGAIN, says, next_at=touch.due_at)
    if touch.failures:
        says = (
            f"is Pending and waits for attempt {touch.failures + 1} of {limits.attempts}, after"
            f" {facts.noted(touch.due_at)}. The one before failed{facts.at}: {touch.reason}."
        )
        return told(facts, Situation.WAITS_FOR_ANOTHER_TRY, says, next_at=touch.due_at)
    keeps = (
        " If the client writes first, it is cancelled."
        if touch.when_client_writes is deferred_touch.WhenClientWrites.CANCEL
        else ""
    )
    says = (
        f"is Pending: it is taken up after {due}, within about {lasting(facts.setup.work_every)},"
        f" and its answer goes to {_origin(facts)}.{keeps}"
    )
    return told(facts, Situation.WAITS_FOR_ITS_TIME, says, next_at=touch.due_at)


def _in_progress(facts: TouchFacts) -> Explanation:
    touch, limits = facts.touch, facts.setup.work.limits
    assert touch.lease_until is not None
    until = facts.noted(touch.lease_until)
    if facts.now <= touch.lease_until:
        says = (
            f"is being worked on{facts.at.replace(' at ', ' since ', 1)} by {touch.worker} (attempt"
            f" {touch.failures + 1} of {limits.attempts}), whose claim lasts until {until} and is lengthened"
            " while it lives."
        )
        return told(facts, Situation.IN_WORK, says, latest_at=touch.lease_until)
    says = (
        f"is stuck: {touch.worker} took it{facts.at}, and its claim ran out at {until}. The next worker that"
        f" looks takes it back, and it is worked on again ({touch.recoveries} of {limits.recoveries}"
        " recoveries so far). If it stays so, look whether `tickler run` is running with its touch loop."
    )
    return told(facts, Situation.LEASE_IS_OVER, says, since=touch.lease_until)


def _answered(facts: TouchFacts) -> Explanation:
    says = f"was Answered{facts.at}, and its answer is on its way by{_by(facts)}."
    if facts.answer is not None and facts.answer.situation is Situation.UNKNOWN:
        says = f"was Answered{facts.at}, and nobody knows whether its answer arrived by{_by(facts)}."
    return told(facts, Situation.ANSWERED, says)


def _closed(facts: TouchFacts) -> Explanation:
    answer, undeliverable = facts.answer, f"was Closed{facts.at} as undeliverable"
    if facts.touch.reason == CloseReason.NOTHING_TO_SAY:
        says = f"was Closed{facts.at}: the work is done, and there was nothing to say."
    elif answer is not None and answer.situation is Situation.DELIVERED:
        says = f"{undeliverable}. Its answer arrived later, sent again by hand: delivery {answer.id}."
    elif answer is not None and answer.status not in IN_VAIN:
        says = f"{undeliverable}. Its answer was given back by hand since: delivery {answer.id}."
    else:
        says = (
            f"{undeliverable}: {_origin(facts)} cannot be reached any more, and an"
            " answer goes nowhere else. The tenant's operator was told of its id, where there is one."
        )
    return told(facts, Situation.CLOSED, says)


def _failed(facts: TouchFacts) -> Explanation:
    touch, limits = facts.touch, facts.setup.work.limits
    spent, _, reason = (touch.reason or "").partition(": ")
    last = f", the last time because {reason or 'of something that is not kept'}"
    what = {
        FailReason.ATTEMPTS.value: f"all of its {limits.attempts} attempts are spent{last}",
        FailReason.RECOVERIES.value: f"it lost more than {limits.recoveries} workers",
        FailReason.ROUNDS.value: f"it was put off more than {limits.rounds} times",
    }.get(spent, f"it was given up{last}")
    says = (
        f"Failed{facts.at}: {what}."
        f" It stays so until somebody tries it again: `tickler touch retry {touch.id}`."
    )
    return told(facts, Situation.FAILED, says)


def _origin(facts: TouchFacts) -> str:
    origin = facts.touch.origin
    return f"{named(facts.recipient, origin.user_id)} on {origin.channel}"


def _by(facts: TouchFacts) -> str:
    return (
        f" delivery {facts.answer.id}"
        if facts.answer is not None
        else " a delivery that is not kept any more"
    )
