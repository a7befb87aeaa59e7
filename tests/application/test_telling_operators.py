"""A tenant's operator is told of messages that reached nobody: by the hour, in ids and counts."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.people import PostgresPeople
from adapters.testkit.channels import RecordingChannel
from application.calendar import Calendar
from application.notifying import CONSOLE, Notifying
from application.ports.channel import Later, Outcome, OutcomeUnknown, RefusedForGood
from application.ports.people import ContactPoint, Person, Tenant
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery
from domain.values import ContactPointId, TenantId, UserId
from tests.application.world import OLGA, TENANT, World

OPERATOR = UserId(OLGA)
ONE = datetime(2026, 11, 30, 13, 0, tzinfo=UTC)
TOLD_AT = ONE + timedelta(minutes=1)
OTHER_TENANT = TenantId(OLGA)


class Desk:
    """People on `recording`, an operator on `mail`; it is 12:46, and their reminders are due."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.mail = RecordingChannel("mail")
        self.console = RecordingChannel(CONSOLE)
        self.events: list[CalendarEvent] = []

    def operator(self, *addresses: str, tenant: TenantId = TENANT, language: str = "en") -> None:
        people = self.world.people
        people.add_person(Person(OPERATOR, tenant, "olga", language, "Europe/Moscow"))
        for address in addresses:
            people.add_contact_point(
                ContactPoint(ContactPointId(self.world.ids.new()), OPERATOR, "mail", address)
            )
        known = people.tenant(tenant)
        assert known is not None
        people.set_tenant(evolve(known, operator_id=OPERATOR))

    def reminded(self, count: int = 1, lasts: timedelta | None = None) -> None:
        for number in range(count):
            user = UserId(self.world.ids.new())
            self.world.person(user, f"secret-address-{number}")
            self.events.append(self.world.plan("secret title", client=None, owner=user, lasts=lasts))
        self.world.remind()

    def answer(self, *outcomes: Outcome) -> None:
        self.world.channel.answer(*outcomes)

    def send(self) -> None:
        for channel in (self.world.channel, self.mail, self.console):
            self.world.deliver(channel=channel)

    def pass_until(self, instant: datetime) -> None:
        while self.world.clock.now() < instant:
            self.world.clock.advance(min(timedelta(minutes=5), instant - self.world.clock.now()))
            self.send()

    def of(self, event: CalendarEvent) -> Delivery:
        (reminder,) = self.world.ledger.reminders(event.id)
        (found,) = self.world.deliveries.of_reminder(reminder.state.id)
        return found


@pytest.fixture(params=["memory", "postgres"])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    world = World()
    if request.param == "memory":
        yield Desk(world)
        return
    with closing(Database(request.getfixturevalue("postgres_url"))) as database:
        world.ledger, world.outbox = PostgresLedger(database), PostgresOutbox(database)
        world.deliveries, world.people = PostgresDeliveries(database), PostgresPeople(database)
        world.calendar = Calendar(world.ledger, world.clock, world.ids)
        world.notifying = Notifying(world.deliveries, world.people, world.clock, world.ids)
        world.people.add_tenant(Tenant(TENANT, "office"))
        yield Desk(world)


def test_a_message_refused_at_every_address_is_told_to_the_operator_in_ids_only(desk: Desk) -> None:
    desk.operator("ops")
    desk.reminded()
    desk.answer(RefusedForGood("no secret-address-0 here"))
    desk.pass_until(TOLD_AT - timedelta(seconds=1))
    assert desk.mail.sent == []

    desk.pass_until(TOLD_AT)

    (told,) = desk.mail.accepted
    (event,) = desk.events
    dead = desk.of(event)
    assert (told.address, told.template) == ("ops", "OperatorNotice")
    assert told.subject == "Messages that reached nobody: 1"
    assert "15:00 (Europe/Moscow, UTC+3)" in told.text
    for said in (told.text, str(told.html)):
        assert f"message {dead.id} of event {event.id}" in said
    assert (told.data["count"], told.data["ids"]) == (1, str(dead.id))
    assert "secret" not in told.subject + told.text + str(told.html) + str(told.data)


@pytest.mark.parametrize(
    "dies",
    [
        pytest.param(lambda desk: desk.answer(RefusedForGood("blocked")), id="refused for good"),
        pytest.param(lambda desk: desk.answer(*[Later("busy")] * 50), id="its server is away until then"),
        pytest.param(lambda desk: desk.answer(OutcomeUnknown("no answer")), id="its answer was lost"),
        pytest.param(
            lambda desk: desk.answer(Later("busy", timedelta(minutes=40))),
            id="its event is over before it is sent",
        ),
    ],
)
def test_whichever_way_it_ended_without_reaching_anybody(desk: Desk, dies: Callable[[Desk], None]) -> None:
    desk.operator("ops")
    desk.reminded(lasts=timedelta(minutes=20))
    dies(desk)
    desk.send()
    desk.pass_until(TOLD_AT + timedelta(hours=1))

    assert len(desk.mail.accepted) == 1
    assert desk.mail.accepted[0].data["ids"] == str(desk.of(desk.events[0]).id)


