"""The whole line over a real Apache Kafka, while its processes are killed and while the broker is away."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import pytest
from attrs import astuple, define, field

from adapters.outbound.system import SystemClock
from application.dispatching import TOPIC
from tests.faults.audit import breaches
from tests.faults.line import Line, Progress, Worker, line
from tests.faults.planting import REMINDERS_AN_EVENT, plant
from tests.kafka.broker import KafkaBroker

PARTITIONS = 4
KILLED = ("dispatch", "relay", "consume")
AFTER_DISPATCH = ("relay", "consume", "deliver")
STUCK_S = 180.0
"""More than a relay's lease and a consumer's session, and what a crowded machine adds to them."""
OUTAGE_S = 60.0
DRAINED_WITHIN_S = 60.0
LOAD_INTERVAL_S = 0.5
"""Each time 20 reminders: 40 a second where the machine is not in the way."""
ENOUGH = 600
"""A quarter of it, since planting and dispatching share the machine with all else."""
GROWTH_MIB = 16.0
WARM = 500
LOOK_S = 1.0

NewLine = Callable[[], AbstractContextManager[Line]]


@pytest.fixture
def new_line(postgres_url: str, own_kafka: KafkaBroker, tmp_path: Path) -> NewLine:
    """Starts the whole line, over a database, a broker and a topic of the test's own."""
    own_kafka.kafka.topic(PARTITIONS, TOPIC)
    return lambda: line(postgres_url, own_kafka.bootstrap, tmp_path)


@define
class Killing:
    """Kills one process so often, each time after a random part of the work that is then left."""

    worker: Worker
    total: int
    kills: int
    chance: random.Random
    after_kill: Callable[[], None]
    at_work: int = field(default=0, init=False)
    _next: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._aim(0)

    def look(self, moved: int) -> None:
        if self.worker.kills < self.kills and moved >= self._next:
            self.worker.kill()
            self.at_work += moved < self.total
            self.after_kill()
            self.worker.start()
            self._aim(moved)

    def _aim(self, moved: int) -> None:
        share = (self.total - moved) / (self.kills - self.worker.kills + 1)
        self._next = moved + round(share * self.chance.uniform(0.1, 0.9))


def watch(line: Line, is_over: Callable[[Progress], bool], longest_pause: float = 0.5) -> None:
    """Until it is over, asked at random moments; fails where nothing in the line moves for STUCK_S."""
    seen, since = None, monotonic()
    while not is_over(now := line.progress()):
        if now != seen:
            seen, since = now, monotonic()
        assert monotonic() - since < STUCK_S, f"nothing moves any more at {now}\n{line.last_words()}"
        assert line.ended() == [], line.last_words()
        Event().wait(random.uniform(0.0, longest_pause))


def kill_while_it_works(line: Line, reminders: int, kills: int, after_kill: Callable[[], None]) -> None:
    """Until so many reminders are delivered, kill each process of KILLED so often."""
    seed = random.randrange(2**32)
    print(f"the kills of this run: seed {seed}")
    chance = random.Random(seed)
    killings = {loop: Killing(line.workers[loop], reminders, kills, chance, after_kill) for loop in KILLED}

    def are_all_killed(progress: Progress) -> bool:
        for loop, killing in killings.items():
            killing.look(getattr(progress, loop))
        return all(killing.worker.kills >= kills for killing in killings.values())

    watch(line, are_all_killed, longest_pause=0.05)
    watch(line, lambda progress: set(astuple(progress)) == {reminders})
    print({f"{loop} killed at work": killing.at_work for loop, killing in killings.items()})


def check_nothing_lost(line: Line) -> None:
    """One set of ids in the outbox, on the topic and in the inbox, and of each one message."""
    outbox = line.ids("outbox", "message_id")
    on_topic = line.topic_ids()
    assert set(on_topic) == outbox
    assert line.ids("inbox", "reminder_id") == outbox
    assert line.wrong_deliveries() == []
    printed = Counter(line.printed_ids())
    assert set(printed.values()) == {1}
    assert set(printed) == line.ids("deliveries", "id")
    assert len(printed) == len(outbox)
    assert breaches(line.conninfo) == {}
    print(f"{len(outbox)} reminders, {len(on_topic)} records on the topic")


def test_what_passes_through_killed_processes_is_neither_lost_nor_delivered_twice(
    postgres_url: str, new_line: NewLine
) -> None:
    plant(postgres_url, 1_000, as_of=SystemClock().now())
    with new_line() as line:
        kill_while_it_works(line, 1_000, 2, line.end_leases)

        check_nothing_lost(line)


@pytest.mark.prove
def test_20_000_reminders_pass_once_through_processes_that_are_killed_ten_times_each(
    postgres_url: str, new_line: NewLine
) -> None:
    plant(postgres_url, 20_000, as_of=SystemClock().now())
    with new_line() as line:
        kill_while_it_works(line, 20_000, 10, lambda: None)

        check_nothing_lost(line)


@pytest.mark.prove
def test_a_minute_without_the_broker_stops_no_dispatch_and_fills_no_memory(
    own_kafka: KafkaBroker, new_line: NewLine
) -> None:
    with new_line() as line:
        with load(line.conninfo):
            watch(line, lambda progress: min(astuple(progress)) >= WARM)
            usual = line.memory_mib()
            own_kafka.stop()
            before = line.progress()
            peak = peak_memory_mib(line, OUTAGE_S)
            after = line.progress()
            own_kafka.start()
            returned = monotonic()
        drained = {stage: seconds_until_drained(line, stage, returned) for stage in AFTER_DISPATCH}

        dispatched = after.dispatch - before.dispatch
        print(f"{dispatched} dispatched meanwhile; seconds until all of it was through: {drained}")
        print(", ".join(f"{name}: {usual[name]:.0f} MiB, then {peak[name]:.0f}" for name in peak))
        assert dispatched > ENOUGH
        assert after.relay == before.relay
        assert all(peak[name] - usual[name] < GROWTH_MIB for name in peak)
        assert max(drained.values()) < DRAINED_WITHIN_S
        check_nothing_lost(line)


@contextmanager
def load(conninfo: str) -> Iterator[None]:
    """Meanwhile reminders fall due, an event's at a time."""
    stop = Event()

    def plant_more() -> None:
        while not stop.wait(LOAD_INTERVAL_S):
            plant(conninfo, REMINDERS_AN_EVENT, as_of=SystemClock().now())

    planting = Thread(target=plant_more)
    planting.start()
    try:
        yield
    finally:
        stop.set()
        planting.join()


def seconds_until_drained(line: Line, stage: str, since: float) -> float:
    """Until nothing that was dispatched waits for this loop."""

    watch(line, lambda progress: getattr(progress, stage) == progress.dispatch)
    return round(monotonic() - since, 1)


def is_past(moment: float) -> Callable[[Progress], bool]:
    return lambda progress: monotonic() > moment


def peak_memory_mib(line: Line, seconds: float) -> dict[str, float]:
    """The largest size of each process in that time, in MiB."""
    peak = line.memory_mib()
    end = monotonic() + seconds
    while (look := monotonic() + LOOK_S) < end:
        watch(line, is_past(look))
        peak = {name: max(peak[name], size) for name, size in line.memory_mib().items()}
    return peak
