"""The relay and a cluster: nothing twice while nobody fails, nothing lost when somebody does."""

from collections.abc import Iterator
from contextlib import closing
from time import monotonic

import pytest
from confluent_kafka import KafkaError

from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import CYCLE, MINUTE, NOON, TOPIC, due, keep, sending_new
from adapters.testkit.threads import at_once
from application.parking import Parking
from application.relaying import Relay
from tests.contracts.test_kafka_publisher import options_for
from tests.kafka.mock import MockCluster
from tests.kafka.reading import records


@pytest.fixture
def cluster(mock_kafka: MockCluster) -> MockCluster:
    mock_kafka.topic(TOPIC, 4)
    return mock_kafka


@pytest.fixture
def publisher(cluster: MockCluster) -> Iterator[KafkaPublisher]:
    with closing(KafkaPublisher(options_for(cluster.bootstrap))) as publisher:
        yield publisher


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    with closing(Database(postgres_url)) as database:
        yield database


@pytest.fixture
def outbox(database: Database) -> PostgresOutbox:
    return PostgresOutbox(database)


def put(database: Database, events: int, of_each: int = 1) -> set[str]:
    """Commit the messages of so many events; their ids as they stand on the topic."""
    ledger = PostgresLedger(database)
    examples = [due(n, *(NOON - one * MINUTE for one in range(of_each))) for n in range(1, events + 1)]
    keep(ledger, *examples)
    with ledger.transaction(CYCLE) as cycle:
        cycle.settle([settled for example in examples for settled in sending_new(example)])
    return {str(one.id) for example in examples for one in example.reminders}


def relay(
    outbox: PostgresOutbox, publisher: KafkaPublisher, name: str = "one", batch_size: int = 20
) -> Relay:
    return Relay(outbox, publisher, SettableClock(NOON), name, batch_size=20)


def on_topic(cluster: MockCluster) -> list[str]:
    return [record.headers["messageId"].decode() for record in records(cluster.bootstrap, TOPIC)]


def drain(relay: Relay) -> None:
    until = monotonic() + 30
    while relay.batch().claimed:
        assert monotonic() < until


def test_two_relays_beside_each_other_publish_each_message_once(
    database: Database, outbox: PostgresOutbox, cluster: MockCluster, publisher: KafkaPublisher
) -> None:
    sent = put(database, 20, 10)
    with closing(KafkaPublisher(options_for(cluster.bootstrap))) as other:
        at_once(lambda: drain(relay(outbox, publisher)), lambda: drain(relay(outbox, other, "other")))
    assert sorted(on_topic(cluster)) == sorted(sent)
    assert outbox.backlog(NOON).count == 0


def test_a_message_that_is_refused_for_good_is_parked_with_its_reason_and_the_others_go_out(
    database: Database, outbox: PostgresOutbox, cluster: MockCluster
) -> None:
    sent = put(database, 5)
    narrow = options_for(cluster.bootstrap, message_max_bytes=1_000)
    long = "x" * 2_000
    with database.transaction() as session:
        session.change(
            "update tickler.outbox set headers = headers || jsonb_build_object('pad', %s::text)"
            " where position = (select min(position) + 2 from tickler.outbox)",
            (long,),
        )
    with closing(KafkaPublisher(narrow)) as publisher:
        result = relay(outbox, publisher).batch()
    assert (result.published, result.parked, result.postponed) == (4, 1, 0)
    (parked,) = outbox.parked(10).oldest
    assert parked.reason == "Kafka: Message size too large"
    assert {*on_topic(cluster), str(parked.message.id)} == sent


def test_what_was_parked_goes_out_once_it_was_given_back(
    database: Database, outbox: PostgresOutbox, cluster: MockCluster, publisher: KafkaPublisher
) -> None:
    sent = put(database, 3)
    cluster.refuse(TOPIC, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    assert relay(outbox, publisher).batch().parked == 3
    cluster.refuse(TOPIC, 0)
    assert Parking(outbox).retry_all(NOON).count == 3
    assert relay(outbox, publisher).batch().published == 3
    assert set(on_topic(cluster)) == sent


def test_what_was_out_while_the_cluster_went_away_goes_out_when_it_is_back(
    database: Database, outbox: PostgresOutbox, cluster: MockCluster, publisher: KafkaPublisher
) -> None:
    sent = put(database, 10, 4)
    relay(outbox, publisher).batch()
    cluster.down()
    assert relay(outbox, publisher).batch().published == 0
    assert outbox.backlog(NOON).count == 20
    cluster.up()
    drain(relay(outbox, publisher))
    assert sorted(set(on_topic(cluster))) == sorted(sent)
    assert outbox.backlog(NOON).count == 0
