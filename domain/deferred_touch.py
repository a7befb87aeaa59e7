"""A deferred touch: work that an agent puts off, and the one answer that comes of it.

    Pending -> InProgress -> Answered -> Delivered
    InProgress -> Pending (recovered, failed with attempts left, released, or "again at")
    InProgress | Answered -> Closed(nothing_to_say | undeliverable)
    Pending -> Cancelled,  InProgress -> Failed (attempts or recoveries spent),  Failed -> Pending (by hand)

Delivered, Closed and Cancelled are terminal (INV-TCH-6). The text of a touch and of its answer is never part
of its history. Source: the specification, "Отложенные касания"; design section 3.
"""

from datetime import datetime, timedelta
from enum import StrEnum

import attrs
from attrs import field, frozen

from domain.errors import (
    BrokenHistory,
    LeaseHasNotRunOut,
    NoSuchTouch,
    TouchClaimIsLost,
    TouchIsAnswered,
    TouchIsInProgress,
    TouchIsNotDue,
    TouchIsOver,
)
from domain.values import Occurrence, Origin, TenantId, TouchId


class Status(StrEnum):
    PENDING = "Pending"
    IN_PROGRESS = "InProgress"
    ANSWERED = "Answered"
    DELIVERED = "Delivered"
    CLOSED = "Closed"
    CANCELLED = "Cancelled"
    FAILED = "Failed"


class CloseReason(StrEnum):
    """Why a touch ended without a message."""

    NOTHING_TO_SAY = "nothing_to_say"
    UNDELIVERABLE = "undeliverable"  # its origin channel is gone for good


class FailReason(StrEnum):
    """What was spent."""

    ATTEMPTS = "attempts"
    RECOVERIES = "recoveries"
    ROUNDS = "rounds"


class WhenClientWrites(StrEnum):
    """What becomes of a Pending touch when the client writes before it is due."""

    KEEP = "keep"
    CANCEL = "cancel"


@frozen
class Limits:
    """How often a touch may fail, lose its worker, or ask to be called again, before it is Failed."""

    attempts: int = 5
    recoveries: int = 20
    rounds: int = 100
    first_pause: timedelta = timedelta(seconds=10)
    longest_pause: timedelta = timedelta(minutes=30)

    def pause(self, failures: int) -> timedelta:
        """How long to wait after so many failures: doubled each time, up to the longest."""
        return min(self.first_pause * (1 << min(max(failures, 1) - 1, 20)), self.longest_pause)


@frozen
class DeferredTouch:
    """`due_at` is the instant in UTC before which nothing is done; `claim` counts the claims, the current one
    being that of `worker` until `lease_until`. Failures, recoveries and rounds are counted apart, from the
    last retry by hand on; `rounds_before` are the rounds before that.
    """

    id: TouchId
    tenant_id: TenantId
    kind: str
    origin: Origin
    due_at: datetime
    depth: int = 0
    when_client_writes: WhenClientWrites = WhenClientWrites.KEEP
    occurrence: Occurrence | None = None
    status: Status = Status.PENDING
    claim: int = 0
    worker: str | None = None
    lease_until: datetime | None = field(default=None, eq=False)
    failures: int = 0
    recoveries: int = 0
    rounds: int = 0
    rounds_before: int = 0
    reason: str | None = None

    @property
    def round(self) -> int:
        """Which piece of its work is to be done, from 1: one more each time that it was put off, for good."""
        return self.rounds_before + self.rounds + 1


@frozen
class Register:
    """Put work off until `due_at`; it does no work itself (INV-TCH-1)."""

    id: TouchId
    tenant_id: TenantId
    kind: str
    origin: Origin
    due_at: datetime
    at: datetime
    depth: int = 0
    when_client_writes: WhenClientWrites = WhenClientWrites.KEEP
    occurrence: Occurrence | None = None


@frozen
class Claim:
    worker: str
    lease_until: datetime
    at: datetime


@frozen
class Recover:
    """Take back a claim whose lease has run out (INV-TCH-5)."""

    at: datetime
    limits: Limits = Limits()


@frozen
class Release:
    """Claimed and not begun: back to Pending, and it costs no attempt."""

    claim: int
    at: datetime


@frozen
class Fail:
    """The attempt went wrong; `reason` is one line without content."""

    claim: int
    reason: str
    at: datetime
    limits: Limits = Limits()


@frozen
class PutOff:
    """The work says: again at `until`, and not sooner than after the first pause. That is no failure."""

    claim: int
    until: datetime
    at: datetime
    limits: Limits = Limits()


@frozen
class Answer:
    """There is an answer; its text is kept beside, where it can be erased."""

    claim: int
    at: datetime


@frozen
class SayNothing:
    """The work is done and there is nothing to say."""

    claim: int
    at: datetime


