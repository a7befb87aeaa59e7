"""What stands on a topic, as a client that belongs to no group finds it."""

from collections.abc import Sequence
from time import monotonic

from attrs import frozen
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

PATIENCE = 30.0


@frozen
class Record:
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: dict[str, bytes]


def records(bootstrap: str, topic: str) -> Sequence[Record]:
    """All that was on the topic when this was asked; of one partition in their order."""
    options = {
        "bootstrap.servers": bootstrap,
        "group.id": "reading",
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
        "allow.auto.create.topics": False,
        "log_level": 0,
    }
    consumer = Consumer(options)
    try:
        known = consumer.list_topics(topic, timeout=PATIENCE).topics[topic]
        assert known.error is None, known.error
        ends = {number: _end(consumer, TopicPartition(topic, number)) for number in known.partitions}
        return _read(consumer, topic, {number: end for number, end in ends.items() if end > 0})
    finally:
        consumer.close()


def _end(consumer: Consumer, partition: TopicPartition) -> int:
    until = monotonic() + PATIENCE
    while True:
        try:
            return consumer.get_watermark_offsets(partition, timeout=PATIENCE)[1]
        except KafkaException as problem:
            # A broker says so of a new partition that others already hold it to lead.
            if problem.args[0].code() != KafkaError.NOT_LEADER_FOR_PARTITION or monotonic() > until:
                raise


def _read(consumer: Consumer, topic: str, ends: dict[int, int]) -> Sequence[Record]:
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in ends])
    left = dict(ends)
    found: list[Record] = []
    until = monotonic() + PATIENCE
    while left:
        assert monotonic() < until, f"{topic}: nothing more came of partitions {sorted(left)}"
        message = consumer.poll(0.5)
        if message is None:
            continue
        assert message.error() is None, message.error()
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        assert offset is not None
        # Its stubs allow for more shapes than a consumer ever gives.
        headers: list[tuple[str, bytes]] = message.headers() or []  # type: ignore[assignment]
        found.append(Record(partition, offset, _bytes(message.key()), _bytes(message.value()), dict(headers)))
        if offset + 1 >= ends[partition]:
            left.pop(partition, None)
    return [one for one in found if one.offset < ends[one.partition]]


def _bytes(given: object) -> bytes | None:
    assert given is None or isinstance(given, bytes)
    return given
