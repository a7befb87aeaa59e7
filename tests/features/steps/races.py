"""Steps in which two do something at once, or something happens in the midst of a cycle."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from pytest_bdd import parsers, then, when

from adapters.testkit.threads import PATIENCE, at_once
from application.calendar import Calendar, Done
from application.dispatching import CycleResult
from application.ports.errors import Unavailable
from domain.reminder import Status
from domain.values import EventStatus
from tests.features.interposed import Moments
from tests.features.reading import TIME, wall
from tests.features.stores import wait_until
from tests.features.world import World, event_id


@when(parsers.re(r"(?P<count>\d+) instances run cycles at once until nothing is due"))
def instances_run_at_once(world: World, count: str) -> None:
    now = world.clock.now()

    def work() -> list[CycleResult]:
        container = world.beside()
        job, ids, ledger = world.job(container=container), container.ids(), container.ledger()
        results = [job.cycle(ids.new(), now)]
        while ledger.backlog(now).count:
            results.append(job.cycle(ids.new(), now))
        return results

    world.problem, world.results = None, []
    for came in at_once(*[work] * int(count)):
        assert not isinstance(came, Exception), came
        world.results += came


@then(parsers.re(r"the instances together sent (?P<count>\d+)"))
def the_instances_sent(world: World, count: str) -> None:
    assert sum(one.sent_count for one in world.results) == int(count)


@when("a cycle runs, and between its read and its write another instance runs a whole cycle")
def another_instance_in_between(world: World) -> None:
    beside = world.beside()

    def another() -> None:
        world.elsewhere = world.job(container=beside).cycle(beside.ids().new(), world.clock.now())

    world.cycle(Moments(between_read_and_write=another))


@then(
    parsers.re(
        r"the other instance's cycle sent (?P<sent>\d+), skipped (?P<skipped>\d+) and passed "
        r"over (?P<locked>\d+)"
    )
)
def the_other_cycle_came_to(world: World, sent: str, skipped: str, locked: str) -> None:
    result = world.elsewhere
    assert result is not None
    found = (result.sent_count, result.skipped_count, result.skipped_locked_count)
    assert found == (int(sent), int(skipped), int(locked))


@when(
    parsers.re(
        r'somebody\'s cancel of "(?P<name>[^"]+)" '
        r"holds its rows, a cycle reads, "
        r"the cancel commits, and the cycle writes"
    )
)
def a_cancel_commits_in_between(world: World, name: str) -> None:
    with held(world, lambda calendar: calendar.cancel(event_id(name))) as commit:
        world.cycle(Moments(between_read_and_write=commit))


@when(
    parsers.re(rf'a cycle runs while somebody\'s move of "(?P<name>[^"]+)" to (?P<to>{TIME}) holds its rows')
)
def a_cycle_beside_a_move(world: World, name: str, to: str) -> None:
    move = partial(_move, world=world, name=name, to=to)
    with held(world, move):
        world.cycle()


@when(
    parsers.re(
        r"a cycle runs, and between its read and its write the row of "
        r'"(?P<name>[^"]+)" is made (?P<status>InProgress|Cancelled) from outside, '
        r"(?P<version>with|without) a new version"
    )
)
def the_row_changes_in_between(world: World, name: str, status: str, version: str) -> None:
    def change() -> None:
        world.store.change_event_alone(event_id(name), EventStatus(status), int(version == "with"))

    world.cycle(Moments(between_read_and_write=change))


@when(
    parsers.re(
        r'a cycle runs, and between its read and its write somebody begins to cancel "(?P<name>[^"]+)"'
    )
)
def a_cancel_begins_in_between(world: World, name: str) -> None:
    calendar = world.calendar(container=world.beside())
    with ThreadPoolExecutor(1) as pool:
        cancels: list[Future[Done]] = []

        def begin() -> None:
            cancels.append(pool.submit(calendar.cancel, event_id(name)))
            wait_until(lambda: world.store.somebody_waits_with(event_id(name)))
            assert not cancels[0].done()

        world.cycle(Moments(between_read_and_write=begin))
        world.note(name, cancels[0].result(PATIENCE))


@when("a tick runs, and a stop is asked for between the read and the write of its first cycle")
def a_stop_in_the_midst(world: World) -> None:
    stop = threading.Event()
    with world.watched():
        world.results += world.job(Moments(between_read_and_write=stop.set)).tick(stop.is_set)


@then(parsers.re(r"the tick ended after (?P<count>\d+) cycle"))
def the_tick_ended_after(world: World, count: str) -> None:
    assert world.problem is None
    assert len(world.results) == int(count)


@when("a cycle is cut short in its write by a stop")
def a_cycle_is_cut_short(world: World) -> None:
    def run(before_commit: Callable[[], None]) -> None:
        job = world.job(Moments(before_commit=before_commit))
        job.cycle(world.tickler.ids().new(), world.clock.now())

    world.before = world.snapshot()
    world.problem = world.store.cut_short(world.tickler, run)


@when("a cycle runs, and the store fails before its commit")
def the_store_fails(world: World) -> None:
    def fail() -> None:
        raise Unavailable("the store is gone")

    world.cycle(Moments(before_commit=fail))


@when("a cycle runs, and everybody else looks before its commit")
def everybody_else_looks(world: World) -> None:
    onlooker = world.beside()

    def look() -> None:
        ledger, outbox = onlooker.ledger(), onlooker.outbox()
        rows = [row for name in world.wishes for row in ledger.reminders(event_id(name))]
        sent = sum(row.state.status is Status.SENT for row in rows)
        world.seen = sent, outbox.backlog(world.clock.now()).count

    world.cycle(Moments(before_commit=look))


@then(parsers.re(r"they saw (?P<sent>\d+) Sent reminders and (?P<messages>\d+) messages"))
def they_saw(world: World, sent: str, messages: str) -> None:
    assert world.seen == (int(sent), int(messages))


@contextmanager
def held(world: World, change: Callable[[Calendar], Done]) -> Iterator[Callable[[], None]]:
    """Somebody else's change that has written all and not committed; what is given lets it commit."""
    holding, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        holding.set()
        assert go_on.wait(PATIENCE)

    calendar = world.calendar(Moments(after_record=hold), world.beside())
    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change, calendar)

        def commit() -> None:
            go_on.set()
            changing.result(PATIENCE)

        try:
            assert holding.wait(PATIENCE)
            yield commit
        finally:
            go_on.set()
        changing.result(PATIENCE)


def _move(calendar: Calendar, *, world: World, name: str, to: str) -> Done:
    done = calendar.move(event_id(name), wall(to), tz_version="2026a")
    world.note(name, done)
    return done
