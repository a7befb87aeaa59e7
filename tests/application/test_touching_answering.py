"""The answer goes to where it was asked for, once, and nowhere else."""

from uuid import UUID

import pytest
from attrs import evolve

from application.notifying import CONSOLE
from application.ports.ledger import Context
from application.ports.notices import Matter, MatterKind
from application.ports.people import Person
from application.ports.work import Say, Work
from application.touching.deferring import Caller
from application.touching.fitting import MAX_TEXT, ZERO_WIDTH_SPACE, fit_for_people
from domain import delivery
from domain.deferred_touch import DeferredTouch, Status
from domain.errors import Refused
from domain.values import Origin, TenantId, TouchId, UserId
from tests.application.touching_world import SECOND, TouchingWorld
from tests.application.world import NOON, OLGA, TENANT

OPERATOR = UserId(UUID(int=0xF))


@pytest.fixture
def world() -> TouchingWorld:
    return TouchingWorld()


def operator(world: TouchingWorld) -> None:
    world.people.add_person(Person(OPERATOR, TENANT, "operator"))
    tenant = world.people.tenant(TENANT)
    assert tenant is not None
    world.people.set_tenant(evolve(tenant, operator_id=OPERATOR))


def follow(world: TouchingWorld) -> list[DeferredTouch]:
    return list(world.answering.follow(world.touches, world.clock))


def brings(world: TouchingWorld, touch_id: TouchId) -> list[delivery.Delivery]:
    return [one for one in world.all_deliveries() if one.about_id == touch_id]


def end(world: TouchingWorld, touch_id: TouchId, status: delivery.Status) -> None:
    (found,) = brings(world, touch_id)
    world.store.deliveries[found.id] = evolve(found, status=status)


def told(world: TouchingWorld) -> set[Matter]:
    return {matter for kept in world.store.matters.values() for matter in kept.values()}


def test_it_goes_to_the_contact_point_of_the_request_though_another_is_preferred(
    world: TouchingWorld,
) -> None:
    touch_id = world.defer()
    other = world.point(OLGA, "a better address")
    world.people.prefer(other.id)
    world.work()
    assert [one.contact_point_id for one in brings(world, touch_id)] == [world.origin.contact_point_id]


def test_from_the_console_to_the_console(world: TouchingWorld) -> None:
    touch_id = world.defer(Caller(TENANT, "agent", Origin(OLGA, CONSOLE)))
    world.work()
    (found,) = brings(world, touch_id)
    assert (found.channel, found.contact_point_id) == (CONSOLE, None)


def removed(world: TouchingWorld) -> None:
    assert world.origin.contact_point_id is not None
    world.people.remove_contact_point(world.origin.contact_point_id)


def opted_out(world: TouchingWorld) -> None:
    world.people.opt_out_of(OLGA, world.origin.channel, True)


def erased(world: TouchingWorld) -> None:
    world.people.erase(TENANT, OLGA)


def another_tenants(world: TouchingWorld) -> None:
    """As a bad hand that registers a touch for them in its own tenant."""
    world.store.persons[OLGA] = evolve(world.store.persons[OLGA], tenant_id=TenantId(UUID(int=0xE)))


@pytest.mark.parametrize("goes", [another_tenants, removed, opted_out, erased])
def test_where_the_origin_is_gone_it_is_undeliverable_and_the_operator_is_told_of_the_id(
    world: TouchingWorld, goes: object
) -> None:
    assert callable(goes)
    operator(world)
    touch_id = world.defer(kind="check")
    world.point(OLGA, "another address of hers")
    goes(world)
    (worked,) = world.work({"check": lambda work: Say("private")})

    assert (worked.what, worked.status) == ("undeliverable", Status.CLOSED)
    assert brings(world, touch_id) == []
    assert told(world) == {Matter(MatterKind.TOUCH, touch_id)}


def test_to_a_person_of_another_tenant_not_even_the_console_says_anything(world: TouchingWorld) -> None:
    worked_on: list[TouchId] = []
    touch_id = world.defer(Caller(TENANT, "agent", Origin(OLGA, CONSOLE)), kind="check")
    another_tenants(world)

    def check(work: Work) -> Say:
        worked_on.append(work.touch_id)
        return Say("private")

    (worked,) = world.work({"check": check})
    assert (worked.what, worked.status, worked_on) == ("undeliverable", Status.CLOSED, [])
    assert brings(world, touch_id) == []


def test_a_tenant_without_an_operator_has_it_closed_all_the_same(world: TouchingWorld) -> None:
    touch_id = world.defer()
    removed(world)
    world.work()
    assert world.touch(touch_id).reason == "undeliverable"
    assert told(world) == set()


