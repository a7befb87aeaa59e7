import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dependency_injector import errors, providers

from adapters.__main__ import PostgresOffice, services
from adapters.container import Container
from adapters.outbound.direct import DirectPublisher
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.settings import Settings
from adapters.testkit.clock import SettableClock
from adapters.testkit.publisher import due, message
from application.ports.publisher import NotNow


def test_memory_gives_every_service_without_a_database() -> None:
    container = Container(store="memory", settings=Settings())
    assert isinstance(services(container).ledger, MemoryLedger)
    with pytest.raises(errors.Error):
        container.database()


def test_postgres_gives_every_service(postgres_url: str) -> None:
    container = Container(conninfo=postgres_url, settings=Settings())
    with closing(container.database()):
        made = services(container)
        assert isinstance(made.ledger, PostgresLedger)
        assert made.clock.now().utcoffset() == datetime.now(UTC).utcoffset()
        assert made.dispatch_job.cycle(made.ids.new(), made.clock.now()).items == []


def test_the_adapters_of_one_container_share_their_store() -> None:
    container = Container(store="memory", settings=Settings())
    assert container.ledger().store is container.outbox().store is container.people().store
    assert Container(store="memory", settings=Settings()).ledger().store is not container.ledger().store


def test_a_test_puts_its_own_clock_in() -> None:
    container = Container(store="memory", settings=Settings())
    clock = SettableClock(datetime(2026, 12, 1, tzinfo=UTC))
    with container.clock.override(providers.Object(clock)):
        assert container.dispatch_job().clock is clock
        assert container.calendar().clock is clock
    assert container.dispatch_job().clock is not clock


def test_mail_is_sent_only_where_a_server_is_set() -> None:
    apprise = ["telegram", "whatsapp", "apprise"]

    def names(settings: Settings) -> list[str]:
        made = services(Container(store="memory", settings=settings))
        assert [one.name for one in made.channels] == ["console", "email", "webhook", *apprise]
        return [one.channel.name for one in made.delivering]

    assert names(Settings(smtp_host=None)) == ["console", "webhook", *apprise]
    assert names(Settings(smtp_host="mail.example")) == ["console", "email", "webhook", *apprise]


def test_the_outbox_goes_to_kafka_only_where_a_cluster_is_set() -> None:
    here = Container(store="memory", settings=Settings(kafka_bootstrap_servers=None))
    assert isinstance(here.relay().publisher, DirectPublisher)
    there = Container(store="memory", settings=Settings(kafka_bootstrap_servers="127.0.0.1:1"))
    assert isinstance(there.relay().publisher, KafkaPublisher)
    assert there.relay().publisher is there.publisher()


def test_an_interrupt_ends_a_publish_that_waits_for_the_cluster() -> None:
    container = Container(store="memory", settings=Settings(kafka_bootstrap_servers="127.0.0.1:1"))
    made = services(container)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(made.relay.publisher.publish, [message(due(1))])
        made.interrupt()
        (answer,) = waiting.result(timeout=5)
    assert isinstance(answer, NotNow)
    assert container.publisher().publish([message(due(2))]) == [NotNow("Kafka: the publisher was closed")]


def test_a_demonstration_publishes_to_no_cluster(tmp_path: Path) -> None:
    office = PostgresOffice(Settings(kafka_bootstrap_servers="kafka.example:9092"))
    assert office.throwaway(tmp_path, sys.stdout).settings.publishes_to == "direct"


@pytest.mark.parametrize(("lease", "idle"), [(4.0, 4), (10.0, 10), (60.0, 10)])
def test_a_frozen_client_keeps_its_locks_no_longer_than_the_lease_of_a_touch(lease: float, idle: int) -> None:
    container = Container(conninfo="host=nowhere", settings=Settings(touch_lease=lease))
    assert container.database.kwargs["patience"]().idle == timedelta(seconds=idle)
