"""A touch plan: touches of a tenant's own, with the periodicity that it set.

    Active <-> Paused,  Active | Paused -> Ended

Each occurrence becomes one deferred touch under the key (plan, revision, slot). Source: the specification,
"Собственные плановые касания тенанта"; design section 3.
"""

from datetime import datetime, timedelta
from enum import StrEnum

import attrs
from attrs import frozen

from domain.errors import BrokenHistory, Invalid, NoSuchPlan, PlanIsOver
from domain.recurrence import Planned, Schedule, has_passed, occurrences
from domain.values import LATEST, Occurrence, Origin, PlanId, TenantId

MAX_CATCH_UP = 100
MAX_SPREAD = timedelta(days=1)


class Status(StrEnum):
    ACTIVE = "Active"
    PAUSED = "Paused"
    ENDED = "Ended"


class EndReason(StrEnum):
    BY_HAND = "by_hand"
    FINISHED = "finished"  # its schedule has no further occurrence


@frozen
class Terms:
    """What a plan says, and what an edit replaces as a whole.

    `catch_up` is how many of the occurrences that were missed are made up for: 0 skips them, 1 lets the last
    one stand for all, N makes up for the last N. An occurrence is missed when it is found more than `grace`
    after its time. Made-up ones are `spread` apart. The text is kept beside, where it can be erased.
    """

    schedule: Schedule
    target: Origin
    kind: str = "message"
    catch_up: int = 1
    grace: timedelta = timedelta(minutes=15)
    spread: timedelta = timedelta(minutes=1)

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.catch_up <= MAX_CATCH_UP:
            raise Invalid(f"catch-up: a whole number from 0 to {MAX_CATCH_UP}")
        if not timedelta(0) <= self.spread <= MAX_SPREAD:
            raise Invalid("spread: from 0 to 24 hours")
        if not timedelta(seconds=1) <= self.grace <= timedelta(days=31):
            raise Invalid("grace: from 1 second to 31 days")


@frozen
class TouchPlan:
    """`revision` counts the edits from 1; `handled_until` is the instant up to which occurrences are dealt
    with; `ends` is set with Ended.
    """

    id: PlanId
    tenant_id: TenantId
    terms: Terms
    handled_until: datetime
    revision: int = 1
    status: Status = Status.ACTIVE
    end_reason: EndReason | None = None


@frozen
class Create:
    id: PlanId
    tenant_id: TenantId
    terms: Terms
    at: datetime


@frozen
class Edit:
    terms: Terms
    at: datetime


@frozen
class Pause:
    at: datetime


@frozen
class Resume:
    """Goes on with what comes after `at`; what fell into the pause is not made up for."""

    at: datetime


@frozen
class End:
    at: datetime


@frozen
class Advance:
    """Deal with all occurrences up to `at`."""

    at: datetime


Command = Create | Edit | Pause | Resume | End | Advance


@frozen
class PlanCreated:
    id: PlanId
    tenant_id: TenantId
    terms: Terms
    at: datetime


@frozen
class PlanEdited:
    terms: Terms
    at: datetime


@frozen
class PlanPaused:
    at: datetime


@frozen
class PlanResumed:
    at: datetime


@frozen
class Made:
    """An occurrence that becomes a touch, due at `due_at`."""

    occurrence: Occurrence
    due_at: datetime


@frozen
class PlanAdvanced:
    """`made` became touches in the same commit; `missed` is how many were passed over by the policy."""

    until: datetime
    made: tuple[Made, ...]
    missed: int
    at: datetime


@frozen
class PlanEnded:
    reason: EndReason
    at: datetime


Event = PlanCreated | PlanEdited | PlanPaused | PlanResumed | PlanAdvanced | PlanEnded


