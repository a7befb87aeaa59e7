"""After a refusal for good, the next contact point; and what recipients have to do with each other."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from adapters.testkit.channels import RecordingChannel
from application.delivering.tries import DeliveryOptions
from application.ports.channel import Later, Outcome, OutcomeUnknown, RefusedForGood
from application.ports.people import ContactPoint
from domain.delivery import Delivery, Status
from domain.values import ContactPointId, UserId
from tests.application.world import CLARA, OLGA, World


@pytest.fixture
def world() -> World:
    return office()


def office(repeats: bool = False) -> World:
    """Olga is reached on `recording` and, failing that, on `other` and then on `third`."""
    world = World(RecordingChannel(repeats_unknown=repeats))
    world.person(OLGA, "olga")
    for channel in ("other", "third"):
        point(world, OLGA, channel, f"olga@{channel}")
    return world


def point(world: World, user_id: UserId, channel: str, address: str) -> None:
    world.people.add_contact_point(ContactPoint(ContactPointId(world.ids.new()), user_id, channel, address))


def on(world: World, channel: str) -> list[Delivery]:
    return [one for one in world.all_deliveries() if one.channel == channel]


def refused(world: World, *answers: Outcome | Exception) -> None:
    world.plan(client=None, lasts=None)
    world.remind()
    world.channel.answer(*answers)
    for _ in answers:
        world.deliver()
        world.clock.advance(timedelta(hours=1))


def test_r49_who_is_refused_for_good_is_told_on_the_next_channel_and_never_again_on_the_first(
    world: World,
) -> None:
    refused(world, RefusedForGood("blocked"))
    other = RecordingChannel("other")
    for _ in range(5):
        world.deliver()
        world.deliver(channel=other)

    assert [message.address for message in world.channel.sent] == ["olga"]
    assert [message.address for message in other.accepted] == ["olga@other"]
    assert [(one.channel, one.status) for one in world.all_deliveries()] == [
        ("recording", Status.FAILED),
        ("other", Status.DELIVERED),
    ]


def test_r51_who_is_out_of_a_channels_window_is_told_at_the_next_contact_point_and_never_said_to_be_before(
    world: World,
) -> None:
    refused(world, RefusedForGood("answered 131047"))
    other = RecordingChannel("other")
    world.deliver(channel=other)

    (first,), (second,) = on(world, "recording"), on(world, "other")
    assert (first.status, first.reason, first.provider_id) == (Status.FAILED, "answered 131047", None)
    assert second.status is Status.DELIVERED
    assert world.channel.accepted == []
    assert [message.address for message in other.accepted] == ["olga@other"]


def test_the_one_after_a_refusal_is_about_the_same_under_an_id_of_its_own(world: World) -> None:
    refused(world, RefusedForGood("blocked"))

    (first,), (second,) = on(world, "recording"), on(world, "other")

    assert first.id != second.id
    assert evolve(second, status=first.status, attempts=1, claim=1, reason="blocked") == evolve(
        first,
        id=second.id,
        channel="other",
        contact_point_id=second.contact_point_id,
        address_key=second.address_key,
        not_before=second.not_before,
    )


def test_each_refusal_goes_one_contact_point_further_until_there_is_none(world: World) -> None:
    refused(world, RefusedForGood("blocked"))
    for name in ("other", "third"):
        channel = RecordingChannel(name)
        channel.answer(RefusedForGood("blocked"))
        world.deliver(channel=channel)

    assert [(one.channel, one.status) for one in world.all_deliveries()] == [
        (name, Status.FAILED) for name in ("recording", "other", "third")
    ]


def test_who_opted_out_of_the_next_is_told_on_the_one_after_it(world: World) -> None:
    (_, other, _) = world.people.contact_points(OLGA)
    world.store.contact_points[other.id] = evolve(other, opted_out=True)
    refused(world, RefusedForGood("blocked"))

    assert not on(world, "other")
    assert len(on(world, "third")) == 1


def test_when_its_tries_are_spent_the_next_is_told(world: World) -> None:
    refused(world, *[Later("busy")] * DeliveryOptions().max_attempts)

    assert [one.status for one in on(world, "recording")] == [Status.FAILED]
    assert len(on(world, "other")) == 1


def test_without_a_next_address_it_is_tried_on(world: World) -> None:
    for point in world.people.contact_points(OLGA)[1:]:
        world.people.remove_contact_point(point.id)
    refused(world, *[Later("busy")] * DeliveryOptions().max_attempts * 2)
    world.deliver()

    assert [(one.channel, one.status) for one in world.all_deliveries()] == [("recording", Status.DELIVERED)]


class TestAddressesThatChangeWhileTheMessageWaits:
    @pytest.fixture
    def world(self) -> World:
        world = office()
        world.plan(client=None, lasts=None)
        world.remind()
        return world

    def deliver(self, world: World) -> list[tuple[str, Status, str | None]]:
        channels = [world.channel, RecordingChannel("other"), RecordingChannel("third")]
        for _ in range(3):
            for channel in channels:
                world.deliver(channel=channel)
        return [(one.channel, one.status, one.reason) for one in world.all_deliveries()]

    def test_who_opts_out_of_the_first_is_told_at_the_second(self, world: World) -> None:
        world.people.opt_out(world.people.contact_points(OLGA)[0].id, True)

        assert self.deliver(world) == [
            ("recording", Status.SKIPPED, "opted_out"),
            ("other", Status.DELIVERED, None),
        ]

    def test_who_opts_out_of_the_first_channel_is_told_on_the_second(self, world: World) -> None:
        world.people.opt_out_of(OLGA, "recording", True)

        assert self.deliver(world) == [
            ("recording", Status.SKIPPED, "opted_out"),
            ("other", Status.DELIVERED, None),
        ]

    def test_an_address_that_was_replaced_gets_it_under_an_honest_reason(self, world: World) -> None:
        world.people.remove_contact_point(world.people.contact_points(OLGA)[0].id)
        new = world.point(OLGA, "new")
        world.people.prefer(new.id)
        world.deliver()
        world.deliver()

        assert [(one.status, one.reason) for one in world.all_deliveries()] == [
            (Status.SKIPPED, "address_gone"),
            (Status.DELIVERED, None),
        ]
        assert [message.address for message in world.channel.sent] == ["new"]

    def test_an_address_that_was_removed_and_added_again_is_the_same(self, world: World) -> None:
        world.people.remove_contact_point(world.people.contact_points(OLGA)[0].id)
        world.point(OLGA, "olga")

        assert self.deliver(world) == [("recording", Status.DELIVERED, None)]
        assert [message.address for message in world.channel.sent] == ["olga"]

    def test_without_any_address_left_it_ends_with_its_reason(self, world: World) -> None:
        for point in world.people.contact_points(OLGA):
            world.people.remove_contact_point(point.id)

        assert self.deliver(world) == [("recording", Status.SKIPPED, "address_gone")]

    def test_each_address_is_tried_once_however_they_change(self, world: World) -> None:
        first, second, third = world.people.contact_points(OLGA)
        other = RecordingChannel("other")
        other.answer(RefusedForGood("blocked"))
        world.people.opt_out(first.id, True)
        world.deliver()
        world.people.opt_out(first.id, False)
        world.people.remove_contact_point(second.id)
        world.people.add_contact_point(second)
        world.people.prefer(second.id)
        world.deliver(channel=other)
        assert [one.status for one in on(world, "third")] == [Status.PENDING]
        world.people.remove_contact_point(third.id)

        assert self.deliver(world)[-1] == ("third", Status.SKIPPED, "address_gone")
        assert len(world.all_deliveries()) == 3

    @pytest.mark.parametrize("change", ["opts out", "removes it"])
    def test_after_an_answer_was_lost_no_other_address_is_tried(self, change: str) -> None:
        world = office(repeats=True)
        refused(world, OutcomeUnknown("no answer"))
        first = world.people.contact_points(OLGA)[0]
        if change == "opts out":
            world.people.opt_out(first.id, True)
        else:
            world.people.remove_contact_point(first.id)

        ((_, status, _),) = self.deliver(world)
        assert status is Status.SKIPPED


def test_after_an_answer_was_lost_nobody_else_is_told(world: World) -> None:
    refused(world, OutcomeUnknown("no answer"))

    assert [one.status for one in world.all_deliveries()] == [Status.UNKNOWN]


def test_after_an_answer_was_lost_and_a_repeat_refused_nobody_else_is_told() -> None:
    world = office(repeats=True)
    refused(world, OutcomeUnknown("no answer"), RefusedForGood("gone"))

    assert [(one.status, one.in_doubt) for one in world.all_deliveries()] == [(Status.FAILED, True)]


def test_an_address_that_another_was_told_at_is_not_told_twice() -> None:
    world = World()
    world.person(OLGA, "olga")
    world.person(CLARA, "home")
    world.point(OLGA, "home")
    world.channel.answer_for("olga", RefusedForGood("blocked"))
    world.plan()
    world.remind()
    world.deliver()
    world.deliver()

    assert [message.address for message in world.channel.accepted] == ["home"]


def people(world: World, count: int, **event: Any) -> list[UserId]:
    users = [UserId(world.ids.new()) for _ in range(count)]
    for number, user in enumerate(users):
        world.person(user, f"person-{number}")
        world.plan(client=user, **event)
    return users


def test_r49_one_who_blocked_us_and_one_who_opted_out_cost_nobody_else_a_message() -> None:
    world = World()
    users = people(world, 10)
    third, fifth = users[2], users[4]
    world.channel.answer_for("person-2", RefusedForGood("answered 403"))
    world.remind()
    world.opt_out(fifth)
    for _ in range(3):
        world.deliver()
        world.clock.advance(timedelta(hours=1))

    told = sorted(message.address for message in world.channel.accepted)
    assert told == [f"person-{number}" for number in range(10) if number not in (2, 4)]
    assert (world.delivery_to(third).status, world.delivery_to(third).attempts) == (Status.FAILED, 1)
    assert world.delivery_to(fifth).reason == "opted_out"


def test_r50_one_bad_address_fails_alone_and_its_repeats_reach_nobody_twice() -> None:
    world = World()
    users = people(world, 3, lasts=None)
    world.channel.answer_for("person-2", Later("no such domain"))
    world.remind()
    for _ in range(26):
        world.deliver()
        world.clock.advance(timedelta(hours=1))

    told = [message.address for message in world.channel.accepted]
    assert [told.count(f"person-{number}") for number in range(3)] == [1, 1, 0]
    dead = world.delivery_to(users[2])
    assert (dead.status, dead.reason) == (Status.FAILED, "25 tries: no such domain")


def test_r06_owner_and_client_get_one_message_each() -> None:
    world = World()
    world.person(OLGA, "olga")
    world.person(CLARA, "clara")
    world.plan()
    world.remind()
    world.relay().batch()
    world.deliver()

    assert sorted(message.address for message in world.channel.accepted) == ["clara", "olga"]


def test_r11_two_runs_of_everything_tell_one_address_once() -> None:
    world = World()
    world.person(OLGA, "home")
    world.person(CLARA, "home")
    world.plan()
    for _ in range(2):
        world.remind()
        world.deliver()

    assert [message.address for message in world.channel.accepted] == ["home"]


def test_r15_a_client_who_dropped_out_before_it_was_due_is_not_told() -> None:
    world = World()
    world.person(OLGA, "olga")
    world.person(CLARA, "clara")
    event = world.plan()
    world.calendar.change(event.id, tz_version=event.timing.tz_version, no_client=True)
    world.remind()
    world.deliver()

    assert [message.address for message in world.channel.accepted] == ["olga"]
