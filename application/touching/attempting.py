"""One attempt at a deferred touch: its handler does the work, and what came of it is written down.

Whatever is written names the claim number, so a worker that was frozen past its lease can say nothing any
more (INV-TCH-3).
"""

from collections.abc import Callable
from datetime import datetime

import attrs
from attrs import frozen

from application.ports.errors import Busy, Conflict, Unavailable
from application.ports.ledger import Context
from application.ports.machine import Clock, Ids
from application.ports.touches import Touches
from application.ports.work import Again, Handlers, NothingToSay, Outcome, Say, Signal, Work, WorkFailed
from application.touching.answering import Answering
from application.touching.deferring import change_of
from application.touching.holding import Held
from domain import deferred_touch
from domain.deferred_touch import DeferredTouch, Limits
from domain.errors import Refused
from domain.values import LATEST, TenantId, TouchId

# How soon an answer that could not be written is tried again, in seconds.
TRY_AGAIN_S = 0.5
LONGEST_REASON = 200
# What the tenant's operator hears of.
CAME_TO_NOTHING = (deferred_touch.Status.FAILED, deferred_touch.Status.CLOSED)


@frozen
class Worked:
    """What became of one touch, in ids only: `status` is where it stands, `problem` why it went wrong.

    `claim` is the claim that this worker held; of one that was refused, `current_claim` is the one that
    counts by now. Where it stands is None when that is not known.
    """

    touch_id: TouchId
    tenant_id: TenantId
    kind: str
    claim: int
    status: deferred_touch.Status | None
    what: str
    problem: str | None = None
    current_claim: int | None = None


@frozen
class Failed:
    """The attempt went wrong; `reason` is one line without content."""

    reason: str


@frozen
class NotBegun:
    """Nothing was done."""


@frozen
class OriginGone:
    """There is nobody to answer any more, and nothing was done or is known."""


