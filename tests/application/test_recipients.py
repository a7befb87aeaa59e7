"""Who is told: by whom the event is for when it falls due, and by who may still be told when it is sent."""

from datetime import timedelta
from uuid import UUID

import pytest
from attrs import evolve

from adapters.testkit.channels import RecordingChannel
from application.calendar import Done
from application.notifying import CONSOLE
from application.ports.channel import Accepted
from application.ports.people import ContactPoint, Erased
from domain.calendar_event import CalendarEvent
from domain.delivery import Status
from domain.reminder import SkipReason
from domain.reminder import Status as ReminderStatus
from domain.triggers import MinutesBeforeStart
from domain.values import ContactPointId, UserId
from tests.application.world import CLARA, OLGA, TENANT, World

BORIS = UserId(UUID(int=0xD))


@pytest.fixture
def world() -> World:
    world = World()
    for id_, address in ((OLGA, "olga"), (CLARA, "clara"), (BORIS, "boris")):
        world.person(id_, address)
    return world


def leave(world: World, user_id: UserId) -> None:
    person = world.people.person(TENANT, user_id)
    assert person is not None
    world.people.set_person(evolve(person, is_member=False))


def told(world: World) -> set[str]:
    return {message.address for message in world.channel.sent}


def change(world: World, event: CalendarEvent, **what: object) -> Done:
    return world.calendar.change(event.id, tz_version="", **what)  # type: ignore[arg-type]


class TestWhenTheReminderFallsDue:
    def test_r15_a_client_who_was_taken_off_is_not_told_and_the_owner_is(self, world: World) -> None:
        event = world.plan(client=CLARA)
        change(world, event, no_client=True)
        world.remind()
        world.deliver()

        assert told(world) == {"olga"}
        assert [one.user_id for one in world.all_deliveries()] == [OLGA]

    def test_r15_a_client_who_came_later_is_told_in_the_place_of_the_one_who_dropped_out(
        self, world: World
    ) -> None:
        event = world.plan(client=CLARA)
        change(world, event, client_user_id=BORIS)
        world.remind()
        world.deliver()

        assert told(world) == {"olga", "boris"}

    def test_r16_the_new_owner_is_told_and_the_former_is_not(self, world: World) -> None:
        event = world.plan(client=None)
        change(world, event, owner_user_id=BORIS)
        world.remind()
        world.deliver()

        assert told(world) == {"boris"}
        assert [one.user_id for one in world.all_deliveries()] == [BORIS]

    def test_r18_another_offset_skips_the_old_reminder_and_makes_a_new_one_in_one_commit(
        self, world: World
    ) -> None:
        event = world.plan(minutes_before=60 - 1)
        done = change(world, event, triggers=(MinutesBeforeStart(30),))

        rows = [row.state for row in world.ledger.reminders(event.id)]
        assert [(one.status, one.reason, one.offset_minutes) for one in rows] == [
            (ReminderStatus.SKIPPED, SkipReason.WITHDRAWN, 59),
            (ReminderStatus.PENDING, None, 30),
        ]
        commits = {recorded.correlation_id for one in rows for recorded in world.ledger.history(one.id)[-1:]}
        assert len(commits) == 1
        assert {one.id for one in done.reminders} == {one.id for one in rows}

    def test_r18_the_first_offset_once_more_makes_a_reminder_beside_the_skipped_one(
        self, world: World
    ) -> None:
        event = world.plan(minutes_before=15)
        for minutes in (30, 15):
            change(world, event, triggers=(MinutesBeforeStart(minutes),))
        pending = [
            row.state
            for row in world.ledger.reminders(event.id)
            if row.state.status is ReminderStatus.PENDING
        ]
        assert [one.offset_minutes for one in pending] == [15]


