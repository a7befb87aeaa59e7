"""`tickler kafka …`, over a real broker where there must be one."""

import base64
import secrets
from collections.abc import Callable, Iterator
from datetime import timedelta
from socket import socket

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its types pass on none of these names
    AclBinding,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)
from pydantic import SecretStr

from adapters.inbound.kafka.consumer import ConsumeStep
from adapters.kafka_options import client_options
from adapters.outbound.direct import DirectPublisher
from adapters.outbound.kafka.admin import KafkaTopics
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.settings import KafkaSecurity, SaslMechanism, Settings
from application.dispatching import TOPIC
from application.ports.errors import AlreadyThere
from application.ports.quarantine import Quarantined
from application.ports.topics import ClusterFailed, NewTopic, Rights, TopicState
from application.ports.topics import Settings as TopicSettings
from tests.adapters.offices import NOW, Commands, MemoryOffice
from tests.kafka.broker import KafkaBroker
from tests.kafka.cluster import ANSWER_SECONDS, Kafka
from tests.kafka.mock import MockCluster

Desk = Callable[[str], Commands]


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str]) -> Desk:
    """The commands, with the cluster at that address set."""

    def open_one(bootstrap: str) -> Commands:
        return Commands(MemoryOffice.new(Settings(kafka_bootstrap_servers=bootstrap)), capsys)

    return open_one


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where nobody answers."""
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def test_the_topic_is_made_once_and_then_checked(own_kafka: KafkaBroker, desk: Desk) -> None:
    tickler = desk(own_kafka.bootstrap)

    before = tickler("kafka", "check", "--json")
    made = tickler.document("kafka", "create-topic", "--partitions", "6", "--retention-days", "2.5")
    again = tickler("kafka", "create-topic")
    after = tickler("kafka", "check", "--json")
    told = tickler("kafka", "check")

    assert before.code == 3
    assert [one["about"] for one in before.document["findings"]] == ["topic"]
    assert made == {"topic": TOPIC, "partitions": 6, "replication": 1, "retentionDays": 2.5}
    assert (again.code, again.err) == (1, f"tickler: topic {TOPIC} is there already\n")
    assert after.code == 0, after.err
    assert after.document["good"] is True
    assert after.document["state"] == {
        "brokers": 1,
        "partitions": 6,
        "leaderless": 0,
        "replication": 1,
        "inSync": 1,
        "minInSync": 1,
        "retentionDays": 2.5,
        "mayRead": True,
        "mayWrite": True,
        "mayReadAsGroup": after.document["state"]["mayReadAsGroup"],
    }
    assert [(one["level"], one["about"]) for one in after.document["findings"]] == [
        ("warning", "replication")
    ]
    assert told.code == 0
    assert told.out.splitlines()[0] == f"{TOPIC}: 6 partitions, replication 1, 1 in sync, kept 2.5 days"
    assert told.out.splitlines()[-1] == "good"


def test_how_a_topic_was_set_elsewhere_is_seen(kafka: Kafka) -> None:
    topic = kafka.topic(
        2,
        retention_ms="-1",
        cleanup_policy="compact,delete",
        min_insync_replicas="2",
        retention_bytes="1000",
        max_message_bytes="20000",
    )
    options = client_options(Settings(kafka_bootstrap_servers=kafka.bootstrap))

    state = KafkaTopics(options).look(topic, kafka.group())

    assert state == TopicState(
        brokers=1,
        partitions=2,
        replication=1,
        in_sync=1,
        leaderless=0,
        settings=TopicSettings(
            retention=None, retention_bytes=1000, min_in_sync=2, is_compacted=True, max_message_bytes=20000
        ),
        rights=Rights(read=True, write=True, group=state.rights.group if state else None),
    )


def test_more_copies_than_there_are_brokers_are_refused(kafka: Kafka) -> None:
    topics = KafkaTopics(client_options(Settings(kafka_bootstrap_servers=kafka.bootstrap)))
    name = f"topic-{secrets.token_hex(6)}"

    with pytest.raises(ClusterFailed, match=r"(?i)replication"):
        topics.create(NewTopic(name, 1, 3, timedelta(days=3)))
    assert topics.look(name, "group") is None
    assert topics.create(NewTopic(name, 1, None, timedelta(days=3))) == 1
    with pytest.raises(AlreadyThere):
        topics.create(NewTopic(name, 1, None, timedelta(days=3)))


def test_rights_that_are_missing_are_told(guarded_kafka: KafkaBroker) -> None:
    chief = guarded_kafka.kafka
    topic, group = chief.topic(1), chief.group()
    guest = Settings(
        kafka_bootstrap_servers=chief.bootstrap,
        kafka_security_protocol=KafkaSecurity.SASL_PLAINTEXT,
        kafka_sasl_mechanism=SaslMechanism.PLAIN,
        kafka_sasl_username="guest",
        kafka_sasl_password=SecretStr("guest-password"),
    )
    topics = KafkaTopics(client_options(guest))

    with pytest.raises(ClusterFailed, match=r"(?i)authorization"):
        topics.look(topic, group)
    allow(chief, ResourceType.TOPIC, topic, AclOperation.READ)
    reader = topics.look(topic, group)
    allow(chief, ResourceType.TOPIC, topic, AclOperation.WRITE)
    allow(chief, ResourceType.GROUP, group, AclOperation.READ)
    member = topics.look(topic, group)

    assert reader is not None
    assert reader.rights == Rights(read=True, write=False, group=False)
    assert reader.settings is None
    assert member is not None
    assert (member.rights.read, member.rights.write) == (True, True)
    assert member.rights.group is not False


def test_a_wrong_password_is_told_without_it(guarded_kafka: KafkaBroker) -> None:
    wrong = Settings(
        kafka_bootstrap_servers=guarded_kafka.bootstrap,
        kafka_security_protocol=KafkaSecurity.SASL_PLAINTEXT,
        kafka_sasl_mechanism=SaslMechanism.PLAIN,
        kafka_sasl_username="guest",
        kafka_sasl_password=SecretStr("hush-hush"),
    )

    with pytest.raises(ClusterFailed, match=r"(?i)authentication") as failed:
        KafkaTopics(client_options(wrong)).look("topic", "group")

    assert "hush" not in str(failed.value)


def allow(chief: Kafka, kind: ResourceType, name: str, operation: AclOperation) -> None:
    """Let the guest do so from now on."""
    binding = AclBinding(
        kind, name, ResourcePatternType.LITERAL, "User:guest", "*", operation, AclPermissionType.ALLOW
    )
    admin = chief.admin()
    (done,) = admin.create_acls([binding]).values()
    done.result(ANSWER_SECONDS)


def test_a_cluster_that_does_not_answer_is_the_finding(desk: Desk, nobody: str) -> None:
    tickler = desk(nobody)

    said = tickler("kafka", "check", "--json")
    made = tickler("kafka", "create-topic")

    assert said.code == made.code == 3
    assert [(one["level"], one["about"]) for one in said.document["findings"]] == [("error", "cluster")]
    assert "refused" in said.document["findings"][0]["text"]
    (line,) = made.err.splitlines()
    assert line.startswith("tickler: the Kafka cluster cannot be used: ")


def test_a_cluster_that_tells_little_is_looked_at_all_the_same(mock_kafka: MockCluster) -> None:
    mock_kafka.topic("due", 3, 2)

    state = KafkaTopics(client_options(Settings(kafka_bootstrap_servers=mock_kafka.bootstrap))).look(
        "due", "group"
    )

    assert state == TopicState(3, 3, 2, 2, 0, settings=None, rights=Rights())


@pytest.mark.parametrize("command", ["check", "create-topic"])
def test_without_a_cluster_there_is_no_topic(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = Commands(MemoryOffice.new(), capsys)("kafka", command)

    assert said.code == 3
    assert "TICKLER_KAFKA_BOOTSTRAP_SERVERS" in said.err


@pytest.mark.parametrize(
    "wrong",
    [
        ("--partitions", "0"),
        ("--replication", "0"),
        ("--retention-days", "0"),
        ("--retention-days", "-1"),
        ("--retention-days", "nan"),
        ("--retention-days", "99999"),
        ("--retention-days", "14"),
        ("--retention-days", "13.9999999999999"),
    ],
)
def test_a_topic_that_cannot_be_is_bad_input(desk: Desk, nobody: str, wrong: tuple[str, str]) -> None:
    said = desk(nobody)("kafka", "create-topic", *wrong)

    assert said.code == 2
    assert wrong[0] in said.err


def test_a_topic_that_check_would_fault_is_refused_in_one_line(desk: Desk, nobody: str) -> None:
    said = desk(nobody)("kafka", "create-topic", "--retention-days", "15")

    assert (said.code, said.out) == (2, "")
    (line,) = said.err.splitlines()
    assert "--retention-days" in line


def test_quarantined_shows_the_latest_with_the_reason_and_the_bytes_when_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    office = MemoryOffice.new()
    tickler = Commands(office, capsys)
    assert tickler("kafka", "quarantined").out == "none\n"
    office.container.quarantine().keep(
        [
            Quarantined(TOPIC, 1, 7, b"key", b"Anna", (("h", b"\xff"), ("n", None)), "it is not JSON", NOW),
            Quarantined(TOPIC, 1, 8, None, None, (), "it has no value", NOW),
        ]
    )

    table = tickler("kafka", "quarantined").out.splitlines()
    assert [line.split()[1:4] for line in table[1:]] == [["1", "8", "null"], ["1", "7", "4"]]
    assert "it is not JSON" in table[2]
    assert "Anna" not in table[2]
    assert tickler("kafka", "quarantined", "--limit", "1").out.splitlines()[-1] == "and 1 more"

    plain = tickler.document("kafka", "quarantined")
    assert plain["count"] == 2
    assert [one["bytes"] for one in plain["records"]] == [None, 4]
    assert "value" not in plain["records"][1]

    whole = tickler.document("kafka", "quarantined", "--bytes")["records"]
    assert base64.b64decode(whole[1]["value"]) == b"Anna"
    assert whole[1]["headers"] == [["h", base64.b64encode(b"\xff").decode()], ["n", None]]
    assert whole[0]["value"] is None
    assert tickler("kafka", "quarantined", "--bytes").code == 2


def test_with_a_cluster_the_outbox_goes_there_and_the_consumer_is_one_of_the_loops(nobody: str) -> None:
    with_one = MemoryOffice.new(Settings(kafka_bootstrap_servers=nobody))
    with with_one.open(print) as services:
        assert isinstance(services.consuming, ConsumeStep)
        assert isinstance(services.relay.publisher, KafkaPublisher)
    with MemoryOffice.new().open(print) as services:
        assert services.consuming is None
        assert isinstance(services.relay.publisher, DirectPublisher)


def test_there_is_nothing_to_consume_without_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    said = Commands(MemoryOffice.new(), capsys)("run", "--only", "consume")

    assert said.code == 2
    assert "TICKLER_KAFKA_BOOTSTRAP_SERVERS" in said.err
