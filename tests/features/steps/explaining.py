"""Steps about `tickler why`: what is done to a message on its way, and what is said of where things stand."""

import re
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

import attrs
import pytest
from pytest_bdd import given, parsers, then, when

from application.explaining.explanation import Explanation
from application.explaining.forgotten import REBUILD
from application.explaining.reminders import NOTHING_ELSE
from application.explaining.why import Explaining
from application.ports.channel import Accepted, Later, Outcome, OutcomeUnknown, RefusedForGood
from application.ports.ledger import Context
from application.ports.people import ContactPoint
from application.ports.work import Again, NothingToSay
from domain.delivery import Delivery, Status
from domain.reminder import Reminder
from domain.values import ContactPointId, PlanId
from tests.features.reading import TIME, instant, known_as
from tests.features.steps.notifications import TENANT
from tests.features.touching import KINDS, Touching
from tests.features.world import ALL, LONG_AFTER, World, event_id, user_id

AN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LEASE = timedelta(seconds=60)
ANSWERS: Mapping[str, Outcome] = {
    "is busy": Later("busy"),
    "refuses for good": RefusedForGood("no such mailbox"),
    "loses its answer": OutcomeUnknown("the line went dead"),
    "takes it": Accepted(),
}


@pytest.fixture
def asked(world: World) -> "Asked":
    return Asked(world)


@attrs.define
class Asked:
    """Asks why, and keeps the last answer."""

    world: World
    kinds: tuple[str, ...] = KINDS
    per_tenant: int | None = None
    last: Explanation | None = None
    plan_id: PlanId | None = None

    def explaining(self) -> Explaining:
        explaining: Explaining = self.world.tickler.explaining()
        channels = {"recording": False, "whatsapp": False, "console": True}
        setup = attrs.evolve(
            explaining.setup, dispatch=self.world.options, kinds=self.kinds, channels=channels
        )
        if self.per_tenant is not None:
            setup = attrs.evolve(setup, work=attrs.evolve(setup.work, per_tenant=self.per_tenant))
        return attrs.evolve(explaining, setup=setup)

    def why(self, id_: UUID) -> str:
        """What is said, the thing asked about being ID, its event EVENT and whatever else OTHER."""
        self.last = self.explaining().why(id_)
        assert self.last is not None
        names = {str(id_): "ID"} | {str(event_id(name)): "EVENT" for name in self.world.wishes}
        return AN_ID.sub(lambda found: names.get(found[0], "OTHER"), self.last.says)


# What becomes of a message on its way.


@when("a relay has taken its message")
def a_relay_has_taken_it(world: World) -> None:
    assert world.tickler.outbox().claim("another", ALL, world.clock.now(), LEASE)


@when(parsers.re(r'its message is refused for good as "(?P<reason>[^"]+)"'))
def it_is_refused(world: World, reason: str) -> None:
    outbox, now = world.tickler.outbox(), world.clock.now()
    claims = outbox.claim("another", ALL, now, LEASE)
    assert outbox.park([(claim, reason) for claim in claims], now) == 1


@when("its message is published, and nobody has read it yet")
def it_is_published(world: World) -> None:
    outbox, now = world.tickler.outbox(), world.clock.now()
    assert outbox.mark_published(outbox.claim("another", ALL, now, LEASE), now) == 1


@given(parsers.re(r"the channel (?P<answers>.+) when it is asked to send"))
def the_channel_answers(world: World, answers: str) -> None:
    world.channel.answer(*[ANSWERS[one] for one in answers.split(", then ")])


@when("a sender has taken the delivery")
def a_sender_has_taken_it(world: World) -> None:
    now = world.clock.now()
    assert world.tickler.deliveries().claim("recording", 1, now, now + LEASE)


@when(parsers.re(r'a person says that the answer to "(?P<name>[^"]+)" arrived'))
def a_person_says_that_it_arrived(touching: Touching, name: str) -> None:
    tickler = touching.world.tickler
    (brings,) = tickler.deliveries().of_reminder(touching.ids[name])
    assert tickler.confirming().confirm(brings.id, "Rita").status is Status.DELIVERED


@when(parsers.re(r'"(?P<name>[^"]+)" is erased'))
def is_erased(world: World, name: str) -> None:
    assert world.tickler.people().erase(TENANT, user_id(name))


@when(parsers.re(r'"(?P<name>[^"]+)" is erased by a command'))
def is_erased_by_a_command(world: World, name: str) -> None:
    world.tickler.erasing().erase(TENANT, user_id(name))


