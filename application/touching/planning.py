"""A tenant's own touches: plans kept, looked ahead at, and turned into touches as their times come.

Source: the specification, "Собственные плановые касания тенанта".
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import reduce

from attrs import asdict, frozen

from application.ports.errors import Busy, Conflict, Unavailable
from application.ports.ledger import Context, Versioned
from application.ports.machine import Clock, Ids
from application.ports.people import People
from application.ports.templates import PlanTexts
from application.ports.touches import Malformed, PlanChange, Request, TouchChange, Touches, TouchTransaction
from application.touching.deferring import CALL, check_key, check_text
from application.touching.fitting import is_blank
from domain import deferred_touch, touch_plan
from domain.errors import Invalid, NoAgentPlatform, NoSuchPlan
from domain.recurrence import Planned, Schedule, upcoming
from domain.touch_plan import Made, PlanAdvanced, Terms, TouchPlan
from domain.values import PlanId, TenantId, TouchId

MOST_SHOWN = 1_000
# As many as a plan before a deadline can have: a text that fails at its last one is refused at once.
TEXTS_CHECKED = 50


@frozen
class Advanced:
    """What the times that have come made of one plan; `problem` when it could not be dealt with."""

    plan_id: PlanId
    touch_ids: Sequence[TouchId] = ()
    missed: int = 0
    ended: bool = False
    problem: str | None = None


@frozen
class Kept:
    """The plan that stands for a request: a new one, or the one of an earlier request by its key."""

    plan: TouchPlan
    is_new: bool


@frozen
class Planning:
    """Every method raises Refused where the rules say no, and knows only the tenant that it is told."""

    touches: Touches
    people: People
    clock: Clock
    ids: Ids
    texts: PlanTexts
    kinds: Collection[str]

    def create(self, tenant_id: TenantId, terms: Terms, text: str, actor: str) -> TouchPlan:
        """Keep a plan; Invalid for terms or a text that will not do, NoAgentPlatform where that is wanted."""
        return self._create(tenant_id, terms, text, actor, None).plan

    def create_once(self, tenant_id: TenantId, terms: Terms, text: str, actor: str, key: str) -> Kept:
        """The same, or the plan that an earlier request of this actor by this key made, as it is now.

        KeyReused where that asked for something else.
        """
        check_key(key)
        return self._create(tenant_id, terms, text, actor, Request(actor, key, _digest(terms, text)))

    def edit(self, tenant_id: TenantId, plan_id: PlanId, terms: Terms, text: str, actor: str) -> TouchPlan:
        """Put other terms and another text in the place of a plan's; what is a touch already stays one."""
        self._check(tenant_id, terms, text)
        with self._transaction(actor) as transaction:
            change = self._decide(transaction, tenant_id, plan_id, touch_plan.Edit(terms, self.clock.now()))
            transaction.keep_text(plan_id, text)
        return change.state

    def pause(self, tenant_id: TenantId, plan_id: PlanId, actor: str) -> TouchPlan:
        return self._tell(tenant_id, plan_id, actor, touch_plan.Pause(self.clock.now()))

    def resume(self, tenant_id: TenantId, plan_id: PlanId, actor: str) -> TouchPlan:
        return self._tell(tenant_id, plan_id, actor, touch_plan.Resume(self.clock.now()))

    def end(self, tenant_id: TenantId, plan_id: PlanId, actor: str) -> TouchPlan:
        return self._tell(tenant_id, plan_id, actor, touch_plan.End(self.clock.now()))

    def plan(self, tenant_id: TenantId, plan_id: PlanId) -> TouchPlan:
        """The plan; NoSuchPlan for one that is not there, and for another tenant's alike."""
        found = self.touches.plan(plan_id)
        if found is None or found.state.tenant_id != tenant_id:
            raise NoSuchPlan
        return found.state

    def preview(self, schedule: Schedule, count: int) -> Sequence[Planned]:
        """The next `count` occurrences of a schedule, saved or not."""
        if not 1 <= count <= MOST_SHOWN:
            raise Invalid(f"count: a whole number from 1 to {MOST_SHOWN}")
        return upcoming(schedule, self.clock.now(), count)

    def tick(self) -> Iterator[Advanced]:
        """Turn every occurrence whose time has come into a touch, one plan a commit.

        A plan that cannot be dealt with is told of once and holds up no other.
        """
        left_out: set[PlanId] = set()
        while True:
            now = self.clock.now()
            found: Versioned[TouchPlan] | None = None
            try:
                with self._transaction("plans") as transaction:
                    found = transaction.due_plan(now, left_out)
                    if found is None:
                        return
                    # Not a second time: by newer zone data than its row's it may not be due after all.
                    left_out.add(found.state.id)
                    if not touch_plan.decide(found.state, touch_plan.Advance(now)):
                        continue
                    advanced = self._advance(transaction, found, now)
            except (Unavailable, Busy, Conflict):
                raise
            except Malformed as problem:
                advanced = Advanced(PlanId(problem.id), problem=str(problem))
            except Exception as problem:
                if found is None:
                    raise
                # Of an error that nobody foresaw only the kind: its text may hold the tenant's words.
                said = str(problem) if isinstance(problem, Invalid) else type(problem).__name__
                advanced = Advanced(found.state.id, problem=said)
            left_out.add(advanced.plan_id)
            yield advanced

    def _advance(self, transaction: TouchTransaction, found: Versioned[TouchPlan], now: datetime) -> Advanced:
        change = _change(found.state, found.version, touch_plan.Advance(now))
        template = self.touches.text_of_plan(found.state.id) or ""
        texts: dict[TouchId, str] = {}
        changes: list[TouchChange | PlanChange] = [change]
        for event in change.events:
            for made in event.made if isinstance(event, PlanAdvanced) else ():
                touch = self._touch(found.state, made, now)
                changes.append(touch)
                texts[touch.state.id] = self.texts.text_of_occurrence(
                    template, found.state.terms.schedule, made.occurrence.slot
                )
        transaction.record(changes)
        for touch_id, text in texts.items():
            transaction.keep_text(touch_id, text)
        missed = sum(event.missed for event in change.events if isinstance(event, PlanAdvanced))
        return Advanced(found.state.id, list(texts), missed, change.state.status is touch_plan.Status.ENDED)

    def _create(
        self, tenant_id: TenantId, terms: Terms, text: str, actor: str, request: Request | None
    ) -> Kept:
        self._check(tenant_id, terms, text)
        now = self.clock.now()
        change = _change(None, 0, touch_plan.Create(PlanId(self.ids.new()), tenant_id, terms, now))
        with self._transaction(actor) as transaction:
            if request is not None:
                stands = transaction.plan_of_request(request, change.state, now)
                if stands != change.state.id:
                    found = transaction.plan(stands)
                    if found is None:
                        raise Unavailable(f"plan {stands} of an earlier request is not there")
                    return Kept(found.state, is_new=False)
            transaction.record([change])
            transaction.keep_text(change.state.id, text)
        return Kept(change.state, is_new=True)

    def _touch(self, plan: TouchPlan, made: Made, now: datetime) -> TouchChange:
        register = deferred_touch.Register(
            id=TouchId(self.ids.new()),
            tenant_id=plan.tenant_id,
            kind=plan.terms.kind,
            origin=plan.terms.target,
            due_at=made.due_at,
            at=now,
            occurrence=made.occurrence,
        )
        happened = deferred_touch.decide(None, register)
        return TouchChange(0, happened, deferred_touch.evolve(None, happened[0]))

    def _tell(
        self, tenant_id: TenantId, plan_id: PlanId, actor: str, command: touch_plan.Command
    ) -> TouchPlan:
        with self._transaction(actor) as transaction:
            return self._decide(transaction, tenant_id, plan_id, command).state

    def _decide(
        self, transaction: TouchTransaction, tenant_id: TenantId, plan_id: PlanId, command: touch_plan.Command
    ) -> PlanChange:
        found = transaction.plan(plan_id)
        if found is None or found.state.tenant_id != tenant_id:
            raise NoSuchPlan
        change = _change(found.state, found.version, command)
        transaction.record([change])
        return change

    def _check(self, tenant_id: TenantId, terms: Terms, text: str) -> None:
        if terms.kind not in self.kinds:
            raise Invalid(f"kind: {terms.kind[:40]!r} is none of {', '.join(sorted(self.kinds))}")
        check_text("text", text)
        blank = [
            is_blank(self.texts.text_of_occurrence(text, terms.schedule, planned.slot))
            for planned in upcoming(terms.schedule, self.clock.now(), TEXTS_CHECKED)
        ]
        if blank and all(blank):
            raise Invalid("text: a message without words is none")
        if terms.kind == CALL:
            tenant = self.people.tenant(tenant_id)
            if tenant is None or tenant.agent is None:
                raise NoAgentPlatform

    def _transaction(self, actor: str) -> AbstractContextManager[TouchTransaction]:
        return self.touches.transaction(Context(self.ids.new(), actor))


def _digest(terms: Terms, text: str) -> str:
    asked = json.dumps([type(terms.schedule).__name__, asdict(terms), text], default=str)
    return hashlib.sha256(asked.encode()).hexdigest()


def _change(plan: TouchPlan | None, version: int, command: touch_plan.Command) -> PlanChange:
    happened = touch_plan.decide(plan, command)
    after = reduce(touch_plan.evolve, happened, plan)
    assert after is not None
    return PlanChange(version, happened, after)
