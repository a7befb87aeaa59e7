"""The whole way of a reminder is one trace, that of the run that sent it; a touch is a trace of its own."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from time import monotonic
from uuid import UUID

import pytest
from attrs import define
from confluent_kafka import Producer
from dependency_injector import providers
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from adapters.__main__ import _delivering, services
from adapters.codec import TRACEPARENT, encode_due
from adapters.container import Container
from adapters.inbound.loops import Hindered
from adapters.observability.dispatching import _ObservedTransaction
from adapters.observability.tracing import wrapping
from adapters.observability.tracing.spans import Spans
from adapters.observability.tracing.traceparent import root_of, sound, traceparent
from adapters.settings import Settings
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from adapters.testkit.publisher import due
from application.calendar import Draft
from application.dispatching import TOPIC
from application.ports.channel import OutcomeUnknown
from application.ports.errors import Unavailable
from application.ports.ledger import Claimed
from application.ports.people import ContactPoint, Person, Tenant
from application.ports.work import Outcome, Say, Work, WorkFailed
from application.touching.deferring import Caller, Wish
from domain.triggers import MinutesBeforeStart
from domain.values import ContactPointId, Origin, TenantId, Timing, TouchId, UserId
from tests.kafka.mock import MockCluster
from tests.kafka.oddly import write_with_a_header_named

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TENANTS = (TenantId(UUID(int=1)), TenantId(UUID(int=2)))
PERSONS = (UserId(UUID(int=11)), UserId(UUID(int=12)))
POINTS = (ContactPointId(UUID(int=21)), ContactPointId(UUID(int=22)))
SECRETS = ("hush-title", "hush-handle", "hush-address", "hush-text", "hush-answer", "hush-key", "hush-slug")
PATIENCE_S = 30.0
Headers = list[tuple[str, str | bytes | None]]
SOUND = traceparent(0xABC, 0xDEF)
HOSTILE = [
    b"",
    b"x" * 10_000,
    b"00-" + b"0" * 32 + b"-" + b"1" * 16 + b"-01",
    b"00-" + b"1" * 32 + b"-" + b"0" * 16 + b"-01",
    SOUND.upper().encode(),
    SOUND.encode() + b"\n",
    b"ff" + SOUND.encode()[2:],
    SOUND.encode()[:-1] + b"\xff",
    SOUND.encode()[:-1] + b"\0",
    "00-١".encode() + SOUND.encode()[5:],
]


@define
class World:
    """A process over one of the stores whose spans stay here, with two tenants and one person in each."""

    container: Container
    clock: SettableClock
    channel: RecordingChannel
    exporter: InMemorySpanExporter

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        return self.exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def plan(self) -> None:
        """One event of each tenant, reminded of in 15 minutes."""
        for tenant, person in zip(TENANTS, PERSONS, strict=True):
            timing = Timing.of((self.clock.now() + 30 * MINUTE).replace(tzinfo=None), "UTC")
            draft = Draft(tenant, person, timing, title="hush-title", triggers=(MinutesBeforeStart(15),))
            self.container.calendar().plan(draft)

    def dispatch(self) -> UUID:
        """The run that sent what was due."""
        self.clock.advance(16 * MINUTE)
        (result,) = self.container.dispatch_job().tick()
        assert result.sent_count == len(TENANTS)
        run_id: UUID = result.run_id
        return run_id

    def relay(self) -> None:
        self.container.relay().batch()

    def consume(self, count: int) -> None:
        """Until so many are in the inbox."""
        with closing(self.container.consuming()) as step:
            end = monotonic() + PATIENCE_S
            while len(self.named("consumer receive")) < count:
                assert monotonic() < end
                with suppress(Hindered):
                    step()

    def deliver(self) -> None:
        for _ in _delivering(self.container, self.channel).tick():
            pass

    def defer(self) -> TouchId:
        wish = Wish("check", self.clock.now(), "hush-text", "hush-key")
        caller = Caller(TENANTS[0], "agent", Origin(PERSONS[0], "recording", POINTS[0]))
        registered = self.container.deferring().defer(caller, wish)
        self.clock.advance(MINUTE)
        touch_id: TouchId = registered.touch.id
        return touch_id

    def work(self, outcome: Outcome | Exception) -> None:
        def handler(work: Work) -> Outcome:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        with self.container.handlers.override(providers.Object({"check": handler})):
            for _ in self.container.touch_loops().working.tick():
                pass


Make = Callable[[Settings], World]


@pytest.fixture(params=["memory", "postgres"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    opened: list[Container] = []

    def made(settings: Settings) -> World:
        conninfo = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
        container = Container(store=request.param, conninfo=conninfo, settings=settings)
        if request.param == "postgres":
            opened.append(container)
        clock, channel, exporter = SettableClock(NOW), RecordingChannel(), InMemorySpanExporter()
        container.clock.override(providers.Object(clock))
        container.own_clock.override(providers.Object(clock))
        container.spans.override(providers.Object(Spans(SimpleSpanProcessor(exporter))))
        container.channels.override(providers.List(providers.Object(channel)))
        container.kinds.override(providers.Object(["check"]))
        people = container.people()
        for tenant, person, point in zip(TENANTS, PERSONS, POINTS, strict=True):
            people.add_tenant(Tenant(tenant, f"hush-slug-{tenant.int}"))
            people.add_person(Person(person, tenant, "hush-handle"))
            people.add_contact_point(ContactPoint(point, person, "recording", f"hush-address-{tenant.int}"))
        return World(container, clock, channel, exporter)

    yield made
    for container in opened:
        container.database().close()
        container.heartbeats().close()


def traces(spans: Sequence[ReadableSpan]) -> set[UUID]:
    return {UUID(int=span.context.trace_id) for span in spans}


def told(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {}).get(f"tickler.{name}")


def parent_of(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


def all_told(spans: Sequence[ReadableSpan]) -> str:
    return "\n".join(span.to_json() for span in spans)


# Reminders


def test_the_whole_way_of_a_reminder_is_one_trace_and_that_is_the_run(make: Make) -> None:
    world = make(Settings())
    world.plan()
    run_id = world.dispatch()
    world.relay()
    world.deliver()
    assert len(world.channel.sent) == 2
    assert traces(world.spans) == {run_id}
    (cycle,) = world.named("dispatch cycle")
    assert told(cycle, "run_id") == str(run_id)
    assert cycle.parent is None
    rest = [span for span in world.spans if span is not cycle]
    assert sorted(span.name for span in rest) == sorted(
        2 * ["consumer receive", "delivery attempt", "dispatch item", "relay publish"]
    )
    assert {parent_of(span) for span in rest} == {cycle.context.span_id}


def test_through_kafka_it_is_the_same_trace(make: Make, mock_kafka: MockCluster) -> None:
    mock_kafka.topic(TOPIC, 4)
    world = make(Settings(kafka_bootstrap_servers=mock_kafka.bootstrap))
    world.plan()
    run_id = world.dispatch()
    with closing(world.container.publisher()):
        world.relay()
        assert world.named("consumer receive") == []
        world.consume(2)
    world.deliver()
    assert len(world.named("delivery attempt")) == 2
    assert traces(world.spans) == {run_id}


def test_each_item_names_its_tenant_reminder_and_event(make: Make) -> None:
    world = make(Settings())
    world.plan()
    world.dispatch()
    world.relay()
    world.deliver()
    for name in ("dispatch item", "consumer receive", "delivery attempt"):
        spans = world.named(name)
        assert {told(span, "tenant_id") for span in spans} == {str(tenant) for tenant in TENANTS}
        for span in spans:
            event_id = told(span, "event_id")
            (row,) = world.container.ledger().reminders(UUID(str(event_id)))
            assert told(span, "reminder_id") == str(row.state.id)


def test_two_runs_are_two_traces_and_a_message_names_its_own(make: Make) -> None:
    world = make(Settings())
    world.plan()
    first = world.dispatch()
    world.plan()
    second = world.dispatch()
    world.relay()
    for run_id in (first, second):
        spans = [span for span in world.spans if UUID(int=span.context.trace_id) == run_id]
        assert len([span for span in spans if span.name == "consumer receive"]) == 2
    assert traces(world.spans) == {first, second}


def test_an_attempt_that_comes_to_nothing_is_an_error_without_words(make: Make) -> None:
    world = make(Settings())
    world.channel.answer(OutcomeUnknown("hush-answer of a server"))
    world.plan()
    run_id = world.dispatch()
    world.relay()
    world.deliver()
    failed = [span for span in world.named("delivery attempt") if span.status.status_code is StatusCode.ERROR]
    assert [told(span, "outcome") for span in failed] == ["OutcomeUnknown"]
    assert traces(failed) == {run_id}
    assert "hush" not in all_told(world.spans)


def test_a_cycle_that_fails_is_an_error_that_names_the_kind_alone(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make(Settings())

    def fail(*_: object) -> Claimed:
        raise Unavailable("hush-text")

    monkeypatch.setattr(_ObservedTransaction, "claim_due", fail)
    with pytest.raises(Unavailable):
        world.container.dispatch_job().cycle(UUID(int=77), world.clock.now())
    (cycle,) = world.named("dispatch cycle")
    assert cycle.status.status_code is StatusCode.ERROR
    assert (cycle.status.description, list(cycle.events)) == (None, [])
    assert UUID(int=cycle.context.trace_id) == UUID(int=77)


# Traceparents


@pytest.mark.parametrize("given", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_traceparent_is_as_if_it_were_not_there(given: bytes) -> None:
    assert sound(given) is None
    assert sound(given.decode(errors="replace")) is None


def test_a_traceparent_is_one_as_text_and_as_bytes() -> None:
    assert sound(SOUND) == sound(SOUND.encode()) == SOUND
    assert sound(None) is sound(7) is None


def test_records_with_hostile_headers_are_taken_in_like_all_others(
    make: Make, mock_kafka: MockCluster
) -> None:
    mock_kafka.topic(TOPIC, 1)
    world = make(Settings(kafka_bootstrap_servers=mock_kafka.bootstrap))
    producer = Producer({"bootstrap.servers": mock_kafka.bootstrap})
    for number, value in enumerate(HOSTILE, 1):
        producer.produce(TOPIC, encode_due(due(number)), headers=[(TRACEPARENT, value)])
    twice: Headers = [(TRACEPARENT, SOUND.encode()), (TRACEPARENT, SOUND.encode())]
    odd: Headers = [("", b""), ("ж", None), (TRACEPARENT, None)]
    good: Headers = [("other", b"\xff"), (TRACEPARENT, SOUND.encode())]
    count = len(HOSTILE)
    for number, headers in enumerate((twice, odd, good, []), count + 1):
        producer.produce(TOPIC, encode_due(due(number)), headers=headers)
    producer.flush(PATIENCE_S)
    for number in (count + 5, count + 6):
        write_with_a_header_named(b"\xff\xfename", encode_due(due(number)), mock_kafka.bootstrap, TOPIC, 0)
    world.consume(count + 6)
    received = world.named("consumer receive")
    assert [span.parent is not None for span in received].count(True) == 1
    assert [UUID(int=span.context.trace_id) for span in received if span.parent] == [UUID(int=0xABC)]
    assert world.container.quarantine().count() == 0


# Touches


def test_a_touch_is_one_trace_from_its_registration_to_its_answers_delivery(make: Make) -> None:
    world = make(Settings())
    touch_id = world.defer()
    world.work(WorkFailed("hush-answer"))
    world.clock.advance(60 * MINUTE)
    world.work(Say("hush-answer"))
    world.deliver()
    assert [message.text.strip() for message in world.channel.sent] == ["hush-answer"]
    names = [span.name for span in world.spans]
    assert names == [
        "touch registration",
        "touch claim",
        "touch attempt",
        "touch failed attempt",
        "touch claim",
        "touch attempt",
        "touch answer",
        "delivery attempt",
    ]
    assert traces(world.spans) == {UUID(int=touch_id.int)}
    (root,) = world.named("touch registration")
    assert root.parent is None
    assert {parent_of(span) for span in world.spans if span is not root} == {root.context.span_id}
    assert root_of(touch_id)[36:52] == f"{root.context.span_id:016x}"
    assert {told(span, "tenant_id") for span in world.spans} == {str(TENANTS[0])}
    assert {told(span, "touch_id") for span in world.spans} == {str(touch_id)}


# Nothing about people


def test_no_span_holds_a_name_an_address_a_title_or_a_text(make: Make) -> None:
    world = make(Settings())
    world.plan()
    world.dispatch()
    world.relay()
    world.defer()
    world.work(Say("hush-answer"))
    world.deliver()
    assert len(world.channel.sent) == 3
    assert not [word for word in SECRETS if word in all_told(world.spans)]


# Off


def test_where_nothing_is_set_nothing_is_wrapped_and_no_message_has_a_trace(make: Make) -> None:
    world = make(Settings())
    world.container.spans.override(providers.Object(None))
    container = world.container
    assert wrapping.publisher(container.publisher(), None) is container.publisher()
    world.plan()
    world.dispatch()
    one, _ = container.outbox().claim("a relay", 10, world.clock.now(), MINUTE)
    assert TRACEPARENT not in one.message.headers
    assert world.spans == ()


def test_without_the_setting_there_are_no_spans() -> None:
    container = Container(store="memory", settings=Settings())
    assert container.spans() is None
    assert services(container).spans is None
