"""One transaction over touches and plans in memory, its writes seen by nobody until it ends."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import TypeVar

from attrs import evolve

from adapters import codec
from adapters.outbound.memory.store import MemoryStore, TouchRow
from application.ports.errors import Conflict, PersonIsErased
from application.ports.ledger import Context, Versioned
from application.ports.notices import Notice
from application.ports.touches import (
    KeyReused,
    PlanChange,
    RecordedTouchEvent,
    Request,
    Room,
    TouchChange,
    TouchTexts,
)
from domain import deferred_touch, delivery, touch_plan
from domain.deferred_touch import DeferredTouch, Status
from domain.delivery import Delivery
from domain.touch_plan import TouchPlan, next_occurrence
from domain.values import PlanId, TenantId, TouchId, UserId

State = TypeVar("State", DeferredTouch, TouchPlan)


class MemoryTouchTransaction:
    """Reads what is committed now and its own writes; keeps its row locks until `commit` or `abandon`."""

    def __init__(self, store: MemoryStore, context: Context, lock_wait: float) -> None:
        self._store = store
        self._context = context
        self._lock_wait = lock_wait
        self._touches: dict[TouchId, TouchRow] = {}
        self._plans: dict[PlanId, Versioned[TouchPlan]] = {}
        self._touch_texts: dict[TouchId, TouchTexts] = {}
        self._plan_texts: dict[PlanId, str] = {}
        self._plan_requests: dict[tuple[TenantId, str, str], tuple[str, PlanId, UserId]] = {}
        self._history: list[tuple[TouchId | PlanId, tuple[RecordedTouchEvent, ...]]] = []
        self._deliveries: list[Delivery] = []
        self._notices: list[Notice] = []

    def commit(self) -> None:
        with self._store.changed:
            self._store.touches.update(self._touches)
            self._store.plans.update(self._plans)
            self._store.touch_texts.update(self._touch_texts)
            self._store.plan_texts.update(self._plan_texts)
            self._store.plan_requests.update(self._plan_requests)
            for stream_id, events in self._history:
                kept = self._store.touch_history.get(stream_id, ())
                self._store.touch_history[stream_id] = (*kept, *events)
            self._keep_deliveries()
            self._store.locks.release(self)

    def abandon(self) -> None:
        with self._store.changed:
            self._store.locks.release(self)

    def touch(self, touch_id: TouchId) -> Versioned[DeferredTouch] | None:
        with self._store.changed:
            if touch_id not in self._all():
                return None
            self._lock(touch_id)
            return self._all()[touch_id].touch

    def plan(self, plan_id: PlanId) -> Versioned[TouchPlan] | None:
        with self._store.changed:
            if plan_id not in self._store.plans | self._plans:
                return None
            self._lock(plan_id)
            return (self._store.plans | self._plans)[plan_id]

    def stuck(self, now: datetime, limit: int) -> Sequence[Versioned[DeferredTouch]]:
        with self._store.changed:
            late = sorted(
                (row.touch.state.lease_until, row.touch.state.id)
                for row in self._all().values()
                if row.touch.state.lease_until is not None and row.touch.state.lease_until < now
            )
            return self._take([touch_id for _, touch_id in late], limit)

    def due(self, now: datetime, room: Room) -> Sequence[Versioned[DeferredTouch]]:
        with self._store.changed:
            states = [row.touch.state for row in self._all().values()]
            busy = Counter(one.tenant_id for one in states if one.status is Status.IN_PROGRESS)
            waiting: defaultdict[TenantId, list[tuple[datetime, TouchId]]] = defaultdict(list)
            for one in states:
                if one.status is Status.PENDING and one.due_at < now and one.kind in room.kinds:
                    waiting[one.tenant_id].append((one.due_at, one.id))
            queues = [
                sorted(self._free(found))[: max(0, room.per_tenant - busy[tenant_id])]
                for tenant_id, found in waiting.items()
            ]
            in_turn = (one for turn in zip_longest(*sorted(queues)) for one in turn if one is not None)
            return self._take([touch_id for _, touch_id in in_turn], room.limit)

    def plan_of_request(self, request: Request, plan: TouchPlan, at: datetime) -> PlanId:
        codec.check_text("idempotency key", request.key)
        asked = (plan.tenant_id, request.caller, request.key)
        with self._store.changed:
            self._lock(("plan request", *asked))
            earlier = (self._store.plan_requests | self._plan_requests).get(asked)
            if earlier is None:
                self._plan_requests[asked] = (request.body, plan.id, plan.terms.target.user_id)
                return plan.id
            body, plan_id, _ = earlier
            if body != request.body:
                raise KeyReused("this idempotency key was used for something else")
            return plan_id

    def due_plan(self, now: datetime, leave_out: Collection[PlanId] = ()) -> Versioned[TouchPlan] | None:
        with self._store.changed:
            due = sorted(
                (planned.at, row.state.id)
                for row in (self._store.plans | self._plans).values()
                if row.state.id not in leave_out
                and (planned := next_occurrence(row.state)) is not None
                and planned.at <= now
            )
            for _, plan_id in due:
                if self._store.locks.is_free_for(plan_id, self):
                    self._lock(plan_id)
                    return (self._store.plans | self._plans)[plan_id]
            return None

    def answered(self, limit: int) -> Sequence[tuple[Versioned[DeferredTouch], delivery.Status]]:
        with self._store.changed:
            ended = {
                one.about_id: one.status
                for one in self._store.deliveries.values()
                if one.status in delivery.OVER
            }
            found = sorted(
                touch_id
                for touch_id, row in self._all().items()
                if row.touch.state.status is Status.ANSWERED and touch_id in ended
            )
            return [(one, ended[one.state.id]) for one in self._take(found, limit)]

    def record(self, changes: Sequence[TouchChange | PlanChange]) -> None:
        with self._store.changed:
            for change in changes:
                if not change.events:
                    continue
                self._lock(change.state.id)
                if isinstance(change, TouchChange):
                    self._record_touch(change)
                else:
                    self._must_be_at(change, (self._store.plans | self._plans).get(change.state.id))
                    self._plans[change.state.id] = _after(change.state, change)
                    self._remember(change.state.id, change)

    def keep_text(self, id: TouchId | PlanId, text: str | None) -> None:
        codec.check_text("text", text)
        with self._store.changed:
            touch_id, plan_id = TouchId(id), PlanId(id)
            plan = (self._store.plans | self._plans).get(plan_id)
            if touch_id in self._all():
                if self._holds_somebody(touch_id):
                    self._touch_texts[touch_id] = evolve(self._texts(touch_id), text=text)
            elif plan is not None and text is not None:
                target = plan.state.terms.target.user_id
                self._lock(("person", target))
                if self._store.is_erased(target):
                    raise PersonIsErased(target)
                self._plan_texts[plan_id] = text

    def keep_answer(self, touch_id: TouchId, text: str, answer: Delivery | None) -> None:
        codec.check_text("text", text)
        with self._store.changed:
            if self._holds_somebody(touch_id):
                self._touch_texts[touch_id] = evolve(self._texts(touch_id), answer=text)
            self._deliveries += [answer] if answer is not None else []

    def keep_notice(self, notice: Notice) -> None:
        self._notices.append(notice)

    def _record_touch(self, change: TouchChange) -> None:
        touch = change.state
        row = self._all().get(touch.id)
        if row is None and touch.occurrence is not None:
            self._lock(touch.occurrence)  # else two open transactions would each find themselves alone
            if any(other.touch.state.occurrence == touch.occurrence for other in self._all().values()):
                return
        self._must_be_at(change, row.touch if row else None)
        self._touches[touch.id] = TouchRow(_after(touch, change), row.caller if row else None)
        self._remember(touch.id, change)

    def _must_be_at(
        self,
        change: TouchChange | PlanChange,
        found: Versioned[DeferredTouch] | Versioned[TouchPlan] | None,
    ) -> None:
        version = found.version if found else 0
        if version != change.after:
            raise Conflict(f"{change.state.id} is at version {version}, not {change.after}")

    def _remember(self, stream_id: TouchId | PlanId, change: TouchChange | PlanChange) -> None:
        self._history.append((stream_id, recorded(self._context, change.after, change.events)))

    def _keep_deliveries(self) -> None:
        made = [*self._deliveries, *(one for notice in self._notices for one in notice.deliveries)]
        about = {(one.about_id, one.channel, one.address_key) for one in self._store.deliveries.values()}
        for one in made:
            if (one.about_id, one.channel, one.address_key) not in about:
                about.add((one.about_id, one.channel, one.address_key))
                self._store.deliveries[one.id] = one
        for notice in self._notices:
            matters = self._store.matters.setdefault(notice.id, {})
            matters.setdefault((notice.matter.kind, notice.matter.id), notice.matter)

    def _holds_somebody(self, touch_id: TouchId) -> bool:
        """Whether it is of somebody who is not erased, and will not be before we commit."""
        user_id = self._all()[touch_id].touch.state.origin.user_id
        self._lock(("person", user_id))
        return not self._store.is_erased(user_id)

    def _all(self) -> Mapping[TouchId, TouchRow]:
        return self._store.touches | self._touches

    def _texts(self, touch_id: TouchId) -> TouchTexts:
        kept = self._touch_texts.get(touch_id) or self._store.touch_texts.get(touch_id)
        return kept or TouchTexts(None, None)

    def _free(self, found: Sequence[tuple[datetime, TouchId]]) -> Iterator[tuple[datetime, TouchId]]:
        return (one for one in found if self._store.locks.is_free_for(one[1], self))

    def _take(self, touch_ids: Sequence[TouchId], limit: int) -> list[Versioned[DeferredTouch]]:
        free = [one for one in touch_ids if self._store.locks.is_free_for(one, self)][:limit]
        for touch_id in free:
            self._lock(touch_id)
        return [self._all()[touch_id].touch for touch_id in free]

    def _lock(self, row: Hashable) -> None:
        self._store.locks.take(row, self, self._lock_wait)


def recorded(
    context: Context, after: int, events: Sequence[deferred_touch.Event] | Sequence[touch_plan.Event]
) -> tuple[RecordedTouchEvent, ...]:
    return tuple(
        RecordedTouchEvent(version, event, context.correlation_id, context.actor, event.at)
        for version, event in enumerate(events, after + 1)
    )


def _after(state: State, change: TouchChange | PlanChange) -> Versioned[State]:
    return Versioned(state, change.after + len(change.events))
