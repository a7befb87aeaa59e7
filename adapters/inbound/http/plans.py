"""`/api/v1/plans`: a tenant's own touches, for tokens with the scope `plans`."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Response

from adapters.codec import instant_text
from adapters.inbound.desk import Desk
from adapters.inbound.http.admitting import Anybody, TheDesk, WithPlans
from adapters.inbound.http.cursors import cursor_after, read_cursor
from adapters.inbound.http.document import WITH_A_BODY, refusals
from adapters.inbound.http.reading import Key, Limit, given_key, person_key, schedule, terms
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

OF_PLANS = "plans"
router = APIRouter(tags=["plans"])


@router.post(
    "/plans",
    status_code=201,
    responses={200: {"model": PlanShape}, **refusals(404, 409), **WITH_A_BODY},
)
def create(
    body: PlanBody, desk: TheDesk, token: WithPlans, response: Response, idempotency_key: Key = None
) -> PlanShape:
    """Keep a plan; 201, or 200 where this key did so before. When it will come may be tried with
    /plans/preview first.
    """
    key, asked = given_key(idempotency_key), _terms(desk, token, body)
    kept = desk.planning.create_once(token.tenant_id, asked, body.text, token.name, key)
    if not kept.is_new:
        response.status_code = 200
    return _shape(desk, kept.plan)


@router.get("/plans", response_model_exclude_unset=True)
def listed(desk: TheDesk, _: WithPlans, who: Anybody, limit: Limit = 50, cursor: str | None = None) -> Plans:
    """The plans of the tenant, ordered by id."""
    token = who.token
    after = None if cursor is None else PlanId(read_cursor(who.secret, token, OF_PLANS, cursor))
    found = desk.touches.plans(token.tenant_id, limit + 1, after)
    shown = [_shape(desk, plan) for plan in found[:limit]]
    if len(found) <= limit:
        return Plans(plans=shown)
    return Plans(plans=shown, cursor=cursor_after(who.secret, token, OF_PLANS, found[limit - 1].id))


@router.post("/plans/preview", response_model_exclude_none=True, responses=WITH_A_BODY)
def preview(body: PreviewBody, desk: TheDesk, _: WithPlans) -> Preview:
    """The next occurrences of a schedule that is not saved; those at a change of the clocks are marked."""
    return _preview(desk.planning.preview(schedule(body.schedule), body.count))


@router.get("/plans/{plan_id}", responses=refusals(404))
def one(plan_id: UUID, desk: TheDesk, token: WithPlans) -> PlanShape:
    return _shape(desk, desk.planning.plan(token.tenant_id, PlanId(plan_id)))


@router.put("/plans/{plan_id}", responses={**refusals(404, 409), **WITH_A_BODY})
def edit(plan_id: UUID, body: PlanBody, desk: TheDesk, token: WithPlans) -> PlanShape:
    """Put other terms and another text in the place of a plan's, as a whole: what is not given is as in a new
    plan. What is a touch already stays one.
    """
    put = _terms(desk, token, body)
    return _shape(desk, desk.planning.edit(token.tenant_id, PlanId(plan_id), put, body.text, token.name))


@router.post("/plans/{plan_id}/pause", responses=refusals(404, 409))
def pause(plan_id: UUID, desk: TheDesk, token: WithPlans) -> PlanShape:
    return _shape(desk, desk.planning.pause(token.tenant_id, PlanId(plan_id), token.name))


@router.post("/plans/{plan_id}/resume", responses=refusals(404, 409))
def resume(plan_id: UUID, desk: TheDesk, token: WithPlans) -> PlanShape:
    """Go on with what comes from now on; what fell into the pause is not made up for."""
    return _shape(desk, desk.planning.resume(token.tenant_id, PlanId(plan_id), token.name))


@router.delete("/plans/{plan_id}", responses=refusals(404, 409))
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
        grace_seconds=round(plan.terms.grace.total_seconds()),
        spread_seconds=round(plan.terms.spread.total_seconds()),
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
