"""One producer, the thread that serves its reports, and what each message of a batch was answered."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic

from confluent_kafka import KafkaError, KafkaException, Producer

from adapters.kafka_options import Options
from application.ports.outbox import Message

Code = int
"""A number of KafkaError: what Kafka, or librdkafka, or we ourselves say of a message."""

ACKNOWLEDGED: Code = KafkaError.NO_ERROR
GIVEN_UP: Code = KafkaError._TIMED_OUT
NO_ROOM: Code = KafkaError._QUEUE_FULL
UNWRITABLE: Code = KafkaError._INVALID_ARG
BROKEN: Code = KafkaError._FATAL
CLOSED: Code = KafkaError._DESTROY

NO_TOPIC = {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC}
CLOSED_TOPIC = {KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.TOPIC_EXCEPTION}
OF_A_TOPIC = NO_TOPIC | CLOSED_TOPIC

SERVE_SECONDS = 0.2
LOOK_SECONDS = 0.05
LOOK_FOR_TOPIC_SECONDS = 2.0
TO_ENQUEUE = 0.2
"""The part of the time for a batch in which it must find room; the rest is for the acknowledgements."""

_silent = logging.Logger("tickler.kafka")
_silent.addHandler(logging.NullHandler())


class Connection:
    """A producer that serves batches from any threads until it breaks or is closed, and then never again.

    Its own thread reads what librdkafka reports, also while nobody publishes: reports of a cluster that is
    away for a night would fill the memory else. Raises KafkaException for options that will not do.
    """

    def __init__(self, options: Options) -> None:
        self._over = threading.Event()
        self._ended_by: Code = CLOSED
        self._trouble: Code = ACKNOWLEDGED
        # A logger, since librdkafka tells of fatal errors on stderr whatever its level.
        self._producer = Producer(options | {"error_cb": self._note, "logger": _silent})
        threading.Thread(target=self._serve, name="kafka reports", daemon=True).start()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    @property
    def trouble(self) -> Code:
        """What last kept the cluster away, ACKNOWLEDGED when nothing did since the last acknowledgement."""
        return self._trouble

    def close(self) -> None:
        """End at once; what is not acknowledged yet is given up, and may arrive all the same."""
        self._over.set()

    def send(self, messages: Sequence[Message], seconds: float) -> Sequence[Code]:
        """What was said of each message, in their order, within so many seconds.

        When they pass without an answer to all, the connection is over: a producer that keeps a message
        longer than its own time-out is not to be trusted, and would send it after its repetition.
        """
        began = monotonic()
        reports = _Reports(len(messages))
        until = began + seconds * TO_ENQUEUE
        asked: set[str] = set()
        for place, message in enumerate(messages):
            refused = self._enqueue(message, reports.reader(place), until)
            if refused in OF_A_TOPIC and message.topic not in asked:
                asked.add(message.topic)
                self._look_for(message.topic)
                refused = self._enqueue(message, reports.reader(place), until)
            if refused is not None:
                reports.put(place, refused)
        while not reports.are_whole.wait(LOOK_SECONDS):
            if self._over.is_set():
                return reports.with_the_rest(self._ended_by)
            if monotonic() - began > seconds:
                self.close()
                break
        return reports.with_the_rest(GIVEN_UP)

    def _enqueue(self, message: Message, answered: "Answered", until: float) -> Code | None:
        """None when a report will come, else why none will."""
        while not self._over.is_set():
            try:
                self._producer.produce(
                    message.topic,
                    key=key_of(message),
                    value=message.payload,
                    headers=list(headers_of(message).items()),
                    on_delivery=lambda error, record: self._answered(answered, error),
                )
                return None
            except BufferError:
                if monotonic() > until:
                    return NO_ROOM
                self._over.wait(LOOK_SECONDS)
            except KafkaException as problem:
                return self._refused(problem)
            except (ValueError, TypeError):
                return UNWRITABLE
        return self._ended_by

    def _look_for(self, topic: str) -> None:
        """librdkafka asks only minutes later again about a topic that it could not have, unless told to."""
        with suppress(KafkaException):
            self._producer.list_topics(topic, timeout=LOOK_FOR_TOPIC_SECONDS)

    def _refused(self, problem: KafkaException) -> Code:
        error: KafkaError = problem.args[0]
        if error.fatal() or error.code() == BROKEN:
            self._break(error.code())
            return BROKEN
        return error.code()

    def _answered(self, answered: "Answered", error: KafkaError | None) -> None:
        if error is None:
            self._trouble = ACKNOWLEDGED
        answered(ACKNOWLEDGED if error is None else error.code())

    def _note(self, error: KafkaError) -> None:
        if error.code() != KafkaError._ALL_BROKERS_DOWN:  # it only repeats that each of them is
            self._trouble = error.code()

    def _break(self, trouble: Code) -> None:
        self._trouble = trouble
        self._ended_by = BROKEN
        self._over.set()

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                self._producer.poll(SERVE_SECONDS)
            except Exception as problem:
                # It raises for fatal errors alone, or what Python makes of such an error within a report.
                self._break(_code(problem))
        self._producer.purge(in_queue=True, in_flight=True, blocking=False)


Answered = Callable[[Code], None]


class _Reports:
    """The answers to one batch, as they come in from the connection's thread."""

    def __init__(self, count: int) -> None:
        self.are_whole = threading.Event()
        self._codes: list[Code | None] = [None] * count
        self._left = count
        self._lock = threading.Lock()

    def reader(self, place: int) -> Answered:
        return lambda code: self.put(place, code)

    def put(self, place: int, code: Code) -> None:
        with self._lock:
            if self._codes[place] is None:
                self._codes[place] = code
                self._left -= 1
        if not self._left:
            self.are_whole.set()

    def with_the_rest(self, code: Code) -> Sequence[Code]:
        """The answers so far, with this one for each message that has none."""
        with self._lock:
            return [code if one is None else one for one in self._codes]


def key_of(message: Message) -> bytes:
    """The event's id as text, so that all about one event is in one partition."""
    return str(message.key).encode()


def headers_of(message: Message) -> dict[str, bytes]:
    """The message's own headers, and `messageId`, by which what was repeated is known."""
    return {name: text.encode() for name, text in {"messageId": str(message.id), **message.headers}.items()}


def _code(problem: BaseException) -> Code:
    while not isinstance(problem, KafkaException):
        if problem.__cause__ is None:
            return BROKEN
        problem = problem.__cause__
    error: KafkaError = problem.args[0]
    return error.code()
