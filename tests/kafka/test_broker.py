"""The real broker: it keeps what it took, comes back where it was, and never outlives whoever wanted it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer

from tests.kafka.broker import KafkaBroker
from tests.kafka.cluster import Kafka
from tests.kafka.ports import is_open
from tests.kafka.programs import KafkaPrograms, KafkaUnusable

ENOUGH_SECONDS = 30.0
POLL_SECONDS = 0.05
OWNER = """
import sys
from pathlib import Path
from tests.kafka.broker import KafkaBroker
from tests.kafka.fetching import find_programs

broker = KafkaBroker(Path(sys.argv[1]), find_programs())
broker.start()
print(broker.pid, broker._keeper.pid, broker.bootstrap.rpartition(":")[2], flush=True)
sys.stdin.read()
"""


def test_a_topic_has_the_partitions_and_options_that_were_asked_for(kafka: Kafka) -> None:
    topic = kafka.topic(partitions=7, retention_ms="60000")
    assert (
        len(Producer(kafka.client).list_topics(topic, timeout=ENOUGH_SECONDS).topics[topic].partitions) == 7
    )


def test_two_tests_never_share_a_topic_or_a_group(kafka: Kafka) -> None:
    assert kafka.topic() != kafka.topic()
    assert kafka.group() != kafka.group()


def test_what_was_taken_is_there_after_a_stop_and_after_a_kill(own_kafka: KafkaBroker) -> None:
    topic, before = own_kafka.kafka.topic(partitions=1), own_kafka.bootstrap
    for end in (own_kafka.stop, own_kafka.kill):
        assert _outcome(own_kafka.kafka, topic) is None
        end()
        assert not own_kafka.running
        own_kafka.start()
    assert own_kafka.bootstrap == before
    assert _values(own_kafka.kafka, topic, count=2) == [b"{}", b"{}"]


def test_a_suspended_broker_answers_nobody_until_it_is_resumed(own_kafka: KafkaBroker) -> None:
    topic = own_kafka.kafka.topic(partitions=1)
    own_kafka.suspend()
    assert _outcome(own_kafka.kafka, topic, **{"message.timeout.ms": 500}) == KafkaError._MSG_TIMED_OUT
    own_kafka.resume()
    assert _outcome(own_kafka.kafka, topic) is None


def test_a_suspended_broker_can_be_stopped(own_kafka: KafkaBroker) -> None:
    own_kafka.suspend()
    own_kafka.stop()
    assert not own_kafka.running


def test_a_port_that_is_taken_is_named(
    own_kafka: KafkaBroker, kafka_programs: KafkaPrograms, tmp_path: Path
) -> None:
    port = int(own_kafka.bootstrap.rpartition(":")[2])
    with (
        pytest.raises(KafkaUnusable, match=f"port {port} .* another program's"),
        KafkaBroker(tmp_path / "second", kafka_programs, port=port),
    ):
        pass


def test_options_that_kafka_refuses_are_told_in_its_words(
    kafka_programs: KafkaPrograms, tmp_path: Path
) -> None:
    refused = KafkaBroker(tmp_path / "kafka", kafka_programs, options={"log.retention.hours": "never"})
    with pytest.raises(KafkaUnusable, match=r"Invalid value never .*log\.retention\.hours"), refused:
        pass


def test_only_accounts_with_the_right_get_in(guarded_kafka: KafkaBroker) -> None:
    chief, where = guarded_kafka.kafka, guarded_kafka.bootstrap
    topic = chief.topic(partitions=1)
    guest, stranger = Kafka(where, ("guest", "guest-password")), Kafka(where, ("guest", "guessed"))
    refused = KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert [_outcome(one, topic) for one in (chief, guest)] == [None, refused]
    hurried = {"message.timeout.ms": 1_000}
    assert _outcome(stranger, topic, **hurried) == KafkaError._MSG_TIMED_OUT


@pytest.mark.parametrize("victim", ["owner", "keeper"])
def test_the_broker_ends_with_its_owner_and_with_its_keeper(
    victim: str, kafka_programs: KafkaPrograms, tmp_path: Path
) -> None:
    if victim == "keeper" and sys.platform != "linux":
        pytest.skip("only Linux ends a process when its parent ends")
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, tmp_path / "kafka"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    with owner:
        assert owner.stdout
        java, keeper, port = map(int, owner.stdout.readline().split())
        assert is_open(port)
        os.kill(owner.pid if victim == "owner" else keeper, signal.SIGKILL)
        _wait_for(lambda: not is_open(port) and not _lives(java))
        owner.kill()


def _outcome(kafka: Kafka, topic: str, **options: str | int) -> int | None:
    """The error code of the report about one record; None for one that was taken."""
    reports: list[int | None] = []

    def note(error: KafkaError | None, message: Message) -> None:
        reports.append(error.code() if error else None)

    producer = Producer({**kafka.client, **options})
    producer.produce(topic, value=b"{}", on_delivery=note)
    producer.flush(ENOUGH_SECONDS)
    (only,) = reports
    return only


def _values(kafka: Kafka, topic: str, count: int) -> list[bytes | None]:
    consumer = Consumer({**kafka.client, "group.id": kafka.group(), "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    try:
        return [message.value() for message in consumer.consume(count, timeout=ENOUGH_SECONDS)]
    finally:
        consumer.close()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + ENOUGH_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(POLL_SECONDS)
