"""Deferred touches and the plans that make them: rows, history and texts, in one commit."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol
from uuid import UUID

from attrs import field, frozen

from application.ports.backlog import Backlog
from application.ports.ledger import Context, Versioned
from application.ports.notices import Notice
from domain import deferred_touch, delivery, touch_plan
from domain.deferred_touch import DeferredTouch
from domain.delivery import Delivery
from domain.touch_plan import TouchPlan
from domain.values import Origin, PlanId, TenantId, TouchId, UserId


@frozen
class Request:
    """Who asked, and by which idempotency key; `body` is a digest of what was asked.

    Keys of different tenants or callers have nothing to do with each other, nor those of plans with those of
    touches.
    """

    caller: str
    key: str
    body: str


@frozen
class Registration:
    """A touch as it is to be kept: its first event, the text that it is about, and how many may wait.

    `most_of_tenant` and `most_of_caller` bound the touches that are Pending or InProgress. With `wants_agent`
    its tenant must have an agent platform.
    """

    touch: DeferredTouch
    event: deferred_touch.TouchRegistered
    text: str | None = field(repr=False)
    request: Request
    most_of_tenant: int
    most_of_caller: int
    wants_agent: bool = False


@frozen
class Registered:
    """The touch that stands for the request: a new one, or the one of an earlier request by this key."""

    touch: DeferredTouch
    is_new: bool


class KeyReused(Exception):
    """The idempotency key was used by this caller for something else."""


class TooMany(Exception):
    """So many touches wait already that no more are taken; the message says whose."""


@frozen
class TouchChange:
    """Events to add to the stream of a touch that still has `after` of them, and the state they lead to."""

    after: int
    events: Sequence[deferred_touch.Event]
    state: DeferredTouch


@frozen
class PlanChange:
    """The same of a plan."""

    after: int
    events: Sequence[touch_plan.Event]
    state: TouchPlan


@frozen
class Room:
    """How many more touches may be begun: in all, and how many of one tenant may be InProgress at once.

    `kinds` are those that the caller knows how to work on and has room for.
    """

    limit: int
    kinds: AbstractSet[str]
    per_tenant: int


class Malformed(Exception):
    """A row that makes no sense."""

    def __init__(self, id: UUID, problem: str) -> None:
        super().__init__(f"{id}: {problem}")
        self.id = id


class TouchTransaction(Protocol):
    """One transaction over touches and plans. Nothing is seen by others before its block ends."""

    def touch(self, touch_id: TouchId) -> Versioned[DeferredTouch] | None:
        """The touch, locked until the block ends; None where there is none. Busy after 15 s of waiting."""

    def plan(self, plan_id: PlanId) -> Versioned[TouchPlan] | None:
        """The plan, locked as above."""

    def stuck(self, now: datetime, limit: int) -> Sequence[Versioned[DeferredTouch]]:
        """Lock touches that are InProgress with lease_until < now, whatever their kind or tenant.

        Those that somebody else holds are passed over without waiting, here and below; a long lease hides
        none behind it.
        """

    def due(self, now: datetime, room: Room) -> Sequence[Versioned[DeferredTouch]]:
        """Lock touches that are Pending with due_at < now, by `room`; the tenants take turns.

        Each tenant's oldest come first, and a tenant that floods the queue holds up no other.
        """

    def plan_of_request(self, request: Request, plan: TouchPlan, at: datetime) -> PlanId:
        """The plan that stands for the request: this one, or the one of an earlier request of its tenant by
        the same caller, key and body.

        KeyReused where the body is another; Invalid for a key that is no text. Of two at once the second
        waits for the first.
        """

    def due_plan(self, now: datetime, leave_out: Collection[PlanId] = ()) -> Versioned[TouchPlan] | None:
        """Lock the Active plan whose next occurrence came longest ago and is not later than `now`.

        None of `leave_out`. Raises Malformed, naming the plan, for one whose row makes no sense.
        """

    def answered(self, limit: int) -> Sequence[tuple[Versioned[DeferredTouch], delivery.Status]]:
        """Lock touches that are Answered while their answer's delivery is over, and how that ended."""

    def record(self, changes: Sequence[TouchChange | PlanChange]) -> None:
        """Add the events and write the states; Conflict when a stream has not the version it should have.

        A second touch of one occurrence of a plan is not kept, nor its event: it has been made before.
        """

    def keep_text(self, id: TouchId | PlanId, text: str | None) -> None:
        """Keep what a touch or plan is about where it can be erased; Invalid for what is no text.

        Nothing is kept for one that is not there, nor of the words to a person who is erased; PersonIsErased
        for a plan's.
        """

    def keep_answer(self, touch_id: TouchId, text: str, answer: Delivery | None) -> None:
        """Keep the answer's text, and the one delivery that brings it (INV-TCH-4), where there is one."""

    def keep_notice(self, notice: Notice) -> None:
        """Keep what the tenant's operator is to be told, as `Deliveries.settle` does."""


