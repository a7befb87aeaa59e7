"""The mock cluster does what a test tells it to: else the tests that rest on it show nothing."""

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from tests.kafka.mock import Api, MockCluster

ENOUGH_SECONDS = 10.0


def test_a_record_is_taken_by_the_topic_that_was_made(mock_kafka: MockCluster) -> None:
    mock_kafka.topic("made", partitions=3)
    producer = _producer(mock_kafka)
    assert _outcomes(producer, "made") == [None]
    assert len(producer.list_topics("made", timeout=ENOUGH_SECONDS).topics["made"].partitions) == 3


def test_an_error_meets_the_next_request_only(mock_kafka: MockCluster) -> None:
    mock_kafka.topic("made", partitions=1)
    mock_kafka.errors(Api.PRODUCE, KafkaError.MSG_SIZE_TOO_LARGE)
    producer = _producer(mock_kafka)
    assert _outcomes(producer, "made") == [KafkaError.MSG_SIZE_TOO_LARGE]
    assert _outcomes(producer, "made") == [None]


def test_an_error_that_was_forgiven_meets_nobody(mock_kafka: MockCluster) -> None:
    mock_kafka.topic("made", partitions=1)
    mock_kafka.errors(Api.PRODUCE, KafkaError.MSG_SIZE_TOO_LARGE)
    mock_kafka.forgive(Api.PRODUCE)
    assert _outcomes(_producer(mock_kafka), "made") == [None]


def test_a_refused_topic_is_refused_and_the_others_are_not(mock_kafka: MockCluster) -> None:
    for name in ("refused", "open"):
        mock_kafka.topic(name, partitions=1)
    mock_kafka.refuse("refused", KafkaError.TOPIC_AUTHORIZATION_FAILED)
    producer = _producer(mock_kafka)
    assert _outcomes(producer, "refused") == [KafkaError.TOPIC_AUTHORIZATION_FAILED]
    assert _outcomes(producer, "open") == [None]


def test_nothing_is_taken_while_the_brokers_are_down_and_all_when_they_are_up_again(
    mock_kafka: MockCluster,
) -> None:
    mock_kafka.topic("made", partitions=1)
    mock_kafka.down()
    hasty = _producer(mock_kafka, **{"message.timeout.ms": 300})
    assert _outcomes(hasty, "made") == [KafkaError._MSG_TIMED_OUT]
    mock_kafka.up()
    assert _outcomes(_producer(mock_kafka), "made") == [None]


def test_a_slow_cluster_answers_too_late_for_a_hasty_client(mock_kafka: MockCluster) -> None:
    mock_kafka.topic("made", partitions=1)
    producer = _producer(mock_kafka, **{"message.timeout.ms": 500})
    assert _outcomes(producer, "made") == [None]
    mock_kafka.rtt(2_000)
    assert _outcomes(producer, "made") == [KafkaError._MSG_TIMED_OUT]


def test_a_partition_is_led_by_the_broker_that_was_told_to(mock_kafka: MockCluster) -> None:
    mock_kafka.topic("made", partitions=1, replication=3)
    producer = _producer(mock_kafka)
    for broker in mock_kafka.brokers:
        mock_kafka.lead("made", 0, broker)
        assert (
            producer.list_topics("made", timeout=ENOUGH_SECONDS).topics["made"].partitions[0].leader == broker
        )


def _producer(cluster: MockCluster, **options: str | int) -> Producer:
    return Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0, **options})


def _outcomes(producer: Producer, topic: str) -> list[int | None]:
    """The error code of what came of one record; None for one that was taken."""
    reports: list[int | None] = []

    def note(error: KafkaError | None, message: Message) -> None:
        reports.append(error.code() if error else None)

    try:
        producer.produce(topic, value=b"{}", on_delivery=note)
    except KafkaException as refusal:  # the client knew it already
        return [refusal.args[0].code()]
    producer.flush(ENOUGH_SECONDS)
    return reports
