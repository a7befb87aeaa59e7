"""Deliveries: looked at again when they are sent, sent once, and never left without a record."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from threading import Event
from typing import Any, NoReturn

import pytest
from attrs import frozen
from jinja2 import UndefinedError

from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.store import Spoilt
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.delivering.tries import DeliveryOptions
from application.ports.channel import (
    Accepted,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from application.ports.errors import Busy, Unavailable
from application.ports.templates import Words
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery, Status, Template
from domain.errors import Invalid
from domain.reminder import Status as ReminderStatus
from domain.triggers import AtInstant
from domain.values import EventId, UserId
from tests.application.world import CLARA, NOON, OLGA, World

FIRST_WAIT = DeliveryOptions().first_wait


@pytest.fixture
def world() -> World:
    return office()


def office(**channel: Any) -> World:
    """Olga's event with Clara, in both their hands, and its reminder made into deliveries."""
    world = World(RecordingChannel(**channel))
    world.person(OLGA, "olga", language="ru", time_zone="Europe/Moscow")
    world.person(CLARA, "clara", time_zone="Europe/Madrid")
    return world


def reminded(world: World, **event: Any) -> EventId:
    planned = world.plan(**event)
    world.remind()
    return planned.id


class OneLanguageIsBroken(JinjaTemplates):
    def reminder(
        self, template: Template, event: CalendarEvent, title: str | None, language: str, time_zone: str
    ) -> Words:
        if language == "ru":
            raise UndefinedError("'titel' is undefined")
        return super().reminder(template, event, title, language, time_zone)


class TestLookingAgain:
    def test_r52_each_is_told_in_their_language_and_zone_under_the_deliverys_id(self, world: World) -> None:
        reminded(world, title="Созвон")
        world.deliver()

        by_address = {message.address: message for message in world.channel.sent}
        assert by_address["olga"].subject == "Напоминание: Созвон"
        assert by_address["olga"].text.endswith("16:00 (Europe/Moscow, UTC+3)")
        assert by_address["clara"].text.endswith("14:00 (Europe/Madrid, UTC+1)")
        assert '<html lang="ru">' in str(by_address["olga"].html)
        assert '<html lang="en">' in str(by_address["clara"].html)
        assert by_address["clara"].id == world.delivery_to(CLARA).id
        assert by_address["clara"].data["startAt"] == "2026-11-30T13:00:00+00:00"

    def test_an_event_cancelled_after_its_reminder_was_sent_is_told_to_nobody(self, world: World) -> None:
        event_id = reminded(world)
        world.calendar.cancel(event_id)

        handled = world.deliver()

        assert {(one.status, one.reason) for one in handled} == {(Status.SKIPPED, "cancelled")}
        assert world.channel.sent == []

    def test_an_event_that_is_completed_is_told_to_nobody(self, world: World) -> None:
        event_id = reminded(world)
        world.calendar.complete(event_id)

        assert {one.reason for one in world.deliver()} == {"event_over"}

    def test_an_event_whose_end_has_passed_is_told_to_nobody(self, world: World) -> None:
        reminded(world, lasts=timedelta(minutes=30))
        world.clock.set(NOON + timedelta(minutes=90))

        assert {one.reason for one in world.deliver()} == {"event_over"}
        assert world.channel.sent == []

    def test_until_its_end_an_event_is_told(self, world: World) -> None:
        reminded(world, lasts=timedelta(minutes=30))
        world.clock.set(NOON + timedelta(minutes=89))

        assert {one.status for one in world.deliver()} == {Status.DELIVERED}

    def test_an_event_without_an_end_is_told_however_late(self, world: World) -> None:
        reminded(world, lasts=None)
        world.clock.set(NOON + timedelta(days=2))

        assert {one.status for one in world.deliver()} == {Status.DELIVERED}

    def test_who_opted_out_meanwhile_is_left_alone_and_the_other_is_told(self, world: World) -> None:
        reminded(world)
        world.opt_out(OLGA)

        world.deliver()

        assert world.delivery_to(OLGA).reason == "opted_out"
        assert [message.address for message in world.channel.sent] == ["clara"]

    def test_an_address_that_is_gone_is_not_written_to(self, world: World) -> None:
        reminded(world)
        (point,) = world.people.contact_points(OLGA)
        del world.store.contact_points[point.id]

        world.deliver()

        assert world.delivery_to(OLGA).status is Status.SKIPPED
        assert [message.address for message in world.channel.sent] == ["clara"]

    def test_a_skip_is_no_attempt(self, world: World) -> None:
        event_id = reminded(world)
        world.calendar.cancel(event_id)
        world.deliver()

        assert world.delivery_to(OLGA).attempts == 0

    def test_the_console_tells_who_has_no_address_by_their_id(self) -> None:
        world = World(RecordingChannel("console", repeats_unknown=True))
        reminded(world)

        world.deliver()

        assert {message.address for message in world.channel.sent} == {str(OLGA), str(CLARA)}

    def test_the_console_names_people_by_their_handle(self) -> None:
        world = World(RecordingChannel("console", repeats_unknown=True))
        world.person(OLGA, None)
        reminded(world)

        world.deliver()

        assert {message.address for message in world.channel.sent} == {f"person{OLGA.int}", str(CLARA)}


