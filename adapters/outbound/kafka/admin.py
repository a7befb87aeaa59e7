"""The topics of an Apache Kafka cluster."""

from collections.abc import Mapping
from concurrent.futures import Future
from datetime import timedelta
from typing import Any

from attrs import field, frozen
from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its types pass on none of these names
    AclOperation,
    AdminClient,
    ClusterMetadata,
    ConfigResource,
    ResourceType,
)
from confluent_kafka.cimpl import NewTopic as Wanted

from adapters.kafka_options import Options
from adapters.observability.logging import one_line
from application.ports.errors import AlreadyThere
from application.ports.topics import ClusterFailed, NewTopic, Rights, Settings, TopicState

ANSWER_SECONDS = 5.0
MOST_COPIES = 3
MISSING = (KafkaError.UNKNOWN_TOPIC_OR_PART,)
TELLING = (KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._RESOLVE, KafkaError._TRANSPORT)


@frozen
class KafkaTopics:
    """A client for each question; none is kept."""

    options: Options = field(repr=False)

    def look(self, topic: str, group: str) -> TopicState | None:
        client, metadata = self._ask(topic)
        found = metadata.topics[topic]
        if found.error is not None:
            if found.error.code() in MISSING:
                return None
            raise ClusterFailed(f"{topic}: {one_line(found.error.str())}")
        partitions = list(found.partitions.values())
        return TopicState(
            brokers=len(metadata.brokers),
            partitions=len(partitions),
            replication=min(len(one.replicas) for one in partitions),
            in_sync=min(len(one.isrs) for one in partitions),
            leaderless=sum(one.leader < 0 for one in partitions),
            settings=_settings(client, topic),
            rights=_rights(client, topic, group),
        )

    def create(self, topic: NewTopic) -> int:
        client, metadata = self._ask(topic.name)
        copies = topic.replication or min(MOST_COPIES, len(metadata.brokers))
        wanted = Wanted(
            topic.name,
            num_partitions=topic.partitions,
            replication_factor=copies,
            config={
                "retention.ms": str(topic.retention // timedelta(milliseconds=1)),
                "cleanup.policy": "delete",
                "min.insync.replicas": "2" if copies >= MOST_COPIES else "1",
            },
        )
        try:
            _answer(client.create_topics([wanted], request_timeout=ANSWER_SECONDS))
        except KafkaException as problem:
            error: KafkaError = problem.args[0]
            if error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                raise AlreadyThere(f"topic {topic.name} is there already") from None
            raise ClusterFailed(f"{topic.name}: {one_line(error.str())}") from None
        return copies

    def _ask(self, topic: str) -> tuple[AdminClient, ClusterMetadata]:
        said: list[KafkaError] = []
        options: dict[str, Any] = {**self.options, "error_cb": said.append}
        client = AdminClient(options)
        try:
            return client, client.list_topics(topic, timeout=ANSWER_SECONDS)
        except KafkaException as problem:
            client.poll(0)
            raise ClusterFailed(_reason(problem.args[0], said)) from None


def _reason(error: KafkaError, said: list[KafkaError]) -> str:
    """Of what a client said before it gave up, what tells most."""
    telling = [one for code in TELLING for one in said if one.code() == code]
    return one_line((telling[0] if telling else error).str())


def _settings(client: AdminClient, topic: str) -> Settings | None:
    wanted = ConfigResource(ResourceType.TOPIC, topic)
    try:
        entries = _answer(client.describe_configs([wanted], request_timeout=ANSWER_SECONDS))
    except KafkaException:
        return None
    values: Mapping[str, str] = {name: entry.value for name, entry in entries.items()}
    retention, retained = int(values["retention.ms"]), int(values["retention.bytes"])
    return Settings(
        retention=None if retention < 0 else timedelta(milliseconds=min(retention, 10**14)),
        retention_bytes=None if retained < 0 else retained,
        min_in_sync=int(values["min.insync.replicas"]),
        is_compacted="compact" in values["cleanup.policy"],
        max_message_bytes=int(values["max.message.bytes"]),
    )


def _rights(client: AdminClient, topic: str, group: str) -> Rights:
    topics = client.describe_topics(
        TopicCollection([topic]), include_authorized_operations=True, request_timeout=ANSWER_SECONDS
    )
    groups = client.describe_consumer_groups(
        [group], include_authorized_operations=True, request_timeout=ANSWER_SECONDS
    )
    return Rights(
        read=_may(topics, AclOperation.READ),
        write=_may(topics, AclOperation.WRITE),
        group=_may(groups, AclOperation.READ),
    )


def _may(answers: "Mapping[str, Future[Any]]", operation: AclOperation) -> bool | None:
    try:
        allowed = _answer(answers).authorized_operations
    except KafkaException as problem:
        refused = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED)
        return False if problem.args[0].code() in refused else None
    return None if allowed is None else operation in allowed


def _answer(answers: "Mapping[Any, Future[Any]]") -> Any:
    (future,) = answers.values()
    return future.result(2 * ANSWER_SECONDS)
