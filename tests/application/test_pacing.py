"""How fast, how many at once, and who waits for whom."""

from datetime import timedelta
from threading import Event
from typing import Any

import pytest

from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.delivering.tries import DeliveryOptions
from application.pacing import Lanes, Rates
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, OutgoingMessage
from application.ports.people import ContactPoint, Person, Tenant
from domain.delivery import Status
from domain.values import ContactPointId, TenantId, UserId
from tests.application.world import NOON, OLGA, TENANT, World

OTHER_TENANT = TenantId(OLGA)
PATIENCE = 10.0


def office(count: int, repeats: bool = False, host: str | None = None) -> World:
    """`count` people, each the client of an event of their own, whose reminder waits to be sent."""
    world = World(RecordingChannel(repeats_unknown=repeats))
    for number in range(count):
        user = UserId(world.ids.new())
        world.person(user, f"https://{host}/{number}" if host else f"person-{number}")
        world.plan(client=user, lasts=None)
    world.remind()
    return world


def of(world: World) -> list[Any]:
    return [one for one in world.all_deliveries() if one.channel == "recording"]


def rates(world: World, **limits: float) -> Rates:
    return Rates(world.clock.monotonic, **limits)


@pytest.mark.parametrize("limit", ["per_channel", "per_tenant"])
def test_what_is_over_the_rate_waits_its_turn_and_is_no_attempt(limit: str) -> None:
    world = office(6)
    two_a_second = rates(world, **{limit: 2.0})
    options = DeliveryOptions(senders=1)

    left_by_second = []
    for _ in range(3):
        world.deliver(rates=two_a_second, options=options)
        left_by_second.append(len(world.channel.accepted))
        waiting = [one for one in of(world) if one.status is Status.PENDING]
        assert all(one.attempts == 0 and one.not_before > world.clock.now() for one in waiting)
        world.clock.advance(timedelta(seconds=1))

    assert left_by_second == [2, 4, 6]


def test_those_that_wait_for_their_turn_come_back_one_after_the_other() -> None:
    world = office(5)

    world.deliver(rates=rates(world, per_tenant=2.0), options=DeliveryOptions(senders=1))

    waits = sorted((one.not_before - world.clock.now()).total_seconds() for one in of(world)[2:])
    assert waits == [0.5, 1.0, 1.5]


def test_one_tenants_rate_is_no_matter_to_another() -> None:
    clock = SettableClock(NOON)
    limited = Rates(clock.monotonic, per_tenant=1.0)

    assert limited.wait("email", TENANT) == 0.0
    assert limited.wait("webhook", TENANT) > 0.0
    assert limited.wait("email", OTHER_TENANT) == 0.0


def test_one_channels_rate_is_no_matter_to_another() -> None:
    clock = SettableClock(NOON)
    limited = Rates(clock.monotonic, per_channel=1.0)

    assert limited.wait("email", TENANT) == 0.0
    assert limited.wait("email", OTHER_TENANT) > 0.0
    assert limited.wait("webhook", TENANT) == 0.0


def test_without_limits_nothing_waits() -> None:
    unlimited = Rates(SettableClock(NOON).monotonic)

    assert {unlimited.wait("email", TENANT) for _ in range(1000)} == {0.0}


def test_a_long_rest_saves_up_no_more_than_a_second() -> None:
    clock = SettableClock(NOON)
    limited = Rates(clock.monotonic, per_channel=3.0)
    clock.advance(timedelta(hours=1))

    assert [limited.wait("email", TENANT) == 0.0 for _ in range(5)] == [True] * 3 + [False] * 2


def test_a_rate_below_one_lets_one_go_now_and_then() -> None:
    clock = SettableClock(NOON)
    limited = Rates(clock.monotonic, per_channel=0.1)

    assert limited.wait("email", TENANT) == 0.0
    assert limited.wait("email", TENANT) == pytest.approx(10.0)
    clock.advance(timedelta(seconds=10))
    assert limited.wait("email", TENANT) == 0.0


