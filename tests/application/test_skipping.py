"""What waits on a channel on which nothing is sent is skipped once it is not to be sent any more."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import attrs
import pytest

from adapters.testkit.channels import RecordingChannel
from application.delivering.handled import Handled
from application.delivering.skipping import Skipping
from application.ports.errors import Unavailable
from application.ports.people import Tenant
from domain.delivery import Delivery, SkipReason, Status
from domain.values import ContactPointId
from tests.application.world import CLARA, NOON, OLGA, TEMPLATES, TENANT, World

OVER = NOON + timedelta(hours=3)


@pytest.fixture
def world() -> World:
    world = World()
    world.person(OLGA, "olga")
    return world


def skipping(world: World, **more: Any) -> Skipping:
    parts: dict[str, Any] = {
        "deliveries": world.deliveries,
        "people": world.people,
        "ledger": world.ledger,
        "clock": world.clock,
        "templates": TEMPLATES,
        "touches": world.touches,
        "ids": world.ids,
        "served": ["console"],
    }
    return Skipping(**(parts | more))


def all_of(skipping: Skipping) -> Sequence[Handled]:
    looked = skipping.batch()
    found = list(looked.skipped)
    while looked.last is not None:
        looked = skipping.batch(looked.last)
        found += looked.skipped
    return found


def remind(world: World, **more: Any) -> Delivery:
    world.plan(client=None, **more)
    world.remind()
    return world.delivery_to(OLGA)


def test_what_is_still_wanted_is_left_as_it_is(world: World) -> None:
    waits = remind(world)
    assert all_of(skipping(world)) == []
    assert world.all_deliveries() == [waits]
    assert list(world.deliveries.attempts(waits.id)) == []
    assert [one.status for one in world.deliver()] == [Status.DELIVERED]


def test_what_is_sent_here_is_left_to_its_own_loop(world: World) -> None:
    waits = remind(world)
    world.clock.set(OVER)
    assert all_of(skipping(world, served=["console", "recording"])) == []
    assert world.all_deliveries() == [waits]


def cancel(world: World, one: Delivery) -> None:
    assert one.event_id is not None
    world.calendar.cancel(one.event_id)


def leave(world: World, one: Delivery) -> None:
    person = world.people.person(TENANT, one.user_id)
    assert person is not None
    world.people.set_person(attrs.evolve(person, is_member=False))


def lose_address(world: World, one: Delivery) -> None:
    assert one.contact_point_id is not None
    world.store.contact_points.pop(ContactPointId(one.contact_point_id))


def be_over(world: World, one: Delivery) -> None:
    world.clock.set(OVER)


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (be_over, SkipReason.EVENT_OVER),
        (cancel, SkipReason.CANCELLED),
        (leave, SkipReason.NOT_MEMBER),
        (lambda world, one: world.opt_out(one.user_id), SkipReason.OPTED_OUT),
        (lose_address, SkipReason.ADDRESS_GONE),
    ],
    ids=["over", "cancelled", "left", "opted out", "address removed"],
)
def test_it_is_skipped_for_the_reason_that_its_channels_loop_would_give(
    happens: Callable[[World, Delivery], None], reason: SkipReason
) -> None:
    ends: list[Delivery] = []
    for skips in (True, False):
        world = World()
        world.person(OLGA, "olga")
        waits = remind(world)
        happens(world, waits)
        handled = all_of(skipping(world)) if skips else world.deliver()
        assert [(one.delivery_id, one.status, one.reason) for one in handled] == [
            (waits.id, Status.SKIPPED, reason)
        ]
        ends.append(world.delivery_to(OLGA))
        assert [one.outcome for one in world.deliveries.attempts(waits.id)] == ["skipped"]
    assert attrs.evolve(ends[0], id=ends[1].id, about_id=ends[1].about_id) == ends[1]
    assert ends[0].attempts == 0


def test_a_page_of_those_still_wanted_hides_none_behind_it(world: World) -> None:
    for _ in range(5):
        world.plan(client=None, lasts=timedelta(days=9))
    world.plan(client=None, minutes_before=14)
    world.clock.set(NOON + timedelta(minutes=47))
    world.remind()
    world.clock.set(OVER)
    (over,) = all_of(skipping(world, limit=2))
    assert over.status is Status.SKIPPED
    assert sorted(one.status for one in world.all_deliveries()) == [Status.PENDING] * 5 + [Status.SKIPPED]


def test_the_next_address_is_told_where_one_was_removed(world: World) -> None:
    waits = remind(world)
    world.channel = RecordingChannel("other")
    point = world.point(OLGA, "other")
    lose_address(world, waits)
    all_of(skipping(world))
    last = world.all_deliveries()[-1]
    assert (last.status, last.contact_point_id) == (Status.PENDING, point.id)


def test_the_operator_is_told_that_it_reached_nobody(world: World) -> None:
    world.people.set_tenant(Tenant(TENANT, "office", operator_id=CLARA))
    world.person(CLARA, None)
    waits = remind(world)
    world.clock.set(OVER)
    all_of(skipping(world))
    notice = world.delivery_to(CLARA)
    (matter,) = world.deliveries.matters(notice.about_id, 9).first  # type: ignore[arg-type]
    assert matter.id == waits.id


class ClaimedMeanwhile:
    """Deliveries of which a sender takes what somebody else is about to look at."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world.deliveries, name)

    def waiting(self, *asked: Any) -> Sequence[Delivery]:
        found = self._world.deliveries.waiting(*asked)
        now = self._world.clock.now()
        self._world.deliveries.claim("recording", 1, now, now + timedelta(minutes=1))
        return found


def test_what_a_sender_took_meanwhile_is_its_own_and_the_others_are_skipped(world: World) -> None:
    world.plan(client=None)
    first = remind_all(world)
    world.clock.set(OVER)
    handled = all_of(skipping(world, deliveries=ClaimedMeanwhile(world)))
    assert len(handled) == 1
    assert {one.status for one in world.all_deliveries()} == {Status.SENDING, Status.SKIPPED}
    (sending,) = [one for one in world.all_deliveries() if one.status is Status.SENDING]
    assert (sending.id, sending.claim, sending.attempts) == (first.id, 1, 1)


def remind_all(world: World) -> Delivery:
    world.plan(client=None)
    world.remind()
    return min(world.all_deliveries(), key=lambda one: (one.due_at, one.id))


def test_one_that_cannot_be_looked_at_hides_none_behind_it_and_a_store_that_is_away_is_said(
    world: World,
) -> None:
    world.plan(client=None)
    first = remind_all(world)
    world.clock.set(OVER)
    usual = world.ledger

    class Broken:
        problem: Exception = ValueError("a kind that is none")

        def event(self, event_id: object) -> Any:
            if event_id == first.event_id:
                raise self.problem
            return usual.event(event_id)  # type: ignore[arg-type]

    broken = Broken()
    handled = all_of(skipping(world, ledger=broken))
    assert [one.status for one in handled] == [Status.SKIPPED]
    broken.problem = Unavailable("no database")
    with pytest.raises(Unavailable):
        all_of(skipping(world, ledger=broken))


def test_nothing_more_is_looked_at_on_a_stop(world: World) -> None:
    waits = remind(world)
    world.clock.set(OVER)
    assert skipping(world).batch(stopping=lambda: True).skipped == []
    assert world.all_deliveries() == [waits]
