"""The one place where adapters and use cases are put together; only `__main__` and tests come here."""

import random
from collections.abc import Collection, Sequence
from datetime import timedelta
from operator import eq

import attrs
from dependency_injector import containers, providers

from adapters.inbound.desk import Desk
from adapters.inbound.kafka.consumer import ConsumeStep
from adapters.inbound.kafka.headers import carry_nothing, carry_traces
from adapters.inbound.touch_loops import TouchLoops
from adapters.inbound.watching.pages import Pages
from adapters.kafka_options import client_options, consumer_options, producer_options
from adapters.observability.delivering import ObservedDeliveries
from adapters.observability.dispatching import ObservedLedger, ObservedReminderDispatchJob
from adapters.observability.figures import DatabaseGauges, StoreGauges
from adapters.observability.metrics import Metrics
from adapters.observability.relaying import ObservedQuarantine, ObservedReceiving, ObservedRelay
from adapters.observability.touching import ObservedTouches
from adapters.observability.tracing import wrapping
from adapters.outbound.agents import AgentPlatforms
from adapters.outbound.channels.apprise import TELEGRAM, WHATSAPP, AppriseChannel
from adapters.outbound.channels.console import ConsoleChannel
from adapters.outbound.channels.email import EmailChannel
from adapters.outbound.channels.webhook import WebhookChannel
from adapters.outbound.direct import DirectPublisher
from adapters.outbound.handlers import Kinds, load_handlers
from adapters.outbound.kafka.admin import KafkaTopics
from adapters.outbound.kafka.answering import KafkaAnswers
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.outbound.memory.books import MemoryBooks
from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.pruning import MemoryPrunable
from adapters.outbound.memory.quarantine import MemoryQuarantine
from adapters.outbound.memory.reckonings import MemoryReckonings
from adapters.outbound.memory.standing import MemoryStanding
from adapters.outbound.memory.state_rows import MemoryStateRows
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.tokens import MemoryTokens
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.auditing.books import PostgresBooks
from adapters.outbound.postgres.auditing.state_rows import PostgresStateRows
from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database, Patience
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.health import OF_A_WATCHER, PostgresHealth
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.places import PostgresPlaces
from adapters.outbound.postgres.pruning import PostgresPrunable
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.outbound.postgres.reckonings import PostgresReckonings
from adapters.outbound.postgres.standing import PostgresStanding
from adapters.outbound.postgres.tokens import PostgresTokens
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.outbound.system import SystemClock, UuidIds, new_secret
from adapters.outbound.templates.own import templates_in
from adapters.outbound.templates.plan_texts import JinjaPlanTexts
from adapters.settings import Settings
from adapters.tenancy import spoken_for
from application.auditing.auditing import Auditing
from application.calendar import Calendar
from application.confirming import Confirming
from application.delivering.senders import Delivering
from application.delivering.skipping import Skipping
from application.dispatching import TOPIC
from application.erasing import Erasing
from application.explaining.drift import Drifting
from application.explaining.explanation import Setup
from application.explaining.history import Recalling
from application.explaining.why import Explaining
from application.notifying import Notifying
from application.pacing import Rates
from application.parking import Parking
from application.ports.channel import Channel
from application.pruning import Pruning
from application.rebuilding import Rebuilding
from application.retrying import Retrying
from application.rezoning import Rezoning
from application.telling_operators import TellingOperators
from application.touching.access import Access
from application.touching.answering import Answering
from application.touching.asking import Asking
from application.touching.deferring import Deferring
from application.touching.holding import Holding
from application.touching.messages import message
from application.touching.planning import Planning
from application.touching.working import Working
from application.verifying import Verifying
from application.withdrawing import Withdrawing

HASTE = Patience(
    lock=timedelta(seconds=0.5),
    statement=timedelta(seconds=0.9),
    idle=timedelta(seconds=2),
    silence=timedelta(seconds=1),
    checkout=timedelta(seconds=1),
    reconnect=timedelta(seconds=2),
)
# Whoever asks over the wire waits some 5 s at most for a silent store: a connection, then a statement.
OF_A_REQUEST = Patience(
    lock=timedelta(seconds=2),
    statement=timedelta(seconds=2.5),
    idle=timedelta(seconds=5),
    silence=timedelta(seconds=3),
    checkout=timedelta(seconds=1.5),
    reconnect=timedelta(seconds=5),
)


# Each figure is read apart: a slow one takes a connection, and there are others.
WATCHERS = 4


def _patience(touch_lease: float) -> Patience:
    """A client that is frozen within a transaction keeps its locks no longer than its touches' lease."""
    usual = Patience()
    return attrs.evolve(usual, idle=min(usual.idle, timedelta(seconds=touch_lease)))


