"""What Kafka says, and what becomes of the messages then; and what stands on the topic in the end."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import monotonic

import pytest
from attrs import evolve
from confluent_kafka import KafkaError

from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.testkit.publisher import due, message
from application.dispatching import TOPIC
from application.ports.publisher import LONGEST_PUBLISH, Acknowledgement, Never, NotNow, Published
from tests.contracts.test_kafka_publisher import options_for
from tests.kafka.mock import Api, MockCluster
from tests.kafka.reading import records


@pytest.fixture
def cluster() -> Iterator[MockCluster]:
    with MockCluster() as cluster:
        cluster.topic(TOPIC, 4)
        yield cluster


@pytest.fixture
def publisher(cluster: MockCluster) -> Iterator[KafkaPublisher]:
    with closing(KafkaPublisher(options_for(cluster.bootstrap))) as publisher:
        yield publisher


def test_a_record_has_the_events_id_as_key_and_the_messages_headers_and_id(
    cluster: MockCluster, publisher: KafkaPublisher
) -> None:
    sent = message(due(1))
    publisher.publish([sent])
    (found,) = records(cluster.bootstrap, TOPIC)
    assert found.key == str(sent.key).encode()
    assert found.value == sent.payload
    assert found.headers == {
        "messageId": str(sent.id).encode(),
        "correlationId": sent.headers["correlationId"].encode(),
        "contractVersion": b"1",
    }


def test_each_message_goes_to_its_own_topic(cluster: MockCluster, publisher: KafkaPublisher) -> None:
    cluster.topic("other", 1)
    publisher.publish([message(due(1)), evolve(message(due(2)), topic="other")])
    assert [len(records(cluster.bootstrap, topic)) for topic in (TOPIC, "other")] == [1, 1]


def test_all_of_one_event_is_in_one_partition_in_its_order(
    cluster: MockCluster, publisher: KafkaPublisher
) -> None:
    sent = [message(due(number, event=number % 50)) for number in range(1000)]
    publisher.publish(sent[:500])
    publisher.publish(sent[500:])
    found = records(cluster.bootstrap, TOPIC)
    assert len({record.partition for record in found}) == 4
    for key in {str(one.key).encode() for one in sent}:
        of_key = [record for record in found if record.key == key]
        assert len({record.partition for record in of_key}) == 1
        assert [record.value for record in of_key] == [
            one.payload for one in sent if str(one.key).encode() == key
        ]


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.RECORD_LIST_TOO_LARGE,
        KafkaError.INVALID_RECORD,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
    ],
)
def test_what_kafka_refuses_twice_is_refused_for_good(
    cluster: MockCluster, publisher: KafkaPublisher, code: int
) -> None:
    cluster.errors(Api.PRODUCE, code, code)
    (answer,) = publisher.publish([message(due(1))])
    assert isinstance(answer, Never)
    assert answer.reason.startswith("Kafka: ")
    assert publisher.publish([message(due(2))]) == [Published()]


@pytest.mark.parametrize("code", [KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_RECORD])
def test_those_that_were_refused_with_another_are_published_by_themselves(
    cluster: MockCluster, publisher: KafkaPublisher, code: int
) -> None:
    cluster.errors(Api.PRODUCE, code)
    sent = [message(due(number)) for number in range(1, 21)]
    assert list(publisher.publish(sent)) == [Published()] * 20
    assert {record.value for record in records(cluster.bootstrap, TOPIC)} == {one.payload for one in sent}


def test_a_topic_that_is_not_ours_refuses_all_of_it_and_nothing_of_another(
    cluster: MockCluster, publisher: KafkaPublisher
) -> None:
    cluster.topic("closed", 1)
    cluster.refuse("closed", KafkaError.TOPIC_AUTHORIZATION_FAILED)
    sent = [evolve(message(due(number)), topic="closed") for number in range(1, 201)]
    *refused, other = publisher.publish([*sent, message(due(201))])
    assert refused == [Never("Kafka: Topic authorization failed: topic closed")] * 200
    assert other == Published()
    cluster.refuse("closed", 0)
    assert list(publisher.publish(sent)) == [Published()] * 200


def test_no_topic_is_made_by_publishing(publisher: KafkaPublisher, cluster: MockCluster) -> None:
    lost = evolve(message(due(1)), topic="nobody.made.it")
    for _ in range(2):
        assert publisher.publish([lost, message(due(2))]) == [
            NotNow("Kafka: there is no topic nobody.made.it: `tickler kafka create-topic` makes it"),
            Published(),
        ]
    cluster.topic("nobody.made.it", 1)  # it fails for one that is there
    assert publisher.publish([lost]) == [Published()]


@pytest.mark.parametrize("topic", ["", "a b", "x" * 300, "\udc80", "a\nb"])
def test_a_topic_that_cannot_be_is_refused_in_one_line(publisher: KafkaPublisher, topic: str) -> None:
    answer, other = publisher.publish([evolve(message(due(1)), topic=topic), message(due(2))])
    assert other == Published()
    assert not isinstance(answer, Published)
    assert answer.reason.isprintable()


def test_a_header_that_cannot_be_written_is_refused_for_good(publisher: KafkaPublisher) -> None:
    answer, other = publisher.publish([evolve(message(due(1)), headers={"a": "\udc80"}), message(due(2))])
    assert isinstance(answer, Never)
    assert other == Published()


@pytest.mark.parametrize(
    ("api", "code"),
    [
        (Api.INIT_PRODUCER_ID, KafkaError.CLUSTER_AUTHORIZATION_FAILED),
        (Api.PRODUCE, KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER),
    ],
)
def test_a_producer_that_broke_for_good_is_followed_by_a_new_one(
    cluster: MockCluster, publisher: KafkaPublisher, api: Api, code: int
) -> None:
    cluster.errors(api, code)
    broken = publisher.publish([message(due(1)), message(due(2))])
    assert [type(answer) for answer in broken] == [NotNow] * 2
    assert publisher.publish([message(due(1)), message(due(2))]) == [Published()] * 2


@pytest.mark.parametrize("code", [KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.REQUEST_TIMED_OUT])
def test_what_passes_by_itself_is_waited_for_and_nothing_is_repeated(
    cluster: MockCluster, publisher: KafkaPublisher, code: int
) -> None:
    cluster.errors(Api.PRODUCE, code, code)
    sent = [message(due(number)) for number in range(1, 21)]
    assert list(publisher.publish(sent)) == [Published()] * 20
    assert [record.value for record in records(cluster.bootstrap, TOPIC)] == [one.payload for one in sent]


def test_more_than_the_local_queue_holds_is_published_all_the_same(cluster: MockCluster) -> None:
    small = options_for(cluster.bootstrap, queue_buffering_max_messages=10)
    sent = [message(due(number)) for number in range(1, 301)]
    with closing(KafkaPublisher(small)) as publisher:
        assert list(publisher.publish(sent)) == [Published()] * 300
    assert [record.value for record in records(cluster.bootstrap, TOPIC)] == [one.payload for one in sent]


def test_what_finds_no_room_with_the_cluster_away_is_for_later(cluster: MockCluster) -> None:
    cluster.down()
    small = options_for(cluster.bootstrap, queue_buffering_max_messages=10)
    with closing(KafkaPublisher(small, patience=5.0)) as publisher:
        answers = publisher.publish([message(due(number)) for number in range(1, 31)])
    assert {type(answer) for answer in answers} == {NotNow}


def test_a_producer_that_does_not_answer_in_time_is_given_up(cluster: MockCluster) -> None:
    cluster.down()
    patient = options_for(cluster.bootstrap, message_timeout_ms=60_000)
    with closing(KafkaPublisher(patient, patience=1.0)) as publisher:
        began = monotonic()
        assert [type(answer) for answer in publisher.publish([message(due(1))])] == [NotNow]
        assert monotonic() - began < 3.0
        cluster.up()
        again: list[Acknowledgement] = []
        while again != [Published()] and monotonic() - began < LONGEST_PUBLISH.total_seconds():
            again = list(publisher.publish([message(due(1))]))
        assert again == [Published()]


def test_closing_ends_a_publish_that_waits_for_a_cluster(cluster: MockCluster) -> None:
    cluster.down()
    publisher = KafkaPublisher(options_for(cluster.bootstrap, message_timeout_ms=60_000), patience=60.0)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(publisher.publish, [message(due(1))])
        until = monotonic() + 10
        while publisher._connection is None and monotonic() < until:
            pass
        publisher.close()
        (answer,) = waiting.result(timeout=10)
    assert isinstance(answer, NotNow)
    assert publisher.publish([message(due(1))]) == [NotNow("Kafka: the publisher was closed")]


def test_why_the_cluster_is_away_stands_in_the_reason(
    cluster: MockCluster, publisher: KafkaPublisher
) -> None:
    cluster.down()
    (answer,) = publisher.publish([message(due(1))])
    assert answer == NotNow("Kafka: Message timed out (Broker transport failure)")


def test_options_that_will_not_do_are_for_later_too(cluster: MockCluster) -> None:
    wrong = options_for(cluster.bootstrap, security_protocol="ssl", ssl_ca_location="/no/such/file")
    with closing(KafkaPublisher(wrong)) as publisher:
        (answer,) = publisher.publish([message(due(1))])
    assert isinstance(answer, NotNow)
