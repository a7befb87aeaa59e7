"""The one place where adapters and use cases are put together; only `__main__` and tests come here."""

import random

from dependency_injector import containers, providers

from adapters.inbound.kafka.consumer import ConsumeStep
from adapters.kafka_options import client_options, consumer_options, producer_options
from adapters.observability import ObservedLedger, ObservedReminderDispatchJob
from adapters.outbound.channels.apprise import TELEGRAM, WHATSAPP, AppriseChannel
from adapters.outbound.channels.console import ConsoleChannel
from adapters.outbound.channels.email import EmailChannel
from adapters.outbound.channels.webhook import WebhookChannel
from adapters.outbound.direct import DirectPublisher
from adapters.outbound.kafka.admin import KafkaTopics
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.quarantine import MemoryQuarantine
from adapters.outbound.memory.reckonings import MemoryReckonings
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.quarantine import PostgresQuarantine
from adapters.outbound.postgres.reckonings import PostgresReckonings
from adapters.outbound.system import SystemClock, UuidIds
from adapters.outbound.templates.own import templates_in
from adapters.settings import Settings
from application.calendar import Calendar
from application.delivering.senders import Delivering
from application.dispatching import TOPIC
from application.notifying import Notifying
from application.pacing import Rates
from application.parking import Parking
from application.receiving import Receiving
from application.relaying import Relay
from application.retrying import Retrying
from application.rezoning import Rezoning
from application.verifying import Verifying


class Container(containers.DeclarativeContainer):
    """Everything by name: `Container(store="memory")`, or `Container(conninfo="postgresql://…")`.

    Nothing is opened before it is asked for. A test puts its own in with `.override(providers.Object(…))`.
    """

    settings = providers.Singleton(Settings.read)
    store = providers.Object("postgres")
    conninfo = providers.Dependency(instance_of=str)

    memory = providers.Singleton(MemoryStore)
    database = providers.Singleton(
        Database,
        conninfo,
        prepared=settings.provided.database_prepared,
        connections=settings.provided.max_pool_size,
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
    ids = providers.Singleton(UuidIds)
    templates = providers.Singleton(templates_in, settings.provided.own_templates)

    # Channels only stamp what they send: their clock must not fail with the database.
    own_clock = providers.Singleton(SystemClock)
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
        ObservedReminderDispatchJob,
        providers.Factory(ObservedLedger, ledger),
        clock,
        ids,
        options=settings.provided.dispatch_options.call(),
    )
    notifying = providers.Factory(Notifying, deliveries, people, clock, ids)
    receiving = providers.Factory(Receiving, notifying)
    publisher = providers.Selector(
        settings.provided.publishes_to,
        direct=providers.Singleton(DirectPublisher, receiving),
        kafka=providers.Singleton(KafkaPublisher, providers.Callable(producer_options, settings)),
    )
    relay = providers.Factory(Relay, outbox, publisher, clock, name="relay")
    parking = providers.Factory(Parking, outbox)
    retrying = providers.Factory(Retrying, deliveries, clock)
    consuming = providers.Factory(
        ConsumeStep,
        receiving,
        quarantine,
        clock,
        topic=TOPIC,
        options=providers.Callable(consumer_options, settings),
    )
    topics = providers.Factory(KafkaTopics, providers.Callable(client_options, settings))
    verifying = providers.Factory(Verifying, people, templates, ids)
    rates = providers.Singleton(
        Rates,
        own_clock.provided.monotonic,
        settings.provided.delivery_rate_per_channel,
        settings.provided.delivery_rate_per_tenant,
    )
    delivering = providers.Factory(
        Delivering,
        deliveries,
        people,
        ledger,
        clock=clock,
        templates=templates,
        ids=ids,
        rates=rates,
        spread=providers.Object(random.random),
    )
