"""A tenant's own touches: each occurrence of a plan makes one, at its time and by the plan's policy."""

from contextlib import closing
from datetime import date, datetime, time, timedelta
from uuid import UUID

import pytest
from attrs import evolve

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.touches.store import PostgresTouches
from application.ports.people import Tenant
from application.touching.planning import Advanced
from domain.errors import Invalid, NoAgentPlatform, NoSuchPlan, PlanIsOver
from domain.recurrence import BeforeDeadline, ClockChange, Every, Schedule
from domain.touch_plan import Status, Terms, TouchPlan
from domain.values import PlanId, TenantId, TouchId
from tests.application.touching_world import SECOND, TouchingWorld, at
from tests.application.world import NOON, TENANT

OTHER_TENANT = TenantId(UUID(int=0xE))
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
DAILY = Every("FREQ=DAILY", datetime.fromisoformat("2026-11-30T13:00"), "UTC")
RENEWAL = BeforeDeadline(date(2027, 3, 31), (45, 30, 14, 7, 1), time(10), "Europe/Moscow")


@pytest.fixture
def world() -> TouchingWorld:
    return TouchingWorld()


def plan(world: TouchingWorld, text: str = "renew", schedule: Schedule = DAILY, **more: object) -> TouchPlan:
    terms = Terms(schedule, world.origin, **more)  # type: ignore[arg-type]
    return world.planning.create(TENANT, terms, text, "operator")


def tick(world: TouchingWorld) -> list[Advanced]:
    return list(world.planning.tick())


def text_of(world: TouchingWorld, touch_id: TouchId) -> str | None:
    return world.touches.texts(touch_id).text


def test_an_occurrence_becomes_a_touch_at_its_time_and_once(world: TouchingWorld) -> None:
    made = plan(world, "renew by {{ date }} {{ time }}")
    world.clock.set(NOON + HOUR - SECOND)
    assert tick(world) == []
    world.clock.set(NOON + HOUR)
    (advanced,) = tick(world)
    (touch_id,) = advanced.touch_ids
    touch = world.touch(touch_id)
    assert (touch.due_at, touch.origin, touch.kind) == (NOON + HOUR, world.origin, "message")
    assert touch.occurrence is not None
    assert (touch.occurrence.plan_id, touch.occurrence.revision) == (made.id, 1)
    assert text_of(world, touch_id) == "renew by 2026-11-30 13:00"
    assert tick(world) == []


def test_its_touch_is_worked_on_like_any_other(world: TouchingWorld) -> None:
    plan(world, "time to renew")
    world.clock.set(NOON + HOUR)
    (advanced,) = tick(world)
    world.clock.advance(SECOND)
    assert [one.what for one in world.work()] == ["answered"]
    assert world.answer_of(advanced.touch_ids[0]) == "time to renew"


def test_before_a_deadline_each_offset_comes_and_then_the_plan_is_over(world: TouchingWorld) -> None:
    made = plan(world, "{{ days_left }} days to {{ deadline }}", RENEWAL)
    said = []
    ended = []
    for day in range(130):
        world.clock.set(NOON + day * DAY)
        for advanced in tick(world):
            said += [text_of(world, one) for one in advanced.touch_ids]
            ended.append(advanced.ended)
    assert said == [f"{days} days to 2027-03-31" for days in (45, 30, 14, 7, 1)]
    assert ended == [False] * 4 + [True]
    assert world.planning.plan(TENANT, made.id).status is Status.ENDED


@pytest.mark.parametrize(
    ("catch_up", "slots", "missed"),
    [(0, [], 5), (1, [5], 4), (3, [3, 4, 5], 2), (100, [1, 2, 3, 4, 5], 0)],
)
def test_what_was_missed_is_made_up_for_by_the_plans_policy_and_spread(
    world: TouchingWorld, catch_up: int, slots: list[int], missed: int
) -> None:
    plan(world, "{{ date.day }}", catch_up=catch_up, spread=timedelta(minutes=2))
    world.clock.set(NOON + HOUR + 4 * DAY + 6 * HOUR)
    (advanced,) = tick(world)
    touches = [world.touch(one) for one in advanced.touch_ids]
    days = [(touch.occurrence.slot.day if touch.occurrence else 0) for touch in touches]
    assert days == [day - 1 or 30 for day in slots]
    assert advanced.missed == missed
    assert [touch.due_at for touch in touches] == [
        world.clock.now() + step * timedelta(minutes=2) for step in range(len(slots))
    ]


def test_what_fell_into_a_pause_is_not_made_up_for(world: TouchingWorld) -> None:
    made = plan(world, catch_up=100)
    world.planning.pause(TENANT, made.id, "operator")
    world.clock.set(NOON + 3 * DAY)
    assert tick(world) == []
    world.planning.resume(TENANT, made.id, "operator")
    world.clock.set(NOON + 3 * DAY + HOUR)
    assert [len(one.touch_ids) for one in tick(world)] == [1]


def test_an_edit_holds_for_what_comes_and_what_is_a_touch_already_stays_one(world: TouchingWorld) -> None:
    made = plan(world, "before")
    world.clock.set(NOON + HOUR)
    ((first,),) = [one.touch_ids for one in tick(world)]
    later = evolve(
        made.terms, schedule=Every("FREQ=DAILY", datetime.fromisoformat("2026-11-30T18:00"), "UTC")
    )
    assert world.planning.edit(TENANT, made.id, later, "after", "operator").revision == 2
    world.clock.set(NOON + 6 * HOUR)
    ((second,),) = [one.touch_ids for one in tick(world)]
    assert (text_of(world, first), text_of(world, second)) == ("before", "after")


