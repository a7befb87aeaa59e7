"""What is counted of the relay, the consumer, deliveries and touches, in the shape of the specification's."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from attrs import define
from dependency_injector import providers

from adapters.__main__ import services
from adapters.container import Container
from adapters.inbound.cli.running import KINDS, make_loops
from adapters.inbound.loops import Stop
from adapters.observability.delivering import ObservedChannel
from adapters.observability.relaying import ObservedQuarantine
from adapters.observability.touching import ObservedTouches
from adapters.settings import Settings
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from adapters.testkit.quarantine import record
from application.calendar import Draft
from application.ports.channel import (
    Accepted,
    Later,
    Outcome,
    OutcomeUnknown,
    OutgoingMessage,
    RefusedForGood,
)
from application.ports.errors import Unavailable
from application.ports.ledger import Context
from application.ports.outbox import Message
from application.ports.people import ContactPoint, Person, Tenant
from application.ports.publisher import Acknowledgement, Never, NotNow, Published
from application.ports.work import Again, NothingToSay, Say, Work, WorkFailed
from application.ports.work import Outcome as WorkOutcome
from application.touching.deferring import Caller, Wish
from domain.deferred_touch import Claim
from domain.recurrence import Every
from domain.touch_plan import Terms
from domain.triggers import MinutesBeforeStart
from domain.values import ContactPointId, Origin, TenantId, Timing, UserId

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
TENANT, ANNA, POINT = TenantId(UUID(int=1)), UserId(UUID(int=2)), ContactPointId(UUID(int=3))
ORIGIN = Origin(ANNA, "recording", POINT)


@define
class Desk:
    """A process over memory in which everything is sent on one channel that remembers."""

    container: Container
    clock: SettableClock
    channel: RecordingChannel

    @classmethod
    def new(cls, *kinds: str, settings: Settings | None = None) -> "Desk":
        container = Container(store="memory", settings=settings or Settings(touch_attempts=2))
        clock, channel = SettableClock(NOW), RecordingChannel()
        container.clock.override(providers.Object(clock))
        container.own_clock.override(providers.Object(clock))
        container.channels.override(providers.List(providers.Object(channel)))
        container.kinds.override(providers.Object(["check", "message"]))
        container.handlers.override(providers.Object({"check": lambda work: NothingToSay()}))
        people = container.people()
        people.add_tenant(Tenant(TENANT, "acme"))
        people.add_person(Person(ANNA, TENANT, "anna"))
        people.add_contact_point(ContactPoint(POINT, ANNA, "recording", "anna's"))
        desk = cls(container, clock, channel)
        make_loops(services(container), container.settings(), kinds or KINDS, Stop())
        container.pages()
        return desk

    def value(self, name: str, **labels: str) -> float | None:
        found: float | None = self.container.metrics().registry.get_sample_value(name, labels)
        return found

    def values(self, name: str, label: str) -> dict[str, float]:
        """By that label, those that are not 0."""
        return {
            sample.labels[label]: sample.value
            for family in self.container.metrics().registry.collect()
            for sample in family.samples
            if sample.name == name and sample.value
        }

    def plan(self, count: int = 1) -> None:
        for _ in range(count):
            timing = Timing.of((NOW + 30 * MINUTE).replace(tzinfo=None), "UTC")
            draft = Draft(TENANT, ANNA, timing, title="secret", triggers=(MinutesBeforeStart(15),))
            self.container.calendar().plan(draft)

    def send_reminders(self, count: int = 1) -> None:
        """Until they wait in the outbox."""
        self.plan(count)
        self.clock.advance(16 * MINUTE)
        for _ in self.container.dispatch_job().tick():
            pass

    def deliver(self) -> None:
        observed = ObservedChannel(self.channel, self.clock, self.container.metrics().deliveries)
        for _ in self.container.delivering(channel=observed).tick():
            pass

    def defer(self, key: str = "1") -> None:
        wish = Wish("check", self.clock.now(), "call back", key)
        self.container.deferring().defer(Caller(TENANT, "agent", ORIGIN), wish)
        self.clock.advance(SECOND)

    def work(self, *outcomes: WorkOutcome | Exception) -> None:
        """Let the worker have its turn, in which the handler gives these."""
        left = list(outcomes)

        def handler(work: Work) -> WorkOutcome:
            given = left.pop(0)
            if isinstance(given, Exception):
                raise given
            return given

        self.container.handlers.override(providers.Object({"check": handler}))
        for _ in self.container.touch_loops().working.tick():
            pass


# The relay


@define
class Answers:
    """A publisher that answers by a script."""

    answers: list[Acknowledgement]

    def publish(self, messages: list[Message]) -> list[Acknowledgement]:
        return self.answers[: len(messages)]


def test_a_relays_batch_is_counted_by_what_became_of_its_messages() -> None:
    desk = Desk.new("relay")
    desk.send_reminders(3)
    answers = Answers([Published(), NotNow("away"), Never("too long")])
    desk.container.publisher.override(providers.Object(answers))
    desk.container.relay().batch()
    assert desk.values("calendar_outbox_relay_items_total", "result") == {
        "published": 1,
        "postponed": 1,
        "parked": 1,
    }
    assert desk.value("calendar_outbox_relay_errors_total") == 1
    assert desk.value("calendar_outbox_relay_batch_duration_seconds_count") == 1
    assert (desk.value("calendar_outbox_lag_rows"), desk.value("calendar_outbox_parked")) == (1, 1)


def test_a_batch_of_nothing_is_no_batch() -> None:
    desk = Desk.new("relay")
    desk.container.relay().batch()
    assert desk.value("calendar_outbox_relay_batch_duration_seconds_count") == 0


def test_the_outbox_lags_as_long_as_its_oldest_message_waits() -> None:
    desk = Desk.new("relay")
    desk.send_reminders()
    desk.clock.advance(90 * SECOND)
    assert (desk.value("calendar_outbox_lag_rows"), desk.value("calendar_outbox_lag_seconds")) == (1, 90)


# The consumer


def test_a_reminder_that_comes_again_is_counted_apart() -> None:
    desk = Desk.new("relay")
    desk.send_reminders(2)
    message = [claim.message for claim in desk.container.outbox().claim("other", 5, desk.clock.now(), MINUTE)]
    publisher = desk.container.publisher()
    publisher.publish(message)
    publisher.publish(message[:1])
    publisher.publish([])
    assert desk.values("notifications_consumer_items_total", "result") == {"received": 2, "repeated": 1}
    assert desk.value("notifications_consumer_batch_duration_seconds_count") == 2


def test_what_is_set_aside_is_counted_once_and_is_an_error() -> None:
    desk = Desk.new("relay")
    quarantine = ObservedQuarantine(desk.container.quarantine(), desk.container.metrics().consumer)
    assert quarantine.keep([record(1), record(2)]) == 2
    assert quarantine.keep([record(1)]) == 0
    assert (quarantine.count(), len(quarantine.latest(5))) == (2, 2)
    assert desk.values("notifications_consumer_items_total", "result") == {"quarantined": 2}
    assert desk.value("notifications_consumer_errors_total") == 2


def test_without_kafka_the_relay_is_the_consumer() -> None:
    desk = Desk.new("relay")
    assert desk.value("notifications_consumer_last_success_timestamp_seconds") == NOW.timestamp()
    pulse = desk.container.metrics().pulses["relay"]
    desk.clock.advance(MINUTE)
    pulse.begin()
    pulse.end(0.5, succeeded=True)
    for name in ("notifications_consumer", "calendar_outbox_relay"):
        assert desk.value(f"{name}_last_success_timestamp_seconds") == (NOW + MINUTE).timestamp()
    pulse.begin()
    pulse.fail(0.5)
    assert desk.value("calendar_outbox_relay_errors_total") == 1
    assert desk.value("notifications_consumer_errors_total") == 0


def test_with_kafka_the_consumer_is_told_of_where_it_runs() -> None:
    settings = Settings(kafka_bootstrap_servers="127.0.0.1:1")
    assert Desk.new("relay", settings=settings).value("notifications_consumer_errors_total") is None
    desk = Desk.new("consume", settings=settings)
    assert desk.value("notifications_consumer_errors_total") == 0
    assert desk.value("calendar_outbox_relay_errors_total") is None
    assert set(desk.container.metrics().pulses) == {"consume"}


# Deliveries


@pytest.mark.parametrize(
    ("outcome", "name"),
    [
        (Accepted(), "delivered"),
        (RefusedForGood("no such box"), "failed"),
        (OutcomeUnknown("no answer"), "unknown"),
        (Later("busy"), "postponed"),
    ],
)
def test_a_delivery_is_counted_by_its_channel_and_what_came_of_it(outcome: Outcome, name: str) -> None:
    desk = Desk.new()
    desk.send_reminders()
    desk.container.relay().batch()
    assert desk.values("notifications_delivery_backlog", "channel") == {"recording": 1}
    desk.channel.answer(outcome)
    desk.deliver()
    assert desk.values("notifications_delivery_items_total", "outcome") == {name: 1}
    assert desk.value("notifications_delivery_attempt_duration_seconds_count", channel="recording") == 1
    assert desk.value("notifications_delivery_lateness_seconds_count", channel="recording") == (
        name == "delivered"
    )


def test_lateness_of_a_delivery_runs_from_when_its_reminder_was_due() -> None:
    desk = Desk.new()
    desk.send_reminders()
    desk.container.relay().batch()

    def slow(message: OutgoingMessage) -> Outcome:
        desk.clock.advance(30 * SECOND)
        return Accepted()

    desk.channel.answer(slow)
    desk.deliver()
    assert desk.value("notifications_delivery_lateness_seconds_sum", channel="recording") == 90
    assert desk.value("notifications_delivery_attempt_duration_seconds_sum", channel="recording") == 30


def test_a_delivery_that_nobody_wants_any_more_is_skipped_without_an_attempt() -> None:
    desk = Desk.new()
    desk.send_reminders()
    desk.container.relay().batch()
    desk.container.people().opt_out_of(ANNA, "recording", True)
    desk.deliver()
    assert desk.values("notifications_delivery_items_total", "outcome") == {"skipped": 1}
    assert desk.value("notifications_delivery_attempt_duration_seconds_count", channel="recording") == 0


def test_failed_and_unknown_stand_until_somebody_has_looked() -> None:
    desk = Desk.new()
    desk.send_reminders(2)
    desk.container.relay().batch()
    desk.channel.answer(RefusedForGood("no"))
    desk.channel.answer(OutcomeUnknown("no answer"))
    desk.deliver()
    assert (desk.value("notifications_delivery_failed"), desk.value("notifications_delivery_unknown")) == (
        1,
        1,
    )


def test_each_channel_that_is_sent_on_is_there_from_the_start() -> None:
    desk = Desk.new("deliver")
    for outcome in ("delivered", "failed", "unknown", "postponed", "skipped"):
        assert desk.value("notifications_delivery_items_total", channel="recording", outcome=outcome) == 0
    assert desk.value("notifications_delivery_errors_total", channel="recording") == 0
    assert desk.value("notifications_delivery_oldest_age_seconds", channel="recording") == 0
    assert (
        desk.value("notifications_delivery_last_success_timestamp_seconds", channel="recording")
        == NOW.timestamp()
    )


def test_a_failed_turn_of_a_channels_loop_is_an_error_of_the_channel() -> None:
    desk = Desk.new("deliver")
    pulse = desk.container.metrics().pulses["deliver recording"]
    pulse.begin()
    pulse.fail(0.5)
    assert desk.value("notifications_delivery_errors_total", channel="recording") == 1


# Deferred touches


@pytest.mark.parametrize(
    ("outcomes", "results"),
    [
        pytest.param([Say("done")], {"answered": 1}, id="an answer"),
        pytest.param([NothingToSay()], {"nothing_to_say": 1}, id="nothing to say"),
        pytest.param([Again(NOW + 60 * MINUTE)], {"again": 1}, id="not yet"),
        pytest.param([WorkFailed("503")], {"failed_attempt": 1}, id="a failed attempt"),
    ],
)
def test_a_touch_is_counted_by_what_came_of_it(
    outcomes: list[WorkOutcome | Exception], results: dict[str, int]
) -> None:
    desk = Desk.new()
    desk.defer()
    desk.work(*outcomes)
    assert desk.values("deferred_touch_items_total", "result") == results
    assert desk.values("deferred_touch_claims_total", "kind") == {"check": 1}


def test_a_touch_whose_tries_are_spent_has_failed() -> None:
    desk = Desk.new()
    desk.defer()
    desk.work(WorkFailed("503"))
    desk.clock.advance(MINUTE)
    desk.work(WorkFailed("503"))
    assert desk.values("deferred_touch_items_total", "result") == {"failed_attempt": 1, "failed": 1}
    assert desk.value("deferred_touch_failed") == 1


def test_a_touch_whose_origin_is_gone_is_undeliverable() -> None:
    desk = Desk.new()
    desk.defer()
    desk.container.people().opt_out_of(ANNA, "recording", True)
    desk.work()
    assert desk.values("deferred_touch_items_total", "result") == {"undeliverable": 1}


def test_only_the_first_claim_of_a_touch_tells_how_late_it_is() -> None:
    desk = Desk.new()
    desk.defer()
    desk.clock.advance(44 * SECOND)
    desk.work(Again(NOW + 60 * MINUTE))
    desk.clock.advance(90 * MINUTE)
    desk.work(Say("done"))
    assert desk.value("deferred_touch_lateness_seconds_count") == 1
    assert desk.value("deferred_touch_lateness_seconds_sum") == 45
    assert desk.values("deferred_touch_claims_total", "kind") == {"check": 2}


def test_a_touch_that_its_worker_left_is_stuck_until_another_takes_it_back() -> None:
    desk = Desk.new()
    desk.defer()
    working = desk.container.touch_loops().working
    with working.touches.transaction(Context(UUID(int=9))) as transaction:
        working._claimed(transaction, dead_workers(desk))
    desk.clock.advance(MINUTE)
    assert desk.value("deferred_touch_stuck") == 1
    assert desk.value("tickler_stuck_claims", kind="touch") == 1
    desk.work(Say("done"))
    assert desk.value("deferred_touch_recoveries_total") == 1
    assert desk.values("deferred_touch_items_total", "result") == {"answered": 1}


def dead_workers(desk: Desk) -> Claim:
    now = desk.clock.now()
    return Claim("dead", now + 10 * SECOND, now)


def test_what_is_rolled_back_has_not_happened() -> None:
    desk = Desk.new()
    desk.defer()
    touches = ObservedTouches(desk.container.touches(), desk.container.metrics().touches)
    working = desk.container.touch_loops().working

    def claim_and_break() -> None:
        with touches.transaction(Context(UUID(int=9))) as transaction:
            assert working._claimed(transaction, dead_workers(desk))
            raise KeyError

    with pytest.raises(KeyError):
        claim_and_break()
    assert desk.values("deferred_touch_claims_total", "kind") == {}


def test_a_broken_plan_is_an_error_in_each_turn_and_the_others_go_on() -> None:
    desk = Desk.new("touch")
    planning = desk.container.planning()
    terms = Terms(Every("FREQ=DAILY", datetime.fromisoformat("2026-11-29T12:01"), "UTC"), ORIGIN)
    broken, _ = (planning.create(TENANT, terms, "renew", "operator").id for _ in range(2))
    desk.container.memory().plan_texts[broken] = "{{ foo }}"
    desk.clock.advance(MINUTE)
    metrics = desk.container.metrics()
    loops = desk.container.touch_loops().loops(
        Stop(), lambda name: metrics.pulses[name], metrics.touches.errors.inc
    )
    (plans,) = (loop for loop in loops if loop.name == "touch plans")
    desk.clock.advance(SECOND)
    for turn in (1, 2):
        plans._turn()
        assert desk.value("deferred_touch_errors_total") == turn
    assert desk.value("tickler_loop_errors_total", loop="touch plans") == 0
    assert (
        desk.value("tickler_loop_last_success_timestamp_seconds", loop="touch plans")
        == desk.clock.now().timestamp()
    )


def test_a_heartbeat_that_fails_is_an_error_and_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk.new("touch")
    metrics = desk.container.metrics()
    (beats,) = (
        loop
        for loop in desk.container.touch_loops().loops(Stop(), lambda name: metrics.pulses[name])
        if loop.name == "touch heartbeat"
    )

    def away(self: object) -> None:
        raise Unavailable("gone")

    monkeypatch.setattr(type(desk.container.holding()), "beat", away)
    desk.clock.advance(MINUTE)
    beats._turn()
    assert desk.value("deferred_touch_errors_total") == 1
    assert desk.value("tickler_loop_errors_total", loop="touch heartbeat") == 1
    name = "tickler_loop_last_success_timestamp_seconds"
    assert desk.value(name, loop="touch heartbeat") == NOW.timestamp()


def test_each_kind_of_work_is_there_from_the_start() -> None:
    desk = Desk.new("touch")
    assert desk.value("deferred_touch_claims_total", kind="check") == 0
    assert desk.value("deferred_touch_items_total", result="undeliverable") == 0
    assert desk.value("deferred_touch_last_success_timestamp_seconds") == NOW.timestamp()
