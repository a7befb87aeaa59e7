"""What an agent may ask for, and what it is refused: nothing is written then."""

from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve

from application.ports.touches import KeyReused, TooMany
from application.touching.deferring import MAX_KEY, Limits
from application.touching.fitting import MAX_TEXT
from domain.deferred_touch import Status, WhenClientWrites
from domain.errors import Invalid, NoAgentPlatform, NoSuchTouch, Refused
from domain.values import Origin, TenantId, TouchId, UserId
from tests.application.touching_world import SECOND, TouchingWorld, at
from tests.application.world import NOON, TENANT

OTHER_TENANT = TenantId(UUID(int=0xE))
DAY = timedelta(days=1)


@pytest.fixture
def world() -> TouchingWorld:
    return TouchingWorld()


def test_registering_writes_a_touch_and_does_no_work(world: TouchingWorld) -> None:
    made = world.deferring().defer(world.caller(depth=3), world.wish(kind="check", due_at=at(60)))
    found = world.touch(made.touch.id)
    assert (made.is_new, found) == (True, made.touch)
    assert (found.status, found.due_at, found.origin, found.depth) == (
        Status.PENDING,
        at(60),
        world.origin,
        3,
    )
    assert world.touches.texts(found.id).text == "call the clinic"
    assert world.all_deliveries() == []


def test_a_repeat_by_its_key_is_the_same_touch(world: TouchingWorld) -> None:
    wish = world.wish()
    first = world.deferring().defer(world.caller(), wish)
    world.clock.advance(60 * SECOND)
    again = world.deferring().defer(world.caller(), wish)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.touch.id == first.touch.id


def test_a_repeat_of_words_that_mean_another_instant_by_now_is_the_same_touch(world: TouchingWorld) -> None:
    wish = world.wish(due_at=at(600), asked="in 10 minutes")
    first = world.deferring().defer(world.caller(), wish)
    again = world.deferring().defer(world.caller(), evolve(wish, due_at=at(605)))
    assert again.touch == first.touch


@pytest.mark.parametrize(
    "other",
    [
        {"text": "another"},
        {"kind": "check"},
        {"due_at": at(61)},
        {"when_client_writes": WhenClientWrites.CANCEL},
    ],
)
def test_b8_a_key_that_was_used_for_something_else_is_refused(
    world: TouchingWorld, other: dict[str, Any]
) -> None:
    wish = world.wish(due_at=at(60))
    world.deferring().defer(world.caller(), wish)
    with pytest.raises(KeyReused):
        world.deferring().defer(world.caller(), evolve(wish, **other))
    assert len(world.store.touches) == 1


def test_b31_a_key_that_is_used_again_from_another_channel_is_refused(world: TouchingWorld) -> None:
    wish = world.wish()
    made = world.deferring().defer(world.caller(), wish).touch
    elsewhere = evolve(world.caller(), origin=Origin(UserId(UUID(int=9)), "telegram"))
    with pytest.raises(KeyReused):
        world.deferring().defer(elsewhere, wish)
    assert world.touch(made.id).origin == world.origin


