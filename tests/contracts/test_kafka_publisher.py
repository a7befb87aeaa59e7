"""The publisher to Kafka keeps what the port promises, on a cluster that fails when told to."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from time import monotonic

import pytest
from attrs import evolve, frozen
from confluent_kafka import KafkaError

from adapters.codec import Malformed, decode_due
from adapters.kafka_options import Options, producer_options
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.settings import Settings
from adapters.testkit.publisher import Arrived, HalfWay, Mend, PublisherContract, due, message
from application.dispatching import TOPIC
from application.ports.outbox import Message
from application.ports.publisher import Acknowledgement, Never, NotNow, Published, Publisher
from domain.policies import ReminderDueEvent
from tests.kafka.broker import KafkaBroker
from tests.kafka.cluster import Kafka
from tests.kafka.mock import Api, MockCluster
from tests.kafka.reading import records

_: type[Publisher] = KafkaPublisher  # mypy holds it against the port

TOO_LARGE = b"9" * 1_100_000
SOON = 2_000


def options_for(bootstrap: str, **changed: object) -> Options:
    """A producer's options, with a cluster given up after two seconds; `_` stands for `.` in a name."""
    options = producer_options(Settings(kafka_bootstrap_servers=bootstrap))
    return (
        options
        | {"message.timeout.ms": SOON, "topic.metadata.propagation.max.ms": SOON // 4}
        | {name.replace("_", "."): value for name, value in changed.items()}
    )


def heard(bootstrap: str, topic: str = TOPIC) -> Sequence[ReminderDueEvent]:
    found = []
    for record in records(bootstrap, topic):
        try:
            found.append(decode_due(record.value or b""))
        except Malformed:
            continue
    return found


def all_down(cluster: MockCluster) -> Callable[[], None]:
    cluster.topic(TOPIC, 4)
    cluster.down()
    return cluster.up


def without_topic(cluster: MockCluster) -> Callable[[], None]:
    return lambda: cluster.topic(TOPIC, 4)


def slow(cluster: MockCluster) -> Callable[[], None]:
    cluster.topic(TOPIC, 4)
    cluster.rtt(4 * SOON)
    return lambda: cluster.rtt(0)


def few_replicas(cluster: MockCluster) -> Callable[[], None]:
    cluster.topic(TOPIC, 4)
    cluster.errors(Api.PRODUCE, *[KafkaError.NOT_ENOUGH_REPLICAS] * 1000)
    return lambda: cluster.forgive(Api.PRODUCE)


class TestKafkaOnAMock(PublisherContract):
    @pytest.fixture
    def cluster(self) -> Iterator[MockCluster]:
        with MockCluster() as cluster:
            yield cluster

    @pytest.fixture
    def publisher(self, cluster: MockCluster) -> Iterator[KafkaPublisher]:
        cluster.topic(TOPIC, 4)
        with closing(KafkaPublisher(options_for(cluster.bootstrap))) as publisher:
            yield publisher

    @pytest.fixture
    def arrived(self, cluster: MockCluster) -> Arrived:
        return lambda: heard(cluster.bootstrap)

    @pytest.fixture(params=[all_down, without_topic, slow, few_replicas])
    def mended(self, request: pytest.FixtureRequest, cluster: MockCluster) -> Callable[[], None]:
        mended: Callable[[], None] = request.param(cluster)
        return mended

    @pytest.fixture
    def cut_off(self, cluster: MockCluster, mended: Callable[[], None]) -> Iterator[KafkaPublisher]:
        with closing(KafkaPublisher(options_for(cluster.bootstrap))) as publisher:
            yield publisher

    @pytest.fixture
    def mend(self, cluster: MockCluster, mended: Callable[[], None]) -> Mend:
        def come_back() -> Arrived:
            mended()
            return lambda: heard(cluster.bootstrap)

        return come_back

    @pytest.fixture
    def half_way(self, cluster: MockCluster) -> Iterator[HalfWay]:
        cluster.topic(TOPIC, 4)
        cluster.errors(Api.PRODUCE, 0, *[KafkaError.REQUEST_TIMED_OUT] * 1000)
        few = options_for(cluster.bootstrap, batch_num_messages=7, max_in_flight=1)
        with closing(KafkaPublisher(few)) as publisher:
            yield HalfWay(publisher, lambda: heard(cluster.bootstrap))

    def refused(self, number: int) -> Message:
        return message(due(number), TOO_LARGE)


@frozen
class Elsewhere:
    """A publisher to topics of this test: the first `count` messages to one and the rest to another."""

    publisher: KafkaPublisher
    topic: str
    count: int = 1_000_000
    rest: str = ""

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        topics = [self.topic if place < self.count else self.rest for place in range(len(messages))]
        return self.publisher.publish(
            [evolve(one, topic=topic) for one, topic in zip(messages, topics, strict=True)]
        )


class TestKafkaForReal(PublisherContract):
    """On Apache Kafka itself, which makes unknown topics for whoever asks it to."""

    @pytest.fixture
    def kafka_publisher(self, kafka: Kafka) -> Iterator[KafkaPublisher]:
        with closing(KafkaPublisher(options_for(kafka.bootstrap))) as publisher:
            yield publisher

    @pytest.fixture
    def topic(self, kafka: Kafka) -> str:
        return kafka.topic()

    @pytest.fixture
    def publisher(self, kafka_publisher: KafkaPublisher, topic: str) -> Elsewhere:
        return Elsewhere(kafka_publisher, topic)

    @pytest.fixture
    def arrived(self, kafka: Kafka, topic: str) -> Arrived:
        return lambda: heard(kafka.bootstrap, topic)

    @pytest.fixture
    def unmade(self, kafka: Kafka) -> str:
        """The name of a topic that is not there."""
        return kafka.group()

    @pytest.fixture
    def cut_off(self, kafka_publisher: KafkaPublisher, unmade: str) -> Elsewhere:
        return Elsewhere(kafka_publisher, unmade)

    @pytest.fixture
    def mend(self, kafka: Kafka, unmade: str) -> Mend:
        def come_back() -> Arrived:
            kafka.topic(name=unmade)
            return lambda: heard(kafka.bootstrap, unmade)

        return come_back

    @pytest.fixture
    def half_way(self, kafka: Kafka, kafka_publisher: KafkaPublisher, topic: str, unmade: str) -> HalfWay:
        return HalfWay(Elsewhere(kafka_publisher, topic, 7, unmade), lambda: heard(kafka.bootstrap, topic))

    def refused(self, number: int) -> Message:
        return message(due(number), TOO_LARGE)

    def test_a_message_that_the_topic_has_no_room_for_stops_none_of_its_batch(
        self, kafka: Kafka, kafka_publisher: KafkaPublisher
    ) -> None:
        narrow = kafka.topic(1, max_message_bytes="2000")
        sent = [message(due(number)) for number in range(1, 21)]
        large = message(due(21), noise(3000))
        answers = Elsewhere(kafka_publisher, narrow).publish([*sent[:10], large, *sent[10:]])
        assert [place for place, answer in enumerate(answers) if answer != Published()] == [10]
        assert answers[10] == Never("Kafka: Message size too large")
        assert set(heard(kafka.bootstrap, narrow)) == {due(number) for number in range(1, 21)}

    def test_what_a_frozen_broker_did_not_answer_is_published_once_it_thaws(
        self, own_kafka: KafkaBroker
    ) -> None:
        topic = own_kafka.kafka.topic()
        sent = [message(due(number)) for number in range(1, 101)]
        with closing(KafkaPublisher(options_for(own_kafka.bootstrap))) as publisher:
            elsewhere = Elsewhere(publisher, topic)
            assert list(elsewhere.publish(sent[:50])) == [Published()] * 50
            own_kafka.suspend()
            assert {type(answer) for answer in elsewhere.publish(sent[50:])} == {NotNow}
            own_kafka.resume()
            until = monotonic() + 30
            answers: Sequence[Acknowledgement] = []
            while list(answers) != [Published()] * 50 and monotonic() < until:
                answers = elsewhere.publish(sent[50:])
            assert list(answers) == [Published()] * 50
            assert set(heard(own_kafka.bootstrap, topic)) == {due(number) for number in range(1, 101)}

    def test_a_record_is_what_a_stranger_reads(self, kafka: Kafka, topic: str, publisher: Publisher) -> None:
        sent = [message(due(number, event=number % 5)) for number in range(100)]
        publisher.publish(sent)
        found = records(kafka.bootstrap, topic)
        for key in {one.key for one in sent}:
            of_key = [record for record in found if record.key == str(key).encode()]
            expected = [one for one in sent if one.key == key]
            assert [record.value for record in of_key] == [one.payload for one in expected]
            assert [record.headers["messageId"].decode() for record in of_key] == [
                str(one.id) for one in expected
            ]
            assert len({record.partition for record in of_key}) == 1
        assert {frozenset(record.headers) for record in found} == {
            frozenset({"messageId", "correlationId", "contractVersion"})
        }


def noise(size: int) -> bytes:
    """Bytes that no compression makes small, the same each time."""
    return b"".join(
        hashlib.sha256(bytes([number % 256, number // 256])).digest() for number in range(size // 32 + 1)
    )