class TestMovedBetweenDispatchAndDelivery:
    """The event begins at 13:00, was due to be told at 12:45, and it is 12:46."""

    def move(self, world: World, event_id: EventId, start: datetime) -> None:
        world.calendar.move(event_id, start.replace(tzinfo=None), tz_version="")

    def test_what_is_told_at_its_new_time_is_not_told_at_the_old(self, world: World) -> None:
        event_id = reminded(world, client=None)
        self.move(world, event_id, NOON + timedelta(hours=5))

        assert [(one.status, one.reason) for one in world.deliver()] == [(Status.SKIPPED, "moved")]
        assert world.channel.sent == []

        world.clock.set(NOON + timedelta(hours=4, minutes=46))
        world.remind()
        world.deliver()
        (told,) = world.channel.accepted
        assert told.data["startAt"] == "2026-11-30T17:00:00+00:00"

    def test_what_was_sent_stays_sent(self, world: World) -> None:
        event_id = reminded(world, client=None)
        self.move(world, event_id, NOON + timedelta(hours=5))
        world.deliver()

        statuses = {row.state.status for row in world.ledger.reminders(event_id)}
        assert statuses == {ReminderStatus.SENT, ReminderStatus.PENDING}

    def test_what_comes_so_early_that_nothing_else_tells_of_it_is_told_at_once(self, world: World) -> None:
        event_id = reminded(world, client=None)
        self.move(world, event_id, NOON + timedelta(minutes=55))

        assert [one.status for one in world.deliver()] == [Status.DELIVERED]
        assert world.channel.sent[0].data["startAt"] == "2026-11-30T12:55:00+00:00"

    def test_what_is_moved_and_moved_back_is_told(self, world: World) -> None:
        event_id = reminded(world, client=None)
        self.move(world, event_id, NOON + timedelta(hours=5))
        self.move(world, event_id, NOON + timedelta(hours=1))

        assert [one.status for one in world.deliver()] == [Status.DELIVERED]

    def test_a_reminder_at_a_fixed_time_is_told_with_the_new_start(self, world: World) -> None:
        event = world.plan(client=None)
        triggers = (AtInstant(NOON + timedelta(minutes=45)),)
        world.calendar.change(event.id, tz_version=event.timing.tz_version, triggers=triggers)
        world.remind()
        self.move(world, event.id, NOON + timedelta(hours=5))

        assert [one.status for one in world.deliver()] == [Status.DELIVERED]
        assert world.channel.sent[0].data["startAt"] == "2026-11-30T17:00:00+00:00"

    def test_another_end_changes_nothing(self, world: World) -> None:
        event_id = reminded(world, client=None)
        start = (NOON + timedelta(hours=1)).replace(tzinfo=None)
        world.calendar.move(event_id, start, tz_version="", end_at=NOON + timedelta(hours=9))

        assert [one.status for one in world.deliver()] == [Status.DELIVERED]

    def test_a_reminder_beside_it_that_cannot_be_read_is_no_reason_to_wait(self, world: World) -> None:
        event_id = reminded(world, client=None)
        self.move(world, event_id, NOON + timedelta(minutes=55))
        for row in world.ledger.reminders(event_id):
            world.store.spoil(row.state.id, Spoilt.UNREADABLE)

        assert [one.status for one in world.deliver()] == [Status.DELIVERED]