@given(parsers.re(rf"the plan is paused, and edited at (?P<at>{TIME})"))
def is_paused_and_edited(touching: Touching, at: str) -> None:
    plan, planning = touching.plan(), touching.planning()
    planning.pause(TENANT, plan.id, "somebody")
    touching.world.clock.set(instant(at))
    terms = attrs.evolve(plan.terms, catch_up=0)
    assert planning.edit(TENANT, plan.id, terms, "renew", "somebody").revision == 2


@given(parsers.re(r'"(?P<name>[^"]+)" has another address "(?P<address>[^"]+)"'))
def has_another_address(world: World, name: str, address: str) -> None:
    id_ = ContactPointId(known_as(f"another contact point {name}"))
    world.tickler.people().add_contact_point(ContactPoint(id_, user_id(name), "recording", address))


@when(parsers.re(r'"(?P<name>[^"]+)" takes that address back'))
def takes_that_address_back(world: World, name: str) -> None:
    assert world.tickler.people().remove_contact_point(ContactPointId(known_as(f"contact point {name}")))


@given(parsers.re(r'there is nothing to say of "(?P<name>[^"]+)"'))
def there_is_nothing_to_say(touching: Touching, name: str) -> None:
    touching.desk.outcomes[name] = NothingToSay()


@given(parsers.re(rf'the work on "(?P<name>[^"]+)" asks to be called again at (?P<at>{TIME})'))
def asks_to_be_called_again(touching: Touching, name: str, at: str) -> None:
    touching.desk.outcomes[name] = Again(instant(at))


@given("this Tickler knows only messages")
def knows_only_messages(asked: Asked) -> None:
    asked.kinds = ("message",)


@given(parsers.re(r"at most (?P<count>\d+) touch of a tenant is worked on at once"))
def at_most(asked: Asked, count: str) -> None:
    asked.per_tenant = int(count)


# What is said.


@then(
    parsers.re(
        r'why says of the (?:(?P<which>Pending|Sent|Skipped) )?reminder of "(?P<name>[^"]+)"'
        r"(?P<held>, while a cycle holds it)?"
    )
)
def says_of_the_reminder(
    world: World, asked: Asked, name: str, which: str | None, held: str | None, docstring: str
) -> None:
    (one,) = [one for one in reminders(world, name) if which in (None, one.status.value)]
    if held is None:
        assert asked.why(one.id) == flowing(docstring)
        return
    with world.tickler.ledger().transaction(Context(UUID(int=0))) as transaction:
        assert transaction.claim_due(LONG_AFTER, ALL).due
        assert asked.why(one.id) == flowing(docstring)


@then("why says of that reminder that it cannot be read")
def says_of_that_reminder(asked: Asked, world: World) -> None:
    """What is wrong with a row is said in the words of its store."""
    (id_,) = [id_ for ids in world.reminder_ids.values() for id_ in ids]
    said = asked.why(id_)
    assert said.startswith("Reminder ID cannot be read: ")
    assert said.endswith(f". {NOTHING_ELSE} {REBUILD}")


@then(parsers.re(r'why says of the reminder of "(?P<name>[^"]+)" that its event cannot be read'))
def says_that_its_event_cannot_be_read(asked: Asked, world: World, name: str) -> None:
    said = asked.why(world.reminder(name).id)
    due = "Reminder ID is Pending, with 2026-06-01 09:45 UTC as its time, and cannot be sent:"
    assert said.startswith(f"{due} its event EVENT cannot be read: ")
    assert said.endswith(f". {NOTHING_ELSE} {REBUILD}")


@then(parsers.re(r'why says of the delivery to "(?P<name>[^"]+)" that it is tried again'))
def says_that_it_is_tried_again(world: World, asked: Asked, name: str) -> None:
    """Waits differ by chance, so the time is the delivery's own."""
    (one,) = deliveries(world)
    next_at = one.not_before.replace(microsecond=0)
    assert asked.why(one.id) == (
        "Delivery ID to olga on recording is Pending after 1 try in vain: busy. The next try is after"
        f" {next_at:%Y-%m-%d %H:%M:%S} UTC. It is tried until its event is over, and no longer than until"
        " 2026-06-02 09:45:00 UTC; after 5 tries another address of the person is told instead, where there"
        " is one."
    )


@then(parsers.re(r'why says of the event "(?P<name>[^"]+)"'))
def says_of_the_event(asked: Asked, name: str, docstring: str) -> None:
    assert asked.why(event_id(name)) == flowing(docstring)