class TestWhenTheMessageIsSent:
    def test_r58_who_has_left_the_tenant_is_not_told_and_the_other_is(self, world: World) -> None:
        world.plan(client=CLARA)
        world.remind()
        leave(world, CLARA)
        world.deliver()

        clara = world.delivery_to(CLARA)
        assert (clara.status, clara.reason, clara.attempts) == (Status.SKIPPED, "not_member", 0)
        assert told(world) == {"olga"}

    def test_r58_what_is_left_of_events_of_one_who_left_is_skipped_and_seen(self, world: World) -> None:
        leave(world, OLGA)
        event = world.plan(client=None)
        world.remind()
        world.deliver()
        list(world.delivering(channel=RecordingChannel(CONSOLE)).tick())

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.reason, olga.contact_point_id) == (Status.SKIPPED, "not_member", None)
        assert world.channel.sent == []
        kept = world.ledger.event(event.id)
        assert kept is not None
        assert kept.state.owner_user_id == OLGA

    def test_r58_who_came_back_is_told_again(self, world: World) -> None:
        world.plan(client=CLARA)
        leave(world, CLARA)
        person = world.people.person(TENANT, CLARA)
        assert person is not None
        world.people.set_person(evolve(person, is_member=True))
        world.remind()
        world.deliver()

        assert told(world) == {"olga", "clara"}

    def test_r58_an_owner_who_left_takes_no_message_from_a_client_at_the_same_address(self) -> None:
        world = World()
        world.person(OLGA, "front desk")
        world.person(CLARA, "front desk")
        leave(world, OLGA)
        world.plan(client=CLARA)
        world.remind()
        world.deliver()

        assert [message.address for message in world.channel.sent] == ["front desk"]
        assert world.delivery_to(CLARA).status is Status.DELIVERED

    def test_r15_who_was_taken_off_while_the_message_waited_is_not_told(self, world: World) -> None:
        event = world.plan(client=CLARA)
        world.remind()
        change(world, event, no_client=True)
        world.deliver()

        assert world.delivery_to(CLARA).reason == "taken_off"
        assert told(world) == {"olga"}

    @pytest.mark.parametrize(
        ("whom", "before", "after"),
        [
            ({"client_user_id": BORIS}, CLARA, {"olga", "boris"}),
            ({"owner_user_id": BORIS}, CLARA, {"clara", "boris"}),
            ({"owner_user_id": BORIS}, None, {"boris"}),
            ({"owner_user_id": CLARA, "client_user_id": BORIS}, CLARA, {"clara", "boris"}),
        ],
        ids=["another client", "another owner", "another owner alone", "the client becomes the owner"],
    )
    def test_r15_r16_who_came_in_their_place_while_the_message_waited_is_told_once(
        self, world: World, whom: dict[str, UserId], before: UserId | None, after: set[str]
    ) -> None:
        event = world.plan(client=before)
        world.remind()
        change(world, event, **whom)
        world.deliver()
        world.deliver()

        assert sorted(message.address for message in world.channel.sent) == sorted(after)
        reasons = [one.reason for one in world.all_deliveries() if one.status is Status.SKIPPED]
        assert reasons == ["taken_off"]

    def test_two_in_the_place_of_two_are_told_once_each(self, world: World) -> None:
        dora = UserId(UUID(int=0xE))
        world.person(dora, "dora")
        event = world.plan(client=CLARA)
        world.remind()
        change(world, event, owner_user_id=BORIS, client_user_id=dora)
        world.deliver()
        world.deliver()

        assert sorted(message.address for message in world.channel.sent) == ["boris", "dora"]

    def test_who_came_in_the_place_of_one_who_was_told_already_is_not(self, world: World) -> None:
        event = world.plan(client=None)
        world.remind()
        world.deliver()
        change(world, event, owner_user_id=BORIS)
        world.deliver()

        assert told(world) == {"olga"}

    def test_r16_an_owner_who_becomes_the_client_while_the_message_waits_is_told(self, world: World) -> None:
        event = world.plan(client=None)
        world.remind()
        change(world, event, owner_user_id=BORIS, client_user_id=OLGA)
        world.deliver()

        assert told(world) == {"olga"}

    def test_r49_who_opted_out_of_the_channel_while_the_message_waited_is_left_alone(
        self, world: World
    ) -> None:
        world.plan(client=CLARA)
        world.remind()
        world.people.opt_out_of(CLARA, world.channel.name, True)
        world.deliver()

        assert world.delivery_to(CLARA).reason == "opted_out"
        assert told(world) == {"olga"}

    def test_an_opt_out_of_another_channel_changes_nothing(self, world: World) -> None:
        world.plan(client=CLARA)
        world.remind()
        world.people.opt_out_of(CLARA, "pigeon", True)
        world.deliver()

        assert told(world) == {"olga", "clara"}

    def test_who_opted_out_of_the_console_is_not_told_there_for_want_of_an_address(self) -> None:
        world = World(RecordingChannel(CONSOLE))
        world.person(OLGA, None)
        world.people.opt_out_of(OLGA, CONSOLE, True)
        world.plan(client=None)
        world.remind()
        world.deliver()

        assert world.delivery_to(OLGA).reason == "opted_out"
        assert world.channel.sent == []

    @pytest.mark.parametrize("when", ["before the reminder is due", "while the message waits"])
    def test_who_opted_out_of_every_channel_is_told_on_none_nor_on_the_console(self, when: str) -> None:
        world = World(RecordingChannel("email"))
        world.person(OLGA, "olga")
        channels = [world.channel, RecordingChannel("webhook"), RecordingChannel(CONSOLE)]
        hook = ContactPoint(ContactPointId(world.ids.new()), OLGA, "webhook", "https://hooks.example/olga")
        world.people.add_contact_point(hook)
        world.plan(client=None)

        if when == "while the message waits":
            world.remind()
        for channel in channels:
            world.people.opt_out_of(OLGA, channel.name, True)
        world.remind()
        for _ in range(3):
            for channel in channels:
                world.deliver(channel=channel)
            world.clock.advance(timedelta(minutes=1))

        assert [message for channel in channels for message in channel.sent] == []
        (olga,) = world.all_deliveries()
        assert (olga.status, olga.reason) == (Status.SKIPPED, "opted_out")

    def test_an_address_at_the_console_that_was_opted_out_of_is_not_told(self) -> None:
        world = World(RecordingChannel(CONSOLE))
        world.person(OLGA, "olga")
        world.plan(client=None)
        world.remind()
        (point,) = world.people.contact_points(OLGA)
        world.people.opt_out(point.id, True)
        world.deliver()

        assert world.delivery_to(OLGA).reason == "opted_out"

    def test_who_was_erased_while_the_message_waited_is_not_told(self, world: World) -> None:
        world.plan(client=CLARA)
        world.remind()
        world.people.erase(TENANT, CLARA)
        world.deliver()

        assert world.delivery_to(CLARA).reason == "not_member"
        assert told(world) == {"olga"}

    def test_of_what_was_sent_to_one_who_is_erased_neither_hash_nor_words_stay(self, world: World) -> None:
        world.channel.answer_for("clara", Accepted("queue-7"))
        world.plan(client=CLARA)
        world.remind()
        world.deliver()
        kept = world.delivery_to(OLGA)
        assert world.people.erase(TENANT, CLARA) == Erased(addresses=1, titles=1)

        clara = world.delivery_to(CLARA)
        assert (clara.address_key, clara.provider_id, clara.status) == (str(clara.id), None, Status.DELIVERED)
        assert world.delivery_to(OLGA) == kept