class TestOutcomes:
    def test_what_is_accepted_is_delivered_once_with_the_channels_name_for_it(self, world: World) -> None:
        world.channel.answer_for("olga", Accepted("queue-7"))
        reminded(world)

        world.deliver()
        again = world.deliver()

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.provider_id, olga.attempts) == (Status.DELIVERED, "queue-7", 1)
        assert again == []
        assert len(world.channel.sent) == 2

    def test_a_refusal_for_good_touches_its_own_delivery_only(self, world: World) -> None:
        world.channel.answer_for("olga", RefusedForGood("no such mailbox"))
        reminded(world)

        world.deliver()

        assert (world.delivery_to(OLGA).status, world.delivery_to(OLGA).reason) == (
            Status.FAILED,
            "no such mailbox",
        )
        assert world.delivery_to(CLARA).status is Status.DELIVERED

    def test_r51_a_message_refused_outside_of_a_channels_window_is_never_said_to_be_delivered(
        self, world: World
    ) -> None:
        world.channel.answer_for("olga", RefusedForGood("answered 131047"))
        reminded(world, client=None)

        world.deliver()
        world.clock.advance(timedelta(hours=25))
        world.deliver()

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.reason, olga.provider_id) == (Status.FAILED, "answered 131047", None)
        assert (len(world.channel.sent), world.channel.accepted) == (1, [])

    def test_words_that_cannot_be_made_put_their_own_message_off_only(self, world: World) -> None:
        templates = OneLanguageIsBroken()
        reminded(world)

        world.deliver(templates=templates)

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.reason) == (
            Status.PENDING,
            "it could not be made ready: UndefinedError",
        )
        assert world.delivery_to(CLARA).status is Status.DELIVERED

    def test_waits_double_from_try_to_try_up_to_the_longest(self, world: World) -> None:
        world.channel.answer_for("olga", Later("busy"))
        reminded(world, client=None, lasts=None)
        options = DeliveryOptions(max_attempts=9, longest_wait=timedelta(minutes=2))
        waits = []
        for _ in range(6):
            before = world.clock.now()
            world.deliver(options=options)
            waits.append(world.delivery_to(OLGA).not_before - before)
            world.clock.set(world.delivery_to(OLGA).not_before)

        assert [wait.total_seconds() for wait in waits] == [15, 30, 60, 120, 120, 120]

    def test_r48_a_channel_that_names_a_time_is_not_tried_before_it(self, world: World) -> None:
        world.channel.answer(Later("busy", timedelta(seconds=34)))
        reminded(world, client=None)
        world.deliver()

        world.clock.advance(timedelta(seconds=33))
        assert world.deliver() == []
        world.clock.advance(timedelta(seconds=1))
        assert [one.status for one in world.deliver()] == [Status.DELIVERED]

    def test_a_time_that_is_sooner_than_the_wait_shortens_nothing(self, world: World) -> None:
        world.channel.answer(Later("busy", timedelta(seconds=1)))
        reminded(world, client=None)
        world.deliver()

        assert world.delivery_to(OLGA).not_before == world.clock.now() + FIRST_WAIT

    def test_a_server_that_is_away_for_hours_costs_no_message(self, world: World) -> None:
        back = NOON + timedelta(hours=6)
        world.channel.answer_for(
            "olga", lambda _: Accepted() if world.clock.now() >= back else Later("connection refused")
        )
        reminded(world, client=None, lasts=None)
        while world.clock.now() < back + DeliveryOptions().longest_wait:
            world.deliver()
            world.clock.advance(timedelta(minutes=1))

        olga = world.delivery_to(OLGA)
        assert (olga.status, len(world.channel.accepted)) == (Status.DELIVERED, 1)

    def test_until_its_event_is_over_it_is_tried(self, world: World) -> None:
        world.channel.answer_for("olga", Later("busy"))
        event_id = reminded(world, client=None, lasts=timedelta(hours=3))
        found = world.ledger.event(event_id)
        assert found is not None
        end = found.state.timing.end_at
        assert end is not None
        while world.clock.now() < end:
            world.deliver()
            world.clock.advance(timedelta(minutes=5))
            assert world.delivery_to(OLGA).status is Status.PENDING

        assert [one.reason for one in world.deliver()] == ["event_over"]

    def test_a_day_after_it_was_due_it_fails_and_says_why(self, world: World) -> None:
        world.channel.answer_for("olga", Later("busy"))
        reminded(world, client=None, lasts=None)
        due = world.delivery_to(OLGA).due_at
        while world.clock.now() < due + timedelta(hours=24):
            world.deliver()
            assert world.delivery_to(OLGA).status is Status.PENDING
            world.clock.advance(timedelta(hours=1))
        world.deliver()

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.attempts, olga.reason) == (Status.FAILED, 25, "25 tries: busy")

    def test_what_is_sent_days_late_has_all_its_tries(self, world: World) -> None:
        reminded(world, client=None, lasts=None)
        world.clock.advance(timedelta(days=3))
        world.channel.answer(*[Later("busy")] * 4)
        for _ in range(5):
            world.deliver()
            world.clock.advance(timedelta(minutes=5))

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.attempts) == (Status.DELIVERED, 5)

    def test_a_lost_answer_is_held_where_a_repeat_might_be_a_second_message(self, world: World) -> None:
        world.channel.answer(OutcomeUnknown("no answer"))
        reminded(world, client=None)
        world.deliver()
        world.clock.advance(timedelta(minutes=10))

        assert world.deliver() == []
        assert (world.delivery_to(OLGA).status, world.delivery_to(OLGA).reason) == (
            Status.UNKNOWN,
            "no answer",
        )
        assert len(world.channel.sent) == 1

    def test_a_lost_answer_is_repeated_under_the_same_id_where_the_channel_can_tell(self) -> None:
        world = office(repeats_unknown=True)
        world.channel.answer(OutcomeUnknown("no answer"))
        reminded(world, client=None)
        world.deliver()
        assert world.deliver() == []
        world.clock.advance(FIRST_WAIT)

        (handled,) = world.deliver()

        first, again = world.channel.sent
        assert handled.status is Status.DELIVERED
        assert first.id == again.id

    def test_repeats_end_with_the_tries_and_the_fate_stays_unknown(self) -> None:
        world = office(repeats_unknown=True)
        world.channel.answer_for("olga", OutcomeUnknown("no answer"))
        reminded(world, client=None, lasts=None)
        for _ in range(9):
            world.deliver(options=DeliveryOptions(max_attempts=4))
            world.clock.advance(timedelta(hours=1))

        assert world.delivery_to(OLGA).status is Status.UNKNOWN
        assert len(world.channel.sent) == 4


