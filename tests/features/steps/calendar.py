"""Steps about events: planned, told something, and how they and their reminders then stand."""

from collections import Counter
from datetime import datetime, timedelta
from functools import partial

from pytest_bdd import given, parsers, then, when

from adapters.testkit.threads import at_once
from domain.calendar_event import CalendarEvent
from domain.errors import Refused
from domain.reminder import Status
from domain.triggers import MinutesBeforeStart, trigger
from domain.values import EventStatus
from tests.features.reading import NAME, TIME, TOLD, Wish, instant, listed, wall, wish
from tests.features.world import World, event_id, user_id

STATUS = "Planned|InProgress|Completed|Cancelled"


@given(parsers.re(rf"it is (?P<at>{TIME})"))
@when(parsers.re(rf"it is (?P<at>{TIME})"))
def it_is(world: World, at: str) -> None:
    world.clock.set(instant(at))


@given(parsers.re(r'an event (?P<wanted>".+)'), converters={"wanted": wish})
def an_event(world: World, wanted: Wish) -> None:
    world.plan(wanted)


@given(
    parsers.re(rf"(?P<count>\d+) events at (?P<at>{TIME}) with a reminder (?P<minutes>\d+) minutes before"),
    converters={"count": int, "minutes": int, "at": wall},
)
def many_events(world: World, count: int, at: datetime, minutes: int) -> None:
    _plan_many(world, count, at, timedelta(0), minutes)


@given(
    parsers.re(
        rf"(?P<count>\d+) events, one every (?P<seconds>\d+) seconds from (?P<at>{TIME}), "
        r"with a reminder (?P<minutes>\d+) minutes before"
    ),
    converters={"count": int, "seconds": int, "minutes": int, "at": wall},
)
def a_row_of_events(world: World, count: int, seconds: int, at: datetime, minutes: int) -> None:
    _plan_many(world, count, at, timedelta(seconds=seconds), minutes)


def _plan_many(world: World, count: int, start: datetime, step: timedelta, minutes: int) -> None:
    known = len(world.wishes)
    for number in range(count):
        world.plan(Wish(f"event {known + number}", start + number * step, [MinutesBeforeStart(minutes)]))


@given(parsers.re(rf'"(?P<name>[^"]+)" is (?P<told>{TOLD})'))
@when(parsers.re(rf'"(?P<name>[^"]+)" is (?P<told>{TOLD})'))
def is_told(world: World, name: str, told: str) -> None:
    tell(world, name, told)


@when(parsers.re(rf"an event that nobody planned is (?P<told>{TOLD})"))
def an_unknown_event_is_told(world: World, told: str) -> None:
    tell(world, "nobody's", told)


def tell(world: World, name: str, told: str) -> None:
    calendar = world.calendar()
    match told.split(" to "):
        case ["cancelled"]:
            world.attempt(name, calendar.cancel)
        case ["completed"]:
            world.attempt(name, calendar.complete)
        case ["started"]:
            world.attempt(name, calendar.start)
        case ["planned again"]:
            world.attempt(name, partial(calendar.plan, world.draft(world.wishes[name])))
        case ["left without reminders"]:
            world.attempt(name, partial(calendar.change, tz_version="2026a", triggers=()))
        case ["moved", end] if end.startswith("end at "):
            at = instant(end.removeprefix("end at "))
            start = event(world, name).timing.start_local
            move = partial(calendar.move, start_local=start, tz_version="2026a", end_at=at)
            world.attempt(name, move)
        case ["moved", start_text]:
            world.attempt(name, partial(calendar.move, start_local=wall(start_text), tz_version="2026a"))
        case _:
            raise AssertionError(told)


@given(
    parsers.re(rf"the row of (?P<name>{NAME}) was made (?P<status>{STATUS}) from outside, and .* not told")
)
def the_row_was_made(world: World, name: str, status: str) -> None:
    world.store.change_event_alone(event_id(name.strip('"')), EventStatus(status))


@given("its reminder was sent")
def its_reminder_was_sent(world: World) -> None:
    name = list(world.wishes)[-1]
    world.clock.set(world.reminder(name).due_at + timedelta(seconds=1))
    world.cycle()
    world.remembered = world.reminder(name)
    assert world.remembered.status is Status.SENT


@given("its reminder was skipped")
def its_reminder_was_skipped(world: World) -> None:
    name = list(world.wishes)[-1]
    tell(world, name, "left without reminders")
    world.remembered = world.reminder(name)
    assert world.remembered.status is Status.SKIPPED