def test_b9_keys_of_other_callers_and_tenants_have_nothing_to_do_with_each_other(
    world: TouchingWorld,
) -> None:
    wish = world.wish(key="key")
    callers = [world.caller(), world.caller("another"), world.caller(tenant_id=OTHER_TENANT)]
    made = {world.deferring().defer(caller, wish).touch.id for caller in callers}
    made.add(world.deferring().defer(world.caller(), evolve(wish, key="kеy")).touch.id)  # a Cyrillic е
    assert len(made) == 4


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"key": ""}, "idempotency key"),
        ({"key": "x" * (MAX_KEY + 1)}, "idempotency key"),
        ({"key": "x" * 1_000_000}, "idempotency key"),
        ({"key": "a\0b"}, "idempotency key"),
        ({"key": "a\nb"}, "idempotency key"),
        ({"key": "\ud800"}, "idempotency key"),
        ({"kind": "sing"}, "kind: 'sing' is none of call, check, message"),
        ({"kind": ""}, "kind"),
        ({"kind": "\ud800" * 100}, "kind"),
        ({"text": None}, "without words"),
        ({"text": " \n "}, "text: it is blank"),
        ({"text": "\x07"}, "text: it is blank"),
        ({"text": "\u200b\u200d"}, "text: it is blank"),
        ({"kind": "check", "text": "\ufeff"}, "text: it is blank"),
        ({"text": "a\0b"}, "NUL"),
        ({"text": "a\udfffb"}, "surrogate"),
        ({"text": "x" * (MAX_TEXT + 1)}, "10001 characters are more than 10000"),
        ({"kind": "check", "text": "x" * 10_000_000}, "more than 10000"),
        ({"due_at": datetime.fromisoformat("2026-12-01T10:00")}, "an instant with an offset"),
        ({"due_at": datetime.fromisoformat("9999-12-31T23:59:59-12:00")}, "too far"),
        ({"due_at": NOON + 6 * 366 * DAY}, "too far"),
        ({"due_at": datetime.fromisoformat("0001-01-01T00:00:00+12:00")}, "more than a day ago"),
        ({"due_at": NOON - DAY - SECOND}, "more than a day ago"),
    ],
)
def test_what_is_no_wish_is_refused_in_one_line_and_nothing_is_written(
    world: TouchingWorld, wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(Invalid, match=said) as refused:
        world.deferring().defer(world.caller(), world.wish(**wrong))
    assert len(str(refused.value).splitlines()) == 1
    assert len(str(refused.value)) < 500
    assert world.store.touches == {}
    assert world.store.touch_requests == {}


def test_any_offset_will_do_and_is_kept_as_the_instant(world: TouchingWorld) -> None:
    east = at(60).astimezone(timezone(timedelta(hours=13)))
    made = world.deferring().defer(world.caller(), world.wish(due_at=east)).touch
    assert made.due_at == at(60)
    assert made.due_at.utcoffset() == timedelta(0)


def test_b32_a_tenant_a_caller_and_a_chain_of_touches_have_an_end(world: TouchingWorld) -> None:
    limits = Limits(most_of_tenant=3, most_of_caller=2, depth=4)
    deferring = world.deferring(limits=limits)
    for _ in range(2):
        deferring.defer(world.caller(), world.wish())
    with pytest.raises(TooMany, match="of this caller"):
        deferring.defer(world.caller(), world.wish())
    deferring.defer(world.caller("another"), world.wish())
    with pytest.raises(TooMany, match="of this tenant"):
        deferring.defer(world.caller("a third"), world.wish())
    deferring.defer(world.caller(tenant_id=OTHER_TENANT, depth=4), world.wish())
    with pytest.raises(Invalid, match="too deep"):
        deferring.defer(world.caller(tenant_id=OTHER_TENANT, depth=5), world.wish())
    assert len(world.store.touches) == 4


def test_work_for_an_agent_platform_is_refused_where_the_tenant_has_none(world: TouchingWorld) -> None:
    without = world.caller(tenant_id=OTHER_TENANT)
    with pytest.raises(NoAgentPlatform, match="tickler tenant agent TENANT --url URL"):
        world.deferring().defer(without, world.wish(kind="call"))
    assert len(world.store.touches) == 0
    world.deferring().defer(without, world.wish())
    world.deferring().defer(world.caller(), world.wish(kind="call"))
    assert len(world.store.touches) == 2


def test_another_tenants_touch_is_not_found_and_neither_is_one_that_is_not_there(
    world: TouchingWorld,
) -> None:
    touch_id = world.defer()
    deferring = world.deferring()
    said = set()
    for tenant_id, wanted in ((OTHER_TENANT, touch_id), (TENANT, TouchId(UUID(int=404)))):
        for ask in (
            lambda t, w: deferring.touch(t, w),
            lambda t, w: deferring.cancel(t, w, "agent"),
            lambda t, w: deferring.retry(t, w, "agent"),
            lambda t, w: deferring.hear(t, [w], "agent"),
        ):
            with pytest.raises(NoSuchTouch) as refused:
                ask(tenant_id, wanted)
            said.add(str(refused.value))
    assert len(said) == 1
    assert deferring.listed(OTHER_TENANT, 10) == []
    assert world.touch(touch_id).status is Status.PENDING


def test_what_is_cancelled_is_never_worked_on(world: TouchingWorld) -> None:
    touch_id = world.defer()
    for _ in range(2):
        assert world.deferring().cancel(TENANT, touch_id, "agent").status is Status.CANCELLED
    assert world.work() == []


def test_what_is_being_worked_on_is_not_cancelled(world: TouchingWorld) -> None:
    touch_id = world.defer()
    world.claimed_by_one_that_died(touch_id)
    with pytest.raises(Refused, match="INV-TCH-3"):
        world.deferring().cancel(TENANT, touch_id, "agent")


def test_r55_when_the_client_writes_first_each_touch_goes_by_its_own_policy(world: TouchingWorld) -> None:
    kept = world.defer()
    cancelled = world.defer(when_client_writes=WhenClientWrites.CANCEL)
    busy = world.defer(when_client_writes=WhenClientWrites.CANCEL)
    world.claimed_by_one_that_died(busy)
    after = world.deferring().hear(TENANT, [kept, cancelled, busy], "agent")
    assert [one.status for one in after] == [Status.PENDING, Status.CANCELLED, Status.IN_PROGRESS]


def test_who_did_it_stands_in_the_history(world: TouchingWorld) -> None:
    touch_id = world.defer(world.caller("agent 7"))
    world.deferring().cancel(TENANT, touch_id, "operator")
    assert [one.actor for one in world.touches.history(touch_id)] == ["agent 7", "operator"]
