"""The consumer of due reminders: inbox and deliveries are committed first, and offsets stored after it.

A record may be read again, after a crash or a rebalance, and is then found in the inbox: at least once.
Source: design section 6; `study/reliability.md` 2, F29 to F32 and F36.
"""

import logging
import threading
from collections.abc import Mapping, Sequence
from time import monotonic

from attrs import define, field
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from adapters.codec import Malformed
from adapters.inbound.kafka.headers import Carry, carry_nothing
from adapters.inbound.kafka.records import Record, due_of, place_of, quarantined
from adapters.inbound.loops import Hindered
from adapters.kafka_options import Options
from adapters.observability.logging import log, one_line
from application.ports.errors import Busy, Conflict, Unavailable
from application.ports.machine import Clock
from application.ports.quarantine import Quarantine, Quarantined
from application.receiving import NotYet, Receiving, TakenIn, Unfit
from domain.policies import ReminderDueEvent

NO_TOPIC = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)
CUT_OFF = (
    KafkaError._AUTHENTICATION,
    KafkaError._SSL,
    KafkaError._RESOLVE,
)
PROBE_SECONDS = 1.0
CLOSE_SECONDS = 1.0
SYSLOG_WARNING = 4
MOST_REASONS = 5


class _Dropped(logging.Handler):
    """Of all that the client would log, that the topic had dropped records which we had not read yet."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text.startswith("OFFSET") and "out of range" in text:
            log(loop="consume").error("records dropped before they were read", problem=one_line(text))


_listener = logging.Logger("tickler.kafka.consumer")
_listener.addHandler(_Dropped())
# Nothing else tells of it: to start again at what is left is what was asked for.
LISTENING: Options = {"logger": _listener, "log_level": SYSLOG_WARNING}


@define
class ConsumeStep:
    """One batch a call: up to `batch_size` records, waited for no longer than `patience` seconds.

    What could not be taken in is held, and tried again with what came since: beside others that are taken in
    it shows whose fault it is. With a full batch held the partitions are paused, so that memory stays bounded
    while we keep our place in the group. Hindered with the store or the brokers away.
    """

    receiving: Receiving
    quarantine: Quarantine
    clock: Clock
    topic: str
    options: Options = field(repr=False)
    batch_size: int = 500
    patience: float = 0.2
    carry: Carry = carry_nothing
    _consumer: Consumer | None = field(default=None, init=False)
    _held: list[Record] = field(factory=list, init=False)
    _set_apart: dict[tuple[str, int, int], Quarantined] = field(factory=dict, init=False)
    _read_up_to: dict[int, int] = field(factory=dict, init=False)
    _is_paused: bool = field(default=False, init=False)
    _trouble: str | None = field(default=None, init=False)
    _is_spent: bool = field(default=False, init=False)

    def __call__(self) -> float:
        if self._is_spent:
            self.close()
        consumer = self._consumer or self._open()
        self._read(consumer)
        if self._held:
            first_of_batch = _first_offsets(self._held)
            why = self._take_in()
            self._store_offsets(consumer, first_of_batch)
            if self._held:
                raise Hindered(why)
        elif self._trouble is not None:
            self._look_again(consumer, self._trouble)
        return 0.0

    def close(self) -> None:
        """Leave the group, so that others take over at once; what was stored is committed.

        With the brokers away it is left to find out by itself.
        """
        if self._consumer is not None:
            closing = threading.Thread(target=self._consumer.close, name="consumer's end", daemon=True)
            closing.start()
            closing.join(CLOSE_SECONDS)
        self._consumer, self._is_spent, self._trouble = None, False, None
        self._held, self._read_up_to, self._is_paused = [], {}, False
        self._set_apart.clear()

    def _open(self) -> Consumer:
        consumer = Consumer({**self.options, "error_cb": self._note, **LISTENING})
        consumer.subscribe(
            [self.topic], on_assign=_say_assigned, on_revoke=self._let_go, on_lost=self._let_go
        )
        self._consumer = consumer
        return consumer

    def _read(self, consumer: Consumer) -> None:
        room = self.batch_size - len(self._held)
        self._pause(consumer, room <= 0)
        first = consumer.poll(0 if self._held else self.patience)
        if first is None:
            return
        # Kept before we ask for more: a rebalance may take it from us meanwhile.
        self._keep([first])
        if room > 1:
            self._keep(consumer.consume(room - 1, timeout=0))

    def _pause(self, consumer: Consumer, wanted: bool) -> None:
        if wanted:
            # Each time: some may have been assigned since.
            consumer.pause(consumer.assignment())
        elif self._is_paused:
            consumer.resume(consumer.assignment())
        self._is_paused = wanted

    def _keep(self, records: Sequence[Record]) -> None:
        for record in records:
            if (error := record.error()) is not None:
                self._complain(error)
            else:
                self._held.append(record)
                _, partition, offset = place_of(record)
                self._read_up_to[partition] = offset + 1

    def _take_in(self) -> str:
        """Leaves in `_held` what is to be tried again, and gives the reason."""
        began = monotonic()
        due: dict[int, ReminderDueEvent] = {}
        refused: dict[int, str] = {}
        for place, record in enumerate(self._held):
            try:
                due[place] = due_of(record)
            except Malformed as problem:
                refused[place] = str(problem)
        with self.carry({one.reminder_id: self._held[place] for place, one in due.items()}):
            outcomes = dict(zip(due, self.receiving.take_in(list(due.values())), strict=True))
        refused |= {place: one.reason for place, one in outcomes.items() if isinstance(one, Unfit)}
        waiting = {place: one.reason for place, one in outcomes.items() if isinstance(one, NotYet)}
        if refused and (away := self._set_aside(refused)):
            waiting |= dict.fromkeys(refused, away)
        taken = [one for one in outcomes.values() if isinstance(one, TakenIn)]
        if taken:
            new = sum(one.is_new for one in taken)
            log(loop="consume").info(
                "batch taken in",
                count=len(taken),
                new=new,
                DurationMs=round((monotonic() - began) * 1000),
            )
        self._held = [self._held[place] for place in sorted(waiting)]
        return "; ".join(dict.fromkeys(waiting.values()))

    def _set_aside(self, refused: dict[int, str]) -> str | None:
        """Into the quarantine; the reason where its store is away."""
        at = self.clock.now()
        records = []
        for place, reason in refused.items():
            name = place_of(self._held[place])
            if name not in self._set_apart:
                self._set_apart[name] = quarantined(self._held[place], reason, at)
            records.append(self._set_apart[name])
        try:
            new = self.quarantine.keep(records)
        except (Unavailable, Busy, Conflict) as problem:
            return f"the quarantine's store: {type(problem).__name__}"
        self._set_apart.clear()
        first = records[0]
        said = log(loop="consume")
        tell = said.error if new else said.info
        tell(
            "records quarantined" if new else "records are in quarantine already",
            count=new or len(records),
            reasons=list(dict.fromkeys(refused.values()))[:MOST_REASONS],
            firstPartition=first.partition,
            firstOffset=first.offset,
        )
        return None

    def _store_offsets(self, consumer: Consumer, first_of_batch: Mapping[int, int]) -> None:
        """Up to the first that is held, in each partition; they are committed within a second."""
        held = _first_offsets(self._held)
        settled = {
            partition: offset
            for partition, offset in (self._read_up_to | held).items()
            if offset > first_of_batch[partition]
        }
        self._read_up_to = {partition: self._read_up_to[partition] for partition in held}
        try:
            consumer.store_offsets(offsets=[TopicPartition(self.topic, *one) for one in settled.items()])
        except KafkaException as problem:
            # The partition has just been lost: its next owner reads again what we took in.
            log(loop="consume").warning("offsets not stored", problem=one_line(problem.args[0]))

    def _let_go(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        """Their next owner reads what we hold of them."""
        numbers = {one.partition for one in partitions}
        self._held = [record for record in self._held if record.partition() not in numbers]
        for number in numbers:
            self._read_up_to.pop(number, None)
        log(loop="consume").info("partitions let go", count=len(numbers))

    def _note(self, error: KafkaError) -> None:
        """What the client tells of itself; of a single broker that went away it says more than we want."""
        if error.fatal():
            self._is_spent = True
        elif error.code() == KafkaError._ALL_BROKERS_DOWN:
            # It follows from what was said before, and says less.
            self._trouble = self._trouble or one_line(error.str())
        elif error.code() in CUT_OFF:
            self._trouble = one_line(error.str())

    def _complain(self, error: KafkaError) -> None:
        if error.code() == KafkaError._MAX_POLL_EXCEEDED:
            log(loop="consume").warning("partitions lost, since a batch took too long")
        else:
            self._trouble = one_line(error.str())
            self._is_spent = self._is_spent or error.fatal()

    def _look_again(self, consumer: Consumer, trouble: str) -> None:
        """Hindered while the trouble lasts: the client tells of its beginning, and not of its end."""
        try:
            found = consumer.list_topics(self.topic, timeout=PROBE_SECONDS).topics[self.topic]
        except KafkaException as problem:
            raise Hindered(trouble) from problem
        if found.error is not None:
            remedy = ": `tickler kafka create-topic` makes it" if found.error.code() in NO_TOPIC else ""
            raise Hindered(f"{self.topic}: {one_line(found.error.str())}{remedy}")
        self._trouble = None


def _first_offsets(records: Sequence[Record]) -> dict[int, int]:
    """Of each partition; its records stand in their order."""
    first: dict[int, int] = {}
    for record in records:
        _, partition, offset = place_of(record)
        first.setdefault(partition, offset)
    return first


def _say_assigned(_: Consumer, partitions: list[TopicPartition]) -> None:
    log(loop="consume").info("partitions assigned", count=len(partitions))
