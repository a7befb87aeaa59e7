"""Where a plan of touches stands."""

from datetime import datetime

from attrs import frozen

from application.explaining.drift import Drift
from application.explaining.explanation import (
    OVERDUE,
    Explanation,
    Situation,
    Subject,
    What,
    lasting,
    noted,
    told,
    wall,
)
from application.explaining.forgotten import REBUILD
from domain.recurrence import Planned
from domain.touch_plan import Advance, EndReason, PlanAdvanced, Status, TouchPlan, decide, next_occurrence


@frozen
class PlanFacts:
    """A plan and what there is about it; `since` is when it was paused or ended."""

    plan: TouchPlan
    now: datetime
    since: datetime | None = None
    has_row: bool = True
    drift: Drift | None = None

    def wall(self, at: datetime) -> str:
        return wall(at, self.plan.terms.schedule.time_zone)

    def noted(self, at: datetime) -> str:
        return noted(at, self.plan.terms.schedule.time_zone)

    @property
    def subject(self) -> Subject:
        plan = self.plan
        return Subject(
            What.PLAN,
            plan.id,
            plan.status.value,
            f"Plan {plan.id}",
            plan.terms.schedule.time_zone,
            since=self.since,
        )


def explain_plan(facts: PlanFacts) -> Explanation:
    plan = facts.plan
    if facts.drift is not None:
        return told(facts, Situation.DRIFTED, f"cannot be believed: {facts.drift.says}")
    if not facts.has_row:
        says = (
            f"is {plan.status.value} by its history, but its row is not there: nobody finds it, and it makes"
            f" no touches until that is mended. {REBUILD}"
        )
        return told(facts, Situation.POISON, says)
    match plan.status:
        case Status.ACTIVE:
            return _active(facts)
        case Status.PAUSED:
            since = f" since {facts.noted(facts.since)}" if facts.since else ""
            says = (
                f"is Paused{since}: it makes no touches until somebody resumes it with `tickler plan resume"
                f" {plan.id}`, and what falls into the pause is not made up for."
            )
            return told(facts, Situation.PAUSED, says)
        case Status.ENDED:
            by_hand = plan.end_reason is EndReason.BY_HAND
            why = "somebody ended it" if by_hand else "its schedule has no further occurrence"
            at = f" at {facts.noted(facts.since)}" if facts.since else ""
            return told(facts, Situation.ENDED, f"Ended{at}: {why}. What became a touch stays one.")


def _active(facts: PlanFacts) -> Explanation:
    planned = next_occurrence(facts.plan)
    if planned is None:
        says = "is Active and has no further occurrence: it is ended at the next turn of the touch loop."
        return told(facts, Situation.ACTIVE, says)
    at = facts.wall(planned.at)
    if planned.at > facts.now:
        says = f"is Active: its next touch is due at {at}."
        return told(facts, Situation.ACTIVE, says, next_at=planned.at)
    late = facts.now - planned.at
    if late <= OVERDUE:
        says = (
            f"is Active, and its occurrence of {at} has come: at the next turn of the touch loop of a"
            f" `tickler run` {_becomes(facts, planned)}."
        )
        return told(facts, Situation.DUE, says, next_at=planned.at)
    says = (
        f"is Active and overdue: its occurrence of {at} came {lasting(late)} ago, and nobody has come to it."
        " Look whether `tickler run` is running with its touch loop: when it comes to the plan,"
        f" {_becomes(facts, planned)}."
    )
    return told(facts, Situation.OVERDUE, says, next_at=planned.at)


def _becomes(facts: PlanFacts, planned: Planned) -> str:
    """What the next turn makes of what has come, by its own rules."""
    happening = decide(facts.plan, Advance(facts.now))
    advanced = next(one for one in happening if isinstance(one, PlanAdvanced))
    made, missed = len(advanced.made), advanced.missed
    ends = " and the plan ends" if len(happening) > 1 else ""
    if not missed:
        became = "it becomes a touch" if made == 1 else f"{made} occurrences become touches"
    elif made:
        touches = "1 touch" if made == 1 else f"{made} touches"
        came = made + missed
        became = f"{came} occurrences that have come become {touches}, and the others are passed over"
    else:
        are = "it is" if missed == 1 else f"{missed} occurrences are"
        became = f"{are} passed over, as too late by the plan's own terms"
    return became + ("," if ends and missed and made else "") + ends
