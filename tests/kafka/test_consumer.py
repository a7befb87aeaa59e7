"""What the consumer promises of a topic, over a cluster: nothing lost, nothing twice, nothing in the way."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import count, islice
from threading import Event
from time import monotonic
from uuid import UUID

import pytest
from attrs import evolve, field, frozen
from confluent_kafka import TopicPartition
from structlog.testing import capture_logs

from adapters.codec import encode_due
from adapters.inbound.loops import Hindered
from adapters.outbound.memory.quarantine import MemoryQuarantine
from adapters.testkit.publisher import due
from application.notifying import Notifying
from application.ports.errors import Unavailable
from application.ports.quarantine import Quarantined
from domain.policies import ReminderDueEvent
from tests.application.world import World
from tests.kafka.cluster import Kafka
from tests.kafka.mock import MockCluster
from tests.kafka.oddly import write_with_a_header_named
from tests.kafka.office import PATIENCE_S, Reading, new_name, step_until

PARTITIONS = 3


@pytest.fixture
def mocked(mock_kafka: MockCluster) -> Reading:
    topic = new_name("due")
    mock_kafka.topic(topic, PARTITIONS)
    # The mock takes the length of a session to move partitions.
    return Reading(mock_kafka.bootstrap, topic, {"session.timeout.ms": 2_000, "heartbeat.interval.ms": 200})


@pytest.fixture
def real(kafka: Kafka) -> Reading:
    return Reading(kafka.bootstrap, kafka.topic(PARTITIONS), {"heartbeat.interval.ms": 200})


@pytest.fixture(params=["mocked", "real"])
def reading(request: pytest.FixtureRequest) -> Reading:
    found: Reading = request.getfixturevalue(request.param)
    return found


@frozen
class Listening(Notifying):
    """The notifications, what they took in, and a store that fails as `trouble` says of the numbers."""

    trouble: Callable[[Sequence[int]], Exception | None] = lambda _: None
    numbers: list[int] = field(factory=list)
    sizes: list[int] = field(factory=list)

    @classmethod
    def over(
        cls, world: World, trouble: Callable[[Sequence[int]], Exception | None] = lambda _: None
    ) -> "Listening":
        return cls(world.deliveries, world.people, world.clock, world.ids, trouble)

    @property
    def asked(self) -> int:
        return len(self.sizes)

    def receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[bool]:
        numbers = [one.reminder_id.int for one in due]
        self.sizes.append(len(numbers))
        if (problem := self.trouble(numbers)) is not None:
            raise problem
        self.numbers.extend(numbers)
        return super().receive(due)


@frozen
class Away(MemoryQuarantine):
    """A quarantine whose store is away the first times that it is asked."""

    times: Iterator[int]

    def keep(self, records: Sequence[Quarantined]) -> int:
        for _ in self.times:
            raise Unavailable("10.0.0.1")
        return super().keep(records)


POISON = {
    "wrong JSON": b"{",
    "no text": b"\xff\xfe\x00",
    "no object": b"[]",
    "wrong version": b'{"contractVersion":2}',
    "no reminderId": b'{"contractVersion":1}',
    "a null value": None,
    "nothing": b"",
    "a megabyte": b"9" * 990_000,
    "deep": b"[" * 60_000,
    "a byte order mark": b"\xef\xbb\xbf" + encode_due(due(9)),
    "another encoding": encode_due(due(9)).decode().encode("utf-16"),
    "a number that is none": encode_due(due(9))[:-1] + b',"more":NaN}',
    "a field twice": encode_due(due(9))[:-1] + b',"kind":"other"}',
    "a megabyte that could be read": b'{"contractVersion":1,"more":"' + b"9" * 990_000 + b'"}',
}


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON.keys())
def test_poison_is_kept_with_its_bytes_and_the_partition_goes_on(
    reading: Reading, poison: bytes | None
) -> None:
    reading.write([due(1), poison, due(2)], partition=0)

    with closing(reading.consumer()) as consumer:
        step_until(lambda: reading.inbox == {1, 2}, consumer)

    (kept,) = reading.quarantine
    assert (kept.topic, kept.partition, kept.offset) == (reading.topic, 0, 1)
    assert (kept.key, kept.value) == (b"key", poison)
    assert kept.reason
    assert kept.reason.isprintable()
    assert reading.committed(PARTITIONS)[0] == 3


def test_a_record_whose_header_has_no_name_that_can_be_read_is_kept_and_passed(reading: Reading) -> None:
    quarantine = Away(reading.world.store, iter(range(3)))
    reading.write([due(1)], partition=0)
    write_with_a_header_named(b"\xff\xfename", b'{"bad":1}', reading.bootstrap, reading.topic, 0)
    reading.write([due(2)], partition=0)

    with closing(reading.consumer(quarantine=quarantine)) as consumer:
        step_until(lambda: reading.inbox == {1, 2} and len(reading.quarantine) == 1, consumer)

    (kept,) = reading.quarantine
    assert (kept.offset, kept.value, kept.headers) == (1, b'{"bad":1}', ())


def test_many_poisoned_records_among_good_ones_are_all_kept(reading: Reading) -> None:
    good = [due(number, event=number) for number in range(200)]
    reading.write(one for pair in zip(good, [b"{"] * 200, strict=True) for one in pair)

    with closing(reading.consumer()) as consumer:
        step_until(lambda: len(reading.inbox) == 200 and len(reading.quarantine) == 200, consumer)


def test_a_new_group_reads_all_from_the_beginning_and_delivers_nothing_twice(reading: Reading) -> None:
    reading.write([due(number, event=number) for number in range(300)])
    with closing(reading.consumer()) as consumer:
        step_until(lambda: len(reading.inbox) == 300, consumer)
    delivered = reading.world.all_deliveries()

    heard = Listening.over(reading.world)
    again = evolve(reading, group=new_name("group"))
    with closing(again.consumer(heard)) as consumer:
        step_until(lambda: len(heard.numbers) == 300, consumer)

    assert {*heard.numbers} == {*range(300)}
    assert reading.world.all_deliveries() == delivered
    assert len(delivered) == 600


def test_the_same_group_goes_on_where_it_was(reading: Reading) -> None:
    reading.write([due(number, event=number) for number in range(100)])
    with closing(reading.consumer()) as consumer:
        step_until(lambda: len(reading.inbox) == 100, consumer)

    reading.write([due(number, event=number) for number in range(100, 130)])
    heard = Listening.over(reading.world)
    with closing(reading.consumer(heard)) as consumer:
        step_until(lambda: len(reading.inbox) == 130, consumer)

    assert {*heard.numbers} == {*range(100, 130)}


def test_with_the_store_away_for_a_while_nothing_is_lost_and_no_offset_is_stored(reading: Reading) -> None:
    away = Event()
    away.set()
    troubled = Listening.over(reading.world, lambda _: Unavailable("10.0.0.1") if away.is_set() else None)
    reading.write([due(number, event=number) for number in range(50)])

    with closing(reading.consumer(troubled, batch_size=10)) as consumer:
        hindered = step_until(lambda: troubled.asked >= 5, consumer)
        reading.write([due(number, event=number) for number in range(50, 80)])
        hindered += step_until(lambda: troubled.asked >= 10, consumer)
        assert reading.committed(PARTITIONS) == [-1001] * PARTITIONS
        assert reading.inbox == set()
        away.clear()
        step_until(lambda: len(reading.inbox) == 80, consumer)

    assert {*hindered} == {"the notifications' store: Unavailable"}
    assert sum(reading.committed(PARTITIONS)) == 80


def test_while_a_full_batch_is_held_nothing_more_is_read(reading: Reading) -> None:
    away = Event()
    away.set()
    troubled = Listening.over(reading.world, lambda _: Unavailable() if away.is_set() else None)
    reading.write([due(number, event=number) for number in range(400)])

    with closing(reading.consumer(troubled, batch_size=10)) as consumer:
        step_until(lambda: troubled.asked >= 40, consumer)
        assert max(troubled.sizes) == 10
        away.clear()
        step_until(lambda: len(reading.inbox) == 400, consumer)


def test_a_quarantine_that_is_away_holds_the_poison_and_what_is_good_is_taken_in(reading: Reading) -> None:
    quarantine = Away(reading.world.store, iter(range(3)))
    reading.write([due(1), b"{", due(2)], partition=0)

    with closing(reading.consumer(quarantine=quarantine)) as consumer:
        hindered = step_until(lambda: reading.inbox == {1, 2}, consumer)
        assert len(reading.quarantine) == 0
        hindered = step_until(lambda: len(reading.quarantine) == 1, consumer)

    assert hindered == ["the quarantine's store: Unavailable"]
    assert reading.committed(PARTITIONS)[0] == 3


def test_what_the_store_refuses_is_found_among_others_and_quarantined(reading: Reading) -> None:
    troubled = Listening.over(reading.world, lambda numbers: RuntimeError("row") if 7 in numbers else None)
    reading.write([due(number, event=number) for number in range(20)])

    with closing(reading.consumer(troubled)) as consumer:
        step_until(lambda: len(reading.inbox) == 19 and len(reading.quarantine) == 1, consumer)

    (kept,) = reading.quarantine
    assert kept.value is not None
    assert str(UUID(int=7)).encode() in kept.value
    assert kept.reason == "the notifications failed: RuntimeError"


def test_what_is_refused_alone_is_held_till_another_shows_whose_fault_it_is(reading: Reading) -> None:
    troubled = Listening.over(reading.world, lambda numbers: RuntimeError("row") if 7 in numbers else None)
    reading.write([due(7)], partition=0)

    with closing(reading.consumer(troubled)) as consumer:
        hindered = step_until(lambda: troubled.asked >= 5, consumer)
        assert len(reading.quarantine) == 0
        reading.write([due(8)], partition=0)
        step_until(lambda: len(reading.quarantine) == 1, consumer)

    assert hindered == ["the notifications failed: RuntimeError"]
    assert reading.inbox == {8}
    assert reading.committed(PARTITIONS)[0] == 2


def test_partitions_move_to_a_second_consumer_and_back_and_nothing_is_lost(reading: Reading) -> None:
    first, second = Listening.over(reading.world), Listening.over(reading.world)
    reading.write([due(number, event=number) for number in range(100)])

    with closing(reading.consumer(first)) as one:
        step_until(lambda: len(reading.inbox) == 100, one)
        with closing(reading.consumer(second)) as other:
            numbers = count(100)

            def second_hears() -> bool:
                reading.write([due(number, event=number) for number in islice(numbers, 20)])
                return len(second.numbers) > 40

            step_until(second_hears, one, other)
            written = next(numbers)
            step_until(lambda: reading.inbox == {*range(written)}, one, other)
        reading.write([due(number, event=number) for number in range(written, written + 100)])
        step_until(lambda: reading.inbox == {*range(written + 100)}, one)

    assert len(reading.world.all_deliveries()) == 2 * (written + 100)
    # What moved had been taken in and its offsets committed: a planned move repeats nothing.
    assert len(first.numbers) + len(second.numbers) == written + 100


def test_what_is_held_of_a_partition_goes_with_it(reading: Reading) -> None:
    away = Event()
    away.set()
    troubled = Listening.over(reading.world, lambda _: Unavailable() if away.is_set() else None)
    reading.write([due(number, event=number) for number in range(90)])

    with closing(reading.consumer(troubled)) as one:
        step_until(lambda: max(troubled.sizes, default=0) == 90, one)
        with closing(reading.consumer()) as other:
            step_until(lambda: len(reading.inbox) > 0, one, other)
            last = troubled.asked
            step_until(lambda: troubled.asked > last + 3, one, other)
            # The store is away for the first alone: it holds what it still has, and no more.
            assert troubled.sizes[-1] == 90 - len(reading.inbox)
            away.clear()
            step_until(lambda: sum(reading.committed(PARTITIONS)) == 90, one, other)

    assert len(reading.world.all_deliveries()) == 180


def test_brokers_that_go_away_hinder_it_and_it_goes_on_when_they_are_back(
    mocked: Reading, mock_kafka: MockCluster
) -> None:
    mocked.write([due(1)])
    with closing(mocked.consumer()) as consumer:
        step_until(lambda: mocked.inbox == {1}, consumer)
        mock_kafka.down()
        hindered: list[str] = []

        def is_hindered() -> bool:
            try:
                consumer()
            except Hindered as problem:
                hindered.append(str(problem))
            return len(hindered) >= 3

        step_until(is_hindered)
        mock_kafka.up()
        mocked.write([due(2)])
        step_until(lambda: mocked.inbox == {1, 2}, consumer)
        step_until(lambda: consumer() == 0)  # and no word of trouble any more

    assert all(one.isprintable() for one in hindered)


def test_a_topic_that_is_missing_hinders_it_is_named_and_is_not_made(kafka: Kafka) -> None:
    reading = Reading(kafka.bootstrap, new_name("missing"))

    with closing(reading.consumer(options={"topic.metadata.refresh.interval.ms": 500})) as consumer:
        hindered: list[str] = []

        def is_hindered() -> bool:
            try:
                consumer()
            except Hindered as problem:
                hindered.append(str(problem))
            return len(hindered) >= 3

        step_until(is_hindered)
        assert reading.topic not in kafka.admin().list_topics(timeout=PATIENCE_S).topics
        kafka.topic(PARTITIONS, reading.topic)
        reading.write([due(1)])
        step_until(lambda: reading.inbox == {1}, consumer)

    assert all(reading.topic in one and "`tickler kafka create-topic`" in one for one in hindered)


def test_records_that_the_topic_dropped_before_they_were_read_are_told_of(real: Reading) -> None:
    real.write([due(1), due(2)], partition=0)
    with closing(real.consumer()) as consumer:
        step_until(lambda: real.inbox == {1, 2}, consumer)
    real.write([due(3), due(4)], partition=0)
    admin = Kafka(real.bootstrap).admin()
    (dropped,) = admin.delete_records([TopicPartition(real.topic, 0, 3)]).values()
    dropped.result(PATIENCE_S)

    with capture_logs() as said, closing(real.consumer()) as consumer:
        step_until(lambda: 4 in real.inbox, consumer)

    assert real.inbox == {1, 2, 4}
    assert [one["event"] for one in said if one["log_level"] == "error"] == [
        "records dropped before they were read"
    ]


def test_it_ends_soon_though_the_brokers_are_away(mocked: Reading, mock_kafka: MockCluster) -> None:
    mocked.write([due(1)])
    consumer = mocked.consumer()
    step_until(lambda: mocked.inbox == {1}, consumer)
    mock_kafka.down()

    began = monotonic()
    consumer.close()

    assert monotonic() - began < 2.0