@then(parsers.re(r'why says of the (?:(?P<which>\w+) )?delivery to "(?P<name>[^"]+)"'))
def says_of_the_delivery(world: World, asked: Asked, name: str, which: str | None, docstring: str) -> None:
    found = [one for one in deliveries(world) if one.user_id == user_id(name)]
    (one,) = [one for one in found if which in (None, one.status.value)]
    assert asked.why(one.id) == flowing(docstring)


@then(parsers.re(r'why says of the delivery about "(?P<name>[^"]+)"'))
def says_of_the_delivery_about(world: World, asked: Asked, name: str, docstring: str) -> None:
    (one,) = world.tickler.deliveries().of_reminder(world.reminder(name).id)
    assert asked.why(one.id) == flowing(docstring)


@then(parsers.re(r'why says of the touch "(?P<name>[^"]+)"'))
def says_of_the_touch(touching: Touching, asked: Asked, name: str, docstring: str) -> None:
    assert asked.why(touching.ids[name]) == flowing(docstring)


@then("why says of the plan that it cannot be read")
def says_that_the_plan_cannot_be_read(asked: Asked) -> None:
    assert asked.plan_id is not None
    said = asked.why(asked.plan_id)
    assert said.startswith("Plan ID cannot be read: ")
    assert said.endswith(f". Nothing becomes of it until that is mended. {REBUILD}")


@then("why says of the plan")
def says_of_the_plan(touching: Touching, asked: Asked, docstring: str) -> None:
    id_ = asked.plan_id or touching.plan().id
    assert asked.why(id_) == flowing(docstring)


@then(parsers.re(r'why says of the forgotten reminder of "(?P<name>[^"]+)"'))
def says_of_the_forgotten_reminder(world: World, asked: Asked, name: str, docstring: str) -> None:
    (id_,) = world.reminder_ids[name]
    assert asked.why(id_) == flowing(docstring)


@then("nothing is known of an id that nobody gave")
def nothing_is_known(world: World, asked: Asked) -> None:
    assert asked.explaining().why(UUID(int=404)) is None
    assert world.tickler.recalling().history(UUID(int=404), everything=True) is None


@then(parsers.re(r'the whole history of the event "(?P<name>[^"]+)" is'))
def the_whole_history_of_the_event_is(world: World, name: str, datatable: list[list[str]]) -> None:
    assert whole_history(world, event_id(name)) == datatable[1:]


@then(parsers.re(r'the whole history of the touch "(?P<name>[^"]+)" is'))
def the_whole_history_of_the_touch_is(touching: Touching, name: str, datatable: list[list[str]]) -> None:
    assert whole_history(touching.world, touching.ids[name]) == datatable[1:]


@then(parsers.re(r'the whole history of the touch "(?P<name>[^"]+)" ends with'))
def the_whole_history_of_the_touch_ends_with(
    touching: Touching, name: str, datatable: list[list[str]]
) -> None:
    ends = datatable[1:]
    assert whole_history(touching.world, touching.ids[name])[-len(ends) :] == ends


@then(parsers.re(r"it stands so as (?P<situation>\w+)(?:, until (?P<next_at>.+))?"))
def it_stands_so(asked: Asked, situation: str, next_at: str | None) -> None:
    assert asked.last is not None
    assert asked.last.situation == situation
    if next_at is not None:
        assert asked.last.next_at == instant(next_at)


@then(parsers.re(r"its parts stand as (?P<situations>[\w, ]+)"))
def its_parts_stand(asked: Asked, situations: str) -> None:
    assert asked.last is not None
    assert [part.situation.value for part in asked.last.parts] == situations.split(", ")


def reminders(world: World, name: str) -> list[Reminder]:
    """Also where the reminders of the event cannot be listed, because of one of them."""
    found = [world.ledger.reminder(id_) for id_ in world.reminder_ids[name]]
    return [row.state for row in found if row is not None and not hasattr(row, "problem")]


def deliveries(world: World) -> list[Delivery]:
    ports = world.tickler.deliveries()
    return [one for ids in world.reminder_ids.values() for id_ in ids for one in ports.of_reminder(id_)]


def whole_history(world: World, id_: UUID) -> list[list[str]]:
    past = world.tickler.recalling().history(id_, everything=True)
    assert past is not None
    return [[f"{one.at:%H:%M}", one.what.value, one.says] for one in past.happened]


def flowing(text: str) -> str:
    return " ".join(text.split())
