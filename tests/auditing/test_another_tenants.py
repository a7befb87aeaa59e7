"""What is for a person of another tenant reaches nobody, and the audit names it; in row and history alike."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from attrs import frozen

from adapters.container import Container
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.auditing.rules import Rule
from application.calendar import Draft
from application.ports.people import Tenant
from application.touching.deferring import Caller, Wish
from domain import deferred_touch
from domain.delivery import Delivery, SkipReason, Status, Template
from domain.recurrence import Every
from domain.touch_plan import Terms
from domain.triggers import MinutesBeforeStart
from domain.values import EventId, Origin, PlanId, Timing, TouchId
from tests.auditing.office import (
    ACME,
    CLARA,
    HOUR,
    MINUTE,
    NOON,
    STRANGER,
    THEIRS,
    ZONE_DATA,
    audited,
    clocked,
    found,
    live_a_little,
    opened,
    work,
)

CONSOLE, ADDRESSED = Origin(STRANGER, "console"), Origin(STRANGER, "console", THEIRS)


@frozen
class Place:
    container: Container
    clock: SettableClock

    @property
    def console(self) -> RecordingChannel:
        channel = self.container.console()
        assert isinstance(channel, RecordingChannel)
        return channel

    def event(self) -> EventId:
        start = (self.clock.now() + 16 * MINUTE).replace(tzinfo=None)
        timing = Timing.of(start, "UTC", tz_version=ZONE_DATA)
        draft = Draft(ACME, CLARA, timing, "private", STRANGER, triggers=(MinutesBeforeStart(15),))
        planned: EventId = self.container.calendar().plan(draft).event.id
        return planned

    def touch(self, origin: Origin) -> TouchId:
        wish = Wish("message", self.clock.now() + MINUTE, "private", f"to {origin.contact_point_id}")
        touch: TouchId = self.container.deferring().defer(Caller(ACME, "evil", origin), wish).touch.id
        return touch

    def plan(self) -> PlanId:
        terms = Terms(Every("FREQ=DAILY", datetime.fromisoformat("2026-12-01T13:01"), "UTC"), CONSOLE)
        planned: PlanId = self.container.planning().create(ACME, terms, "private", "evil").id
        return planned

    def deliveries(self) -> list[Delivery]:
        return [one for one in self.container.deliveries().latest(Status, 100) if one.user_id == STRANGER]

    def touches(self) -> list[deferred_touch.DeferredTouch]:
        return [one for one in self.container.touches().listed(ACME, 100) if one.origin.user_id == STRANGER]


@pytest.fixture(params=["memory", "postgres"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    with opened(request.param, url) as container:
        clock = clocked(container)
        live_a_little(container, clock)
        container.people().set_tenant(Tenant(ACME, "acme", operator_id=STRANGER))
        yield Place(container, clock)


def test_nothing_of_a_tenants_leaves_for_a_person_of_another_and_all_of_it_is_named(place: Place) -> None:
    event_id, plan_id = place.event(), place.plan()
    touch_ids = {place.touch(CONSOLE), place.touch(ADDRESSED)}
    before = len(place.console.sent)
    place.clock.set(NOON + HOUR + 2 * MINUTE)
    work(place.container, place.clock)
    place.clock.advance(2 * HOUR)  # to when the operator is told
    list(place.container.delivering(channel=place.console).tick())

    addresses = {message.address for message in place.console.sent[before:]}
    assert "clara" in addresses
    assert not {one for one in addresses if one in ("x", str(STRANGER)) or one.endswith(str(STRANGER))}
    assert {(one.template, one.status, one.reason, one.attempts) for one in place.deliveries()} == {
        (template, Status.SKIPPED, SkipReason.OTHER_TENANT, 0)
        for template in (Template.CALENDAR_REMINDER, Template.OPERATOR_NOTICE)
    }
    touches = place.touches()
    assert touch_ids < {one.id for one in touches}
    assert len(touches) == len(touch_ids) + 1
    assert {(one.status, one.reason) for one in touches} == {(deferred_touch.Status.CLOSED, "undeliverable")}
    told = found(audited(place.container, except_stuck=True))
    assert set(told) == {Rule.TENANT}
    assert set(told[Rule.TENANT]) == {event_id, plan_id, *(one.id for one in touches)}


def test_why_says_that_a_message_is_for_a_person_of_another_tenant(place: Place) -> None:
    place.event()
    place.clock.set(NOON + HOUR + 2 * MINUTE)
    list(place.container.dispatch_job().tick())
    place.container.relay().batch()
    (one,) = place.deliveries()
    waiting = place.container.explaining().why(one.id)
    list(place.container.delivering(channel=place.console).tick())
    skipped = place.container.explaining().why(one.id)
    for told in (waiting, skipped):
        assert told is not None
        assert "is a person of another tenant" in told.says
