"""The relay: at least once, marked only under its own claim, and one bad message stops nobody."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from application.ports.outbox import Message
from application.ports.publisher import Acknowledgement, Never, NotNow, Published
from application.relaying import Relay, RelayResult
from tests.application.world import World


class Scripted:
    """A publisher that answers by a message's place in the outbox, and keeps what it was handed."""

    def __init__(self, *answers: Acknowledgement, world: World | None = None) -> None:
        self.answers = list(answers)
        self.handed: list[Message] = []
        self.late = timedelta(0)
        self.world = world

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        self.handed += messages
        if self.world is not None:
            self.world.clock.advance(self.late)
        return [self.answers.pop(0) if self.answers else Published() for _ in messages]


class Broken(Scripted):
    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        raise RuntimeError("secret")


class Miscounting(Scripted):
    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        return [Published()]


@pytest.fixture
def world() -> World:
    return World()


def sent(world: World, count: int) -> None:
    for number in range(count):
        world.plan(f"event {number}")
    world.dispatch()
    assert world.outbox.backlog(world.clock.now()).count == count


def relay(world: World, publisher: Scripted, name: str = "relay", batch_size: int = 500) -> Relay:
    return Relay(world.outbox, publisher, world.clock, name, batch_size)


def waiting(world: World) -> int:
    return world.outbox.backlog(world.clock.now()).count


def test_an_empty_outbox_asks_nobody(world: World) -> None:
    publisher = Scripted()

    assert relay(world, publisher).batch() == RelayResult()
    assert publisher.handed == []


def test_what_is_acknowledged_is_never_published_again(world: World) -> None:
    sent(world, 3)
    publisher = Scripted()

    first, again = relay(world, publisher).batch(), relay(world, publisher).batch()

    assert (first.claimed, first.published, again.claimed) == (3, 3, 0)
    assert len(publisher.handed) == 3


def test_what_is_for_later_is_taken_again_at_once_and_the_rest_is_not(world: World) -> None:
    sent(world, 3)
    publisher = Scripted(Published(), NotNow("away"), Published())

    first, again = relay(world, publisher).batch(), relay(world, publisher).batch()

    assert first == RelayResult(claimed=3, published=2, postponed=1, reasons=("away",))
    assert again == RelayResult(claimed=1, published=1)
    assert publisher.handed[3] == publisher.handed[1]


def test_what_can_never_be_published_is_put_aside_and_stays_visible(world: World) -> None:
    sent(world, 3)
    publisher = Scripted(Published(), Never("no such topic"), Published())

    result = relay(world, publisher).batch()

    assert result == RelayResult(claimed=3, published=2, parked=1, reasons=("no such topic",))
    assert relay(world, publisher).batch() == RelayResult()
    (parked,) = [row for row in world.store.outbox.values() if row.parked_at is not None]
    assert (parked.problem, parked.published_at) == ("no such topic", None)


def test_each_reason_is_told_once(world: World) -> None:
    sent(world, 3)

    assert relay(world, Scripted(*[NotNow("away")] * 3)).batch().reasons == ("away",)


def test_a_batch_takes_no_more_than_its_size(world: World) -> None:
    sent(world, 5)

    assert [relay(world, Scripted(), batch_size=2).batch().claimed for _ in range(4)] == [2, 2, 1, 0]


@pytest.mark.parametrize("publisher", [Broken(), Miscounting()])
def test_a_publisher_that_breaks_its_promise_loses_nothing(world: World, publisher: Scripted) -> None:
    sent(world, 2)

    result = relay(world, publisher).batch()

    assert (result.claimed, result.published, result.postponed) == (2, 0, 2)
    assert "secret" not in "".join(result.reasons)
    assert relay(world, Scripted()).batch().published == 2


@pytest.mark.parametrize("answer", [Published(), NotNow("away"), Never("no such topic")])
def test_a_relay_that_comes_back_after_its_lease_marks_nothing(world: World, answer: Acknowledgement) -> None:
    sent(world, 1)
    slow = Scripted(answer, world=world)

    class Meanwhile(Scripted):
        def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
            world.clock.advance(timedelta(seconds=61))
            world.outbox.claim("other", 10, world.clock.now(), timedelta(seconds=60))
            return slow.publish(messages)

    result = relay(world, Meanwhile()).batch()

    assert (result.claimed, result.published, result.postponed, result.parked) == (1, 0, 0, 0)
    (row,) = world.store.outbox.values()
    assert (row.relay, row.published_at, row.parked_at) == ("other", None, None)


def test_two_relays_side_by_side_publish_each_message_once(world: World) -> None:
    sent(world, 60)
    publishers = [Scripted(), Scripted()]

    def until_empty(number: int) -> None:
        while relay(world, publishers[number], f"relay {number}", batch_size=3).batch().claimed:
            pass

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(until_empty, (0, 1)))

    handed = [message.id for publisher in publishers for message in publisher.handed]
    assert len(handed) == len(set(handed)) == 60
    assert waiting(world) == 0


def test_what_a_relay_that_died_had_claimed_is_published_when_its_lease_is_over(world: World) -> None:
    sent(world, 1)
    world.outbox.claim("dead", 10, world.clock.now(), timedelta(seconds=60))

    before = relay(world, Scripted()).batch()
    world.clock.advance(timedelta(seconds=60))
    after = relay(world, Scripted()).batch()

    assert (before.published, after.published) == (0, 1)