def test_an_ended_plan_makes_nothing_and_never_changes(world: TouchingWorld) -> None:
    made = plan(world)
    for _ in range(2):
        world.planning.end(TENANT, made.id, "operator")
    world.clock.set(NOON + 3 * DAY)
    assert tick(world) == []
    with pytest.raises(PlanIsOver):
        world.planning.resume(TENANT, made.id, "operator")


@pytest.mark.parametrize("text", ["{{ foo }}", "{{ (", "{% for i in range(9) %}x{% endfor %}"])
def test_a_plan_whose_text_fails_is_told_of_and_holds_up_no_other(world: TouchingWorld, text: str) -> None:
    broken, sound = plan(world), plan(world)
    world.store.plan_texts[broken.id] = text
    world.clock.set(NOON + HOUR)
    told = {one.plan_id: one for one in tick(world)}
    assert len(told[sound.id].touch_ids) == 1
    assert (told[broken.id].problem or "").startswith("text: line 1")
    assert world.touches.plan(broken.id) == evolve(world.store.plans[broken.id], version=1)
    assert [one.plan_id for one in tick(world)] == [broken.id]


def test_an_error_that_nobody_foresaw_is_told_by_its_kind_and_holds_up_no_other(
    world: TouchingWorld,
) -> None:
    class Broken:
        def text_of_occurrence(self, template: str, schedule: Schedule, slot: datetime) -> str:
            if template == "bad":
                raise RuntimeError("Anna's words")
            return template

    world.planning = evolve(world.planning, texts=Broken())
    sound = plan(world)
    broken = plan(world)
    world.store.plan_texts[broken.id] = "bad"
    world.clock.set(NOON + HOUR)
    told = {one.plan_id: one.problem for one in tick(world)}
    assert told == {sound.id: None, broken.id: "RuntimeError"}


def test_a_plan_that_turns_out_not_to_be_due_is_looked_at_once_a_tick(
    world: TouchingWorld, postgres_url: str
) -> None:
    # As after new zone data: the row still has the time of before.
    with closing(Database(postgres_url)) as database:
        world.planning = evolve(world.planning, touches=PostgresTouches(database))
        made = plan(world)
        with database.transaction() as session:
            session.change("update tickler.touch_plans set next_at = %s", (NOON - HOUR,))
        assert tick(world) == []
        assert world.planning.plan(TENANT, made.id) == made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "without words"),
        ("\u200b", "without words"),
        (" {# nothing #} ", "without words"),
        ("{{ deadline }}", "'deadline' is none of date, time"),
        ("a\0", "NUL"),
        ("x" * 10_001, "more than 10000"),
    ],
)
def test_a_text_that_will_not_do_is_refused_at_once_and_nothing_is_kept(
    world: TouchingWorld, text: str, said: str
) -> None:
    with pytest.raises(Invalid, match=said):
        plan(world, text)
    assert world.store.plans == {}


def test_a_text_that_fails_only_at_its_last_occurrence_is_refused_at_once(world: TouchingWorld) -> None:
    with pytest.raises(Invalid):
        plan(world, "{% if days_left < 7 %}{{ time.day }}{% else %}soon{% endif %}", RENEWAL)


def test_a_kind_that_nobody_knows_and_a_schedule_that_has_passed_are_refused(world: TouchingWorld) -> None:
    with pytest.raises(Invalid, match="kind"):
        plan(world, kind="sing")
    with pytest.raises(Invalid, match="passed"):
        plan(world, schedule=evolve(RENEWAL, deadline=date(2026, 11, 1)))
    assert world.store.plans == {}


def test_a_plan_that_calls_an_agent_platform_wants_one(world: TouchingWorld) -> None:
    made = plan(world, kind="call")
    world.people.set_tenant(Tenant(TENANT, "office"))
    with pytest.raises(NoAgentPlatform):
        plan(world, kind="call")
    with pytest.raises(NoAgentPlatform):
        world.planning.edit(TENANT, made.id, made.terms, "other words", "tester")
    assert list(world.store.plans) == [made.id]
    assert world.touches.text_of_plan(made.id) != "other words"


def test_another_tenants_plan_is_not_found(world: TouchingWorld) -> None:
    made = plan(world)
    planning = world.planning
    for tenant_id, plan_id in ((OTHER_TENANT, made.id), (TENANT, PlanId(UUID(int=404)))):
        for ask in (planning.pause, planning.resume, planning.end):
            with pytest.raises(NoSuchPlan):
                ask(tenant_id, plan_id, "operator")
        with pytest.raises(NoSuchPlan):
            planning.plan(tenant_id, plan_id)
        with pytest.raises(NoSuchPlan):
            planning.edit(tenant_id, plan_id, made.terms, "text", "operator")
    assert planning.plan(TENANT, made.id) == made


def test_a_preview_shows_the_instants_with_the_clock_changes_and_keeps_nothing(world: TouchingWorld) -> None:
    berlin = Every("FREQ=DAILY", datetime.fromisoformat("2027-03-27T02:30"), "Europe/Berlin")
    shown = world.planning.preview(berlin, 3)
    assert [one.clock_change for one in shown] == [None, ClockChange.LEFT_OUT, None]
    assert world.store.plans == {}
    for count in (0, -1, 1_001):
        with pytest.raises(Invalid, match="count"):
            world.planning.preview(berlin, count)


def test_an_occurrence_that_was_made_before_is_not_made_twice(world: TouchingWorld) -> None:
    made = plan(world)
    world.clock.set(at(3600))
    tick(world)
    # As if the plan's row had been rebuilt from before.
    world.store.plans[made.id] = evolve(world.store.plans[made.id], state=made)
    tick(world)
    assert len(world.store.touches) == 1