class TestSendersThatDie:
    def claimed_by_the_dead(self, world: World, limit: int = 10) -> Sequence[Delivery]:
        now = world.clock.now()
        claimed = world.deliveries.claim(world.channel.name, limit, now, now + timedelta(seconds=60))
        world.clock.advance(timedelta(seconds=60))
        return claimed

    def test_what_a_dead_sender_of_mail_held_is_unknown_and_held(self, world: World) -> None:
        reminded(world, client=None)
        self.claimed_by_the_dead(world)

        (handled,) = world.deliver()

        assert (handled.status, handled.reason) == (Status.UNKNOWN, "its sender fell silent")
        assert world.channel.sent == []

    def test_what_a_dead_sender_of_webhooks_held_is_repeated_under_its_id(self) -> None:
        world = office(repeats_unknown=True)
        reminded(world, client=None)
        (claimed,) = self.claimed_by_the_dead(world)
        world.deliver()
        world.clock.advance(FIRST_WAIT)
        world.deliver()

        assert [message.id for message in world.channel.sent] == [claimed.id]
        assert world.delivery_to(OLGA).status is Status.DELIVERED

    def test_a_sender_that_comes_back_after_its_lease_records_nothing(self, world: World) -> None:
        reminded(world, client=None)

        def slow(_: OutgoingMessage) -> Outcome:
            world.clock.advance(timedelta(seconds=61))
            (lost,) = world.deliver()
            assert lost.status is Status.UNKNOWN
            return Accepted("late")

        world.channel.answer(slow)

        assert world.deliver() == []
        assert world.delivery_to(OLGA).status is Status.UNKNOWN

    @pytest.mark.parametrize("repeats", [False, True])
    def test_no_sender_holds_more_than_the_one_that_it_sends(self, repeats: bool) -> None:
        world = office(repeats_unknown=repeats)
        reminded(world)
        sending: list[int] = []

        def count(_: OutgoingMessage) -> Outcome:
            sending.append(sum(one.status is Status.SENDING for one in world.all_deliveries()))
            return Accepted()

        world.channel.answer(count, count)
        world.deliver(options=DeliveryOptions(senders=1))

        assert sending == [1, 1]

    def test_what_a_dead_sender_held_takes_no_room_from_the_others_of_its_tenant(self) -> None:
        world = World(RecordingChannel())
        for number in range(5):
            user = UserId(world.ids.new())
            world.person(user, f"person-{number}")
            world.plan(owner=user, client=None)
        world.remind()
        now = world.clock.now()
        dead = world.deliveries.claim(world.channel.name, 2, now, now + timedelta(seconds=60), 2)

        world.deliver()

        assert len(dead) == 2
        assert len(world.channel.accepted) == 3


