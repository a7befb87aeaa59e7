"""Who holds a touch lengthens its lease, and knows that it is lost before another can have it."""

import threading
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime

import pytest
from attrs import evolve, field, frozen

from adapters.outbound.memory.touches import MemoryTouches
from application.ports.errors import Unavailable
from application.touching.holding import Held, Holding
from domain.deferred_touch import DeferredTouch, Status
from domain.values import TouchId
from tests.application.touching_world import LEASE, PATIENCE_S, SECOND, TouchingWorld
from tests.application.world import NOON


@frozen
class Beats(MemoryTouches):
    """Before each answer to a beat the clock moves by `seconds`; while `away` there is none."""

    world: TouchingWorld = field(kw_only=True)
    seconds: list[int] = field(factory=list)
    away: list[str] = field(factory=list)
    passed_over: list[str] = field(factory=list)

    def extend(
        self, held: Mapping[TouchId, int], now: datetime, lease_until: datetime
    ) -> AbstractSet[TouchId]:
        if self.seconds:
            self.world.clock.advance(self.seconds.pop() * SECOND)
        if self.away:
            raise Unavailable(self.away.pop())
        if self.passed_over:
            self.passed_over.pop()
            return set()
        return super().extend(held, now, lease_until)


@pytest.fixture
def world() -> TouchingWorld:
    return TouchingWorld()


@pytest.fixture
def beats(world: TouchingWorld) -> Beats:
    touches = Beats(world.store, world=world)
    world.touches = touches
    return touches


@pytest.fixture
def holding(world: TouchingWorld, beats: Beats) -> Holding:
    return Holding(beats, world.clock, LEASE)


def taken(world: TouchingWorld, holding: Holding) -> Held:
    """Claimed now, by a question asked now."""
    touch = world.claimed_by_one_that_died(world.defer())
    deadline = world.clock.now() + 600 * SECOND
    return holding.take(touch, world.clock.monotonic(), deadline, world.clock.monotonic() + 600)


def lease_until(world: TouchingWorld, held: Held) -> datetime:
    until = world.touch(held.touch.id).lease_until
    assert until is not None
    return until


def test_a_beat_lengthens_the_lease_in_the_store_and_here(world: TouchingWorld, holding: Holding) -> None:
    held = taken(world, holding)
    for _ in range(10):
        world.clock.advance(4 * SECOND)
        assert holding.beat() == []
        assert lease_until(world, held) == world.clock.now() + LEASE
        assert not held.lost.is_set()
    assert len(world.touches.history(held.touch.id)) == 2  # a beat is no history


def test_a_claim_is_lost_a_tenth_of_its_lease_before_another_can_have_it(
    world: TouchingWorld, holding: Holding
) -> None:
    held = taken(world, holding)
    world.clock.advance(8 * SECOND)
    assert not held.lost.is_set()
    world.clock.advance(SECOND)
    assert held.lost.is_set()
    assert lease_until(world, held) == world.clock.now() + SECOND


def test_the_time_counts_from_before_the_claim_was_asked_for(world: TouchingWorld, holding: Holding) -> None:
    asked_at = world.clock.monotonic()
    world.clock.advance(5 * SECOND)  # so long the store took to answer
    touch = world.claimed_by_one_that_died(world.defer())
    held = holding.take(touch, asked_at, world.clock.now() + LEASE, asked_at + 600)
    world.clock.advance(4 * SECOND)
    assert held.lost.is_set()


def test_the_time_counts_from_before_a_beat_was_asked_for(
    world: TouchingWorld, holding: Holding, beats: Beats
) -> None:
    held = taken(world, holding)
    beats.seconds.append(6)
    assert holding.beat() == []
    world.clock.advance(2 * SECOND)
    assert not held.lost.is_set()
    world.clock.advance(SECOND)
    assert held.lost.is_set()


def test_a_claim_that_counted_as_lost_does_not_come_back_by_a_beat_that_was_answered_late(
    world: TouchingWorld, holding: Holding, beats: Beats
) -> None:
    held = taken(world, holding)
    world.clock.advance(8 * SECOND)
    beats.seconds.append(1)
    assert holding.beat() == [held]
    assert held.lost.is_set()