@frozen
class TouchTexts:
    """What a touch is about, and its answer; None where there is none or it was erased."""

    text: str | None = field(repr=False)
    answer: str | None = field(repr=False)


@frozen
class RecordedTouchEvent:
    """One event of a touch's or plan's stream as it was kept."""

    version: int
    event: deferred_touch.Event | touch_plan.Event
    correlation_id: UUID
    actor: str
    occurred_at: datetime


class Touches(Protocol):
    """Deferred touches, the plans that make them, and their texts."""

    def register(self, registration: Registration, context: Context) -> Registered:
        """Keep a new touch in one transaction of at most three round trips (INV-TCH-1).

        The one of an earlier request with the same caller, key and body is given back instead. KeyReused
        where the body is another; TooMany; Invalid for what is no text; PersonIsErased for an origin that is
        that of one who is; NoAgentPlatform. Nothing is written then.
        """

    def transaction(self, context: Context) -> AbstractContextManager[TouchTransaction]:
        """All that is done in the block is committed when it ends, or nothing when it raises."""

    def extend(
        self, held: Mapping[TouchId, int], now: datetime, lease_until: datetime
    ) -> AbstractSet[TouchId]:
        """Lengthen the leases of these touches where the claim number is still the current one and its lease
        has not run out; which ones they were. No history is made of it. It waits for nobody: one that
        somebody has locked is passed over.
        """

    def touch(self, touch_id: TouchId) -> Versioned[DeferredTouch] | None:
        """The touch as committed now, without a lock."""

    def plan(self, plan_id: PlanId) -> Versioned[TouchPlan] | None:
        """The plan as committed now, without a lock."""

    def texts(self, touch_id: TouchId) -> TouchTexts:
        """The texts of a touch."""

    def text_of_plan(self, plan_id: PlanId) -> str | None:
        """The text of a plan."""

    def listed(
        self,
        tenant_id: TenantId | None,
        limit: int,
        *,
        caller: str | None = None,
        statuses: Collection[deferred_touch.Status] = (),
        origin: Origin | None = None,
        user_id: UserId | None = None,
        after: TouchId | None = None,
    ) -> Sequence[DeferredTouch]:
        """Touches of one tenant or of all, ordered by id, those after `after`; of these statuses or any.

        Of one caller, with exactly this origin, or for this person wherever they are reached, where that is
        given.
        """

    def plans(
        self, tenant_id: TenantId | None, limit: int | None = None, after: PlanId | None = None
    ) -> Sequence[TouchPlan]:
        """The plans of a tenant or of all, ordered by id, those after `after`; all without a limit."""

    def history(self, stream_id: UUID) -> Sequence[RecordedTouchEvent]:
        """All events of a touch or plan in order; nothing for an unknown one."""

    def backlog(self, now: datetime) -> Backlog:
        """The Pending touches with due_at < now."""
