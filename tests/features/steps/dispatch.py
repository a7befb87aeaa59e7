"""Steps about cycles: what they are given, how they run, and what became of the reminders."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import attrs
from pytest_bdd import given, parsers, then, when

from adapters.inbound.loops import DispatchStep
from application.ports.errors import Unavailable
from domain.reminder import Reminder, ReminderSent, SkipReason, Status
from tests.features.reading import NAME, TIME, instant, listed
from tests.features.world import World, event_id

FAILS = "makes no sense|has an event that makes no sense|is refused by the store"
BECAME = rf"Pending|Sent at {TIME}|Skipped as \w+"


@given(parsers.re(r"batches of (?P<size>\d+)"))
def batches_of(world: World, size: str) -> None:
    world.options = attrs.evolve(world.options, batch_size=int(size))


@given("catching up is off")
def catching_up_is_off(world: World) -> None:
    world.options = attrs.evolve(world.options, catch_up=False)


@given(parsers.re(r"a grace of (?P<minutes>\d+) minutes"))
def a_grace(world: World, minutes: str) -> None:
    world.options = attrs.evolve(world.options, stale_after=timedelta(minutes=int(minutes)))


@given(parsers.re(r"each cycle takes (?P<seconds>\d+) seconds?"))
def each_cycle_takes(world: World, seconds: str) -> None:
    world.cycle_takes = timedelta(seconds=int(seconds))


@given(parsers.re(rf'the reminder of "(?P<name>[^"]+)" (?P<fails>{FAILS})'))
def the_reminder_fails(world: World, name: str, fails: str) -> None:
    match fails:
        case "makes no sense":
            world.store.spoil_reminder(world.reminder(name).id)
        case "has an event that makes no sense":
            world.store.spoil_event(event_id(name))
        case "is refused by the store":
            world.store.refuse(world.reminder(name).id)


@given("their reminders are refused by the store")
def their_reminders_are_refused(world: World) -> None:
    for one in world.all_reminders():
        world.store.refuse(one.id)


@when("what was spoilt is mended")
def what_was_spoilt_is_mended(world: World) -> None:
    world.store.mend()


@when("a cycle runs")
def a_cycle_runs(world: World) -> None:
    world.cycle()


@when(parsers.re(r"(?P<count>\d+) ticks? runs?"))
def ticks_run(world: World, count: str) -> None:
    with world.watched():
        for _ in range(int(count)):
            world.results += world.job().tick()


@when("Tickler is restarted")
def tickler_is_restarted(world: World) -> None:
    world.restart()


@when(parsers.re(rf"the job runs until (?P<until>{TIME})"))
def the_job_runs_until(world: World, until: str) -> None:
    step = DispatchStep(world.job(), world.clock, lambda: False)
    while world.clock.now() < instant(until):
        pause = step()
        world.note_who_left()
        assert pause >= 0
        world.clock.advance(timedelta(seconds=pause))


@then(parsers.re(r"the cycle sent (?P<sent>\d+), skipped (?P<skipped>\d+) and passed over (?P<locked>\d+)"))
def the_cycle_came_to(world: World, sent: str, skipped: str, locked: str) -> None:
    result = world.result
    found = (result.sent_count, result.skipped_count, result.skipped_locked_count)
    assert found == (int(sent), int(skipped), int(locked))


@then(parsers.re(r"the cycles sent (?P<counts>[\d, and]+)"))
def the_cycles_sent(world: World, counts: str) -> None:
    assert world.problem is None
    assert [one.sent_count for one in world.results] == [int(one) for one in listed(counts)]


@then("each cycle had a run id of its own")
def each_cycle_had_a_run_id(world: World) -> None:
    assert len({one.run_id for one in world.results}) == len(world.results)


@then("nothing was written by the cycle")
def nothing_was_written(world: World) -> None:
    assert world.snapshot() == world.before


@then("the cycle ended as Unavailable")
def the_cycle_ended_as_unavailable(world: World) -> None:
    assert isinstance(world.problem, Unavailable)


@then(parsers.re(rf"the reminder of (?P<name>{NAME}) is (?P<became>{BECAME})"))
def the_reminder_is(world: World, name: str, became: str) -> None:
    assert _became(world.reminder(name.strip('"'))) == _read(became)


@then(parsers.re(r"(?:all )?(?P<count>\d+) reminders are (?P<status>Sent|Pending)"))
def all_reminders_are(world: World, count: str, status: str) -> None:
    assert Counter(one.status.value for one in world.all_reminders()) == {status: int(count)}


@then(parsers.re(r"(?P<sent>\d+) reminders are Sent and (?P<pending>\d+) are Pending"))
def some_are_sent(world: World, sent: str, pending: str) -> None:
    found = Counter(one.status for one in world.all_reminders())
    assert found == {Status.SENT: int(sent), Status.PENDING: int(pending)}


@then(parsers.re(r"(?P<count>\d+) due reminder is still Pending"))
def due_reminders_are_still_pending(world: World, count: str) -> None:
    assert world.ledger.backlog(world.clock.now()).count == int(count)


@then(parsers.re(r'the reminder of "(?P<name>[^"]+)" has no time of sending'))
def no_time_of_sending(world: World, name: str) -> None:
    assert world.reminder(name).sent_at is None


@then(parsers.re(r'one ERROR names the reminder and the event of "(?P<name>[^"]+)"'))
def one_error_names(world: World, name: str) -> None:
    (reminder_id,) = world.reminder_ids[name]
    (error,) = [line for line in world.logs if line["log_level"] == "error"]
    assert (error["ReminderId"], error["EventId"]) == (reminder_id, event_id(name))


@then("no ERROR was told")
def no_error_was_told(world: World) -> None:
    assert [line for line in world.logs if line["log_level"] == "error"] == []


@then("each poison row was named by one ERROR in the tick")
def each_poison_row_was_named(world: World) -> None:
    named = Counter(line["ReminderId"] for line in world.logs if line["log_level"] == "error")
    pending = [one.id for one in world.all_reminders() if one.status is Status.PENDING]
    assert named == Counter(pending)
    assert len(pending) == 7


@then("each reminder was sent once in its history")
def sent_once_in_its_history(world: World) -> None:
    for ids in world.reminder_ids.values():
        for one in ids:
            happened = [recorded.event for recorded in world.ledger.history(one)]
            assert sum(isinstance(event, ReminderSent) for event in happened) == 1
            assert len(happened) == 2


@then(
    parsers.re(
        r'the history of "(?P<name>[^"]+)"\'s reminder ends with the cycle\'s run id and the actor system'
    )
)
def history_ends_with_the_run_id(world: World, name: str) -> None:
    last = world.ledger.history(world.reminder(name).id)[-1]
    assert (last.correlation_id, last.actor) == (world.result.run_id, "system")


@then(
    parsers.re(
        r'the history of "(?P<name>[^"]+)"\'s reminder ends with Sent on version (?P<version>\d) of its event'
    )
)
def history_ends_with_sent_on(world: World, name: str, version: str) -> None:
    last = world.ledger.history(world.reminder(name).id)[-1].event
    assert isinstance(last, ReminderSent)
    assert last.event_version == int(version)


@then("no row is locked")
def no_row_is_locked(world: World) -> None:
    assert world.rows_under_lock() == 0


@then(parsers.re(r"each left within (?P<seconds>\d+) seconds of its DueAt"))
def each_left_within(world: World, seconds: str) -> None:
    sent = world.all_reminders()
    assert {one.id for one in sent} == set(world.left)
    for one in sent:
        assert timedelta(0) < world.left[one.id] - one.due_at <= timedelta(seconds=int(seconds))


@then(parsers.re(r"each was sent less than (?P<seconds>\d+) seconds after its DueAt"))
def each_was_sent_within(world: World, seconds: str) -> None:
    for one in world.all_reminders():
        assert one.sent_at is not None
        assert timedelta(0) < one.sent_at - one.due_at < timedelta(seconds=int(seconds))


@then("no two cycles overlapped")
def no_two_cycles_overlapped(world: World) -> None:
    windows = sorted(world.windows)
    assert len(windows) > 1
    assert all(ended <= began for (_, ended), (began, _) in pairwise(windows))


@then(parsers.re(r"cycles began at (?P<times>.+)"))
def cycles_began_at(world: World, times: str) -> None:
    assert [began for began, _ in world.windows] == [instant(one) for one in listed(times)]


def _became(one: Reminder) -> tuple[object, ...]:
    return one.status, one.sent_at, one.reason


def _read(became: str) -> tuple[object, ...]:
    word, _, rest = became.partition(" ")
    match word:
        case "Sent":
            return Status.SENT, instant(rest.removeprefix("at ")), None
        case "Skipped":
            return Status.SKIPPED, None, SkipReason(rest.removeprefix("as "))
        case _:
            return Status(word), None, None