def test_a_delivery_that_arrived_makes_it_delivered(world: TouchingWorld) -> None:
    touch_id = world.defer()
    world.work()
    assert follow(world) == []
    end(world, touch_id, delivery.Status.DELIVERED)
    assert [(one.id, one.status) for one in follow(world)] == [(touch_id, Status.DELIVERED)]
    assert follow(world) == []


@pytest.mark.parametrize("status", [delivery.Status.FAILED, delivery.Status.SKIPPED])
def test_a_delivery_that_was_refused_for_good_makes_it_undeliverable_and_tells_the_operator(
    world: TouchingWorld, status: delivery.Status
) -> None:
    operator(world)
    touch_id = world.defer()
    world.work()
    end(world, touch_id, status)
    assert [(one.status, one.reason) for one in follow(world)] == [(Status.CLOSED, "undeliverable")]
    assert told(world) == {Matter(MatterKind.TOUCH, touch_id)}


@pytest.mark.parametrize("status", [delivery.Status.UNKNOWN, delivery.Status.SENDING])
def test_while_nobody_knows_whether_it_arrived_it_stays_answered(
    world: TouchingWorld, status: delivery.Status
) -> None:
    touch_id = world.defer()
    world.work()
    end(world, touch_id, status)
    assert follow(world) == []
    assert world.touch(touch_id).status is Status.ANSWERED


def test_the_first_answer_of_a_claim_is_the_answer_and_has_one_delivery(world: TouchingWorld) -> None:
    touch = world.claimed_by_one_that_died(world.defer())
    for text in ("the first", "the second"):
        after = world.answering.answer(
            world.touches, Context(world.ids.new()), touch, text, world.clock.now()
        )
        assert after.status is Status.ANSWERED
    assert world.answer_of(touch.id) == "the first"
    assert len(brings(world, touch.id)) == 1


@pytest.mark.parametrize("claim", [0, 2, 99])
def test_b30_only_the_current_claim_may_answer(world: TouchingWorld, claim: int) -> None:
    touch = evolve(world.claimed_by_one_that_died(world.defer()), claim=claim)
    with pytest.raises(Refused, match="INV-TCH-3"):
        world.answering.answer(world.touches, Context(world.ids.new()), touch, "text", NOON + SECOND)
    assert world.answer_of(touch.id) is None
    assert world.all_deliveries() == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "\x00\x1b",
        "\x07",
        "\u200b",
        "\ufeff",
        "\u200b\u200d",
        "\u2800 \u3164",
        "\u0301",
        "\x1b[31m",
    ],
)
def test_an_answer_without_words_is_none(world: TouchingWorld, text: str) -> None:
    touch = world.claimed_by_one_that_died(world.defer())
    after = world.answering.answer(world.touches, Context(world.ids.new()), touch, text, NOON + SECOND)
    assert (after.status, after.reason) == (Status.CLOSED, "nothing_to_say")
    assert world.all_deliveries() == []


@pytest.mark.parametrize(
    ("said", "fit"),
    [
        ("Всё в порядке 🚀\n\tsecond line", "Всё в порядке 🚀\n\tsecond line"),
        ("a\x00b\x1b[31mc\x07\ud800d\r\n", "abcd"),
        ("a\x1b]0;title\x07b\x1b[1;31mred\x1b[0m\x9b2Jc\x1b(Bd\x1b[e\x1b", "abredcd"),
        ("\x1b]8;;https://b.example\x1b\\link\x1b]8;;\x1b\\, \x1b]no end", "link, no end"),
        ("👩\u200d👩", "👩\u200d👩"),
        ("@everyone and @Here", f"@{ZERO_WIDTH_SPACE}everyone and @{ZERO_WIDTH_SPACE}Here"),
        ("<!channel> @all!", f"<!{ZERO_WIDTH_SPACE}channel> @{ZERO_WIDTH_SPACE}all!"),
        ("@every\x00one", f"@{ZERO_WIDTH_SPACE}everyone"),
        ("@allan and anna@here.example", f"@allan and anna@{ZERO_WIDTH_SPACE}here.example"),
        ("see https://olga:pass@word@b.example/a?b=c@d", "see https://b.example/a?b=c@d"),
        ("write to a@b.example, https://b.example/@anna", "write to a@b.example, https://b.example/@anna"),
        ("x" * MAX_TEXT, "x" * MAX_TEXT),
        ("x" * 5_000_000, "x" * (MAX_TEXT - 1) + "…"),
    ],
)
def test_b29_an_answer_is_made_fit_for_people(said: str, fit: str) -> None:
    assert fit_for_people(said) == fit
