"""Consumers that are killed or frozen at a bad moment, over PostgreSQL and a real broker."""

import signal
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.testkit.publisher import due
from tests.kafka.cluster import Kafka
from tests.kafka.consuming import SESSION, Counting, process
from tests.kafka.office import PATIENCE_S, Reading, step_until

PARTITIONS = 3


@pytest.fixture
def reading(kafka: Kafka) -> Reading:
    return Reading(kafka.bootstrap, kafka.topic(PARTITIONS), SESSION)


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    with closing(Database(postgres_url)) as opened:
        yield opened


@pytest.fixture
def rows(postgres_url: str) -> Iterator["Rows"]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield Rows(connection)


class Rows:
    """What the consumers have committed."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def inbox(self) -> set[int]:
        found = self._connection.execute("select reminder_id from tickler.inbox").fetchall()
        return {one[0].int for one in found}

    def deliveries(self) -> list[int]:
        found = self._connection.execute("select about_id from tickler.deliveries").fetchall()
        return sorted(one[0].int for one in found)


def write(reading: Reading, numbers: range) -> None:
    reading.write([due(number, event=number) for number in numbers])


def each_twice(numbers: range) -> list[int]:
    """Each reminder has one delivery to its owner and one to its client."""
    return sorted([*numbers, *numbers])


def test_what_was_committed_before_a_kill_is_read_again_and_delivered_once(
    reading: Reading, postgres_url: str, database: Database, rows: Rows
) -> None:
    write(reading, range(200))
    with process(postgres_url, reading, death=3) as killed:
        assert killed.wait(PATIENCE_S) == -signal.SIGKILL
    committed = rows.inbox()
    assert 0 < len(committed) < 200
    # The last batch is in the inbox, and its offsets were never stored.
    assert sum(max(one, 0) for one in reading.committed(PARTITIONS)) < len(committed)

    notifying = Counting.over(database)
    with closing(reading.consumer(notifying, quarantine=PostgresQuarantine(database))) as consumer:
        step_until(lambda: len(rows.inbox()) == 200, consumer)

    read_again = committed & {number for batch in notifying.batches for number in batch}
    assert read_again
    assert rows.deliveries() == each_twice(range(200))
    assert sum(reading.committed(PARTITIONS)) == 200


def test_partitions_of_a_frozen_consumer_move_and_it_comes_back_without_harm(
    reading: Reading, postgres_url: str, database: Database, rows: Rows
) -> None:
    write(reading, range(100))
    with process(postgres_url, reading) as frozen:
        step_until(lambda: len(rows.inbox()) == 100)
        frozen.send_signal(signal.SIGSTOP)
        write(reading, range(100, 200))
        notifying = Counting.over(database)
        with closing(reading.consumer(notifying, quarantine=PostgresQuarantine(database))) as other:
            step_until(lambda: len(rows.inbox()) == 200, other)
            frozen.send_signal(signal.SIGCONT)
            step_until(lambda: members(reading) == 2, other)
            write(reading, range(200, 300))
            step_until(lambda: len(rows.inbox()) == 300, other)
            assert frozen.poll() is None
            taken_over = sum(map(len, notifying.batches))

    assert rows.deliveries() == each_twice(range(300))
    # It took part again: the other did not read all that came after it was back.
    assert taken_over < 300


def members(reading: Reading) -> int:
    """How many consumers of the group have partitions."""
    admin = Kafka(reading.bootstrap).admin()  # an answer never comes to a client that is gone
    (asked,) = admin.describe_consumer_groups([reading.group]).values()
    found = asked.result(PATIENCE_S)
    return sum(bool(one.assignment.topic_partitions) for one in found.members)
