"""One transaction over touches and plans."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from attrs import frozen

from adapters.codec import check_text
from adapters.outbound.postgres.deliveries import keep_deliveries
from adapters.outbound.postgres.notices import keep_matter
from adapters.outbound.postgres.session import Session
from adapters.outbound.postgres.touches.claiming import due
from adapters.outbound.postgres.touches.rows import (
    SELECT_PLAN,
    SELECT_TOUCH,
    TOUCH_COLUMNS,
    plan_values,
    read_plan,
    read_touch,
    touch_values,
)
from adapters.touch_codec import encode_touch_event
from application.ports.errors import Conflict, PersonIsErased
from application.ports.ledger import Context, Versioned
from application.ports.notices import Notice
from application.ports.touches import KeyReused, PlanChange, Request, Room, TouchChange
from domain import delivery
from domain.deferred_touch import DeferredTouch
from domain.delivery import Delivery
from domain.touch_plan import TouchPlan
from domain.values import PlanId, TouchId

STUCK = (
    SELECT_TOUCH + " where status = 'InProgress' and lease_until < %s"
    " order by lease_until, id limit %s for update skip locked"
)
PLAN_OF_REQUEST = (
    "insert into tickler.plan_requests as kept (tenant_id, caller, key, body, plan_id, user_id, made_at)"
    " values (%s, %s, %s, %s, %s, %s, %s)"
    " on conflict (tenant_id, caller, key) do update set key = kept.key returning body, plan_id"
)
DUE_PLAN = (
    SELECT_PLAN + " where next_at <= %s and id <> all(%b::uuid[])"
    " order by next_at, id limit 1 for update skip locked"
)
ANSWERED = (
    SELECT_TOUCH + " where status = 'Answered' and exists (select from tickler.deliveries d"
    "  where d.about_id = deferred_touches.id and d.status in ('Delivered', 'Failed', 'Skipped'))"
    " order by id limit %s for update skip locked"
)
ENDED = "select about_id, status from tickler.deliveries where about_id = any(%b::uuid[])"
INSERT_TOUCH = (
    "insert into tickler.deferred_touches (" + TOUCH_COLUMNS + ", version, updated_at)"  # noqa: S608
    " values (" + ", ".join(["%s"] * 23) + ") on conflict do nothing"
)
UPDATE_TOUCH = (
    "update tickler.deferred_touches set due_at = %s, status = %s, claim = %s, worker = %s, lease_until = %s,"
    " failures = %s, recoveries = %s, rounds = %s, rounds_before = %s, reason = %s, version = %s,"
    " updated_at = %s"
    " where id = %s and version = %s"
)
INSERT_PLAN = (
    "insert into tickler.touch_plans (id, tenant_id, revision, status, end_reason, terms, handled_until,"
    " next_at, version, updated_at) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing"
)
UPDATE_PLAN = (
    "update tickler.touch_plans set tenant_id = %s, revision = %s, status = %s, end_reason = %s, terms = %s,"
    " handled_until = %s, next_at = %s, version = %s, updated_at = %s where id = %s and version = %s"
)
REMEMBER = (
    "insert into tickler.domain_events (stream_id, version, type, data, correlation_id, actor, occurred_at)"
    " values (%s, %s, %s, %s::jsonb, %s, %s, %s)"
)
KEEP_TEXT_OF_TOUCH = (
    "insert into tickler.touch_texts (touch_id, text)"
    " select id, %s from tickler.deferred_touches where id = %s"
    " on conflict (touch_id) do update set text = excluded.text"
)
KEEP_TEXT_OF_PLAN = (
    "insert into tickler.plan_texts (plan_id, text) select id, %s from tickler.touch_plans where id = %s"
    " on conflict (plan_id) do update set text = excluded.text"
)
KEEP_ANSWER = (
    "insert into tickler.touch_texts (touch_id, answer) values (%s, %s)"
    " on conflict (touch_id) do update set answer = excluded.answer"
)
# The row is held until the commit: whoever erases the person comes before, or after and empties this too.
ERASED_ORIGIN = (
    "select p.is_erased from tickler.people p join tickler.deferred_touches t on t.user_id = p.id"
    " where t.id = %s for share of p"
)
ERASED_TARGET = (
    "select p.is_erased, p.id from tickler.people p"
    " join tickler.touch_plans t on p.id = (t.terms -> 'target' ->> 'userId')::uuid"
    " where t.id = %s for share of p"
)


@frozen
class PostgresTouchTransaction:
    session: Session
    context: Context

    def touch(self, touch_id: TouchId) -> Versioned[DeferredTouch] | None:
        found = self.session.row(SELECT_TOUCH + " where id = %s for update", (touch_id,))
        return read_touch(found) if found else None

    def plan(self, plan_id: PlanId) -> Versioned[TouchPlan] | None:
        found = self.session.row(SELECT_PLAN + " where id = %s for update", (plan_id,))
        return read_plan(found) if found else None

    def stuck(self, now: datetime, limit: int) -> Sequence[Versioned[DeferredTouch]]:
        return [read_touch(row) for row in self.session.rows(STUCK, (now, limit))]

    def due(self, now: datetime, room: Room) -> Sequence[Versioned[DeferredTouch]]:
        return due(self.session, now, room)

    def plan_of_request(self, request: Request, plan: TouchPlan, at: datetime) -> PlanId:
        check_text("idempotency key", request.key)
        asked = (plan.tenant_id, request.caller, request.key, request.body)
        found = self.session.row(PLAN_OF_REQUEST, (*asked, plan.id, plan.terms.target.user_id, at))
        assert found is not None
        body, plan_id = found
        if body != request.body:
            raise KeyReused("this idempotency key was used for something else")
        return PlanId(plan_id)

    def due_plan(self, now: datetime, leave_out: Collection[PlanId] = ()) -> Versioned[TouchPlan] | None:
        found = self.session.row(DUE_PLAN, (now, list(leave_out)))
        return read_plan(found) if found else None

    def answered(self, limit: int) -> Sequence[tuple[Versioned[DeferredTouch], delivery.Status]]:
        found = [read_touch(row) for row in self.session.rows(ANSWERED, (limit,))]
        ids = [one.state.id for one in found]
        ended = {row[0]: delivery.Status(row[1]) for row in self.session.rows(ENDED, (ids,))}
        return [(one, ended[one.state.id]) for one in found]

    def record(self, changes: Sequence[TouchChange | PlanChange]) -> None:
        happened = [change for change in changes if change.events]
        kept = [change for change in happened if self._write(change)]
        rows = [
            (
                change.state.id,
                version,
                *encode_touch_event(event),
                self.context.correlation_id,
                self.context.actor,
                event.at,
            )
            for change in kept
            for version, event in enumerate(change.events, change.after + 1)
        ]
        if rows:
            self.session.change_each(REMEMBER, rows)

    def keep_text(self, id: TouchId | PlanId, text: str | None) -> None:
        check_text("text", text)
        if self._is_erased(id):
            return
        if self.session.change(KEEP_TEXT_OF_TOUCH, (text, id)) == 0:
            is_erased, target = self.session.row(ERASED_TARGET, (id,)) or (False, None)
            if is_erased:
                raise PersonIsErased(target)
            self.session.change(KEEP_TEXT_OF_PLAN, (text, id))

    def keep_answer(self, touch_id: TouchId, text: str, answer: Delivery | None) -> None:
        check_text("text", text)
        if not self._is_erased(touch_id):
            self.session.change(KEEP_ANSWER, (touch_id, text))
        keep_deliveries(self.session, [answer] if answer is not None else [])

    def keep_notice(self, notice: Notice) -> None:
        keep_deliveries(self.session, notice.deliveries)
        keep_matter(self.session, notice)

    def _is_erased(self, id: UUID) -> bool:
        found = self.session.row(ERASED_ORIGIN, (id,))
        return found is not None and bool(found[0])

    def _write(self, change: TouchChange | PlanChange) -> bool:
        """Whether it was written; Conflict for another version, False for an occurrence made before."""
        version, at = change.after + len(change.events), change.events[-1].at
        if isinstance(change, TouchChange):
            values = touch_values(change.state)
            if change.after == 0:
                written = self.session.change(INSERT_TOUCH, (*values, version, at))
                if written == 0 and change.state.occurrence is not None:
                    return False
            else:
                changed = (values[6], *values[12:], version, at, change.state.id, change.after)
                written = self.session.change(UPDATE_TOUCH, changed)
        else:
            values = plan_values(change.state)
            if change.after == 0:
                written = self.session.change(INSERT_PLAN, (change.state.id, *values, version, at))
            else:
                written = self.session.change(
                    UPDATE_PLAN, (*values, version, at, change.state.id, change.after)
                )
        if written != 1:
            raise Conflict(f"{change.state.id} is not at version {change.after} any more")
        return True
