"""`/api/v1/plans`: a tenant's own touches, for tokens with the scope `plans`."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from fastapi import APIRouter

from adapters.codec import instant_text
from adapters.inbound.desk import Desk
from adapters.inbound.http.admitting import TheDesk, WithPlans
from adapters.inbound.http.reading import person_key, schedule, terms
from adapters.inbound.shapes import (
    OccurrenceShape,
    PlanBody,
    Plans,
    PlanShape,
    Preview,
    PreviewBody,
    local_text,
)
from application.ports.tokens import Token
from domain.recurrence import Every, Planned, Schedule
from domain.touch_plan import Terms, TouchPlan, next_occurrence
from domain.values import ContactPointId, PlanId

router = APIRouter(tags=["plans"])


@router.post("/plans", status_code=201)
def create(body: PlanBody, desk: TheDesk, token: WithPlans) -> PlanShape:
    """Keep a plan; what its text says may be tried with /plans/preview first."""
    plan = desk.planning.create(token.tenant_id, _terms(desk, token, body), body.text, token.name)
    return _shape(desk, plan)


@router.get("/plans")
def listed(desk: TheDesk, token: WithPlans) -> Plans:
    """All plans of the tenant, ordered by id."""
    return Plans(plans=[_shape(desk, plan) for plan in desk.touches.plans(token.tenant_id)])


@router.post("/plans/preview", response_model_exclude_none=True)
def preview(body: PreviewBody, desk: TheDesk, _: WithPlans) -> Preview:
    """The next occurrences of a schedule that is not saved; those at a change of the clocks are marked."""
    return _preview(desk.planning.preview(schedule(body.schedule), body.count))


@router.get("/plans/{plan_id}")
def one(plan_id: UUID, desk: TheDesk, token: WithPlans) -> PlanShape:
    return _shape(desk, desk.planning.plan(token.tenant_id, PlanId(plan_id)))


@router.put("/plans/{plan_id}")
def edit(plan_id: UUID, body: PlanBody, desk: TheDesk, token: WithPlans) -> PlanShape:
    """Put other terms and another text in the place of a plan's; what is a touch already stays one."""
    put = _terms(desk, token, body)
    return _shape(desk, desk.planning.edit(token.tenant_id, PlanId(plan_id), put, body.text, token.name))


@router.post("/plans/{plan_id}/pause")
def pause(plan_id: UUID, desk: TheDesk, token: WithPlans) -> PlanShape:
    return _shape(desk, desk.planning.pause(token.tenant_id, PlanId(plan_id), token.name))


@router.post("/plans/{plan_id}/resume")
def resume(plan_id: UUID, desk: TheDesk, token: WithPlans) -> PlanShape:
    """Go on with what comes from now on; what fell into the pause is not made up for."""
    return _shape(desk, desk.planning.resume(token.tenant_id, PlanId(plan_id), token.name))


@router.delete("/plans/{plan_id}")
def end(plan_id: UUID, desk: TheDesk, token: WithPlans) -> PlanShape:
    return _shape(desk, desk.planning.end(token.tenant_id, PlanId(plan_id), token.name))


def _terms(desk: Desk, token: Token, body: PlanBody) -> Terms:
    point = None if body.contact_point_id is None else ContactPointId(body.contact_point_id)
    return terms(body, desk.access.place(token.tenant_id, person_key(body.person), point))


def _shape(desk: Desk, plan: TouchPlan) -> PlanShape:
    target, following = plan.terms.target, next_occurrence(plan)
    return PlanShape(
        plan_id=str(plan.id),
        status=plan.status.value,
        revision=plan.revision,
        schedule=_schedule_json(plan.terms.schedule),
        user_id=str(target.user_id),
        channel=target.channel,
        contact_point_id=None if target.contact_point_id is None else str(target.contact_point_id),
        kind=plan.terms.kind,
        text=desk.touches.text_of_plan(plan.id),
        catch_up=plan.terms.catch_up,
        next_at=None if following is None else instant_text(following.at),
    )


def _schedule_json(one: Schedule) -> dict[str, Any]:
    if isinstance(one, Every):
        every = {"rule": one.rule, "anchor": local_text(one.anchor), "timeZone": one.time_zone}
        return {"every": {**every, "shortMonth": one.short_month.value}}
    before = {"deadline": one.deadline.isoformat(), "days": list(one.days), "at": f"{one.at:%H:%M}"}
    return {"before": {**before, "timeZone": one.time_zone}}


def _preview(planned: Sequence[Planned]) -> Preview:
    return Preview(
        occurrences=[
            OccurrenceShape(
                at=instant_text(one.at),
                local=local_text(one.slot),
                clock_change=None if one.clock_change is None else one.clock_change.value,
            )
            for one in planned
        ]
    )
