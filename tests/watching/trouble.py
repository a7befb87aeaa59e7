"""A store in which each thing has gone wrong once that a runbook has an answer to."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import uuid4

from attrs import frozen
from dependency_injector import providers

from adapters.container import Container
from adapters.settings import Settings
from adapters.testkit.clock import SettableClock
from adapters.testkit.deliveries.examples import settle
from adapters.testkit.touches.examples import claim_due, tell
from application.calendar import Draft
from application.ports.people import ContactPoint, Person, Tenant
from application.touching.deferring import MESSAGE, Caller, Wish
from domain import deferred_touch, delivery
from domain.triggers import MinutesBeforeStart
from domain.values import ContactPointId, EventId, Origin, ReminderId, TenantId, Timing, UserId

MINUTE = timedelta(minutes=1)
REFUSED = "the topic is not ours to write to"


@frozen
class Trouble:
    """The ids of what went wrong, as text.

    `reminder` is Pending and was due long ago, `event` is its event, `message` is parked, `touch` has Failed.
    """

    reminder: str
    event: str
    message: str
    failed: str
    unknown: str
    touch: str

    def meant(self, section: str) -> Mapping[str, str]:
        """What a section's words stand for."""
        delivery_id = self.unknown if section == "messages-are-unknown" else self.failed
        return {
            "REMINDER": self.reminder,
            "EVENT": self.event,
            "MESSAGE": self.message,
            "DELIVERY": delivery_id,
            "TOUCH": self.touch,
        }


def make_trouble(conninfo: str) -> Trouble:
    """All of it happens within the last hour, by the use cases that it happens to."""
    container = Container(settings=Settings(), conninfo=conninfo)
    now = container.clock().now()
    clock = SettableClock(now - 60 * MINUTE)
    container.clock.override(providers.Object(clock))
    tenant, anna = TenantId(uuid4()), UserId(uuid4())
    people = container.people()
    people.add_tenant(Tenant(tenant, "acme"))
    people.add_person(Person(anna, tenant, "anna"))
    people.add_contact_point(ContactPoint(ContactPointId(uuid4()), anna, "email", "anna@b.example"))

    def plan(minutes_ago: int) -> tuple[EventId, ReminderId]:
        start = (now + timedelta(hours=2) - minutes_ago * MINUTE).replace(tzinfo=None)
        triggers = (MinutesBeforeStart(120),)
        done = container.calendar().plan(Draft(tenant, anna, Timing.of(start, "UTC"), triggers=triggers))
        return done.event.id, done.reminders[0].id

    for minutes_ago in (50, 49, 40):
        plan(minutes_ago)
    event, reminder = plan(30)
    wish = Wish(MESSAGE, now - 55 * MINUTE, "Shall we go on?", "key")
    deferred = container.deferring().defer(Caller(tenant, "agent", Origin(anna, "console")), wish)

    clock.set(now - 48 * MINUTE)
    assert [cycle.sent_count for cycle in container.dispatch_job().tick()] == [2]
    assert container.relay().batch().published == 2
    deliveries = container.deliveries()
    for_long = now - 10 * MINUTE
    first, second = deliveries.claim("email", 2, clock.now(), for_long)
    settle(deliveries, first, delivery.Refuse(first.claim, "no such mailbox", clock.now()))
    settle(deliveries, second, delivery.LoseTrack(second.claim, "no answer", clock.now()))
    (touch,) = claim_due(container.touches(), clock.now())
    once = deferred_touch.Limits(attempts=1)
    fail = deferred_touch.Fail(touch.claim, "the platform answers nothing", clock.now(), once)
    assert tell(container.touches(), touch.id, fail).status is deferred_touch.Status.FAILED

    clock.set(now - 39 * MINUTE)
    assert [cycle.sent_count for cycle in container.dispatch_job().tick()] == [1]
    (claimed,) = container.outbox().claim("relay", 10, clock.now(), MINUTE)
    assert container.outbox().park([(claimed, REFUSED)], clock.now()) == 1
    container.database().close()
    return Trouble(
        str(reminder),
        str(event),
        str(claimed.message.id),
        str(first.id),
        str(second.id),
        str(deferred.touch.id),
    )
