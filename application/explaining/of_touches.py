"""Gathers the facts about a touch or a plan of touches, and has them explained."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from attrs import frozen

from application.auditing.streams import PLANS, TOUCHES
from application.explaining.drift import Drifting
from application.explaining.explanation import Explanation, Setup, Situation, What
from application.explaining.forgotten import REBUILD, Forgotten, by_history
from application.explaining.of_deliveries import OfDeliveries, zone_of
from application.explaining.plans import PlanFacts, explain_plan
from application.explaining.touches import UNFINISHED, TouchFacts, explain_touch
from application.ports.touches import RecordedTouchEvent, Touches
from domain import deferred_touch
from domain.deferred_touch import DeferredTouch, Status
from domain.touch_plan import PlanCreated, PlanEnded, PlanPaused, PlanResumed, TouchPlan
from domain.values import PlanId, ReminderId, TouchId

# An edit leaves a plan paused that is.
STANDS = (PlanCreated, PlanPaused, PlanResumed, PlanEnded)


@frozen
class OfTouches:
    """`reaches` tells whether a touch can be answered."""

    touches: Touches
    sending: OfDeliveries
    drifting: Drifting
    forgotten: Forgotten
    setup: Setup
    reaches: Callable[[DeferredTouch], bool]

    def unreadable(self, id_: UUID, now: datetime) -> Explanation | None:
        """Of a touch or plan whose row makes no sense nothing more is known."""
        kind, problem = self.drifting.unreadable(id_) or (None, "")
        if kind not in (TOUCHES, PLANS):
            return None
        what = What.TOUCH if kind is TOUCHES else What.PLAN
        wrong = problem.removeprefix(f"{id_}: ")
        says = (
            f"{what.value.capitalize()} {id_} cannot be read: {wrong}. Nothing becomes of it until that is"
            f" mended. {REBUILD}"
        )
        return Explanation(what, id_, "unreadable", Situation.POISON, says, "UTC")

    def touch(self, id_: UUID, now: datetime) -> Explanation | None:
        found = self.touches.touch(TouchId(id_))
        touch = found.state if found is not None else self.forgotten.touch(id_)
        if touch is None:
            return None
        happened = self.touches.history(touch.id)
        known = self.sending.person(touch.tenant_id, touch.origin.user_id)
        time_zone = self._zone_of_plan(touch) or zone_of(known)
        about = self.sending.deliveries.of_reminder(ReminderId(touch.id))
        answer = next(iter(about), None)
        is_pending = touch.status is Status.PENDING
        facts = TouchFacts(
            touch,
            now,
            self.setup,
            time_zone,
            last=_last_of_touch(happened),
            since=happened[-1].occurred_at if happened else None,
            actor=happened[-1].actor if happened else None,
            has_row=found is not None,
            drift=self.drifting.of([id_]).get(id_),
            in_work=self._in_work(touch) if is_pending else 0,
            reaches=not is_pending or self.reaches(touch),
            has_text=not is_pending or self.touches.texts(touch.id).text is not None,
            recipient=known,
            answer=None if answer is None else self.sending.explained(answer, None, about, now, time_zone),
        )
        told = explain_touch(facts)
        if found is not None or touch.status in UNFINISHED:  # which says itself that it has no row
            return told
        return by_history(told, is_lost=self.drifting.is_lost(id_, now))

    def plan(self, id_: UUID, now: datetime) -> Explanation | None:
        found = self.touches.plan(PlanId(id_))
        plan: TouchPlan | None = found.state if found is not None else self.forgotten.plan(id_)
        if plan is None:
            return None
        stood = [
            one.occurred_at for one in self.touches.history(PlanId(id_)) if isinstance(one.event, STANDS)
        ]
        since = stood[-1] if stood else None
        drift = self.drifting.of([id_]).get(id_)
        return explain_plan(PlanFacts(plan, now, since, has_row=found is not None, drift=drift))

    def _in_work(self, touch: DeferredTouch) -> int:
        most = self.setup.work.per_tenant
        return len(self.touches.listed(touch.tenant_id, most, statuses=[Status.IN_PROGRESS]))

    def _zone_of_plan(self, touch: DeferredTouch) -> str | None:
        if touch.occurrence is None:
            return None
        found = self.touches.plan(touch.occurrence.plan_id)
        return None if found is None else found.state.terms.schedule.time_zone


def _last_of_touch(happened: Sequence[RecordedTouchEvent]) -> deferred_touch.Event | None:
    last = happened[-1].event if happened else None
    return last if isinstance(last, deferred_touch.Event) else None
