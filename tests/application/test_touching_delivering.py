"""The answer of a touch is delivered: to its origin, in full, once, and nowhere else (INV-TCH-2)."""

from datetime import timedelta
from uuid import UUID

import pytest
from attrs import evolve

from adapters.testkit.channels import RecordingChannel
from application.notifying import CONSOLE
from application.ports.channel import Later, OutcomeUnknown, RefusedForGood
from application.ports.notices import Matter, MatterKind
from application.ports.people import ContactPoint, Person
from application.touching.deferring import Caller
from domain.deferred_touch import DeferredTouch, Status
from domain.values import ContactPointId, Origin, TouchId, UserId
from tests.application.touching_world import TouchingWorld
from tests.application.world import OLGA, TENANT

OPERATOR = UserId(UUID(int=0xF))
TEXT = "The lab called: all is well.\n<b>Fasting</b> is not needed. {{ 7 * 7 }}"


@pytest.fixture
def world() -> TouchingWorld:
    world = TouchingWorld()
    world.people.add_person(Person(OPERATOR, TENANT, "operator"))
    tenant = world.people.tenant(TENANT)
    assert tenant is not None
    world.people.set_tenant(evolve(tenant, operator_id=OPERATOR))
    return world


def answered(world: TouchingWorld) -> TouchId:
    touch_id = world.defer(text=TEXT)
    assert [one.status for one in world.work()] == [Status.ANSWERED]
    return touch_id


def follow(world: TouchingWorld) -> list[DeferredTouch]:
    return list(world.answering.follow(world.touches, world.clock))


def told(world: TouchingWorld) -> set[Matter]:
    return {matter for kept in world.store.matters.values() for matter in kept.values()}


def test_the_origin_is_told_the_answer_word_for_word_and_the_touch_is_delivered(
    world: TouchingWorld,
) -> None:
    touch_id = answered(world)
    world.deliver()
    (message,) = world.channel.accepted
    assert (message.address, message.template, message.text) == ("olga's address", "TouchAnswer", TEXT)
    assert message.data == {"touchId": str(touch_id), "tenantId": str(TENANT)}
    assert "&lt;b&gt;Fasting&lt;/b&gt;" in str(message.html)
    assert [one.status for one in follow(world)] == [Status.DELIVERED]
    world.deliver()
    assert len(world.channel.sent) == 1


def test_in_the_recipients_language(world: TouchingWorld) -> None:
    person = world.people.by_id(OLGA)
    assert person is not None
    world.people.set_person(evolve(person, language="ru"))
    answered(world)
    world.deliver()
    assert world.channel.accepted[0].subject == "Сообщение для вас"


def test_who_asked_at_the_console_reads_it_there(world: TouchingWorld) -> None:
    console = RecordingChannel(CONSOLE)
    world.defer(Caller(TENANT, "agent", Origin(OLGA, CONSOLE)), text=TEXT)
    world.work()
    world.deliver(channel=console)
    assert [(one.address, one.text) for one in console.accepted] == [(f"person{OLGA.int}", TEXT)]


def refused(world: TouchingWorld) -> None:
    world.channel.answer(RefusedForGood("blocked"))


def refused_again_and_again(world: TouchingWorld) -> None:
    world.channel.answer_for("olga's address", Later("busy"))


def opted_out(world: TouchingWorld) -> None:
    assert world.origin.contact_point_id is not None
    world.people.opt_out(world.origin.contact_point_id, True)


def removed(world: TouchingWorld) -> None:
    assert world.origin.contact_point_id is not None
    world.people.remove_contact_point(world.origin.contact_point_id)


def left(world: TouchingWorld) -> None:
    person = world.people.by_id(OLGA)
    assert person is not None
    world.people.set_person(evolve(person, is_member=False))


def erased(world: TouchingWorld) -> None:
    world.people.erase(TENANT, OLGA)


@pytest.mark.parametrize("goes", [refused, refused_again_and_again, opted_out, removed, left, erased])
def test_where_the_origin_is_gone_meanwhile_nothing_goes_elsewhere_and_the_operator_is_told_once(
    world: TouchingWorld, goes: object
) -> None:
    assert callable(goes)
    mail = RecordingChannel("mail")
    points = [("recording", "a second address"), ("mail", "a third address")]
    for number, (channel, address) in enumerate(points, 900):
        world.people.add_contact_point(ContactPoint(ContactPointId(UUID(int=number)), OLGA, channel, address))
    touch_id = answered(world)
    goes(world)
    for _ in range(40):
        world.deliver()
        world.deliver(channel=mail)
        world.clock.advance(timedelta(minutes=40))

    assert world.channel.accepted == mail.sent == []
    assert {message.address for message in world.channel.sent} <= {"olga's address"}
    assert [(one.id, one.status, one.reason) for one in follow(world)] == [
        (touch_id, Status.CLOSED, "undeliverable")
    ]
    assert told(world) == {Matter(MatterKind.TOUCH, touch_id)}


def test_of_an_answer_that_may_have_arrived_the_operator_is_told_and_nothing_is_repeated(
    world: TouchingWorld,
) -> None:
    touch_id = answered(world)
    world.channel.answer(OutcomeUnknown("no answer"))
    for _ in range(3):
        world.deliver()
        world.clock.advance(timedelta(hours=1))
    (brings,) = [one for one in world.all_deliveries() if one.about_id == touch_id]
    assert follow(world) == []
    assert len(world.channel.sent) == 1
    assert told(world) == {Matter(MatterKind.DELIVERY, brings.id)}
    assert world.touch(touch_id).status is Status.ANSWERED


def test_an_answer_whose_words_were_erased_is_not_sent(world: TouchingWorld) -> None:
    touch_id = answered(world)
    world.store.touch_texts.pop(touch_id)
    world.deliver()
    assert world.channel.sent == []
    assert [one.reason for one in follow(world)] == ["undeliverable"]