@frozen
class LoseOrigin:
    """There is no answer yet, and its origin is gone for good: there is nowhere to answer to."""

    claim: int
    at: datetime


@frozen
class ConfirmDelivered:
    """The answer's one delivery arrived."""

    at: datetime


@frozen
class GiveUp:
    """The answer's one delivery was refused for good, or has nowhere to go."""

    at: datetime


@frozen
class Cancel:
    at: datetime


@frozen
class HearFromClient:
    """The client wrote first, before the touch was due."""

    at: datetime


@frozen
class Retry:
    """A Failed touch is tried again by hand, with all its attempts."""

    at: datetime


Command = (
    Register
    | Claim
    | Recover
    | Release
    | Fail
    | PutOff
    | Answer
    | SayNothing
    | LoseOrigin
    | ConfirmDelivered
    | GiveUp
    | Cancel
    | HearFromClient
    | Retry
)


@frozen
class TouchRegistered:
    id: TouchId
    tenant_id: TenantId
    kind: str
    origin: Origin
    due_at: datetime
    depth: int
    when_client_writes: WhenClientWrites
    occurrence: Occurrence | None
    at: datetime


@frozen
class TouchClaimed:
    worker: str
    lease_until: datetime
    at: datetime


@frozen
class TouchRecovered:
    at: datetime


@frozen
class TouchReleased:
    at: datetime


@frozen
class TouchAttemptFailed:
    reason: str
    again_at: datetime
    at: datetime


@frozen
class TouchPutOff:
    until: datetime
    at: datetime


@frozen
class TouchAnswered:
    at: datetime


@frozen
class TouchDelivered:
    at: datetime


@frozen
class TouchClosed:
    reason: CloseReason
    at: datetime


@frozen
class TouchCancelled:
    at: datetime


@frozen
class TouchFailed:
    """`spent` is what ran out, `reason` the last attempt's own."""

    spent: FailReason
    reason: str
    at: datetime


@frozen
class TouchRetried:
    at: datetime


Event = (
    TouchRegistered
    | TouchClaimed
    | TouchRecovered
    | TouchReleased
    | TouchAttemptFailed
    | TouchPutOff
    | TouchAnswered
    | TouchDelivered
    | TouchClosed
    | TouchCancelled
    | TouchFailed
    | TouchRetried
)

OVER = (Status.DELIVERED, Status.CLOSED, Status.CANCELLED)


def decide(touch: DeferredTouch | None, command: Command) -> list[Event]:
    """What follows from a command; a repeated one gives nothing, a forbidden one a Refused."""
    match touch, command:
        case None, Register():
            return [_registered(command)]
        case None, _:
            raise NoSuchTouch
        case DeferredTouch(), Register():
            return []
        case DeferredTouch(status=Status.DELIVERED), ConfirmDelivered():
            return []
        case DeferredTouch(status=Status.CLOSED), GiveUp() | SayNothing() | LoseOrigin():
            return []
        case DeferredTouch(status=Status.CANCELLED), Cancel():
            return []
        case DeferredTouch(), HearFromClient(at):
            cancels = touch.when_client_writes is WhenClientWrites.CANCEL
            return [TouchCancelled(at)] if cancels and touch.status is Status.PENDING else []
        case DeferredTouch(status=Status.DELIVERED | Status.CLOSED | Status.CANCELLED), _:
            raise TouchIsOver  # INV-TCH-6, for every command there will ever be
        case DeferredTouch(status=Status.PENDING), Claim():
            if not touch.due_at < command.at:
                raise TouchIsNotDue
            return [TouchClaimed(command.worker, command.lease_until, command.at)]
        case DeferredTouch(status=Status.PENDING | Status.FAILED), Cancel(at):
            return [TouchCancelled(at)]
        case DeferredTouch(status=Status.FAILED), Retry(at):
            return [TouchRetried(at)]
        case DeferredTouch(status=Status.PENDING), Retry():
            return []
        case DeferredTouch(status=Status.ANSWERED), ConfirmDelivered(at):
            return [TouchDelivered(at)]
        case DeferredTouch(status=Status.ANSWERED), GiveUp(at):
            return [TouchClosed(CloseReason.UNDELIVERABLE, at)]
        case DeferredTouch(status=Status.ANSWERED), Answer(claim) if claim == touch.claim:
            return []  # INV-TCH-4: the first answer is the answer
        case DeferredTouch(status=Status.IN_PROGRESS), Recover():
            return [_recovered(touch, command)]
        case DeferredTouch(), Release() | Fail() | PutOff() | Answer() | SayNothing() | LoseOrigin():
            if touch.status is not Status.IN_PROGRESS or command.claim != touch.claim:
                raise TouchClaimIsLost  # INV-TCH-3
            return [_outcome(touch, command)]
        case DeferredTouch(status=Status.IN_PROGRESS), _:
            raise TouchIsInProgress
        case DeferredTouch(status=Status.ANSWERED), _:
            raise TouchIsAnswered
        case DeferredTouch(), Recover():
            return []
        case DeferredTouch(), _:
            raise TouchClaimIsLost


