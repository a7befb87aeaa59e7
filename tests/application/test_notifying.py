"""A due reminder becomes deliveries: for whom, over what, as what, and once."""

from datetime import timedelta
from uuid import UUID

import pytest

from adapters.testkit.threads import at_once
from domain.delivery import Status, Template
from domain.values import AppointmentId
from tests.application.world import CLARA, NOON, OLGA, World


@pytest.fixture
def world() -> World:
    world = World()
    world.person(OLGA, "olga")
    world.person(CLARA, "clara")
    return world


def test_owner_and_client_each_get_a_delivery_over_their_own_channel(world: World) -> None:
    world.plan()
    world.remind()

    olga, clara = world.delivery_to(OLGA), world.delivery_to(CLARA)
    assert len(world.all_deliveries()) == 2
    assert {olga.channel, clara.channel} == {"recording"}
    assert olga.contact_point_id == world.people.contact_points(OLGA)[0].id
    assert (olga.status, olga.due_at) == (Status.PENDING, NOON + timedelta(minutes=45))


def test_without_a_client_the_owner_alone_gets_one(world: World) -> None:
    world.plan(client=None)
    world.remind()

    assert [one.user_id for one in world.all_deliveries()] == [OLGA]


def test_an_owner_who_is_the_client_gets_one(world: World) -> None:
    world.plan(client=OLGA)
    world.remind()

    assert len(world.all_deliveries()) == 1


def test_r11_owner_and_client_with_one_address_get_one_and_the_owner_it_is() -> None:
    world = World()
    world.person(OLGA, "home")
    world.person(CLARA, "home")
    world.plan()
    world.remind()

    assert [one.user_id for one in world.all_deliveries()] == [OLGA]


def test_addresses_that_differ_in_case_alone_are_two() -> None:
    world = World()
    world.person(OLGA, "https://b.example/hooks/A")
    world.person(CLARA, "https://b.example/hooks/a")
    world.plan()
    world.remind()

    assert len(world.all_deliveries()) == 2


@pytest.mark.parametrize(
    ("appointment", "template"),
    [
        (AppointmentId(UUID(int=9)), Template.APPOINTMENT_REMINDER),
        (None, Template.CALENDAR_REMINDER),
    ],
)
def test_an_appointment_is_told_as_one(
    world: World, appointment: AppointmentId | None, template: Template
) -> None:
    world.plan(appointment=appointment)
    world.remind()

    assert {one.template for one in world.all_deliveries()} == {template}


def test_a_reminder_taken_in_twice_makes_its_deliveries_once(world: World) -> None:
    world.plan()
    world.dispatch()
    claims = world.outbox.claim("dies before marking", 10, world.clock.now(), timedelta(seconds=60))
    world.relay().publisher.publish([claim.message for claim in claims])
    world.clock.advance(timedelta(seconds=60))

    assert world.relay().batch().published == 1

    assert len(world.all_deliveries()) == 2


def test_r08_what_was_taken_in_before_a_rebalance_is_taken_in_once(world: World) -> None:
    for _ in range(10):
        world.plan(client=None)
    world.dispatch()
    claims = world.outbox.claim("relay", 20, world.clock.now(), timedelta(seconds=60))
    messages = [claim.message for claim in claims]
    assert len(messages) == 10
    publisher = world.relay().publisher
    publisher.publish(messages[:3])

    # Both the old owner and the new one of the partition get all of it.
    at_once(lambda: publisher.publish(messages), lambda: publisher.publish(messages))

    assert len(world.all_deliveries()) == 10
    assert {one.about_id for one in world.all_deliveries()} == {message.id for message in messages}


def test_the_first_contact_point_that_is_not_opted_out_is_taken() -> None:
    world = World()
    world.person(OLGA, None)
    world.point(OLGA, "old", opted_out=True)
    world.point(OLGA, "new")
    world.point(OLGA, "spare")
    world.plan(client=None)
    world.remind()

    assert world.delivery_to(OLGA).contact_point_id == world.people.contact_points(OLGA)[1].id


def test_who_has_no_contact_point_is_told_on_the_console() -> None:
    world = World()
    world.person(OLGA, None)
    world.plan(client=CLARA)
    world.remind()

    assert {(one.channel, one.contact_point_id) for one in world.all_deliveries()} == {("console", None)}
    assert len(world.all_deliveries()) == 2


def test_who_opted_out_of_everything_is_not_told_on_the_console(world: World) -> None:
    world.opt_out(OLGA)
    world.plan(client=None)
    world.remind()

    assert world.delivery_to(OLGA).channel == "recording"
    (handled,) = world.deliver()
    assert (handled.status, handled.reason) == (Status.SKIPPED, "opted_out")
    assert world.channel.sent == []


def test_no_address_is_in_a_delivery(world: World) -> None:
    world.plan()
    world.remind()

    assert "olga" not in repr(world.all_deliveries())
    assert "clara" not in repr(world.all_deliveries())