@when(parsers.re(r'the triggers of "(?P<name>[^"]+)" become (?P<triggers>.+)'))
def the_triggers_become(world: World, name: str, triggers: str) -> None:
    world.remembered = world.reminder(name)
    wanted = tuple(trigger(one) for one in listed(triggers))
    world.attempt(name, partial(world.calendar().change, tz_version="2026a", triggers=wanted))


@when(parsers.re(r'the owner of "(?P<name>[^"]+)" becomes "(?P<owner>[^"]+)"'))
def the_owner_becomes(world: World, name: str, owner: str) -> None:
    world.attempt(name, partial(world.calendar().change, tz_version="2026a", owner_user_id=user_id(owner)))


@when(parsers.re(r'the client is taken off "(?P<name>[^"]+)"'))
def the_client_is_taken_off(world: World, name: str) -> None:
    world.attempt(name, partial(world.calendar().change, tz_version="2026a", no_client=True))


@when(parsers.re(r'the zone of "(?P<name>[^"]+)" becomes (?P<zone>\S+)'))
def the_zone_becomes(world: World, name: str, zone: str) -> None:
    world.attempt(name, partial(world.calendar().change, tz_version="2026b", time_zone=zone))


@when(parsers.re(rf'2 people move "(?P<name>[^"]+)" at once, to (?P<one>{TIME}) and to (?P<other>{TIME})'))
def two_move_at_once(world: World, name: str, one: str, other: str) -> None:
    calendars = [world.calendar(container=world.beside()) for _ in range(2)]
    moves = [
        partial(calendar.move, event_id(name), wall(to), tz_version="2026a")
        for calendar, to in zip(calendars, (one, other), strict=True)
    ]
    for came in at_once(*moves):
        assert not isinstance(came, Exception), came


@then(parsers.re(rf'"(?P<name>[^"]+)" is (?P<status>{STATUS})'))
def the_event_is(world: World, name: str, status: str) -> None:
    assert event(world, name).status is EventStatus(status)


@then(parsers.re(rf'"(?P<name>[^"]+)" starts at (?P<at>{TIME})'))
def the_event_starts(world: World, name: str, at: str) -> None:
    assert event(world, name).timing.start_at == instant(at)


@then(parsers.re(rf'"(?P<name>[^"]+)" ends at (?P<at>{TIME})'))
def the_event_ends(world: World, name: str, at: str) -> None:
    assert event(world, name).timing.end_at == instant(at)


@then("nothing happened")
def nothing_happened(world: World) -> None:
    assert world.problem is None
    assert world.done is not None
    assert world.done.happened == ()
    assert world.done.reminders == ()


@then(parsers.re(r"(?P<rule>(INV-\w+|ROW)-\d) refuses"))
def a_rule_refuses(world: World, rule: str) -> None:
    assert isinstance(world.problem, Refused)
    assert world.problem.rule == rule


@then(parsers.re(r'the reminders of "(?P<name>[^"]+)" are'))
def the_reminders_are(world: World, name: str, datatable: list[list[str]]) -> None:
    head, *rows = datatable
    assert head == ["due", "status", "reason"]
    wanted = Counter((instant(due), status, reason) for due, status, reason in rows)
    found = Counter((one.due_at, one.status.value, one.reason or "") for one in world.reminders(name))
    assert found == wanted


@then("all of them have ids of their own")
def all_have_ids_of_their_own(world: World) -> None:
    ids = world.reminder_ids[list(world.wishes)[-1]]
    assert len(ids) == len(set(ids)) == 3


@then(parsers.re(rf"the reminder due at (?P<due>{TIME}) has the id that it had"))
def the_id_that_it_had(world: World, due: str) -> None:
    assert world.remembered is not None
    (kept,) = [one for one in world.all_reminders() if one.due_at == instant(due)]
    assert kept == world.remembered


@then("that reminder is as it was")
def that_reminder_is_as_it_was(world: World) -> None:
    assert world.remembered is not None
    assert world.problem is None
    assert world.remembered in world.all_reminders()


@then(parsers.re(r'"(?P<name>[^"]+)" has one Pending reminder, (?P<minutes>\d+) minutes before its start'))
def one_pending_reminder(world: World, name: str, minutes: str) -> None:
    (one,) = [one for one in world.reminders(name) if one.status is Status.PENDING]
    assert one.due_at == event(world, name).timing.start_at - timedelta(minutes=int(minutes))


@then(parsers.re(rf'a reminder of "(?P<name>[^"]+)" is due at (?P<due>{TIME})'))
def a_reminder_is_due(world: World, name: str, due: str) -> None:
    one = world.reminder(name)
    assert (one.due_at, one.status) == (instant(due), Status.PENDING)


def event(world: World, name: str) -> CalendarEvent:
    found = world.ledger.event(event_id(name))
    assert found is not None
    return found.state
