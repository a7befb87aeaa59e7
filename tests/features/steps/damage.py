"""Steps that change or lose rows behind Tickler's back, and the one that mends them."""

from pytest_bdd import given, parsers, when

from application.rebuilding import Rebuilt
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder, Status
from domain.touch_plan import TouchPlan
from domain.values import EventStatus
from tests.features.reading import TIME, instant
from tests.features.steps.explaining import Asked
from tests.features.touching import Touching
from tests.features.world import World, event_id, user_id


@when(parsers.re(r'the rows of "(?P<name>[^"]+)" and of its reminders are forgotten'))
def the_rows_are_forgotten(world: World, name: str) -> None:
    world.store.forget(event_id(name))


@given(parsers.re(r'the row of the event of "(?P<name>[^"]+)" is gone'))
def the_row_is_gone(world: World, name: str) -> None:
    world.store.lose(CalendarEvent, event_id(name))


@given(parsers.re(r'the row of the reminder of "(?P<name>[^"]+)" was made Sent from outside'))
def was_made_sent(world: World, name: str) -> None:
    one = world.reminder(name)
    world.store.change_alone(Reminder, one.id, status=Status.SENT, sent_at=world.clock.now())


@given(
    parsers.re(rf'the row of the reminder of "(?P<name>[^"]+)" was put off to (?P<at>{TIME}) from outside')
)
def its_row_was_put_off(world: World, name: str, at: str) -> None:
    world.store.change_alone(Reminder, world.reminder(name).id, due_at=instant(at), offset_minutes=5)


@given(parsers.re(r'the row of "(?P<name>[^"]+)" was given to "(?P<owner>[^"]+)" from outside'))
def its_row_was_given_to(world: World, name: str, owner: str) -> None:
    world.store.change_alone(CalendarEvent, event_id(name), owner_user_id=user_id(owner))


@given(parsers.re(rf'the row of the touch "(?P<name>[^"]+)" was put off to (?P<at>{TIME}) from outside'))
def its_touch_was_put_off(touching: Touching, name: str, at: str) -> None:
    touching.world.store.change_alone(DeferredTouch, touching.ids[name], due_at=instant(at))


@given("the row of the plan was edited from outside")
def its_plan_was_edited(touching: Touching) -> None:
    touching.world.store.change_alone(TouchPlan, touching.plan().id, revision=2)


@given(parsers.re(r'the row of the reminder of "(?P<name>[^"]+)" is gone'))
def the_row_of_the_reminder_is_gone(world: World, name: str) -> None:
    world.store.lose(Reminder, world.reminder(name).id)


@given(parsers.re(r'the row of the touch "(?P<name>[^"]+)" is gone'))
def the_row_of_the_touch_is_gone(touching: Touching, name: str) -> None:
    touching.world.store.lose(DeferredTouch, touching.ids[name])


@given("the row of the plan makes no sense")
def the_row_of_the_plan_makes_no_sense(touching: Touching, asked: Asked) -> None:
    asked.plan_id = touching.plan().id
    touching.world.store.spoil_plan(asked.plan_id)


@given("the row of the plan is gone")
def the_row_of_the_plan_is_gone(touching: Touching, asked: Asked) -> None:
    asked.plan_id = touching.plan().id
    touching.world.store.lose(TouchPlan, asked.plan_id)


@when("the rows are rebuilt")
def the_rows_are_rebuilt(world: World) -> None:
    assert world.tickler.rebuilding().run(Rebuilt()).problems == []


@given(parsers.re(r'only the status of the row of "(?P<name>[^"]+)" was made Cancelled from outside'))
def was_made_cancelled(world: World, name: str) -> None:
    world.store.change_event_alone(event_id(name), EventStatus.CANCELLED, versions=0)