class TestStopping:
    @pytest.fixture
    def world(self) -> World:
        return office(repeats_unknown=True)

    def pending(self, world: World) -> list[Delivery]:
        return [one for one in world.all_deliveries() if one.status is Status.PENDING]

    def test_on_a_stop_what_is_not_sent_is_given_back_and_is_no_attempt(self, world: World) -> None:
        reminded(world)
        one_by_one = world.delivering(options=DeliveryOptions(senders=1))
        handled = list(one_by_one.tick(stopping=lambda: bool(world.channel.sent)))

        assert len(handled) == len(world.channel.sent) == 1
        (left,) = self.pending(world)
        assert (left.attempts, left.not_before <= world.clock.now()) == (0, True)
        assert len(world.deliver()) == 1

    def test_stopped_before_the_start_nothing_is_claimed(self, world: World) -> None:
        reminded(world)

        assert list(world.delivering().tick(stopping=lambda: True)) == []
        assert [one.claim for one in world.all_deliveries()] == [0, 0]

    def test_a_tick_that_is_left_half_way_gives_the_rest_back(self, world: World) -> None:
        reminded(world)
        tick = world.delivering(options=DeliveryOptions(senders=1)).tick()
        next(tick)
        tick.close()  # type: ignore[attr-defined]

        assert len(self.pending(world)) == 1

    def test_stopped_between_claim_and_send_what_is_claimed_is_given_back(self, world: World) -> None:
        reminded(world)
        stopped = Event()
        claims_and_stops = ClaimsAndThen(world.store, stopped.set)

        handled = list(world.delivering(deliveries=claims_and_stops).tick(stopping=stopped.is_set))

        assert handled == []
        assert world.channel.sent == []
        assert [(one.claim, one.attempts) for one in self.pending(world)] == [(1, 0), (1, 0)]

    def test_with_too_little_of_the_lease_left_it_is_given_back_and_claimed_anew(self, world: World) -> None:
        reminded(world, client=None)
        slow_once = iter([timedelta(seconds=50)])
        slow = ClaimsAndThen(world.store, lambda: world.clock.advance(next(slow_once, timedelta(0))))

        handled = world.deliver(deliveries=slow)

        assert [one.status for one in handled] == [Status.DELIVERED]
        assert (world.delivery_to(OLGA).claim, world.delivery_to(OLGA).attempts) == (2, 1)
        assert len(world.channel.sent) == 1

    def test_a_lease_that_no_send_fits_into_is_refused(self, world: World) -> None:
        with pytest.raises(Invalid, match="lease"):
            world.delivering(options=DeliveryOptions(lease=world.channel.timeout))


@frozen
class ClaimsAndThen(MemoryDeliveries):
    """Something happens between a claim and what is done with it."""

    then: Callable[[], object]

    def claim(self, *given: Any, **more: Any) -> Sequence[Delivery]:
        claimed = super().claim(*given, **more)
        self.then()
        return claimed


class LedgerIsAway(MemoryLedger):
    def event(self, event_id: EventId) -> NoReturn:
        raise Unavailable("connection refused")


class SettlesNothing(MemoryDeliveries):
    def settle(self, *_: object, **__: object) -> NoReturn:
        raise Unavailable("connection refused")


@frozen
class AwayFor(MemoryDeliveries):
    """The first so many outcomes are not taken; while `times` has any, the clock is away as well."""

    times: list[type[Exception]]

    def settle(self, *given: Any, **more: Any) -> None:
        if self.times:
            raise self.times.pop()
        super().settle(*given, **more)


class ClockOf(SettableClock):
    """A clock that is away together with its store."""

    def __init__(self, world: World, store: AwayFor, is_away: Callable[[], bool]) -> None:
        super().__init__(world.clock.now())
        self.store = store
        self.is_away = is_away

    def now(self) -> datetime:
        if self.is_away() and self.store.times:
            raise Unavailable("connection refused")
        return super().now()


