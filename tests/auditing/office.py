"""An office that has seen a bit of everything, all of it through the use cases; so all of it is sound."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

from attrs import frozen
from dependency_injector import providers

from adapters.container import Container
from adapters.settings import Settings
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import numbered
from adapters.testkit.touches.examples import change
from application.auditing.auditing import Report
from application.auditing.rules import Rule
from application.calendar import Draft
from application.ports.ledger import Context
from application.ports.people import ContactPoint, Person, Tenant
from application.touching.deferring import Caller, Wish
from domain import deferred_touch
from domain.deferred_touch import Claim, Fail, Limits, SayNothing
from domain.recurrence import Every
from domain.touch_plan import Terms
from domain.triggers import AtInstant, DaysBeforeStart, MinutesBeforeStart, Trigger
from domain.values import ContactPointId, EventId, Origin, PlanId, TenantId, Timing, TouchId, UserId

ZONE_DATA = "2026a"
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ACME, OTHER = TenantId(numbered(1)), TenantId(numbered(2))
ANNA, CLARA, STRANGER = UserId(numbered(3)), UserId(numbered(4)), UserId(numbered(5))
WRITTEN, THEIRS = ContactPointId(numbered(6)), ContactPointId(numbered(7))
TRIGGERS = (MinutesBeforeStart(15), MinutesBeforeStart(30), DaysBeforeStart(1))


@frozen
class Known:
    """What became of each; `sent` are events whose reminders left, `waiting` one whose do not yet."""

    sent: EventId
    waiting: EventId
    moved: EventId
    cancelled: EventId
    completed: EventId
    answered: TouchId
    nothing_said: TouchId
    held: TouchId
    pending: TouchId
    plan: PlanId


def clocked(container: Container, now: datetime = NOON) -> SettableClock:
    """The container at that time, with a console that prints nothing."""
    clock = SettableClock(now)
    container.clock.override(providers.Object(clock))
    container.console.override(providers.Object(RecordingChannel("console")))
    return clock


@contextmanager
def opened(store: str, url: str | None = None) -> Iterator[Container]:
    if url is None:
        yield Container(settings=Settings(), store=store)
        return
    container = Container(settings=Settings(), store=store, conninfo=url)
    try:
        yield container
    finally:
        container.database().close()
        container.heartbeats().close()


def live_a_little(container: Container, clock: SettableClock) -> Known:
    """From noon to half past one."""
    people, calendar = container.people(), container.calendar()
    for tenant_id, handle in ((ACME, "acme"), (OTHER, "other")):
        people.add_tenant(Tenant(tenant_id, handle))
    for user_id, tenant_id, handle in ((ANNA, ACME, "anna"), (CLARA, ACME, "clara"), (STRANGER, OTHER, "x")):
        people.add_person(Person(user_id, tenant_id, handle))
    for point_id, user_id in ((WRITTEN, ANNA), (THEIRS, STRANGER)):
        people.add_contact_point(ContactPoint(point_id, user_id, "console", f"address {user_id}"))

    def plan(after: timedelta, *triggers: Trigger, client: UserId | None = CLARA) -> EventId:
        timing = Timing.of((NOON + after).replace(tzinfo=None), "UTC", tz_version=ZONE_DATA)
        draft = Draft(ACME, ANNA, timing, "a title", client, triggers=triggers)
        event: EventId = calendar.plan(draft).event.id
        return event

    sent, completed = plan(HOUR, *TRIGGERS), plan(HOUR, *TRIGGERS, client=None)
    waiting = plan(3 * DAY, *TRIGGERS, AtInstant(NOON + DAY))
    moved, cancelled = plan(2 * DAY, *TRIGGERS), plan(2 * DAY, *TRIGGERS)
    begun = plan(50 * MINUTE, *TRIGGERS)
    calendar.start(begun)
    calendar.move(moved, (NOON + 4 * DAY).replace(tzinfo=None), tz_version=ZONE_DATA)
    calendar.move(moved, (NOON + 2 * DAY).replace(tzinfo=None), tz_version=ZONE_DATA)
    calendar.change(moved, tz_version=ZONE_DATA, triggers=TRIGGERS[:2], client_user_id=CLARA)
    calendar.cancel(cancelled)

    deferring = container.deferring()
    caller = Caller(ACME, "agent", Origin(ANNA, "console", WRITTEN))

    def defer(key: str, after: timedelta, text: str = "call the clinic") -> TouchId:
        touch: TouchId = deferring.defer(caller, Wish("message", NOON + after, text, key)).touch.id
        return touch

    answered, nothing_said = defer("a", MINUTE), defer("b", MINUTE)
    pending = defer("c", 5 * DAY)
    deferring.cancel(ACME, defer("d", 2 * DAY), "agent")
    terms = Terms(Every("FREQ=DAILY", datetime.fromisoformat("2026-11-01T12:30"), "UTC"), caller.origin)
    planned = container.planning().create(ACME, terms, "renew the policy", "anna")

    def tell(touch_id: TouchId, *commands: deferred_touch.Command) -> None:
        with container.touches().transaction(Context(container.ids().new(), "somebody")) as transaction:
            found = transaction.touch(touch_id)
            assert found is not None
            transaction.record([change(found, *commands)])

    clock.set(NOON + 10 * MINUTE)
    tell(defer("lost", 5 * MINUTE), Claim("somebody", NOON + 11 * MINUTE, clock.now()))
    tell(
        nothing_said,
        Claim("somebody", NOON + 11 * MINUTE, clock.now()),
        SayNothing(1, clock.now()),
    )
    failed = defer("failed", 5 * MINUTE)
    tell(
        failed,
        Claim("somebody", NOON + 11 * MINUTE, clock.now()),
        Fail(1, "it is broken", clock.now(), Limits(attempts=1)),
    )

    clock.set(NOON + 46 * MINUTE)
    work(container, clock)
    calendar.complete(completed)
    held = defer("e", 50 * MINUTE)
    clock.set(NOON + 51 * MINUTE)
    tell(held, Claim("somebody", clock.now() + HOUR, clock.now()))
    return Known(
        sent, waiting, moved, cancelled, completed, answered, nothing_said, held, pending, planned.id
    )


def work(container: Container, clock: SettableClock) -> None:
    """All loops once, from what is due to what is delivered."""
    for result in container.dispatch_job().tick():
        assert not result.failed
    assert not [one for one in container.planning().tick() if one.problem]
    clock.advance(timedelta(seconds=1))
    relayed = container.relay().batch()
    assert relayed.published == relayed.claimed
    assert list(container.working().tick())
    handled = list(container.delivering(channel=container.console()).tick())
    assert handled
    container.answering().follow(container.touches(), clock)


def audited(container: Container, *, except_stuck: bool = False) -> Report:
    report: Report = container.auditing().run(Report(), ZONE_DATA, except_stuck=except_stuck)
    return report


def found(report: Report) -> dict[Rule, list[UUID]]:
    assert report.is_whole
    return {rule: [one.id for one in each.first] for rule, each in report.found.items()}
