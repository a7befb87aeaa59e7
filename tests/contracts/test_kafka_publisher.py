"""The publisher to Kafka keeps what the port promises, on a cluster that fails when told to."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

import pytest
from confluent_kafka import KafkaError

from adapters.codec import Malformed, decode_due
from adapters.kafka_options import Options, producer_options
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.settings import Settings
from adapters.testkit.publisher import Arrived, HalfWay, Mend, PublisherContract, due, message
from application.dispatching import TOPIC
from application.ports.outbox import Message
from application.ports.publisher import Publisher
from domain.policies import ReminderDueEvent
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


def heard(bootstrap: str) -> Sequence[ReminderDueEvent]:
    found = []
    for record in records(bootstrap, TOPIC):
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