def _registered(command: Register) -> TouchRegistered:
    return TouchRegistered(
        id=command.id,
        tenant_id=command.tenant_id,
        kind=command.kind,
        origin=command.origin,
        due_at=command.due_at,
        depth=command.depth,
        when_client_writes=command.when_client_writes,
        occurrence=command.occurrence,
        at=command.at,
    )


def _recovered(touch: DeferredTouch, command: Recover) -> Event:
    if touch.lease_until is None or not touch.lease_until < command.at:
        raise LeaseHasNotRunOut
    if touch.recoveries + 1 > command.limits.recoveries:
        return TouchFailed(FailReason.RECOVERIES, "its workers were lost", command.at)
    return TouchRecovered(command.at)


def _outcome(
    touch: DeferredTouch, command: Release | Fail | PutOff | Answer | SayNothing | LoseOrigin
) -> Event:
    match command:
        case Release(at=at):
            return TouchReleased(at)
        case Fail(reason=reason, at=at, limits=limits):
            failures = touch.failures + 1
            if failures >= limits.attempts:
                return TouchFailed(FailReason.ATTEMPTS, reason, at)
            return TouchAttemptFailed(reason, at + limits.pause(failures), at)
        case PutOff(until=until, at=at, limits=limits):
            if touch.rounds + 1 > limits.rounds:
                return TouchFailed(FailReason.ROUNDS, "it was put off again and again", at)
            return TouchPutOff(max(until, at + limits.first_pause), at)
        case Answer(at=at):
            return TouchAnswered(at)
        case SayNothing(at=at):
            return TouchClosed(CloseReason.NOTHING_TO_SAY, at)
        case LoseOrigin(at=at):
            return TouchClosed(CloseReason.UNDELIVERABLE, at)


def evolve(touch: DeferredTouch | None, happened: Event) -> DeferredTouch:
    """The touch after what happened; it never refuses and never reads a clock."""
    match touch, happened:
        case None, TouchRegistered():
            return DeferredTouch(
                id=happened.id,
                tenant_id=happened.tenant_id,
                kind=happened.kind,
                origin=happened.origin,
                due_at=happened.due_at,
                depth=happened.depth,
                when_client_writes=happened.when_client_writes,
                occurrence=happened.occurrence,
            )
        case None, _:
            raise BrokenHistory(f"{type(happened).__name__} before TouchRegistered")
        case DeferredTouch(), TouchRegistered():
            raise BrokenHistory("TouchRegistered twice")
        case DeferredTouch(status=Status.DELIVERED | Status.CLOSED | Status.CANCELLED), _:
            raise BrokenHistory(f"{type(happened).__name__} after {touch.status}")
        case DeferredTouch(), TouchClaimed():
            return attrs.evolve(
                touch,
                status=Status.IN_PROGRESS,
                claim=touch.claim + 1,
                worker=happened.worker,
                lease_until=happened.lease_until,
            )
        case DeferredTouch(), TouchRecovered():
            return _free(touch, Status.PENDING, recoveries=touch.recoveries + 1)
        case DeferredTouch(), TouchReleased():
            return _free(touch, Status.PENDING)
        case DeferredTouch(), TouchAttemptFailed(reason, again_at):
            return _free(touch, Status.PENDING, failures=touch.failures + 1, reason=reason, due_at=again_at)
        case DeferredTouch(), TouchPutOff(until):
            return _free(touch, Status.PENDING, rounds=touch.rounds + 1, failures=0, due_at=until)
        case DeferredTouch(), TouchAnswered():
            return _free(touch, Status.ANSWERED, reason=None)
        case DeferredTouch(), TouchDelivered():
            return _free(touch, Status.DELIVERED)
        case DeferredTouch(), TouchClosed(reason):
            return _free(touch, Status.CLOSED, reason=reason.value)
        case DeferredTouch(), TouchCancelled():
            return _free(touch, Status.CANCELLED)
        case DeferredTouch(), TouchFailed(spent, reason):
            return _free(touch, Status.FAILED, reason=f"{spent.value}: {reason}")
        case DeferredTouch(), TouchRetried(at):
            return _free(
                touch,
                Status.PENDING,
                failures=0,
                recoveries=0,
                rounds=0,
                rounds_before=touch.rounds_before + touch.rounds,
                reason=None,
                due_at=at,
            )


def _free(touch: DeferredTouch, status: Status, **changes: object) -> DeferredTouch:
    """In nobody's hands: without a worker and a lease. The claim number stays, and so fences the last one."""
    return attrs.evolve(touch, status=status, worker=None, lease_until=None, **changes)  # type: ignore[arg-type]
