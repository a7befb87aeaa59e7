"""Steps about the answers of deferred touches, the plans that make touches, and how they stand."""

from datetime import date, time, timedelta
from functools import partial
from itertools import pairwise

from pytest_bdd import given, parsers, then, when

from adapters.testkit.threads import at_once
from domain import deferred_touch
from domain.deferred_touch import Status
from domain.recurrence import BeforeDeadline, Every, Schedule
from domain.touch_plan import Terms
from tests.features.reading import TIME, instant, listed, wall
from tests.features.stores import wait_until
from tests.features.touching import (
    A_SECOND,
    TENANT,
    Touching,
    caller_for,
)

HOUR = timedelta(hours=1)
NUMBER = r"\d+"
TIMES = {"once": 1, "twice": 2}


# Delivering and planning.


@when("answers are delivered")
def are_delivered(touching: Touching) -> None:
    touching.deliver()
    touching.follow()


@when(parsers.re(rf"answers are delivered by (?P<count>{NUMBER}) senders at once"))
def are_delivered_at_once(touching: Touching, count: str) -> None:
    containers = [touching.world.beside() for _ in range(int(count))]
    came = at_once(*[partial(touching.deliver, container) for container in containers])
    assert [one for one in came if one is not None] == []
    touching.follow()


PLANS = r'the tenant plans the message "(?P<text>[^"]+)" for "(?P<client>[^"]+)", '


@given(parsers.re(PLANS + rf"every day at (?P<at>{TIME}) (?P<zone>\S+)"))
def plans_daily(touching: Touching, text: str, client: str, at: str, zone: str) -> None:
    _plan(touching, text, client, Every("FREQ=DAILY", wall(at), zone))


@given(
    parsers.re(
        PLANS + r"(?P<days>[\d, and]+) days before (?P<deadline>[\d-]+) at (?P<at>\d\d:\d\d) (?P<zone>\S+)"
    )
)
def plans_before(
    touching: Touching, text: str, client: str, days: str, deadline: str, at: str, zone: str
) -> None:
    before = tuple(int(one) for one in listed(days))
    schedule = BeforeDeadline(date.fromisoformat(deadline), before, time.fromisoformat(at), zone)
    _plan(touching, text, client, schedule)


def _plan(touching: Touching, text: str, client: str, schedule: Schedule) -> None:
    touching.planning().create(TENANT, Terms(schedule, caller_for(client).origin), text, "somebody")


@when(parsers.re(rf"Tickler runs until (?P<until>{TIME})"))
def runs_until(touching: Touching, until: str) -> None:
    """It polls every hour, and two seconds after it."""
    clock, channel = touching.world.clock, touching.world.channel
    while clock.now() < instant(until):
        for pause in (2 * A_SECOND, HOUR - 2 * A_SECOND):
            assert [one.problem for one in touching.planning().tick() if one.problem] == []
            touching.poll()
            before = len(channel.accepted)
            touching.deliver()
            touching.follow()
            touching.arrived += [(clock.now(), one) for one in channel.accepted[before:]]
            clock.advance(pause)


@when(parsers.re(rf"(?P<count>{NUMBER}) pollers of plans look at once"))
def look_at_once(touching: Touching, count: str) -> None:
    plannings = [touching.planning(touching.world.beside()) for _ in range(int(count))]
    came = at_once(*[partial(lambda planning: list(planning.tick()), one) for one in plannings])
    assert [one for one in came if isinstance(one, Exception)] == []


# How things stand.

BECAME = "Pending|InProgress|Answered|Delivered|Cancelled"


@then(
    parsers.re(
        rf'the touch "(?P<name>[^"]+)" is (?P<status>{BECAME})'
        rf"(?: after (?P<failures>{NUMBER}) failures? and (?P<recoveries>{NUMBER}) recover(?:y|ies))?"
    )
)
def the_touch_is(
    touching: Touching, name: str, status: str, failures: str | None, recoveries: str | None
) -> None:
    touch = touching.touch(name)
    assert touch.status is Status(status)
    if failures is not None and recoveries is not None:
        assert (touch.failures, touch.recoveries) == (int(failures), int(recoveries))


@then(parsers.re(r'the touch "(?P<name>[^"]+)" is (?P<status>Failed|Closed) as (?P<reason>\w+)'))
def the_touch_is_as(touching: Touching, name: str, status: str, reason: str) -> None:
    touch = touching.touch(name)
    assert (touch.status, (touch.reason or "").partition(":")[0]) == (Status(status), reason)