@pytest.mark.parametrize(("spread", "share"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_waits_are_spread_over_their_second_half(spread: float, share: float) -> None:
    world = office(1)
    world.channel.answer(Later("busy"))
    world.deliver(spread=lambda: spread)

    (one,) = of(world)
    assert one.not_before - world.clock.now() == DeliveryOptions().first_wait * share


def test_a_time_that_the_channel_names_is_never_cut_by_the_spread() -> None:
    world = office(1)
    world.channel.answer(Later("busy", timedelta(seconds=34)))
    world.deliver(spread=lambda: 0.0)

    (one,) = of(world)
    assert one.not_before - world.clock.now() == timedelta(seconds=34)


class Hanging:
    """A channel's answer for those whose address says so: none, until it is released."""

    def __init__(self, channel: RecordingChannel, most: int) -> None:
        self.released = Event()
        self.hanging: list[str] = []
        channel.answer(*[self.answer] * most)

    def answer(self, message: OutgoingMessage) -> Outcome:
        if "slow" in message.address:
            self.hanging.append(message.address)
            assert self.released.wait(PATIENCE)
            return OutcomeUnknown("no answer")
        return Accepted()


def test_a_tenant_whose_messages_hang_holds_no_other_tenant_up() -> None:
    world = World(RecordingChannel())
    world.people.add_tenant(Tenant(OTHER_TENANT, "other"))
    for number in range(12):
        world.person(UserId(world.ids.new()), f"slow-{number}")
    for user in [one.id for one in world.people.of_tenant(TENANT)]:
        world.plan(client=user, lasts=None)
    quick = [UserId(world.ids.new()) for _ in range(6)]
    for number, user in enumerate(quick):
        world.people.add_person(Person(user, OTHER_TENANT, f"quick-{number}"))
        point = ContactPoint(ContactPointId(world.ids.new()), user, "recording", f"quick-{number}")
        world.people.add_contact_point(point)
        world.plan(client=user, lasts=None, tenant=OTHER_TENANT)
    world.remind()
    hanging = Hanging(world.channel, 18)

    told = 0
    for handled in world.delivering().tick(stopping=hanging.released.is_set):
        told += handled.status is Status.DELIVERED
        if told == len(quick):
            assert len(hanging.hanging) == 2
            hanging.released.set()

    assert told == len(quick)
    states = [one.status for one in of(world)]
    assert (states.count(Status.UNKNOWN), states.count(Status.PENDING)) == (2, 10)


def test_one_host_is_written_to_by_two_at_once_and_the_others_wait_without_an_attempt() -> None:
    world = office(5, host="slow.example")
    hanging = Hanging(world.channel, 5)
    options = DeliveryOptions(per_tenant=8)

    def stopping() -> bool:
        if sum(one.not_before > world.clock.now() for one in of(world)) == 3:
            hanging.released.set()
        return hanging.released.is_set()

    list(world.delivering(options=options).tick(stopping))

    assert hanging.released.is_set()
    assert len(hanging.hanging) == 2
    waiting = [one for one in of(world) if one.status is Status.PENDING]
    assert [(one.attempts, one.not_before > world.clock.now()) for one in waiting] == [(0, True)] * 3


def test_a_lane_has_room_again_when_one_has_left() -> None:
    lanes = Lanes(1)
    first, second = "https://Hooks.example/a", "https://hooks.example:8443/b"

    assert lanes.enter(first)
    assert not lanes.enter(second)
    assert lanes.enter("https://else.example/")
    lanes.leave(first)
    assert lanes.enter(second)


@pytest.mark.parametrize("address", ["ann@b.example", "ann", "https://[", ""])
def test_an_address_without_a_host_has_room_always(address: str) -> None:
    lanes = Lanes(1)

    assert [lanes.enter(address) for _ in range(3)] == [True] * 3
    lanes.leave(address)
