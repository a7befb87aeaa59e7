"""Rows of touches and plans, as the domain's values."""

from collections.abc import Sequence
from typing import Any

from adapters.codec import Malformed
from adapters.outbound.postgres.connection import Row
from adapters.touch_codec import decode_terms, encode_terms
from application.ports.ledger import Versioned
from application.ports.touches import Malformed as MalformedRow
from domain.deferred_touch import DeferredTouch, Status, WhenClientWrites
from domain.touch_plan import EndReason, TouchPlan, next_occurrence
from domain.touch_plan import Status as PlanStatus
from domain.values import Occurrence, Origin

TOUCH_COLUMNS = (
    "id, tenant_id, kind, user_id, channel, contact_point_id, due_at, depth, when_client_writes, plan_id,"
    " plan_revision, plan_slot, status, claim, worker, lease_until, failures, recoveries, rounds,"
    " rounds_before, reason"
)
SELECT_TOUCH = "select " + TOUCH_COLUMNS + ", version from tickler.deferred_touches"  # noqa: S608
SELECT_PLAN = (
    "select id, tenant_id, terms, handled_until, revision, status, end_reason, version"
    " from tickler.touch_plans"
)


def read_touch(row: Row) -> Versioned[DeferredTouch]:
    """A row of TOUCH_COLUMNS and the version; the table's own checks see to it that it makes sense."""
    (
        id_,
        tenant_id,
        kind,
        user_id,
        channel,
        contact_point_id,
        due_at,
        depth,
        when_client_writes,
        plan_id,
        plan_revision,
        plan_slot,
        status,
        claim,
        worker,
        lease_until,
        failures,
        recoveries,
        rounds,
        rounds_before,
        reason,
        version,
    ) = row
    touch = DeferredTouch(
        id=id_,
        tenant_id=tenant_id,
        kind=kind,
        origin=Origin(user_id, channel, contact_point_id),
        due_at=due_at,
        depth=depth,
        when_client_writes=WhenClientWrites(when_client_writes),
        occurrence=None if plan_id is None else Occurrence(plan_id, plan_revision, plan_slot),
        status=Status(status),
        claim=claim,
        worker=worker,
        lease_until=lease_until,
        failures=failures,
        recoveries=recoveries,
        rounds=rounds,
        rounds_before=rounds_before,
        reason=reason,
    )
    return Versioned(touch, version)


def touch_values(touch: DeferredTouch) -> Sequence[Any]:
    """The values of TOUCH_COLUMNS."""
    occurrence = touch.occurrence
    return (
        touch.id,
        touch.tenant_id,
        touch.kind,
        touch.origin.user_id,
        touch.origin.channel,
        touch.origin.contact_point_id,
        touch.due_at,
        touch.depth,
        touch.when_client_writes.value,
        occurrence and occurrence.plan_id,
        occurrence and occurrence.revision,
        occurrence and occurrence.slot,
        touch.status.value,
        touch.claim,
        touch.worker,
        touch.lease_until,
        touch.failures,
        touch.recoveries,
        touch.rounds,
        touch.rounds_before,
        clean(touch.reason),
    )


def read_plan(row: Row) -> Versioned[TouchPlan]:
    """Raises the port's Malformed for a row that makes no sense."""
    id_, tenant_id, terms, handled_until, revision, status, end_reason, version = row
    try:
        plan = TouchPlan(
            id=id_,
            tenant_id=tenant_id,
            terms=decode_terms(terms),
            handled_until=handled_until,
            revision=revision,
            status=PlanStatus(status),
            end_reason=None if end_reason is None else EndReason(end_reason),
        )
    except (Malformed, ValueError) as problem:
        raise MalformedRow(id_, str(problem)) from None
    return Versioned(plan, version)


def plan_values(plan: TouchPlan) -> Sequence[Any]:
    """tenant_id, revision, status, end_reason, terms, handled_until, next_at."""
    planned = next_occurrence(plan)
    return (
        plan.tenant_id,
        plan.revision,
        plan.status.value,
        plan.end_reason and plan.end_reason.value,
        encode_terms(plan.terms),
        plan.handled_until,
        planned and planned.at,
    )


def clean(said: str | None) -> str | None:
    """What a handler said may hold what no database keeps."""
    return said and said.replace("\0", "").encode(errors="replace").decode()