@then(parsers.re(r'the agent has control again, and nobody has worked on "(?P<name>[^"]+)"'))
def has_control(touching: Touching, name: str) -> None:
    assert touching.desk.times(name) == []
    assert [type(one.event) for one in touching.history(name)] == [deferred_touch.TouchRegistered]


@then(parsers.re(r'"(?P<name>[^"]+)" was worked on (?P<times>once|twice)'))
def was_worked_on(touching: Touching, name: str, times: str) -> None:
    assert len(touching.desk.times(name)) == TIMES[times]


@then(parsers.re(rf'"(?P<name>[^"]+)" was worked on {NUMBER} times, with (?P<pauses>.+) seconds between'))
def was_worked_on_with_pauses(touching: Touching, name: str, pauses: str) -> None:
    """It polls every second, so a pause ends at the first whole second after it."""
    between = [later - earlier for earlier, later in pairwise(touching.desk.times(name))]
    assert between == [(int(pause) + 1) * A_SECOND for pause in listed(pauses)]


@then(parsers.re(rf"each of the {NUMBER} was claimed once and answered once"))
def each_once(touching: Touching) -> None:
    for name in touching.ids:
        happened = [type(one.event) for one in touching.history(name)]
        assert happened.count(deferred_touch.TouchClaimed) == 1
        assert happened.count(deferred_touch.TouchAnswered) == 1


@then(parsers.re(r'"(?P<name>[^"]+)" was answered once in its history'))
def answered_once(touching: Touching, name: str) -> None:
    happened = [type(one.event) for one in touching.history(name)]
    assert happened.count(deferred_touch.TouchAnswered) == 1


@then(parsers.re(rf'"(?P<name>[^"]+)" was answered at (?P<at>{TIME})'))
def answered_at(touching: Touching, name: str, at: str) -> None:
    when_answered = [
        one.occurred_at
        for one in touching.history(name)
        if isinstance(one.event, deferred_touch.TouchAnswered)
    ]
    assert when_answered == [instant(at)]


@then(
    parsers.re(rf"(?P<answered>{NUMBER}) of the {NUMBER} are Answered and (?P<pending>{NUMBER}) are Pending")
)
def so_many_are(touching: Touching, answered: str, pending: str) -> None:
    statuses = touching.statuses()
    found = (statuses.count(Status.ANSWERED), statuses.count(Status.PENDING))
    assert found == (int(answered), int(pending))


@then(parsers.re(r'"(?P<name>[^"]+)" is answered while "(?P<other>[^"]+)" is InProgress'))
def is_answered_while(touching: Touching, name: str, other: str) -> None:
    wait_until(lambda: touching.touch(name).status is Status.ANSWERED)
    assert touching.touch(other).status is Status.IN_PROGRESS


@then(parsers.re(r'"(?P<name>[^"]+)" is among them'))
def is_among_them(touching: Touching, name: str) -> None:
    assert name in touching.first


@then("its write is refused")
def its_write_is_refused(touching: Touching) -> None:
    ((running, _),) = touching.workers.values()
    assert [one.what for one in running.worked] == ["refused"]


@then(parsers.re(rf'"Olga" got (?P<count>no|{NUMBER}) answers?'))
def got_answers(touching: Touching, count: str) -> None:
    assert len(touching.answers()) == (0 if count == "no" else int(count))


@then(parsers.re(r'"Olga" got the answer to "(?P<name>[^"]+)"'))
def got_the_answer(touching: Touching, name: str) -> None:
    assert [one.text.strip() for one in touching.answers()] == [name]


@then('"Olga" got these answers')
def got_these_answers(touching: Touching, datatable: list[list[str]]) -> None:
    minutes = [(at.replace(second=0), one.text.strip()) for at, one in touching.arrived]
    assert minutes == [(instant(at), text) for at, text in datatable[1:]]
    assert len(touching.answers()) == len(minutes)


@then(
    parsers.re(r'the answer to "(?P<name>[^"]+)" went to "(?P<address>[^"]+)" on the channel whatsapp alone')
)
def went_to(touching: Touching, name: str, address: str) -> None:
    assert [one.address for one in touching.channels["whatsapp"].accepted] == [address]
    assert touching.world.channel.sent == []
    assert touching.touch(name).status is Status.DELIVERED


@then(parsers.re(r'the operator is told of "(?P<name>[^"]+)" by its id alone'))
def the_operator_is_told(touching: Touching, name: str) -> None:
    touching.world.clock.advance(2 * HOUR)
    touching.deliver()
    (notice,) = touching.world.channel.accepted
    assert notice.address == "rita"
    assert str(touching.ids[name]) in notice.text
    assert name not in notice.text + notice.subject + (notice.html or "")
