"""A host that hangs: how little of the senders it holds, and that nobody else waits for it."""

from datetime import timedelta
from threading import Event

import pytest

from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.delivering.senders import Delivering
from application.delivering.tries import DeliveryOptions
from application.ports.channel import (
    Accepted,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from application.resting import Rests
from domain.delivery import Delivery, Status
from domain.values import UserId
from tests.application.world import NOON, World

HANGS = timedelta(seconds=10)
SENDERS = DeliveryOptions().senders
SLOW = 10.0
URL, NEIGHBOUR = "https://hooks.example/a", "https://hooks.example/b"
SILENT = OutcomeUnknown("no answer: ReadTimeout")
PATIENCE = 10.0


class Hanging(RecordingChannel):
    """Who is on `slow.example` gets no answer, and it takes ten seconds to be sure of that."""

    def __init__(self) -> None:
        super().__init__("webhook", repeats_unknown=True)
        self.clock = SettableClock(NOON)
        self.hung: list[str] = []
        self.is_well = False

    def send(self, message: OutgoingMessage) -> Outcome:
        if "slow.example" not in message.address or self.is_well:
            return super().send(message)
        self.hung.append(message.address)
        self.clock.advance(HANGS)
        return SILENT


def office(channel: RecordingChannel, hosts: list[str]) -> World:
    """A person of one tenant for each of the hosts, whose reminder waits to be sent."""
    world = World(channel)
    if isinstance(channel, Hanging):
        channel.clock = world.clock
    for number, host in enumerate(hosts):
        user = UserId(world.ids.new())
        world.person(user, f"https://{host}/{number}")
        world.plan(owner=user, client=None, lasts=None)
    world.remind()
    return world


def to(world: World, host: str) -> list[Delivery]:
    at_host = {point.id for point in world.store.contact_points.values() if f"//{host}" in point.address}
    return [one for one in world.all_deliveries() if one.contact_point_id in at_host]


def run(world: World, delivering: Delivering, seconds: int) -> None:
    """Ticks a second apart; a tick takes the time that its sends take."""
    began = world.clock.now()
    while world.clock.now() < began + timedelta(seconds=seconds):
        list(delivering.tick())
        world.clock.advance(timedelta(seconds=1))


def test_f35_a_host_that_hangs_holds_a_tenth_of_the_senders_at_most_and_99_others_are_told() -> None:
    channel = Hanging()
    world = office(channel, ["slow.example"] * 60 + [f"quick{number}.example" for number in range(99)])
    eager = DeliveryOptions(max_attempts=1000, longest_wait=timedelta(seconds=15))
    began = world.clock.now()

    run(world, world.delivering(options=eager), 900)

    took = (world.clock.now() - began).total_seconds()
    held = len(channel.hung) * HANGS.total_seconds()
    assert len(channel.hung) >= 10
    # Half of a tenth: what hangs at once on a real clock hangs one after the other on this one.
    assert held / (took * SENDERS) <= 0.05
    assert len(channel.accepted) == 99
    assert all(one.status is Status.PENDING for one in to(world, "slow.example"))


def test_the_others_of_the_same_tenant_are_told_within_seconds_of_a_host_beginning_to_hang() -> None:
    channel = Hanging()
    world = office(channel, ["slow.example"] * 60 + [f"quick{number}.example" for number in range(99)])

    list(world.delivering().tick())

    assert len(channel.accepted) == 99
    assert len(channel.hung) <= 2 + DeliveryOptions().per_host


def test_while_one_of_its_messages_hangs_a_tenants_others_are_sent() -> None:
    released = Event()
    channel = RecordingChannel("webhook", repeats_unknown=True)
    world = office(channel, ["slow.example", *(f"quick{number}.example" for number in range(20))])

    def hang(_: OutgoingMessage) -> Outcome:
        assert released.wait(PATIENCE)
        return SILENT

    channel.answer_for("https://slow.example/0", hang)
    told = 0
    for handled in world.delivering().tick(stopping=released.is_set):
        told += handled.status is Status.DELIVERED
        if told == 20:
            released.set()

    assert told == 20


def test_what_a_resting_host_does_not_get_goes_to_the_next_address() -> None:
    channel = Hanging()
    world = office(channel, ["slow.example"] * 4)
    (spare,) = [
        one for one in world.all_deliveries() if one.address_key == world.all_deliveries()[-1].address_key
    ]
    world.point(spare.user_id, "https://spare.example/")

    run(world, world.delivering(), 600)

    assert [message.address for message in channel.accepted] == ["https://spare.example/"]
    (failed, told) = [one for one in world.all_deliveries() if one.user_id == spare.user_id]
    assert (failed.status, failed.in_doubt, told.status) == (Status.FAILED, False, Status.DELIVERED)


def test_a_host_that_answers_again_gets_what_waited_for_it() -> None:
    channel = Hanging()
    world = office(channel, ["slow.example"] * 10)
    delivering = world.delivering()
    run(world, delivering, 60)
    channel.is_well = True
    run(world, delivering, 300)

    assert {one.status for one in to(world, "slow.example")} == {Status.DELIVERED}
    assert len({message.id for message in channel.accepted}) == len(channel.accepted) == 10


class TestRests:
    @pytest.fixture
    def clock(self) -> SettableClock:
        return SettableClock(NOON)

    @pytest.fixture
    def rests(self, clock: SettableClock) -> Rests:
        return Rests(clock.monotonic)

    def silent(self, rests: Rests, address: str = URL, times: int = 2) -> None:
        for _ in range(times):
            rests.leave(address, SLOW, SILENT)

    def test_one_send_without_an_answer_is_no_reason_to_rest(self, rests: Rests) -> None:
        self.silent(rests, times=1)

        assert rests.enter(URL)

    def test_two_in_a_row_are_and_after_the_rest_one_try_is_let_through(
        self, rests: Rests, clock: SettableClock
    ) -> None:
        self.silent(rests)
        clock.advance(timedelta(seconds=29))
        assert not rests.enter(URL)
        clock.advance(timedelta(seconds=1))
        assert [rests.enter(URL) for _ in range(3)] == [True, False, False]

    def test_a_try_that_is_silent_too_begins_another_rest_when_it_ends(
        self, rests: Rests, clock: SettableClock
    ) -> None:
        self.silent(rests)
        clock.advance(timedelta(seconds=30))
        assert rests.enter(URL)
        clock.advance(timedelta(seconds=10))
        self.silent(rests, times=1)
        clock.advance(timedelta(seconds=29))

        assert not rests.enter(URL)

    @pytest.mark.parametrize(
        ("held", "outcome"),
        [
            pytest.param(SLOW, Accepted(), id="slow and taken"),
            pytest.param(SLOW, RefusedForGood("answered 403"), id="slow and refused"),
            pytest.param(0.1, Later("answered 503"), id="soon and later"),
            pytest.param(0.1, SILENT, id="soon and dropped"),
        ],
    )
    def test_what_is_answered_or_over_soon_ends_the_row(
        self, rests: Rests, held: float, outcome: Outcome
    ) -> None:
        self.silent(rests, times=1)
        rests.leave(URL, held, outcome)
        self.silent(rests, times=1)

        assert rests.enter(URL)

    def test_all_addresses_of_a_host_rest_with_it(self, rests: Rests) -> None:
        self.silent(rests)

        assert not rests.enter(NEIGHBOUR)
        assert rests.enter("https://else.example/a")

    def test_an_address_that_hangs_among_good_neighbours_rests_alone(self, rests: Rests) -> None:
        for _ in range(2):
            rests.leave(NEIGHBOUR, 0.1, Accepted())
            self.silent(rests, times=1)
        rests.leave(NEIGHBOUR, 0.1, Accepted())

        assert not rests.enter(URL)
        assert rests.enter(NEIGHBOUR)

    @pytest.mark.parametrize("address", ["ann@b.example", "ann", "https://[", ""])
    def test_an_address_without_a_host_never_rests(self, rests: Rests, address: str) -> None:
        self.silent(rests, address, times=5)

        assert rests.enter(address)
