"""The loops of deferred touches: their work, its heartbeat, the plans that make them, and what became of the
answers.
"""

from collections.abc import Callable, Iterator

from attrs import define, field, frozen

from adapters.inbound.loops import Loop, Stop, Wait
from adapters.observability.logging import log, one_line
from adapters.observability.pulse import Pulse, unwatched
from application.ports.errors import Busy, Unavailable
from application.ports.machine import Clock
from application.ports.touches import Touches
from application.touching.answering import Answering
from application.touching.attempting import Worked
from application.touching.holding import Holding
from application.touching.planning import Advanced, Planning
from application.touching.working import Working
from domain.deferred_touch import DeferredTouch, Status
from domain.values import PlanId

PAGE = 200
# How soon a beat that failed is tried again, in seconds: the lease runs meanwhile.
BEAT_AGAIN = 0.5
AS_MEANT = ("answered", "nothing_to_say", "put off", "released")


@frozen
class TouchLoops:
    """What the loops do, and how long each rests when nothing is to be done, in seconds."""

    working: Working
    planning: Planning
    answering: Answering
    touches: Touches
    clock: Clock
    interval: float

    def loops(
        self,
        stop: Stop,
        pulse_of: Callable[[str], Pulse] = lambda name: unwatched(),
        poison: Callable[[], object] = lambda: None,
    ) -> Iterator[Loop]:
        """`pulse_of` gives the pulse of the loop of a name; `poison` hears of each broken plan."""
        pulse = pulse_of("touch work")
        work = WorkStep(self.working, self.interval, pulse.asking(stop.is_set))
        yield Loop("touch work", work, stop.wait, pulse=pulse)
        holding = self.working.holding
        pulse = pulse_of("touch heartbeat")
        yield Loop("touch heartbeat", BeatStep(holding, pulse), beating(stop, holding), pulse=pulse)
        pulse = pulse_of("touch plans")
        yield Loop(
            "touch plans", PlanStep(self.planning, self.interval, pulse, poison), stop.wait, pulse=pulse
        )
        pulse = pulse_of("touch answers")
        follow = FollowStep(self.answering, self.touches, self.clock, self.interval, pulse)
        yield Loop("touch answers", follow, stop.wait, pulse=pulse)


def beating(stop: Stop, holding: Holding) -> Wait:
    """Sleeps between beats, and after a stop goes on until nothing is held any more."""

    def wait(seconds: float) -> bool:
        return stop.wait(seconds) and holding.wait_until_empty(seconds)

    return wait


@frozen
class WorkStep:
    """All that is due; what was lost, refused or went wrong is a warning."""

    working: Working
    interval: float
    stopping: Callable[[], bool]

    def __call__(self) -> float:
        for worked in self.working.tick(self.stopping):
            _say_worked(worked, self.working.name)
        return self.interval


def _say_worked(worked: Worked, worker: str) -> None:
    said = log(loop="touch work", worker=worker)
    tell = said.info if worked.what in AS_MEANT else said.warning
    if worked.status is Status.FAILED and worked.what != "refused":
        tell = said.error
    tell(
        "touch handled",
        TouchId=worked.touch_id,
        TenantId=worked.tenant_id,
        kind=worked.kind,
        claim=worked.claim,
        outcome=worked.what,
        status=worked.status.value if worked.status else None,
        problem=worked.problem,
        **({} if worked.current_claim is None else {"currentClaim": worked.current_claim}),
    )


@frozen
class BeatStep:
    """A beat several times a lease; one that fails is tried again soon, however often it did."""

    holding: Holding
    pulse: Pulse = field(factory=unwatched)

    def __call__(self) -> float:
        try:
            lost = self.holding.beat()
        except (Unavailable, Busy) as problem:
            log(loop="touch heartbeat").warning(
                "heartbeat failed", problem=one_line(problem) or type(problem).__name__
            )
            self.pulse.err()
            return min(BEAT_AGAIN, self.holding.interval)
        for held in lost:
            log(loop="touch heartbeat").warning(
                "touch lost", TouchId=held.touch.id, TenantId=held.touch.tenant_id, claim=held.touch.claim
            )
        return self.holding.interval


@define
class PlanStep:
    """All plans whose time has come. A plan's problem is told once, and again when it is another one."""

    planning: Planning
    interval: float
    pulse: Pulse = field(factory=unwatched)
    poison: Callable[[], object] = lambda: None
    _told: dict[PlanId, str] = field(factory=dict, init=False)

    def __call__(self) -> float:
        told: dict[PlanId, str] = {}
        for advanced in self.planning.tick():
            self.pulse.beat()
            if advanced.problem is not None:
                told[advanced.plan_id] = advanced.problem
                self.poison()
            if self._told.get(advanced.plan_id) != advanced.problem or advanced.problem is None:
                _say_advanced(advanced)
        self._told = told
        return self.interval


def _say_advanced(advanced: Advanced) -> None:
    said = log(loop="touch plans")
    if advanced.problem is not None:
        said.error("plan failed", PlanId=advanced.plan_id, problem=one_line(advanced.problem))
        return
    tell = said.warning if advanced.missed else said.info
    tell(
        "plan advanced",
        PlanId=advanced.plan_id,
        TouchIds=[str(touch_id) for touch_id in advanced.touch_ids],
        missed=advanced.missed,
        ended=advanced.ended,
    )


@frozen
class FollowStep:
    """All touches whose answer's delivery is over; one that reached nobody is a warning."""

    answering: Answering
    touches: Touches
    clock: Clock
    interval: float
    pulse: Pulse = field(factory=unwatched)

    def __call__(self) -> float:
        while True:
            self.pulse.beat()
            closed = self.answering.follow(self.touches, self.clock, PAGE)
            for touch in closed:
                _say_closed(touch)
            if len(closed) < PAGE:
                return self.interval


def _say_closed(touch: DeferredTouch) -> None:
    said = log(loop="touch answers")
    tell = said.info if touch.status is Status.DELIVERED else said.warning
    tell(
        "touch closed",
        TouchId=touch.id,
        TenantId=touch.tenant_id,
        status=touch.status.value,
        reason=touch.reason,
    )
