"""Deferred touches, their plans and texts in memory."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID

from attrs import evolve, frozen

from adapters import codec
from adapters.outbound.memory.store import MemoryStore, TouchRow
from adapters.outbound.memory.touch_transaction import MemoryTouchTransaction, recorded
from application.ports.backlog import Backlog
from application.ports.errors import PersonIsErased
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

WAITING = (Status.PENDING, Status.IN_PROGRESS)


@frozen
class MemoryTouches:
    """A lock that is not had within `lock_wait` is Busy."""

    store: MemoryStore
    lock_wait: timedelta = timedelta(seconds=15)

    def register(self, registration: Registration, context: Context) -> Registered:
        touch, request = registration.touch, registration.request
        codec.check_text("text", registration.text)
        codec.check_text("idempotency key", request.key)
        asked = (touch.tenant_id, request.caller, request.key)
        with self.store.changed:
            if self.store.is_erased(touch.origin.user_id):
                raise PersonIsErased(touch.origin.user_id)
            earlier = self.store.touch_requests.get(asked)
            if earlier is not None:
                body, made = earlier
                if body != request.body:
                    raise KeyReused("this idempotency key was used for something else")
                return Registered(self.store.touches[made].touch.state, is_new=False)
            if registration.wants_agent and not self._has_agent(touch.tenant_id):
                raise NoAgentPlatform
            self._must_have_room(registration)
            self.store.touch_requests[asked] = (request.body, touch.id)
            self.store.touches[touch.id] = TouchRow(Versioned(touch, 1), request.caller)
            self.store.touch_texts[touch.id] = TouchTexts(registration.text, None)
            self.store.touch_history[touch.id] = recorded(context, 0, [registration.event])
        return Registered(touch, is_new=True)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[MemoryTouchTransaction]:
        transaction = MemoryTouchTransaction(self.store, context, self.lock_wait.total_seconds())
        try:
            yield transaction
        except BaseException:
            transaction.abandon()
            raise
        transaction.commit()

    def extend(
        self, held: Mapping[TouchId, int], now: datetime, lease_until: datetime
    ) -> AbstractSet[TouchId]:
        kept = set()
        with self.store.changed:
            for touch_id, claim in held.items():
                row = self.store.touches.get(touch_id)
                is_free = self.store.locks.is_free_for(touch_id, object())
                if row is not None and is_free and _is_held(row.touch.state, claim, now):
                    touch = evolve(row.touch.state, lease_until=lease_until)
                    self.store.touches[touch_id] = evolve(row, touch=Versioned(touch, row.touch.version))
                    kept.add(touch_id)
        return kept

    def touch(self, touch_id: TouchId) -> Versioned[DeferredTouch] | None:
        with self.store.changed:
            row = self.store.touches.get(touch_id)
            return row.touch if row else None

    def plan(self, plan_id: PlanId) -> Versioned[TouchPlan] | None:
        with self.store.changed:
            return self.store.plans.get(plan_id)

    def texts(self, touch_id: TouchId) -> TouchTexts:
        with self.store.changed:
            return self.store.touch_texts.get(touch_id, TouchTexts(None, None))

    def text_of_plan(self, plan_id: PlanId) -> str | None:
        with self.store.changed:
            return self.store.plan_texts.get(plan_id)

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
        with self.store.changed:
            found = [
                row.touch.state
                for row in self.store.touches.values()
                if (tenant_id is None or row.touch.state.tenant_id == tenant_id)
                and (caller is None or row.caller == caller)
                and (not statuses or row.touch.state.status in statuses)
                and (origin is None or row.touch.state.origin == origin)
                and user_id in (None, row.touch.state.origin.user_id)
                and (after is None or row.touch.state.id > after)
            ]
        return sorted(found, key=lambda one: one.id)[:limit]

    def plans(
        self, tenant_id: TenantId | None, limit: int | None = None, after: PlanId | None = None
    ) -> Sequence[TouchPlan]:
        with self.store.changed:
            found = [row.state for row in self.store.plans.values()]
        mine = (one for one in found if tenant_id is None or one.tenant_id == tenant_id)
        further = (one for one in mine if after is None or one.id > after)
        return sorted(further, key=lambda one: one.id)[:limit]

    def history(self, stream_id: UUID) -> Sequence[RecordedTouchEvent]:
        with self.store.changed:
            return self.store.touch_history.get(stream_id, ())

    def backlog(self, now: datetime) -> Backlog:
        with self.store.changed:
            states = [row.touch.state for row in self.store.touches.values()]
        due = [one.due_at for one in states if one.status is Status.PENDING and one.due_at < now]
        return Backlog(len(due), min(due, default=None))

    def _has_agent(self, tenant_id: TenantId) -> bool:
        tenant = self.store.tenants.get(tenant_id)
        return tenant is not None and tenant.agent is not None

    def _must_have_room(self, registration: Registration) -> None:
        tenant_id = registration.touch.tenant_id
        waiting = [
            row.caller
            for row in self.store.touches.values()
            if row.touch.state.tenant_id == tenant_id and row.touch.state.status in WAITING
        ]
        if len(waiting) >= registration.most_of_tenant:
            raise TooMany(f"{len(waiting)} touches of this tenant wait already")
        mine = waiting.count(registration.request.caller)
        if mine >= registration.most_of_caller:
            raise TooMany(f"{mine} touches of this caller wait already")


def _is_held(touch: DeferredTouch, claim: int, now: datetime) -> bool:
    lease_until = touch.lease_until
    return (
        touch.status is Status.IN_PROGRESS
        and touch.claim == claim
        and lease_until is not None
        and now <= lease_until
    )