def test_the_operator_is_not_told_of_what_arrived_or_of_what_nobody_wants_any_more(desk: Desk) -> None:
    desk.operator("ops")
    desk.reminded(3)
    cancelled, opted_out, _ = desk.events
    desk.world.calendar.cancel(cancelled.id)
    desk.world.people.opt_out_of(opted_out.owner_user_id, "recording", True)
    desk.pass_until(TOLD_AT + timedelta(hours=2))

    assert len(desk.world.channel.accepted) == 1
    assert desk.mail.sent == []


def test_who_is_reached_at_the_next_address_is_no_matter_for_the_operator(desk: Desk) -> None:
    desk.operator("ops")
    desk.reminded()
    desk.world.point(desk.events[0].owner_user_id, "another address")
    desk.answer(RefusedForGood("blocked"))
    desk.pass_until(TOLD_AT + timedelta(hours=1))

    assert [message.address for message in desk.world.channel.accepted] == ["another address"]
    assert desk.mail.sent == []


def test_of_a_hundred_that_died_within_an_hour_one_message_tells_and_counts_them(desk: Desk) -> None:
    desk.operator("ops")
    desk.reminded(100)
    desk.answer(*[RefusedForGood("blocked")] * 100)
    desk.pass_until(TOLD_AT + timedelta(hours=1))

    (told,) = desk.mail.accepted
    assert told.data["count"] == 100
    named = str(told.data["ids"]).split()
    assert len(set(named)) == 20
    assert set(named) <= {str(desk.of(event).id) for event in desk.events}
    assert "and 80 more" in told.text
    assert len(told.text) < 4000


def test_what_dies_in_the_next_hour_is_told_in_another_message(desk: Desk) -> None:
    desk.operator("ops")
    desk.reminded(2)
    desk.answer(RefusedForGood("blocked"), Later("busy", timedelta(minutes=30)), RefusedForGood("blocked"))
    desk.pass_until(TOLD_AT + timedelta(hours=2))

    assert [message.data["count"] for message in desk.mail.accepted] == [1, 1]
    assert len({message.data["ids"] for message in desk.mail.accepted}) == 2


@pytest.mark.parametrize("outcome", [RefusedForGood("blocked"), OutcomeUnknown("no answer")])
def test_a_notice_that_dies_is_told_to_nobody(desk: Desk, outcome: Outcome) -> None:
    desk.operator("ops")
    desk.reminded()
    desk.answer(RefusedForGood("blocked"))
    desk.mail.answer_for("ops", outcome)
    desk.pass_until(TOLD_AT + timedelta(hours=5))

    assert len(desk.mail.sent) == 1
    assert desk.console.sent == []


def test_an_operator_who_is_refused_at_one_address_is_told_at_the_next(desk: Desk) -> None:
    desk.operator("ops", "ops at home")
    desk.reminded()
    desk.answer(RefusedForGood("blocked"))
    desk.mail.answer_for("ops", RefusedForGood("blocked"))
    desk.pass_until(TOLD_AT + timedelta(hours=1))

    assert [message.address for message in desk.mail.accepted] == ["ops at home"]


def test_an_operator_without_an_address_is_told_on_the_console(desk: Desk) -> None:
    desk.operator()
    desk.reminded()
    desk.answer(RefusedForGood("blocked"))
    desk.pass_until(TOLD_AT)

    assert [message.template for message in desk.console.accepted] == ["OperatorNotice"]


def test_a_tenant_without_an_operator_makes_no_notice(desk: Desk) -> None:
    desk.reminded()
    desk.answer(RefusedForGood("blocked"))
    desk.pass_until(TOLD_AT + timedelta(hours=1))

    assert desk.mail.sent == desk.console.sent == []


@pytest.mark.parametrize(
    "meanwhile",
    [
        pytest.param(lambda desk: desk.world.people.opt_out_of(OPERATOR, "mail", True), id="opted out"),
        pytest.param(lambda desk: desk.world.people.erase(TENANT, OPERATOR), id="was erased"),
        pytest.param(
            lambda desk: desk.world.people.set_tenant(Tenant(TENANT, "office")), id="is the operator no more"
        ),
    ],
)
def test_an_operator_who_meanwhile_is_not_to_be_told_is_not(
    desk: Desk, meanwhile: Callable[[Desk], object]
) -> None:
    desk.operator("ops")
    desk.reminded()
    desk.answer(RefusedForGood("blocked"))
    desk.send()
    meanwhile(desk)
    desk.pass_until(TOLD_AT + timedelta(hours=1))

    assert desk.mail.sent == desk.console.sent == []


def test_another_tenants_operator_is_not_told(desk: Desk) -> None:
    desk.world.people.add_tenant(Tenant(OTHER_TENANT, "other"))
    desk.operator("ops", tenant=OTHER_TENANT)
    desk.reminded()
    desk.answer(RefusedForGood("blocked"))
    desk.pass_until(TOLD_AT + timedelta(hours=1))

    assert desk.mail.sent == desk.console.sent == []


def test_an_operator_is_told_in_their_language(desk: Desk) -> None:
    desk.operator("ops", language="ru")
    desk.reminded()
    desk.answer(RefusedForGood("blocked"))
    desk.pass_until(TOLD_AT)

    (told,) = desk.mail.accepted
    assert told.subject == "Сообщений, которые ни до кого не дошли: 1"
    assert f"сообщение {desk.of(desk.events[0]).id} о событии {desk.events[0].id}" in told.text
