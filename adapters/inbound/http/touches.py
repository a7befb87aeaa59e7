"""`/api/v1/touches`, `/upcoming`, `/heard`: what a session put off, and what a tenant sees of it."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse

from adapters.codec import instant_text
from adapters.inbound.desk import Desk
from adapters.inbound.http.admitting import Anybody, ASession, Bearer, TheDesk, WithTouches
from adapters.inbound.http.cursors import cursor_after, read_cursor
from adapters.inbound.http.document import SAID, WITH_A_BODY, refusals
from adapters.inbound.http.problems import problem
from adapters.inbound.http.reading import Key, Limit, given_key
from adapters.inbound.shapes import (
    Asked,
    DeferredShape,
    NewTouch,
    Page,
    Problem,
    Touch,
    asked,
    local_text,
    shown_shape,
    touch_shape,
)
from application.ports.tokens import Scope
from application.touching.access import must_have
from application.touching.asking import Ask, Deferred, Shown
from application.touching.words.resolved import Unclear
from domain.deferred_touch import Status
from domain.values import TouchId

router = APIRouter(tags=["touches"])


@router.post(
    "/touches",
    status_code=201,
    responses={
        200: {"model": DeferredShape},
        422: {"model": Problem | Asked, "description": SAID[422]},
        **refusals(409),
        **WITH_A_BODY,
    },
    response_model=DeferredShape,
)
def defer(
    body: NewTouch, desk: TheDesk, token: ASession, response: Response, idempotency_key: Key = None
) -> DeferredShape | JSONResponse:
    """Put work off; 201, or 200 where this key did so before. The answer goes to the session's own place."""
    ask = Ask(body.when, body.text, body.kind, given_key(idempotency_key), body.when_client_writes)
    made = desk.asking.defer(token, ask)
    if isinstance(made, Unclear):
        told = asked(made)
        return problem(422, told["detail"], candidates=told["candidates"])
    if not made.is_new:
        response.status_code = 200
    return deferred_shape(made, body.text)


@router.get("/touches", response_model_exclude_none=True)
def listed(
    desk: TheDesk,
    who: Anybody,
    limit: Limit = 50,
    cursor: str | None = None,
    status: Annotated[list[Status] | None, Query()] = None,
) -> Page:
    """A session's own touches, or with the scope `touches` all of the tenant's, oldest request first."""
    statuses = sorted(set(status or ()))
    of_list = ",".join(statuses)
    after = None if cursor is None else TouchId(read_cursor(who.secret, who.token, of_list, cursor))
    found = _found(desk, who, limit + 1, statuses, after)
    shown = found[:limit]
    more = len(found) > limit
    return Page(
        touches=[shown_shape(one) for one in shown],
        cursor=cursor_after(who.secret, who.token, of_list, shown[-1].touch.id) if more else None,
    )


@router.get("/touches/{touch_id}", response_model_exclude_none=True, responses=refusals(404))
def one(touch_id: UUID, desk: TheDesk, who: Anybody) -> Touch:
    """One touch; 404 for one that is not there, and alike for one that is not theirs."""
    if who.token.session is not None:
        return shown_shape(desk.asking.touch(who.token, TouchId(touch_id)))
    must_have(who.token, Scope.TOUCHES)
    touch = desk.deferring.touch(who.token.tenant_id, TouchId(touch_id))
    return touch_shape(touch, desk.touches.texts(touch.id).text)


@router.delete("/touches/{touch_id}", response_model_exclude_none=True, responses=refusals(404, 409))
def cancel(touch_id: UUID, desk: TheDesk, who: Anybody) -> Touch:
    """Take it back; 409 once somebody works on it. To take it back again changes nothing."""
    if who.token.session is not None:
        return touch_shape(desk.asking.cancel(who.token, TouchId(touch_id)), None)
    must_have(who.token, Scope.TOUCHES)
    cancelled = desk.deferring.cancel(who.token.tenant_id, TouchId(touch_id), who.token.name)
    return touch_shape(cancelled, None)


@router.post("/touches/{touch_id}/retry", response_model_exclude_none=True, responses=refusals(404, 409))
def retry(touch_id: UUID, desk: TheDesk, token: WithTouches) -> Touch:
    """Try a Failed touch again, with all its attempts."""
    return touch_shape(desk.deferring.retry(token.tenant_id, TouchId(touch_id), token.name), None)


@router.get("/upcoming", response_model_exclude_none=True)
def upcoming(
    desk: TheDesk,
    token: ASession,
    limit: Limit = 50,
    days: Annotated[int, Query(ge=1, le=3660)] = 30,
) -> Page:
    """What was put off and is to come back to this session's place, soonest first; no reminders."""
    return Page(touches=[shown_shape(one) for one in desk.asking.upcoming(token, limit, days)])


@router.post("/heard", response_model_exclude_none=True)
def heard(desk: TheDesk, token: ASession) -> Page:
    """The client wrote first: each touch that waits to come back here is cancelled or kept, by its policy."""
    return Page(touches=[touch_shape(one, None) for one in desk.asking.hear(token)])


def deferred_shape(made: Deferred, text: str | None) -> DeferredShape:
    return DeferredShape(
        touch_id=str(made.touch.id),
        kind=made.touch.kind,
        status=made.touch.status.value,
        due_at=instant_text(made.touch.due_at),
        when_client_writes=made.touch.when_client_writes.value,
        text=text,
        local=local_text(made.due.local),
        time_zone=made.due.time_zone,
        note=made.due.note,
    )


def _found(
    desk: Desk, who: Bearer, limit: int, statuses: Sequence[Status], after: TouchId | None
) -> Sequence[Shown]:
    if who.token.session is not None:
        return desk.asking.listed(who.token, limit, statuses, after)
    must_have(who.token, Scope.TOUCHES)
    found = desk.deferring.listed(who.token.tenant_id, limit, statuses=statuses, after=after)
    return [Shown(touch, None) for touch in found]
