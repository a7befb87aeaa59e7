"""Steps about the outbox, and the people whom a reminder reaches."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

from attrs import evolve
from pytest_bdd import given, parsers, then, when

from application.ports.channel import Accepted, Later, Outcome, OutgoingMessage
from application.ports.outbox import Message
from application.ports.people import ContactPoint, Person, Tenant
from domain.delivery import Delivery, Status
from domain.reminder import Status as ReminderStatus
from domain.values import ContactPointId, TenantId
from tests.features.reading import instant, known_as
from tests.features.world import ALL, World, event_id, user_id

TENANT = TenantId(known_as("tenant"))


@given(
    parsers.re(
        r'"(?P<name>[^"]+)" is a person with the address "(?P<address>[^"]+)" on the channel recording'
    )
)
def a_person(world: World, name: str, address: str) -> None:
    people = world.tickler.people()
    if people.tenant(TENANT) is None:
        people.add_tenant(Tenant(TENANT, "tenant"))
    people.add_person(Person(user_id(name), TENANT, name.casefold()))
    point = ContactPointId(known_as(f"contact point {name}"))
    people.add_contact_point(ContactPoint(point, user_id(name), "recording", address))


@when(
    parsers.re(
        r'"(?P<name>[^"]+)" becomes a person with the address "(?P<address>[^"]+)" on the channel recording'
    )
)
def becomes_a_person(world: World, name: str, address: str) -> None:
    a_person(world, name, address)


@given(parsers.re(r'the channel is busy for "(?P<name>[^"]+)" once'))
def the_channel_is_busy_once(world: World, name: str) -> None:
    busy = [Later("busy", timedelta(seconds=5))]

    def answer(_: OutgoingMessage) -> Outcome:
        return busy.pop() if busy else Accepted()

    world.channel.answer_for(name.casefold(), answer)


@when(parsers.re(r'"(?P<name>[^"]+)" leaves the tenant'))
def leaves_the_tenant(world: World, name: str) -> None:
    people = world.tickler.people()
    person = people.person(TENANT, user_id(name))
    assert people.set_person(evolve(person, is_member=False))


@when(parsers.re(r'"(?P<name>[^"]+)" opts out of the channel (?P<channel>\w+)'))
def opts_out(world: World, name: str, channel: str) -> None:
    assert world.tickler.people().opt_out_of(user_id(name), channel, True)


@when("what is in the outbox is handed on")
def the_outbox_is_handed_on(world: World) -> None:
    result = world.tickler.relay().batch()
    assert result.published == result.claimed


@when("the outbox is published, and its relay dies before it can mark what was published")
def the_relay_dies(world: World) -> None:
    claims = world.tickler.outbox().claim("dying", ALL, world.clock.now(), timedelta(seconds=60))
    assert claims
    world.tickler.publisher().publish([claim.message for claim in claims])


@when("deliveries are made")
def deliveries_are_made(world: World) -> None:
    for _ in world.tickler.delivering(channel=world.channel).tick():
        pass


@when("a Tickler that sends on the console alone looks at what waits")
def a_tickler_without_the_channel(world: World) -> None:
    skipping = world.tickler.skipping(served=["console"])
    looked = skipping.batch()
    while looked.last is not None:
        looked = skipping.batch(looked.last)


@when("a sender takes what waits on the channel recording")
def a_sender_takes(world: World) -> None:
    now = world.clock.now()
    assert world.tickler.deliveries().claim("recording", ALL, now, now + timedelta(minutes=1))


@when(parsers.re(r'the address of "(?P<name>[^"]+)" is removed'))
def the_address_is_removed(world: World, name: str) -> None:
    people = world.tickler.people()
    (point,) = people.contact_points(user_id(name))
    people.remove_contact_point(point.id)


@then("the outbox is empty")
def the_outbox_is_empty(world: World) -> None:
    assert world.messages() == []


@then("the outbox holds exactly one message for each sent reminder")
def one_message_for_each_sent_reminder(world: World) -> None:
    sent = sorted(one.id for one in world.all_reminders() if one.status is ReminderStatus.SENT)
    messages = world.messages()
    assert sorted(message.id for message in messages) == sent
    assert sorted(json.loads(message.payload)["reminderId"] for message in messages) == [
        str(one) for one in sent
    ]


@then(
    parsers.re(
        r'the messages in the outbox are those of "(?P<first>[^"]+)" and "(?P<second>[^"]+)" in this order'
    )
)
def the_messages_in_order(world: World, first: str, second: str) -> None:
    assert [message.key for message in world.messages()] == [event_id(first), event_id(second)]


@then(
    parsers.re(
        r'the message of "(?P<name>[^"]+)" goes to topic (?P<topic>\S+) under the event\'s id as its key'
    )
)
def the_message_goes_to(world: World, name: str, topic: str) -> None:
    message = message_of(world, name)
    assert (message.topic, message.key) == (topic, event_id(name))


@then(parsers.re(r'the message of "(?P<name>[^"]+)" holds exactly these fields'))
def the_message_holds(world: World, name: str, datatable: list[list[str]]) -> None:
    wish = world.wishes[name]
    named = {
        "the reminder's id": world.reminder(name).id,
        "the event's id": event_id(name),
        "the tenant's id": TENANT,
        "the owner's id": user_id(wish.owner),
        "the client's id": user_id(wish.client or ""),
        "the appointment's id": known_as(f"appointment {name}"),
    }
    payload = json.loads(message_of(world, name).payload)
    read: dict[str, Callable[[str], object]] = {
        "contractVersion": int,
        "offsetMinutes": int,
        "startAt": instant,
    }
    if "startAt" in payload:
        payload["startAt"] = datetime.fromisoformat(payload["startAt"])
    assert payload == {
        field: read[field](value) if field in read else str(named.get(value, value))
        for field, value in datatable[1:]
    }


@then(parsers.re(r'the message of "(?P<name>[^"]+)" carries the cycle\'s run id'))
def the_message_carries_the_run_id(world: World, name: str) -> None:
    assert str(world.result.run_id) in message_of(world, name).headers.values()


@then(parsers.re(r'the message of "(?P<name>[^"]+)" names "(?P<owner>[^"]+)" as the owner'))
def the_message_names_the_owner(world: World, name: str, owner: str) -> None:
    assert json.loads(message_of(world, name).payload)["ownerUserId"] == str(user_id(owner))


@then(parsers.re(r'the message of "(?P<name>[^"]+)" names no client'))
def the_message_names_no_client(world: World, name: str) -> None:
    assert json.loads(message_of(world, name).payload).get("clientUserId") is None


@then(parsers.re(r'"(?P<name>[^"]+)" got (?P<count>\d+) messages?'))
def somebody_got(world: World, name: str, count: str) -> None:
    about = {one.id for one in deliveries(world) if one.user_id == user_id(name)}
    assert sum(message.id in about for message in world.channel.accepted) == int(count)


@then(parsers.re(r'(?P<count>\d+) message went to the address "(?P<address>[^"]+)"'))
def went_to_the_address(world: World, count: str, address: str) -> None:
    assert [message.address for message in world.channel.accepted] == [address] * int(count)


@then(parsers.re(r'the message to "(?P<name>[^"]+)" is a (?P<template>AppointmentReminder|CalendarReminder)'))
def the_message_is_a(world: World, name: str, template: str) -> None:
    (message,) = world.channel.accepted
    (delivery,) = deliveries(world)
    assert (message.template, delivery.user_id) == (template, user_id(name))


@then(parsers.re(r"all deliveries are (?P<status>Pending|Sending|Delivered|Skipped)"))
def all_deliveries_are(world: World, status: str) -> None:
    assert {one.status for one in deliveries(world)} == {Status(status)}


@then(parsers.re(r'the message to "(?P<name>[^"]+)" was Skipped as (?P<reason>\w+)'))
def the_message_was_skipped(world: World, name: str, reason: str) -> None:
    (one,) = [one for one in deliveries(world) if one.user_id == user_id(name)]
    assert (one.status, one.reason) == (Status.SKIPPED, reason)


@then("there is 1 delivery, on the channel console")
def one_delivery_on_the_console(world: World) -> None:
    (one,) = deliveries(world)
    assert (one.channel, one.contact_point_id) == ("console", None)


def message_of(world: World, name: str) -> Message:
    (message,) = [one for one in world.messages() if one.key == event_id(name)]
    return message


def deliveries(world: World) -> list[Delivery]:
    ports = world.tickler.deliveries()
    return [one for ids in world.reminder_ids.values() for id_ in ids for one in ports.of_reminder(id_)]
