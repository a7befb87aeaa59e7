"""A person is erased, and what was put off for them is taken back.

Nothing more is put off for somebody who is erased, so first they are, then the plans that write to them end,
and then the touches that wait to go to them are cancelled: each by its own rules and with its history, whose
actor says why. See docs/decisions/0010.
"""

from collections.abc import Iterator

from attrs import frozen

from application.ports.errors import Busy, Conflict
from application.ports.people import Erased, People
from application.ports.touches import Touches
from application.touching.deferring import Deferring
from application.touching.planning import Planning
from domain import deferred_touch, touch_plan
from domain.deferred_touch import DeferredTouch
from domain.errors import Refused
from domain.touch_plan import TouchPlan
from domain.values import TenantId, TouchId, UserId

ACTOR = "erasure"
PAGE = 200
WAITING = (deferred_touch.Status.PENDING, deferred_touch.Status.FAILED)


@frozen
class Gone:
    """What was emptied, how many touches were cancelled and plans ended.

    `left` touches and plans are in somebody's hands just now. Their answer reaches nobody, and they are
    closed as soon as that is seen; asked again, they are taken back too.
    """

    emptied: Erased
    touches: int
    plans: int
    left: int


@frozen
class Erasing:
    people: People
    touches: Touches
    deferring: Deferring
    planning: Planning

    def erase(self, tenant_id: TenantId, user_id: UserId) -> Gone | None:
        """Erase them; None for a person who is not there. Once more, it goes on with what was left."""
        emptied = self.people.erase(tenant_id, user_id)
        if emptied is None:
            return None
        # Plans first: one that has ended makes no touch any more.
        plans = [self._end(plan) for plan in self._plans(tenant_id, user_id)]
        touches = [self._cancel(touch) for touch in self._waiting(tenant_id, user_id)]
        done = [*plans, *touches]
        return Gone(emptied, sum(touches), sum(plans), len(done) - sum(done))

    def _plans(self, tenant_id: TenantId, user_id: UserId) -> list[TouchPlan]:
        return [
            plan
            for plan in self.touches.plans(tenant_id)
            if plan.terms.target.user_id == user_id and plan.status is not touch_plan.Status.ENDED
        ]

    def _waiting(self, tenant_id: TenantId, user_id: UserId) -> Iterator[DeferredTouch]:
        after: TouchId | None = None
        while page := self.touches.listed(tenant_id, PAGE, statuses=WAITING, user_id=user_id, after=after):
            yield from page
            after = page[-1].id

    def _end(self, plan: TouchPlan) -> bool:
        try:
            self.planning.end(plan.tenant_id, plan.id, ACTOR)
        except (Busy, Conflict):
            return False
        return True

    def _cancel(self, touch: DeferredTouch) -> bool:
        try:
            self.deferring.cancel(touch.tenant_id, touch.id, ACTOR)
        except (Refused, Busy, Conflict):  # it is being worked on
            return False
        return True