class TestAStoreThatIsAwayForAMoment:
    @pytest.mark.parametrize(
        ("answer", "status"),
        [
            (Accepted("queue-7"), Status.DELIVERED),
            (RefusedForGood("no such mailbox"), Status.FAILED),
            (Later("busy"), Status.PENDING),
            (OutcomeUnknown("no answer"), Status.UNKNOWN),
        ],
        ids=lambda value: type(value).__name__ if not isinstance(value, Status) else None,
    )
    @pytest.mark.parametrize("away", [Unavailable, Busy])
    def test_an_answer_that_was_heard_is_written_when_it_is_back(
        self, world: World, answer: Outcome, status: Status, away: type[Exception]
    ) -> None:
        world.channel.answer(answer)
        reminded(world, client=None)
        store = AwayFor(world.store, [away] * 20)
        clock = ClockOf(world, store, lambda: bool(world.channel.sent))

        world.deliver(
            deliveries=store, clock=clock, pause=lambda seconds: clock.advance(timedelta(seconds=seconds))
        )

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.attempts, store.times) == (status, 1, [])
        assert len(world.channel.sent) == 1

    def test_what_was_not_sent_for_want_of_the_ledger_is_given_back_when_it_is_back(
        self, world: World
    ) -> None:
        reminded(world, client=None)
        store = AwayFor(world.store, [Unavailable] * 20)
        with pytest.raises(Unavailable):
            world.deliver(deliveries=store, ledger=LedgerIsAway(world.store))

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.attempts, store.times) == (Status.PENDING, 0, [])

    def test_on_a_stop_it_is_not_waited_for(self, world: World) -> None:
        reminded(world, client=None)
        store = AwayFor(world.store, [Unavailable] * 20)
        with pytest.raises(Unavailable):
            list(world.delivering(deliveries=store).tick(stopping=lambda: bool(world.channel.sent)))

        assert len(store.times) == 19

    def test_it_is_not_waited_for_longer_than_the_lease(self, world: World) -> None:
        reminded(world, client=None)
        began = world.clock.now()
        with pytest.raises(Unavailable):
            world.deliver(deliveries=SettlesNothing(world.store))

        took = world.clock.now() - began
        assert DeliveryOptions().lease - timedelta(seconds=1) <= took < DeliveryOptions().lease


class TestWhatBreaks:
    def test_a_channel_that_raises_leaves_the_fate_unknown_and_the_next_is_sent(self, world: World) -> None:
        world.channel.answer_for("olga", ValueError("olga is secret"))
        reminded(world)

        handled = world.deliver()

        assert len(handled) == 2
        assert world.delivery_to(OLGA).status is Status.UNKNOWN
        assert world.delivery_to(OLGA).reason == "the channel broke: ValueError"
        assert world.delivery_to(CLARA).status is Status.DELIVERED

    def test_a_person_whose_zone_is_none_is_tried_later_and_the_next_is_sent(self) -> None:
        world = World()
        world.person(OLGA, "olga", time_zone="Mars/Olympus")
        world.person(CLARA, "clara")
        reminded(world)

        world.deliver()

        olga = world.delivery_to(OLGA)
        assert (olga.status, olga.reason) == (Status.PENDING, "it could not be made ready: Invalid")
        assert olga.not_before == world.clock.now() + FIRST_WAIT
        assert world.delivery_to(CLARA).status is Status.DELIVERED

    def test_what_can_never_be_made_ready_fails_in_the_end(self) -> None:
        world = World()
        world.person(OLGA, "olga", time_zone="Mars/Olympus")
        reminded(world, client=None, lasts=None)
        for _ in range(7):
            world.deliver()
            world.clock.advance(timedelta(hours=4))

        assert world.delivery_to(OLGA).status is Status.FAILED
        assert world.channel.sent == []

    def test_with_the_ledger_away_nothing_is_sent_and_all_is_given_back(self) -> None:
        world = office(repeats_unknown=True)
        reminded(world)

        with pytest.raises(Unavailable):
            world.deliver(ledger=LedgerIsAway(world.store))

        assert world.channel.sent == []
        assert [(one.status, one.attempts) for one in world.all_deliveries()] == [(Status.PENDING, 0)] * 2
        assert len(world.deliver()) == 2

    def test_a_record_that_cannot_be_written_is_raised_and_the_message_not_sent_again(
        self, world: World
    ) -> None:
        reminded(world, client=None)

        with pytest.raises(Unavailable):
            world.deliver(deliveries=SettlesNothing(world.store))

        world.clock.advance(timedelta(seconds=60))
        world.deliver()
        assert world.delivery_to(OLGA).status is Status.UNKNOWN
        assert len(world.channel.sent) == 1