def test_a_wall_clock_that_is_set_back_loses_nothing_and_saves_nothing(
    world: TouchingWorld, holding: Holding
) -> None:
    held = taken(world, holding)
    world.clock.set(NOON - 3600 * SECOND)
    assert not held.lost.is_set()
    world.clock.advance(9 * SECOND)
    assert held.lost.is_set()


def test_a_beat_that_fails_loses_nothing_by_itself_only_time_does(
    world: TouchingWorld, holding: Holding, beats: Beats
) -> None:
    held = taken(world, holding)
    beats.away.extend(["gone"] * 3)
    for _ in range(3):
        world.clock.advance(2 * SECOND)
        with pytest.raises(Unavailable):
            holding.beat()
        assert not held.lost.is_set()
    assert holding.beat() == []
    world.clock.advance(8 * SECOND)
    assert not held.lost.is_set()


def test_what_another_has_by_now_is_lost_at_the_next_beat(world: TouchingWorld, holding: Holding) -> None:
    held, kept = taken(world, holding), taken(world, holding)
    world.clock.advance(LEASE + SECOND)
    world.work()
    assert set(map(id, holding.beat())) == {id(held), id(kept)}
    assert held.lost.is_set()
    assert holding.beat() == []


def test_what_somebody_locks_at_the_moment_of_a_beat_is_not_lost(
    world: TouchingWorld, holding: Holding, beats: Beats
) -> None:
    held = taken(world, holding)
    world.clock.advance(4 * SECOND)
    beats.passed_over.append("locked")
    assert holding.beat() == []
    world.clock.advance(2 * SECOND)
    assert holding.beat() == []
    world.clock.advance(8 * SECOND)
    assert not held.lost.is_set()


def test_what_is_just_being_written_is_not_told_as_lost(world: TouchingWorld, holding: Holding) -> None:
    held = taken(world, holding)
    held.is_ending = True
    world.store.touches[held.touch.id] = evolve(
        world.store.touches[held.touch.id],
        touch=evolve(world.store.touches[held.touch.id].touch, state=answered(held.touch)),
    )
    assert holding.beat() == []
    assert not held.lost.is_set()


def answered(touch: DeferredTouch) -> DeferredTouch:
    return evolve(touch, status=Status.ANSWERED, worker=None, lease_until=None)


def test_what_was_dropped_is_lengthened_no_more(world: TouchingWorld, holding: Holding) -> None:
    held = taken(world, holding)
    before = lease_until(world, held)
    holding.drop(held)
    world.clock.advance(SECOND)
    assert holding.beat() == []
    assert lease_until(world, held) == before
    assert held.lost.is_set()


def test_an_earlier_claim_that_is_dropped_takes_nothing_from_the_current_one(
    world: TouchingWorld, holding: Holding
) -> None:
    earlier = taken(world, holding)
    world.clock.advance(LEASE + SECOND)
    world.work({}, workers=1, name="nobody")  # takes it back, and answers it
    touch = evolve(earlier.touch, claim=2)
    current = holding.take(touch, world.clock.monotonic(), earlier.deadline, earlier.ends)
    holding.drop(earlier)
    assert not holding.wait_until_empty(0)
    holding.drop(current)
    assert holding.wait_until_empty(0)


def test_waiting_for_the_loss_ends_with_it_or_in_time(world: TouchingWorld, holding: Holding) -> None:
    held = taken(world, holding)
    assert not held.lost.wait(0)
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(held.lost.wait(600)), daemon=True)
    thread.start()
    holding.drop(held)
    thread.join(PATIENCE_S)
    assert found == [True]


def test_waiting_for_the_loss_sees_that_the_time_is_up(world: TouchingWorld, holding: Holding) -> None:
    held = taken(world, holding)
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(held.lost.wait()), daemon=True)
    thread.start()
    world.clock.advance(9 * SECOND)
    thread.join(PATIENCE_S)
    assert found == [True]