def _setup(settings: Settings, channels: Sequence[Channel], kinds: Collection[str]) -> Setup:
    can_send = [one for one in channels if one.name != "email" or settings.smtp_host is not None]
    return Setup(
        dispatch=settings.dispatch_options(),
        work=settings.work_options(),
        channels={one.name: one.repeats_unknown for one in can_send},
        kinds=kinds,
        publishes_to=settings.publishes_to,
        relay_every=timedelta(seconds=settings.relay_interval),
        deliver_every=timedelta(seconds=settings.delivery_interval),
        work_every=timedelta(seconds=settings.touch_interval),
    )


class Container(containers.DeclarativeContainer):
    """Everything by name: `Container(store="memory")`, or `Container(conninfo="postgresql://…")`.

    Nothing is opened before it is asked for. A test puts its own in with `.override(providers.Object(…))`.
    """

    settings = providers.Singleton(Settings.read)
    store = providers.Object("postgres")
    conninfo = providers.Dependency(instance_of=str)
    # Of the requests over the wire, whose role need not be that of the loops.
    api_conninfo = providers.Dependency(instance_of=str, default=conninfo)

    memory = providers.Singleton(MemoryStore)
    database = providers.Singleton(
        Database,
        conninfo,
        prepared=settings.provided.database_prepared,
        connections=settings.provided.max_pool_size,
        patience=providers.Callable(_patience, settings.provided.touch_lease),
    )

    ledger = providers.Selector(
        store,
        memory=providers.Singleton(MemoryLedger, memory),
        postgres=providers.Singleton(PostgresLedger, database),
    )
    outbox = providers.Selector(
        store,
        memory=providers.Singleton(MemoryOutbox, memory),
        postgres=providers.Singleton(PostgresOutbox, database),
    )
    deliveries = providers.Selector(
        store,
        memory=providers.Singleton(MemoryDeliveries, memory),
        postgres=providers.Singleton(PostgresDeliveries, database),
    )
    quarantine = providers.Selector(
        store,
        memory=providers.Singleton(MemoryQuarantine, memory),
        postgres=providers.Singleton(PostgresQuarantine, database),
    )
    people = providers.Selector(
        store,
        memory=providers.Singleton(MemoryPeople, memory),
        postgres=providers.Singleton(PostgresPeople, database),
    )
    imports = providers.Selector(
        store,
        memory=providers.Singleton(MemoryImports, memory),
        postgres=providers.Singleton(PostgresImports, database),
    )
    tokens = providers.Selector(
        store,
        memory=providers.Singleton(MemoryTokens, memory),
        postgres=providers.Singleton(PostgresTokens, database),
    )
    reckonings = providers.Selector(
        store,
        memory=providers.Singleton(MemoryReckonings, memory),
        postgres=providers.Singleton(PostgresReckonings, database),
    )
    clock = providers.Selector(
        store,
        memory=providers.Singleton(SystemClock),
        postgres=providers.Singleton(PostgresClock, database),
    )
    touches = providers.Selector(
        store,
        memory=providers.Singleton(MemoryTouches, memory),
        postgres=providers.Singleton(PostgresTouches, database),
    )
    retention = settings.provided.retention.call()
    prunable = providers.Selector(
        store,
        memory=providers.Singleton(MemoryPrunable, memory),
        postgres=providers.Singleton(PostgresPrunable, database),
    )
    pruning = providers.Factory(Pruning, prunable, clock, retention)
    ids = providers.Singleton(UuidIds)
    templates = providers.Singleton(templates_in, settings.provided.own_templates)

    # Of channels, which only stamp what they send, and of metrics: it must not fail with the database.
    own_clock = providers.Singleton(SystemClock)
    metrics = providers.Singleton(Metrics, own_clock.provided.now)
    spans = providers.Singleton(wrapping.spans_to, settings.provided.otlp_base)
    attempts = providers.Singleton(wrapping.attempts, spans)
    console = providers.Singleton(ConsoleChannel)
    email = providers.Singleton(
        EmailChannel,
        host=settings.provided.smtp_host,
        port=settings.provided.mail_port,
        sender=settings.provided.smtp_from,
        clock=own_clock,
        security=settings.provided.smtp_security.value,
        user=settings.provided.smtp_user,
        password=settings.provided.mail_password,
    )
    webhook = providers.Singleton(
        WebhookChannel,
        own_clock,
        allow_http=settings.provided.webhook_allow_http,
        allow_private=settings.provided.webhook_allow_private,
    )
    telegram = providers.Singleton(AppriseChannel, "telegram", TELEGRAM)
    whatsapp = providers.Singleton(AppriseChannel, "whatsapp", WHATSAPP)
    apprise = providers.Singleton(AppriseChannel, allow_private=settings.provided.webhook_allow_private)
    channels = providers.List(console, email, webhook, telegram, whatsapp, apprise)

    calendar = providers.Factory(Calendar, ledger, clock, ids)
    rezoning = providers.Factory(Rezoning, calendar, reckonings, clock)
    dispatch_job = providers.Factory(
        wrapping.job,
        providers.Factory(
            ObservedReminderDispatchJob,
            providers.Factory(ObservedLedger, ledger),
            clock,
            ids,
            options=settings.provided.dispatch_options.call(),
            metrics=metrics.provided.dispatch,
        ),
        spans,
    )
    notifying = providers.Factory(Notifying, deliveries, people, clock, ids)
    receiving = providers.Factory(
        wrapping.receiving,
        providers.Factory(ObservedReceiving, notifying, clock=clock, metrics=metrics.provided.consumer),
        spans,
    )
    publisher = providers.Selector(
        settings.provided.publishes_to,
        direct=providers.Singleton(DirectPublisher, receiving),
        kafka=providers.Singleton(KafkaPublisher, providers.Callable(producer_options, settings)),
    )
    books = providers.Selector(
        store,
        memory=providers.Singleton(MemoryBooks, memory),
        postgres=providers.Singleton(PostgresBooks, database),
    )
    is_direct = providers.Callable(eq, settings.provided.publishes_to, "direct")
    auditing = providers.Factory(Auditing, books, prunable, clock, retention, is_direct)
    state_rows = providers.Selector(
        store,
        memory=providers.Singleton(MemoryStateRows, memory),
        postgres=providers.Singleton(PostgresStateRows, database),
    )
    withdrawing = providers.Factory(Withdrawing, state_rows, ledger, clock, ids)
    rebuilding = providers.Factory(Rebuilding, state_rows, prunable, clock, withdrawing, retention)
    relay = providers.Factory(
        ObservedRelay,
        outbox,
        providers.Factory(wrapping.publisher, publisher, spans),
        clock,
        name="relay",
        metrics=metrics.provided.relay,
    )
    parking = providers.Factory(Parking, outbox)
    retrying = providers.Factory(Retrying, deliveries, clock)
    confirming = providers.Factory(Confirming, deliveries, clock)
    consuming = providers.Factory(
        ConsumeStep,
        receiving,
        providers.Factory(ObservedQuarantine, quarantine, metrics.provided.consumer),
        clock,
        topic=TOPIC,
        options=providers.Callable(consumer_options, settings),
        carry=providers.Callable(lambda spans: carry_traces if spans else carry_nothing, spans),
    )
    topics = providers.Factory(KafkaTopics, providers.Callable(client_options, settings))
    verifying = providers.Factory(Verifying, people, templates, ids)
    rates = providers.Singleton(
        Rates,
        own_clock.provided.monotonic,
        settings.provided.delivery_rate_per_channel,
        settings.provided.delivery_rate_per_tenant,
    )
    observed_deliveries = providers.Factory(ObservedDeliveries, deliveries, metrics.provided.deliveries)
    delivering = providers.Factory(
        Delivering,
        providers.Factory(wrapping.deliveries, observed_deliveries, attempts),
        people,
        ledger,
        clock=clock,
        templates=templates,
        touches=touches,
        ids=ids,
        rates=rates,
        spread=providers.Object(random.random),
    )
    skipping = providers.Factory(
        Skipping, observed_deliveries, people, ledger, clock, templates, touches, ids
    )

    # Built in; packages may bring more. Their names are known without any of them being loaded.
    call = providers.Singleton(
        AgentPlatforms,
        people,
        own_clock,
        allow_http=settings.provided.webhook_allow_http,
        allow_private=settings.provided.webhook_allow_private,
        seconds=settings.provided.touch_call_timeout,
    )
    built_in = providers.Dict(message=providers.Object(message), call=call)
    kinds = providers.Singleton(Kinds, built_in)
    handlers = providers.Singleton(load_handlers, built_in)

    followed_touches = providers.Factory(wrapping.touches, touches, spans)
    deferring = providers.Factory(
        Deferring, followed_touches, clock, ids, kinds, limits=settings.provided.defer_limits.call()
    )
    plan_texts = providers.Singleton(JinjaPlanTexts)
    planning = providers.Factory(Planning, followed_touches, people, clock, ids, plan_texts, kinds)
    erasing = providers.Factory(Erasing, people, touches, deferring, planning)
    # Requests have connections of their own and less patience than the loops: whoever asks is waiting.
    requests = providers.Singleton(
        Database,
        api_conninfo,
        prepared=settings.provided.database_prepared,
        connections=settings.provided.max_pool_size,
        patience=providers.Object(OF_A_REQUEST),
        tenant=providers.Object(spoken_for),
    )
    asked_touches = providers.Factory(
        wrapping.touches,
        providers.Selector(store, memory=touches, postgres=providers.Singleton(PostgresTouches, requests)),
        spans,
    )
    asked_people = providers.Selector(
        store, memory=people, postgres=providers.Singleton(PostgresPlaces, requests)
    )
    asked_tokens = providers.Selector(
        store, memory=tokens, postgres=providers.Singleton(PostgresTokens, requests)
    )
    asked_clock = providers.Selector(
        store, memory=clock, postgres=providers.Singleton(PostgresClock, requests)
    )
    asked_deferring = providers.Factory(
        Deferring, asked_touches, asked_clock, ids, kinds, limits=settings.provided.defer_limits.call()
    )
    access = providers.Factory(
        Access, asked_tokens, asked_people, asked_touches, asked_clock, ids, providers.Object(new_secret)
    )
    asking = providers.Factory(Asking, access, asked_deferring, asked_touches, asked_clock)
    desk = providers.Factory(
        Desk,
        access,
        asking,
        asked_deferring,
        providers.Factory(Planning, asked_touches, asked_people, asked_clock, ids, plan_texts, kinds),
        asked_touches,
        asked_clock,
    )
    answering = providers.Factory(Answering, people, ids, providers.Factory(TellingOperators, people, ids))
    explaining = providers.Factory(
        Explaining,
        ledger,
        outbox,
        deliveries,
        people,
        touches,
        clock,
        ids,
        providers.Callable(_setup, settings, channels, kinds),
        answering.provided.reaches,
        providers.Factory(Drifting, state_rows, prunable, retention),
    )
    recalling = providers.Factory(Recalling, ledger, deliveries, people, touches)
    # A heartbeat has connections of its own and little patience: it waits for nobody's work.
    heartbeats = providers.Singleton(
        Database,
        conninfo,
        prepared=settings.provided.database_prepared,
        connections=2,
        patience=providers.Object(HASTE),
    )
    worked_touches = providers.Factory(ObservedTouches, followed_touches, metrics.provided.touches)
    work_options = settings.provided.work_options.call()
    holding = providers.Factory(
        Holding,
        providers.Selector(store, memory=touches, postgres=providers.Singleton(PostgresTouches, heartbeats)),
        providers.Selector(store, memory=clock, postgres=providers.Singleton(PostgresClock, heartbeats)),
        work_options.lease,
    )
    working = providers.Factory(
        Working,
        worked_touches,
        clock,
        ids,
        providers.Factory(wrapping.handlers, handlers, spans),
        holding,
        answering,
        providers.Callable("worker {}".format, ids.provided.new.call()),
        work_options,
    )
    touch_loops = providers.Factory(
        TouchLoops,
        working,
        planning,
        answering,
        worked_touches,
        clock,
        settings.provided.touch_interval,
    )

    # Who watches has connections of its own and little patience.
    watch_database = providers.Singleton(
        Database,
        conninfo,
        prepared=settings.provided.database_prepared,
        connections=WATCHERS,
        patience=providers.Object(OF_A_WATCHER),
    )
    database_health = providers.Singleton(PostgresHealth, watch_database)
    database_gauges = providers.Singleton(
        DatabaseGauges,
        answers=database_health.provided.answers,
        figures=database_health.provided.figures,
        pool=providers.Factory(lambda database: lambda: database.use, database),
    )
    store_gauges = providers.Singleton(
        StoreGauges,
        providers.Selector(
            store,
            memory=providers.Singleton(MemoryStanding, memory),
            postgres=providers.Singleton(PostgresStanding, watch_database),
        ),
        providers.Selector(store, memory=clock, postgres=providers.Singleton(PostgresClock, watch_database)),
        providers.Callable(lambda channels: [one.name for one in channels], channels),
    )
    pages = providers.Factory(
        Pages.of,
        metrics,
        providers.Selector(
            store,
            memory=providers.List(store_gauges),
            postgres=providers.List(database_gauges, store_gauges),
        ),
        providers.Selector(
            store,
            memory=providers.Dict(),
            postgres=providers.Dict(database=database_health.provided.answers),
        ),
        providers.Selector(
            settings.provided.publishes_to,
            direct=providers.Dict(),
            kafka=providers.Dict(
                kafka=providers.Singleton(KafkaAnswers, providers.Callable(client_options, settings))
            ),
        ),
    )
