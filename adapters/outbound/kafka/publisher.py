"""The outbox to Kafka: each message is a record, with the event's id as its key. At least once.

Source: design section 6; the issue on Kafka; librdkafka's introduction, "Idempotent producer".
"""

import threading
from collections.abc import Sequence
from time import monotonic

from confluent_kafka import KafkaError, KafkaException

from adapters.kafka_options import Options
from adapters.outbound.kafka.connection import (
    ACKNOWLEDGED,
    CLOSED_TOPIC,
    GIVEN_UP,
    NO_TOPIC,
    UNWRITABLE,
    Code,
    Connection,
)
from application.ports.outbox import Message
from application.ports.publisher import LONGEST_PUBLISH, Acknowledgement, Never, NotNow, Published

OF_A_MESSAGE = {
    KafkaError.MSG_SIZE_TOO_LARGE,
    KafkaError.RECORD_LIST_TOO_LARGE,
    KafkaError.INVALID_MSG_SIZE,
    KafkaError.INVALID_RECORD,
    KafkaError.INVALID_TIMESTAMP,
    KafkaError.POLICY_VIOLATION,
    UNWRITABLE,
}
FOR_GOOD = OF_A_MESSAGE | CLOSED_TOPIC
PATIENCE = 0.8 * LONGEST_PUBLISH.total_seconds()


class KafkaPublisher:
    """Threads share it. Nothing is opened before something is published.

    Kafka refuses records by the batch, and which stood in one nobody tells: what was refused is sent again by
    itself, and only what is refused then too is Never. All else is NotNow: the cluster is away, the topic
    isn't there, a time ran out. A producer that breaks is replaced by a new one for the next batch.
    Messages of one key arrive in their order, save one that was not now, or refused along with its batch.
    """

    def __init__(self, options: Options, patience: float = PATIENCE) -> None:
        """`options` are a producer's; `patience` in seconds must outlast their `message.timeout.ms`."""
        self._options = options
        self._patience = patience
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._is_closed = False

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        if not messages:
            return []
        until = monotonic() + self._patience
        connection = self._connected()
        if not isinstance(connection, Connection):
            return [connection] * len(messages)
        codes = list(connection.send(messages, until - monotonic()))
        self._send_alone(connection, messages, codes, until)
        trouble = connection.trouble
        return [_answer(message, code, trouble) for message, code in zip(messages, codes, strict=True)]

    def close(self) -> None:
        """Give up what is on its way, as NotNow, and publish nothing more."""
        with self._lock:
            self._is_closed = True
            if self._connection is not None:
                self._connection.close()

    def _connected(self) -> Connection | NotNow:
        with self._lock:
            if self._is_closed:
                return NotNow("Kafka: the publisher was closed")
            if self._connection is None or self._connection.is_over:
                try:
                    self._connection = Connection(self._options)
                except KafkaException as problem:
                    return NotNow(f"Kafka: {_said(problem.args[0].code())}: its settings will not do")
            return self._connection

    def _send_alone(
        self, connection: Connection, messages: Sequence[Message], codes: list[Code], until: float
    ) -> None:
        """Put into `codes` what is said of each refused message when nothing goes with it."""
        closed: dict[str, Code] = {}
        for place, code in enumerate(codes):
            if code not in FOR_GOOD:
                continue
            message = messages[place]
            left = until - monotonic()
            if message.topic in closed:
                codes[place] = closed[message.topic]
            elif left <= 0:
                codes[place] = GIVEN_UP
            else:
                (codes[place],) = connection.send([message], left)
                if codes[place] in CLOSED_TOPIC:
                    closed[message.topic] = codes[place]


def _answer(message: Message, code: Code, trouble: Code) -> Acknowledgement:
    if code == ACKNOWLEDGED:
        return Published()
    if code in NO_TOPIC:
        return NotNow(
            f"Kafka: there is no topic {_word(message.topic)}: `tickler kafka create-topic` makes it"
        )
    if code in CLOSED_TOPIC:
        return Never(f"Kafka: {_said(code)}: topic {_word(message.topic)}")
    said = f"Kafka: {_said(code)}"
    if code in OF_A_MESSAGE:
        return Never(said)
    return NotNow(said if trouble in (ACKNOWLEDGED, code) else f"{said} ({_said(trouble)})")


def _said(code: Code) -> str:
    """librdkafka's words for a code, which never hold what was in a record."""
    return KafkaError(code).str().removeprefix("Broker: ").removeprefix("Local: ")


def _word(topic: str) -> str:
    return topic if topic.isascii() and topic.isprintable() and len(topic) < 250 else "of its name"
