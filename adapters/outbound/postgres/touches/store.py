"""Deferred touches, their plans and texts in PostgreSQL."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from attrs import frozen

from adapters.codec import check_text
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.touches.rows import (
    SELECT_PLAN,
    SELECT_TOUCH,
    TOUCH_COLUMNS,
    read_plan,
    read_touch,
    touch_values,
)
from adapters.outbound.postgres.touches.transaction import PostgresTouchTransaction
from adapters.touch_codec import decode_touch_event, encode_touch_event
from application.ports.backlog import Backlog
from application.ports.errors import PersonIsErased, Unavailable
from application.ports.ledger import Context, Versioned
from application.ports.touches import (
    KeyReused,
    RecordedTouchEvent,
    Registered,
    Registration,
    TooMany,
    TouchTexts,
)
from domain.deferred_touch import DeferredTouch, Status
from domain.errors import NoAgentPlatform
from domain.touch_plan import TouchPlan
from domain.values import Origin, PlanId, TenantId, TouchId, UserId

_TYPES = {
    **dict.fromkeys(("id", "tenant_id", "user_id", "contact_point_id", "plan_id"), "uuid"),
    **dict.fromkeys(("due_at", "lease_until"), "timestamptz"),
    **dict.fromkeys(("depth", "failures", "recoveries", "rounds", "rounds_before"), "integer"),
    **dict.fromkeys(("claim", "plan_revision"), "bigint"),
    "plan_slot": "timestamp",
}
_NAMES = TOUCH_COLUMNS.split(", ")
_VALUES = ", ".join(f"%({name})s::{_TYPES.get(name, 'text')}" for name in _NAMES)
_INSERT_TOUCH = (
    "insert into tickler.deferred_touches (" + TOUCH_COLUMNS + ", caller, version, updated_at)"  # noqa: S608
    " select " + _VALUES + ", caller, 1, at from new"
)
# One statement: the clock's question, begin, and this with its commit are the three round trips of a
# registration (INV-TCH-1). Of two requests with one key at once the second waits for the first, and is given
# what that one made.
REGISTER = (
    "with given as (select %(id)s::uuid id, %(tenant_id)s::uuid tenant_id, %(caller)s::text caller,"  # noqa: S608
    "  %(key)s::text key, %(body)s::text body, %(at)s::timestamptz at, %(text)s::text words,"
    "  %(type)s::text type, %(data)s::jsonb data, %(correlation_id)s::uuid correlation_id,"
    "  %(actor)s::text actor, %(most_of_tenant)s::bigint most_of_tenant,"
    "  %(most_of_caller)s::bigint most_of_caller),"
    " waiting as (select"
    "  (select count(*) from (select from tickler.deferred_touches t where t.tenant_id = given.tenant_id"
    "   and status in ('Pending', 'InProgress') limit %(most_of_tenant)s::bigint) one) of_tenant,"
    "  (select count(*) from (select from tickler.deferred_touches t where t.tenant_id = given.tenant_id"
    "   and t.caller = given.caller and status in ('Pending', 'InProgress')"
    "   limit %(most_of_caller)s::bigint) one) of_caller from given),"
    " agent as (select from tickler.tenants t where t.id = %(tenant_id)s::uuid and t.agent_url is not null),"
    " person as (select p.is_erased from tickler.people p where p.id = %(user_id)s::uuid for share),"
    " asked as (insert into tickler.touch_requests as kept (tenant_id, caller, key, body, touch_id, made_at)"
    "  select tenant_id, caller, key, body, id, at from given, waiting"
    "  where of_tenant < most_of_tenant and of_caller < most_of_caller"
    "  and not exists (select from person where is_erased)"
    "  and (not %(wants_agent)s::boolean or exists (select from agent))"
    "  on conflict (tenant_id, caller, key) do update set key = kept.key returning body, touch_id),"
    " new as (select given.* from given join asked on asked.touch_id = given.id),"
    " touch as (" + _INSERT_TOUCH + "),"
    " words as (insert into tickler.touch_texts (touch_id, text) select id, words from new),"
    " happened as (insert into tickler.domain_events"
    "  (stream_id, version, type, data, correlation_id, actor, occurred_at)"
    "  select id, 1, type, data, correlation_id, actor, at from new),"
    " earlier as (select kept.body, kept.touch_id from tickler.touch_requests kept join given"
    "  on (kept.tenant_id, kept.caller, kept.key) = (given.tenant_id, given.caller, given.key)"
    "  where not exists (select from asked))"
    " select of_tenant, of_caller, found.body, found.touch_id, exists (select from person where is_erased),"
    "  exists (select from agent)"
    " from waiting"
    " left join (select * from asked union all select * from earlier) found on true"
)
EXTEND = (
    "with free as (select t.id from tickler.deferred_touches t"
    "  join unnest(%s::uuid[], %s::bigint[]) h (id, claim) on t.id = h.id and t.claim = h.claim"
    "  where t.status = 'InProgress' and t.lease_until >= %s for no key update of t skip locked)"
    " update tickler.deferred_touches t set lease_until = %s from free where t.id = free.id returning t.id"
)
LISTED = (
    SELECT_TOUCH + " where (%(tenant_id)s::uuid is null or tenant_id = %(tenant_id)s)"
    " and (%(caller)s::text is null or caller = %(caller)s)"
    " and (%(user_id)s::uuid is null or user_id = %(user_id)s)"
    " and (%(channel)s::text is null or (channel = %(channel)s"
    "  and contact_point_id is not distinct from %(contact_point_id)s::uuid))"
    " and (%(any_status)s or status = any(%(statuses)s::text[]))"
    " and (%(after)s::uuid is null or id > %(after)s) order by id limit %(limit)s"
)
PLANS = (
    SELECT_PLAN + " where (%(tenant_id)s::uuid is null or tenant_id = %(tenant_id)s)"
    " and (%(after)s::uuid is null or id > %(after)s) order by id limit %(limit)s::bigint"
)
HISTORY = (
    "select version, type, data, correlation_id, actor, occurred_at from tickler.domain_events"
    " where stream_id = %s order by version"
)
BACKLOG = (
    "select count(*), min(due_at) from tickler.deferred_touches where status = 'Pending' and due_at < %s"
)


@frozen
class PostgresTouches:
    database: Database

    def register(self, registration: Registration, context: Context) -> Registered:
        touch, request = registration.touch, registration.request
        check_text("text", registration.text)
        check_text("idempotency key", request.key)
        name, data = encode_touch_event(registration.event)
        given = dict(zip(_NAMES, touch_values(touch), strict=True)) | {
            "caller": request.caller,
            "key": request.key,
            "body": request.body,
            "most_of_tenant": registration.most_of_tenant,
            "most_of_caller": registration.most_of_caller,
            "wants_agent": registration.wants_agent,
            "text": registration.text,
            "type": name,
            "data": data,
            "correlation_id": context.correlation_id,
            "actor": context.actor,
            "at": registration.event.at,
        }
        found = self.database.row(REGISTER, given)
        assert found is not None
        of_tenant, of_caller, body, touch_id, is_erased, has_agent = found
        if is_erased:
            raise PersonIsErased(touch.origin.user_id)
        if body is None:
            if registration.wants_agent and not has_agent:
                raise NoAgentPlatform
            whose = f"{of_tenant} touches of this tenant"
            if of_tenant < registration.most_of_tenant:
                whose = f"{of_caller} touches of this caller"
            raise TooMany(f"{whose} wait already")
        if body != request.body:
            raise KeyReused("this idempotency key was used for something else")
        if touch_id == touch.id:
            return Registered(touch, is_new=True)
        earlier = self.touch(touch_id)
        if earlier is None:
            raise Unavailable(f"touch {touch_id} of an earlier request is not there")
        return Registered(earlier.state, is_new=False)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[PostgresTouchTransaction]:
        with self.database.transaction() as session:
            yield PostgresTouchTransaction(session, context)

    def extend(
        self, held: Mapping[TouchId, int], now: datetime, lease_until: datetime
    ) -> AbstractSet[TouchId]:
        ordered = sorted(held.items())
        ids, claims = [id_ for id_, _ in ordered], [claim for _, claim in ordered]
        with self.database.transaction() as session:
            return {row[0] for row in session.rows(EXTEND, (ids, claims, now, lease_until))}

    def touch(self, touch_id: TouchId) -> Versioned[DeferredTouch] | None:
        with self.database.transaction() as session:
            found = session.row(SELECT_TOUCH + " where id = %s", (touch_id,))
        return read_touch(found) if found else None

    def plan(self, plan_id: PlanId) -> Versioned[TouchPlan] | None:
        with self.database.transaction() as session:
            found = session.row(SELECT_PLAN + " where id = %s", (plan_id,))
        return read_plan(found) if found else None

    def texts(self, touch_id: TouchId) -> TouchTexts:
        with self.database.transaction() as session:
            found = session.row(
                "select text, answer from tickler.touch_texts where touch_id = %s", (touch_id,)
            )
        return TouchTexts(*found) if found else TouchTexts(None, None)

    def text_of_plan(self, plan_id: PlanId) -> str | None:
        with self.database.transaction() as session:
            found = session.row("select text from tickler.plan_texts where plan_id = %s", (plan_id,))
        return found[0] if found else None

    def listed(
        self,
        tenant_id: TenantId | None,
        limit: int,
        *,
        caller: str | None = None,
        statuses: Collection[Status] = (),
        origin: Origin | None = None,
        user_id: UserId | None = None,
        after: TouchId | None = None,
    ) -> Sequence[DeferredTouch]:
        given = {
            "tenant_id": tenant_id,
            "caller": caller,
            "any_status": not statuses,
            "statuses": [status.value for status in statuses],
            "user_id": origin.user_id if origin else user_id,
            "channel": origin.channel if origin else None,
            "contact_point_id": origin.contact_point_id if origin else None,
            "after": after,
            "limit": limit,
        }
        with self.database.transaction() as session:
            return [read_touch(row).state for row in session.rows(LISTED, given)]

    def plans(
        self, tenant_id: TenantId | None, limit: int | None = None, after: PlanId | None = None
    ) -> Sequence[TouchPlan]:
        given = {"tenant_id": tenant_id, "limit": limit, "after": after}
        with self.database.transaction() as session:
            rows = session.rows(PLANS, given)
        return [read_plan(row).state for row in rows]

    def history(self, stream_id: UUID) -> Sequence[RecordedTouchEvent]:
        with self.database.transaction() as session:
            rows = session.rows(HISTORY, (stream_id,))
        return [
            RecordedTouchEvent(
                version, decode_touch_event(name, data, stream_id), correlation_id, actor, occurred_at
            )
            for version, name, data, correlation_id, actor, occurred_at in rows
        ]

    def backlog(self, now: datetime) -> Backlog:
        with self.database.transaction() as session:
            found = session.row(BACKLOG, (now,))
        assert found is not None
        return Backlog(*found)