@frozen
class Attempting:
    """`rest` sleeps for so many seconds."""

    touches: Touches
    clock: Clock
    ids: Ids
    handlers: Handlers
    answering: Answering
    name: str
    limits: Limits
    rest: Callable[[float], object]

    def attempt(self, held: Held, stopping: Signal) -> Worked:
        """Have its handler work on a touch, unless it is time to stop, and write what came of it."""
        outcome = self._outcome(held, stopping)
        held.is_ending = True
        try:
            return self._settle(held.touch, outcome)
        except Exception as problem:
            return self._settle(held.touch, Failed(type(problem).__name__))

    def release(self, held: Held) -> Worked:
        """Give back what was claimed and not begun; it costs no attempt."""
        held.is_ending = True
        return self._settle(held.touch, NotBegun())

    def give_up(self, held: Held) -> Worked:
        """Its deadline has passed. Raises Unavailable, Busy or Conflict when that could not be written."""
        try:
            return self._write(held.touch, Failed("its deadline passed"))
        except Refused as problem:
            return self._refused(held.touch, problem)

    def _outcome(self, held: Held, stopping: Signal) -> Outcome | Failed | NotBegun | OriginGone:
        touch = held.touch
        if stopping.is_set():
            return NotBegun()
        try:
            # In this order: a text that lacks, of somebody who is there still, was not erased.
            text = self.touches.texts(touch.id).text
            if not self.answering.reaches(touch):
                return OriginGone()
        except (Unavailable, Busy):
            return NotBegun()
        work = Work(
            touch_id=touch.id,
            tenant_id=touch.tenant_id,
            kind=touch.kind,
            origin=touch.origin,
            text=text,
            due_at=touch.due_at,
            attempt=touch.failures + touch.recoveries + 1,
            depth=touch.depth,
            deadline=held.deadline,
            lost=held.lost,
            stopping=stopping,
            round=touch.round,
        )
        try:
            return _sensible(self.handlers[touch.kind](work))
        except WorkFailed as problem:
            return Failed(" ".join(str(problem).split())[:LONGEST_REASON] or WorkFailed.__name__)
        except BaseException as problem:  # also what would end a thread, or a process
            # Of an error that nobody foresaw only the kind: its text may hold the client's words.
            return Failed(type(problem).__name__)

    def _settle(self, touch: DeferredTouch, outcome: Outcome | Failed | NotBegun | OriginGone) -> Worked:
        """Write what came of it, and go on trying until that is written or refused: the work is done, and
        would be done again. While the store is away nobody else can have the touch either.
        """
        while True:
            try:
                try:
                    return self._write(touch, outcome)
                except Refused as problem:
                    return self._refused(touch, problem)
            except (Unavailable, Busy, Conflict):
                self.rest(TRY_AGAIN_S)

    def _refused(self, touch: DeferredTouch, problem: Refused) -> Worked:
        """What was refused, and who has the touch now. Raises Unavailable where that cannot be read."""
        found = self.touches.touch(touch.id)
        if found is None:
            return lost(touch, "it is not there any more")
        now = found.state
        held = f"it held claim {touch.claim}"
        told = (
            f"{held}, and claim {now.claim} counts" if now.claim != touch.claim else f"{held}, which is over"
        )
        return attrs.evolve(
            worked(now, "refused", f"{problem.rule}: {told}"), claim=touch.claim, current_claim=now.claim
        )

    def _write(self, touch: DeferredTouch, outcome: Outcome | Failed | NotBegun | OriginGone) -> Worked:
        now = self.clock.now()
        context = Context(self.ids.new(), self.name)
        if isinstance(outcome, Say):
            after = self.answering.answer(self.touches, context, touch, outcome.text, now)
            return worked(after, "answered" if after.reason is None else after.reason)
        if isinstance(outcome, Again) and not self.answering.reaches(touch):
            outcome = OriginGone()  # whoever was to be told left meanwhile: nothing comes of waiting
        command, what, problem = self._command(touch, outcome, now)
        # Read before: who holds a transaction waits for no second connection.
        may_end = isinstance(outcome, Failed | Again | OriginGone)
        notice = self.answering.notice(touch, now) if may_end else None
        with self.touches.transaction(context) as transaction:
            found = transaction.touch(touch.id)
            if found is None:
                return lost(touch, "it is not there any more")
            change = change_of(found, command)
            transaction.record([change])
            if notice is not None and change.state.status in CAME_TO_NOTHING:
                transaction.keep_notice(notice)
        return worked(change.state, what, problem)

    def _command(
        self,
        touch: DeferredTouch,
        outcome: Again | NothingToSay | Failed | NotBegun | OriginGone,
        now: datetime,
    ) -> tuple[deferred_touch.Command, str, str | None]:
        match outcome:
            case Again(at):
                return deferred_touch.PutOff(touch.claim, at, now, self.limits), "put off", None
            case NothingToSay():
                nothing = deferred_touch.CloseReason.NOTHING_TO_SAY.value
                return deferred_touch.SayNothing(touch.claim, now), nothing, None
            case Failed(reason):
                return deferred_touch.Fail(touch.claim, reason, now, self.limits), "failed", reason
            case OriginGone():
                gone = deferred_touch.CloseReason.UNDELIVERABLE.value
                return deferred_touch.LoseOrigin(touch.claim, now), gone, None
            case NotBegun():
                return deferred_touch.Release(touch.claim, now), "released", None


def _sensible(outcome: object) -> Outcome | Failed:
    """What a handler gave, where it is something that a handler may give."""
    match outcome:
        case Say(str()) | NothingToSay():
            return outcome
        case Again(datetime() as at) if at.tzinfo is not None and at < LATEST:
            return outcome
        case Again():
            return Failed("its handler said again, at what is no instant before the year 2200")
        case _:
            return Failed(f"its handler gave {type(outcome).__name__}")


def worked(touch: DeferredTouch, what: str, problem: str | None = None) -> Worked:
    return Worked(touch.id, touch.tenant_id, touch.kind, touch.claim, touch.status, what, problem)


def lost(touch: DeferredTouch, problem: str | None = None) -> Worked:
    """Nobody here can say what became of it."""
    return attrs.evolve(worked(touch, "lost", problem), status=None)
