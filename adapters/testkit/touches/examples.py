"""Touches and plans for the promises to be tried on."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import attrs

from adapters.testkit.examples import MINUTE, NOON, OWNER, TENANT, numbered
from application.ports.ledger import Context, Versioned
from application.ports.touches import (
    PlanChange,
    Registered,
    Registration,
    Request,
    Room,
    TouchChange,
    Touches,
)
from domain import deferred_touch, delivery, touch_plan
from domain.deferred_touch import DeferredTouch, WhenClientWrites
from domain.delivery import Delivery, Template
from domain.recurrence import Every
from domain.touch_plan import Terms, TouchPlan
from domain.values import (
    ContactPointId,
    DeliveryId,
    Occurrence,
    Origin,
    PlanId,
    TenantId,
    TouchId,
)

CONTEXT = Context(numbered(900), "tester")
CALLER = "agent-a"
ORIGIN = Origin(OWNER, "whatsapp", ContactPointId(numbered(77)))
SECOND = timedelta(seconds=1)
LATER = NOON + MINUTE
LEASE_END = LATER + 10 * SECOND
ROOMY = Room(100, {"message", "call"}, 100)
DAILY = Terms(Every("FREQ=DAILY", datetime.fromisoformat("2026-12-01T12:00"), "UTC"), ORIGIN)


def registration(
    number: int = 1,
    *,
    tenant_id: TenantId = TENANT,
    due_at: datetime = NOON,
    kind: str = "message",
    text: str | None = "call the clinic",
    origin: Origin = ORIGIN,
    request: Request | None = None,
    most_of_tenant: int = 1_000,
    most_of_caller: int = 1_000,
    wants_agent: bool = False,
) -> Registration:
    register = deferred_touch.Register(
        TouchId(numbered(number)), tenant_id, kind, origin, due_at, NOON, 2, WhenClientWrites.CANCEL
    )
    (event,) = deferred_touch.decide(None, register)
    assert isinstance(event, deferred_touch.TouchRegistered)
    return Registration(
        deferred_touch.evolve(None, event),
        event,
        text,
        request or Request(CALLER, f"key {number}", "body"),
        most_of_tenant,
        most_of_caller,
        wants_agent,
    )


def registered(touches: Touches, number: int = 1, **more: object) -> DeferredTouch:
    made: Registered = touches.register(registration(number, **more), CONTEXT)  # type: ignore[arg-type]
    return made.touch


def change(found: Versioned[DeferredTouch], *commands: deferred_touch.Command) -> TouchChange:
    touch = found.state
    happened: list[deferred_touch.Event] = []
    for command in commands:
        events = deferred_touch.decide(touch, command)
        for event in events:
            touch = deferred_touch.evolve(touch, event)
        happened += events
    return TouchChange(found.version, happened, touch)


def claim_due(
    touches: Touches,
    now: datetime = LATER,
    room: Room = ROOMY,
    worker: str = "worker-a",
    lease: timedelta = 10 * SECOND,
) -> Sequence[DeferredTouch]:
    """Take what is due, as a worker does."""
    with touches.transaction(CONTEXT) as transaction:
        due = transaction.due(now, room)
        changes = [change(one, deferred_touch.Claim(worker, now + lease, now)) for one in due]
        transaction.record(changes)
    return [one.state for one in changes]


def tell(touches: Touches, touch_id: TouchId, *commands: deferred_touch.Command) -> DeferredTouch:
    with touches.transaction(CONTEXT) as transaction:
        found = transaction.touch(touch_id)
        assert found is not None
        told = change(found, *commands)
        transaction.record([told])
    return told.state


def answer(touches: Touches, touch: DeferredTouch, delivery_number: int = 600) -> Delivery:
    """The touch's answer, and the delivery that brings it."""
    create = delivery.Create(
        id=DeliveryId(numbered(delivery_number)),
        tenant_id=touch.tenant_id,
        about_id=touch.id,
        event_id=None,
        user_id=touch.origin.user_id,
        channel=touch.origin.channel,
        contact_point_id=touch.origin.contact_point_id,
        address_key="address",
        template=Template.TOUCH_ANSWER,
        due_at=LATER,
        at=LATER,
    )
    (created,) = delivery.decide(None, create)
    brings = delivery.evolve(None, created)
    with touches.transaction(CONTEXT) as transaction:
        found = transaction.touch(touch.id)
        assert found is not None
        transaction.record([change(found, deferred_touch.Answer(touch.claim, LATER))])
        transaction.keep_answer(touch.id, "all is well", brings)
    return brings


def plan_change(found: Versioned[TouchPlan] | None, command: touch_plan.Command) -> PlanChange:
    plan = found.state if found else None
    happened = touch_plan.decide(plan, command)
    for event in happened:
        plan = touch_plan.evolve(plan, event)
    assert plan is not None
    return PlanChange(found.version if found else 0, happened, plan)


def planned(touches: Touches, number: int = 301, terms: Terms = DAILY, at: datetime = NOON) -> TouchPlan:
    made = plan_change(None, touch_plan.Create(PlanId(numbered(number)), TENANT, terms, at))
    with touches.transaction(CONTEXT) as transaction:
        transaction.record([made])
        transaction.keep_text(made.state.id, "renew the policy")
    return made.state


def touch_of(plan: TouchPlan, number: int, slot: datetime) -> TouchChange:
    occurrence = Occurrence(plan.id, plan.revision, slot)
    register = attrs.evolve(
        deferred_touch.Register(TouchId(numbered(number)), TENANT, "message", ORIGIN, NOON, NOON),
        occurrence=occurrence,
    )
    happened = deferred_touch.decide(None, register)
    return TouchChange(0, happened, deferred_touch.evolve(None, happened[0]))
