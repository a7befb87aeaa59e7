"""Steps about deferred touches: who puts off what, and the workers that take it up."""

from collections.abc import Iterator
from contextlib import suppress
from uuid import UUID

import attrs
import pytest
from pytest_bdd import given, parsers, when

from adapters.testkit.channels import RecordingChannel
from adapters.testkit.threads import at_once
from application.ports.channel import RefusedForGood
from application.ports.ledger import Context
from application.ports.people import ContactPoint, Person
from application.ports.touches import Room
from application.touching.deferring import Caller, change_of
from application.touching.working import WorkOptions
from domain import deferred_touch
from domain.deferred_touch import Status
from domain.values import Origin, TenantId
from tests.features.reading import TIME, instant, known_as
from tests.features.stores import wait_until
from tests.features.touching import (
    A_SECOND,
    AGENT,
    LEASE,
    TENANT,
    WHEN_CLIENT_WRITES,
    Touching,
    caller_for,
    point_of,
)
from tests.features.world import World, user_id

NUMBER = r"\d+"


class TakenBack(Exception):
    """What somebody held was not committed."""


@pytest.fixture
def touching(world: World) -> Iterator[Touching]:
    touching = Touching(world)
    yield touching
    touching.close()


# Putting off.

PUTS_OFF = parsers.re(
    r'the agent puts off the (?P<kind>message|check) "(?P<name>[^"]+)" for "(?P<client>[^"]+)"'
    rf"(?: on (?P<channel>\w+))? until (?P<at>{TIME})"
    r"(?:, to be (?P<policy>kept|cancelled) when the client writes)?"
)


@given(PUTS_OFF)
@when(PUTS_OFF)
def puts_off(
    touching: Touching,
    kind: str,
    name: str,
    client: str,
    channel: str | None,
    at: str,
    policy: str | None,
) -> None:
    touching.put_off(
        name,
        caller_for(client, channel or "recording"),
        instant(at),
        kind=kind,
        when_client_writes=WHEN_CLIENT_WRITES[policy or "kept"],
    )


@given(
    parsers.re(
        rf'the agent puts off (?P<count>{NUMBER}) messages for "(?P<client>[^"]+)" until (?P<at>{TIME})'
    )
)
def puts_off_many(touching: Touching, count: str, client: str, at: str) -> None:
    for number in range(int(count)):
        touching.put_off(f"message {number}", caller_for(client), instant(at))


@given(parsers.re(rf'an agent of another tenant puts off the message "(?P<name>[^"]+)" until (?P<at>{TIME})'))
def another_tenant_puts_off(touching: Touching, name: str, at: str) -> None:
    elsewhere = Caller(TenantId(known_as("another tenant")), AGENT, Origin(user_id("Nobody"), "console"))
    touching.put_off(name, elsewhere, instant(at))


@when(parsers.re(r'the agent repeats its request for "(?P<name>[^"]+)"'))
def repeats(touching: Touching, name: str) -> None:
    made = touching.deferring().defer(*touching.wishes[name])
    assert (made.is_new, made.touch.id) == (False, touching.ids[name])


@when(parsers.re(r'"(?P<name>[^"]+)" is (?P<how>taken back|tried again by hand)'))
def is_changed_by_hand(touching: Touching, name: str, how: str) -> None:
    deferring = touching.deferring()
    change = deferring.cancel if how == "taken back" else deferring.retry
    change(TENANT, touching.ids[name], "somebody")


@when(parsers.re(rf'"(?P<client>[^"]+)" writes first at (?P<at>{TIME})'))
def writes_first(touching: Touching, client: str, at: str) -> None:
    touching.world.clock.set(instant(at))
    waiting = touching.deferring().listed(TENANT, 100, statuses=[Status.PENDING])
    about = [one.id for one in waiting if one.origin.user_id == user_id(client)]
    assert about
    touching.deferring().hear(TENANT, about, "the channel")


# People.


@given(parsers.re(r'"(?P<name>[^"]+)" also has the address "(?P<address>[^"]+)" on the channel whatsapp'))
def also_has(touching: Touching, name: str, address: str) -> None:
    touching.channels["whatsapp"] = RecordingChannel("whatsapp")
    touching.addresses.append(address)
    point = ContactPoint(point_of(name, "whatsapp"), user_id(name), "whatsapp", address, position=1)
    touching.world.tickler.people().add_contact_point(point)