def decide(plan: TouchPlan | None, command: Command) -> list[Event]:
    """What follows from a command; a repeated one gives nothing."""
    match plan, command:
        case None, Create():
            return [
                PlanCreated(
                    command.id, command.tenant_id, _with_future(command.terms, command.at), command.at
                )
            ]
        case None, _:
            raise NoSuchPlan
        case TouchPlan(), Create():
            return []
        case TouchPlan(status=Status.ENDED), End() | Advance():
            return []
        case TouchPlan(status=Status.ENDED), _:
            raise PlanIsOver
        case TouchPlan(), Edit(terms, at):
            return [] if terms == plan.terms else [PlanEdited(_with_future(terms, at), at)]
        case TouchPlan(status=Status.ACTIVE), Pause(at):
            return [PlanPaused(at)]
        case TouchPlan(status=Status.PAUSED), Resume(at):
            return [PlanResumed(at)]
        case TouchPlan(), End(at):
            return [PlanEnded(EndReason.BY_HAND, at)]
        case TouchPlan(status=Status.ACTIVE), Advance(at):
            return _advance(plan, at)
        case TouchPlan(), Pause() | Resume() | Advance():
            return []


def next_occurrence(plan: TouchPlan) -> Planned | None:
    """The first occurrence that is not dealt with; None for a plan that is paused, ended or at its end."""
    if plan.status is not Status.ACTIVE:
        return None
    return next(occurrences(plan.terms.schedule, plan.handled_until), None)


def _with_future(terms: Terms, at: datetime) -> Terms:
    if next(occurrences(terms.schedule, at), None) is not None:
        return terms
    if has_passed(terms.schedule, at):
        raise Invalid("schedule: all of its occurrences have passed")
    raise Invalid(f"schedule: none of its occurrences comes before the year {LATEST.year}")


def _advance(plan: TouchPlan, at: datetime) -> list[Event]:
    due: list[Planned] = []
    following: Planned | None = None
    for planned in occurrences(plan.terms.schedule, plan.handled_until):
        if planned.at > at:
            following = planned
            break
        due.append(planned)
    events: list[Event] = []
    if due:
        made = _made(plan, due, at)
        events.append(PlanAdvanced(due[-1].at, made, len(due) - len(made), at))
    if following is None:
        events.append(PlanEnded(EndReason.FINISHED, at))
    return events


def _made(plan: TouchPlan, due: list[Planned], at: datetime) -> tuple[Made, ...]:
    """Those on time, and of those found late as many of the last ones as the plan makes up for."""
    terms = plan.terms
    newest = due[-terms.catch_up :] if terms.catch_up else []
    kept = [one for one in due if one in newest or at - one.at <= terms.grace]
    made = []
    late = 0
    for one in kept:
        is_late = at - one.at > terms.grace
        due_at = at + late * terms.spread if is_late else one.at
        late += is_late
        made.append(Made(Occurrence(plan.id, plan.revision, one.slot), due_at))
    return tuple(made)


def evolve(plan: TouchPlan | None, happened: Event) -> TouchPlan:
    """The plan after what happened; it never refuses and never reads a clock."""
    match plan, happened:
        case None, PlanCreated():
            return TouchPlan(happened.id, happened.tenant_id, happened.terms, handled_until=happened.at)
        case None, _:
            raise BrokenHistory(f"{type(happened).__name__} before PlanCreated")
        case TouchPlan(), PlanCreated():
            raise BrokenHistory("PlanCreated twice")
        case TouchPlan(status=Status.ENDED), _:
            raise BrokenHistory(f"{type(happened).__name__} after {plan.status}")
        case TouchPlan(), PlanEdited(terms, at):
            return attrs.evolve(plan, terms=terms, revision=plan.revision + 1, handled_until=at)
        case TouchPlan(), PlanPaused():
            return attrs.evolve(plan, status=Status.PAUSED)
        case TouchPlan(), PlanResumed(at):
            return attrs.evolve(plan, status=Status.ACTIVE, handled_until=at)
        case TouchPlan(), PlanAdvanced(until):
            return attrs.evolve(plan, handled_until=until)
        case TouchPlan(), PlanEnded(reason):
            return attrs.evolve(plan, status=Status.ENDED, end_reason=reason)
