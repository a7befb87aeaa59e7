"""Whoever writes to the topic with a Java client's defaults keeps the order of a key that we keep."""

import random
import subprocess
from pathlib import Path
from uuid import UUID

import pytest
from confluent_kafka import KafkaError, Message, Producer

from adapters.kafka_options import producer_options
from adapters.settings import Settings
from tests.kafka.cluster import Kafka
from tests.kafka.programs import KafkaPrograms
from tests.lacking import lacks

SOURCE = Path(__file__).with_name("Partitions.java")
KEYS = 2_000
ENOUGH_SECONDS = 60.0
# What `tickler kafka create-topic` makes, of which the lowest bits of a hash decide; and one that needs all.
PARTITIONS = [32, 31]

pytestmark = pytest.mark.parametrize("partitions", PARTITIONS)


def test_the_java_client_puts_every_key_where_we_put_it(
    partitions: int, kafka: Kafka, kafka_programs: KafkaPrograms
) -> None:
    topic, keys = kafka.topic(partitions), _keys()
    ours = _by_librdkafka(kafka, topic, keys)
    assert _by_java(kafka_programs, kafka, topic, keys) == ours
    assert set(ours) == set(range(partitions))


def test_the_client_of_python_left_to_its_default_puts_them_elsewhere(partitions: int, kafka: Kafka) -> None:
    topic, keys = kafka.topic(partitions), _keys()
    theirs = _by_librdkafka(kafka, topic, keys, partitioner="consistent_random")
    assert theirs != _by_librdkafka(kafka, topic, keys)


def _keys() -> list[str]:
    numbers = random.Random(4)
    return [str(UUID(int=numbers.getrandbits(128), version=4)) for _ in range(KEYS)]


def _by_librdkafka(kafka: Kafka, topic: str, keys: list[str], **others: str) -> list[int]:
    """The partition of each key, by the options that the outbox's producer has, or by others."""
    found: dict[str, int] = {}

    def note(error: KafkaError | None, message: Message) -> None:
        key, partition = message.key(), message.partition()
        assert error is None
        assert key is not None
        assert partition is not None
        found[key.decode()] = partition

    producer = Producer(producer_options(Settings(kafka_bootstrap_servers=kafka.bootstrap)) | others)
    for key in keys:
        producer.produce(topic, key=key.encode(), value=b"{}", on_delivery=note)
    producer.flush(ENOUGH_SECONDS)
    return [found[key] for key in keys]


def _by_java(programs: KafkaPrograms, kafka: Kafka, topic: str, keys: list[str]) -> list[int]:
    modules = subprocess.run([programs.java, "--list-modules"], capture_output=True, text=True, check=True)
    if "jdk.compiler" not in modules.stdout:
        lacks(f"{programs.java} is a runtime alone: a JDK runs the Java client's check")
    done = subprocess.run(
        programs.command(str(SOURCE), kafka.bootstrap, topic),
        input="".join(f"{key}\n" for key in keys),
        capture_output=True,
        text=True,
        timeout=ENOUGH_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.splitlines()]