@given(parsers.re(r'"(?P<name>[^"]+)" is the operator'))
def is_the_operator(touching: Touching, name: str) -> None:
    people = touching.world.tickler.people()
    people.add_person(Person(user_id(name), TENANT, name.casefold()))
    point = ContactPoint(point_of(name, "recording"), user_id(name), "recording", name.casefold())
    people.add_contact_point(point)
    tenant = people.tenant(TENANT)
    assert tenant is not None
    assert people.set_tenant(attrs.evolve(tenant, operator_id=user_id(name)))


@when(parsers.re(r'"(?P<name>[^"]+)" takes the address "[^"]+" back'))
def takes_back(touching: Touching, name: str) -> None:
    assert touching.world.tickler.people().remove_contact_point(point_of(name, "whatsapp"))


@when(parsers.re(r'the channel whatsapp refuses "(?P<address>[^"]+)" for good'))
def refuses(touching: Touching, address: str) -> None:
    touching.channels["whatsapp"].answer_for(address, RefusedForGood("no such number"))


# Working.


@when("a worker polls")
@when("another worker polls")
def polls(touching: Touching) -> None:
    touching.poll()


@when("a worker that knows only messages polls")
def polls_for_messages(touching: Touching) -> None:
    touching.poll(touching.working(handlers={"message": touching.desk}))


@when(parsers.re(rf"a worker polls every (?:second|(?P<seconds>{NUMBER}) seconds) until (?P<at>{TIME})"))
def polls_until(touching: Touching, seconds: str | None, at: str) -> None:
    working, clock = touching.working(), touching.world.clock
    while clock.now() < instant(at):
        touching.poll(working)
        clock.advance(int(seconds or 1) * A_SECOND)


IN_THE_MIDST = parsers.re(r'a worker is in the midst of "(?P<name>[^"]+)"')


@given(IN_THE_MIDST)
@when(IN_THE_MIDST)
def is_in_the_midst(touching: Touching, name: str) -> None:
    touching.in_the_midst(name)


@when("that worker is killed")
@when("that worker is frozen")
def is_frozen(touching: Touching) -> None:
    ((running, _),) = touching.workers.values()
    running.freeze()


@when("that worker wakes, and its work ends")
def wakes(touching: Touching) -> None:
    ((running, goes_on),) = touching.workers.values()
    goes_on.set()
    running.wake()
    running.end()


@when(parsers.re(r'the work on "(?P<name>[^"]+)" ends'))
def ends(touching: Touching, name: str) -> None:
    running, goes_on = touching.workers[name]
    goes_on.set()
    running.end()


@when(parsers.re(rf'"(?P<name>[^"]+)" has killed (?P<count>{NUMBER}) workers'))
def has_killed(touching: Touching, name: str, count: str) -> None:
    for _ in range(int(count)):
        touching.in_the_midst(name).freeze()
        touching.world.clock.advance(LEASE + A_SECOND)


@given(parsers.re(r'the work on "(?P<name>[^"]+)" fails'))
def fails(touching: Touching, name: str) -> None:
    touching.desk.failing.add(name)


@when("a worker is told to stop between its claim and the beginning of the work")
def told_to_stop(touching: Touching) -> None:
    told = iter([False])
    list(touching.working().tick(lambda: next(told, True)))


@when(parsers.re(rf"(?P<count>{NUMBER}) workers poll at once until nothing is due"))
def poll_at_once(touching: Touching, count: str) -> None:
    def work() -> None:
        container = touching.world.beside()
        working, touches = touching.working(container), touching.touches(container)
        while touches.backlog(touching.world.clock.now()).count:
            touching.poll(working)

    assert [one for one in at_once(*[work] * int(count)) if one is not None] == []


@when(
    parsers.re(rf"a worker polls while another one holds (?P<count>{NUMBER}) of them and has not committed")
)
def polls_beside(touching: Touching, count: str) -> None:
    now = touching.world.clock.now()
    beside = touching.touches(touching.world.beside())
    with suppress(TakenBack), beside.transaction(Context(UUID(int=0))) as transaction:
        held = transaction.due(now, Room(int(count), {"message"}, 100))
        assert len(held) == int(count)
        claim = deferred_touch.Claim("another worker", now + LEASE, now)
        transaction.record([change_of(one, claim) for one in held])
        touching.poll()
        raise TakenBack


@when("a worker takes up as many as it can at once")
def takes_up(touching: Touching) -> None:
    held_up = [touching.desk.hold_up(name) for name in touching.ids]
    running = touching.run(touching.working(handlers={"message": touching.desk}))
    wait_until(lambda: touching.statuses().count(Status.IN_PROGRESS) > WorkOptions().per_tenant)
    touching.first = [name for name in touching.ids if touching.touch(name).status is Status.IN_PROGRESS]
    for goes_on in held_up:
        goes_on.set()
    running.end()
