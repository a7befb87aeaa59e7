"""The options of every Kafka client of ours; each time-out that could eat the two minutes is set on purpose.

Seconds and bytes in librdkafka's own names and units (its CONFIGURATION.md). Source: design section 6,
`study/reliability.md` 0.4. Who takes them prints them nowhere: a password is among them.
"""

from typing import Any

from pydantic import SecretStr

from adapters.settings import Settings

Options = dict[str, Any]

MESSAGE_TIMEOUT_MS = 20_000
MOST_IN_QUEUE = 20_000
MOST_IN_QUEUE_KILOBYTES = 64 * 1024
MOST_READ_AHEAD_KILOBYTES = 16 * 1024


def client_options(settings: Settings) -> Options:
    """What producer, consumer and admin have in common. No client of ours ever makes a topic by using it.

    ValueError where no cluster is set.
    """
    if settings.kafka_bootstrap_servers is None:
        raise ValueError("no cluster is set")
    return {
        "bootstrap.servers": settings.kafka_bootstrap_servers,
        "client.id": settings.kafka_client_id,
        "security.protocol": settings.kafka_security_protocol.value,
        # It holds for producers too, though its documentation speaks of consumers.
        "allow.auto.create.topics": False,
        "socket.timeout.ms": 10_000,
        "socket.connection.setup.timeout.ms": 10_000,
        "socket.keepalive.enable": True,
        "reconnect.backoff.ms": 100,
        "reconnect.backoff.max.ms": 2_000,
        # Its lines would stand on stderr in a form of their own; the loops tell of what fails, once.
        "log_level": 0,
        **_identity(settings),
    }


def producer_options(settings: Settings) -> Options:
    """For the outbox: nothing repeated or out of order while a producer lives, and no answer kept for long.

    A message is given up before LONGEST_PUBLISH, so that its relay still holds the claim.
    """
    return client_options(settings) | {
        "enable.idempotence": True,
        "acks": "all",
        "partitioner": "murmur2_random",
        "compression.type": "lz4",
        "linger.ms": 5,
        "message.timeout.ms": MESSAGE_TIMEOUT_MS,
        "request.timeout.ms": 10_000,
        "topic.metadata.propagation.max.ms": 2_000,
        "retry.backoff.ms": 100,
        "retry.backoff.max.ms": 1_000,
        "queue.buffering.max.messages": MOST_IN_QUEUE,
        "queue.buffering.max.kbytes": MOST_IN_QUEUE_KILOBYTES,
    }


def consumer_options(settings: Settings) -> Options:
    """For the group that makes deliveries: from the beginning, and an offset only after its commit."""
    return client_options(settings) | {
        "group.id": settings.kafka_group,
        "auto.offset.reset": "earliest",
        "enable.auto.offset.store": False,
        "session.timeout.ms": 10_000,
        "heartbeat.interval.ms": 3_000,
        "max.poll.interval.ms": 60_000,
        # Of a rebalance only what moves stops. The broker's own protocol (KIP-848) would do as much, and
        # would take the session's time-out from the broker, whose 45 s are too long.
        "partition.assignment.strategy": "cooperative-sticky",
        "auto.commit.interval.ms": 1_000,
        # A topic that was missing, or partitions that were added, are seen so soon.
        "topic.metadata.refresh.interval.ms": 10_000,
        "queued.max.messages.kbytes": MOST_READ_AHEAD_KILOBYTES,
        "fetch.max.bytes": MOST_READ_AHEAD_KILOBYTES * 1024,
        "fetch.queue.backoff.ms": 100,
    }


def _identity(settings: Settings) -> Options:
    """Who we are, and whom we take for the cluster."""
    given = {
        "sasl.mechanism": settings.kafka_sasl_mechanism,
        "sasl.username": settings.kafka_sasl_username,
        "sasl.password": _revealed(settings.kafka_sasl_password),
        "ssl.ca.location": settings.kafka_ssl_ca_location,
        "ssl.certificate.location": settings.kafka_ssl_certificate_location,
        "ssl.key.location": settings.kafka_ssl_key_location,
        "ssl.key.password": _revealed(settings.kafka_ssl_key_password),
    }
    identity: Options = {name: str(value) for name, value in given.items() if value is not None}
    return identity | {"ssl.endpoint.identification.algorithm": "https"}


def _revealed(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
