from contextlib import closing
from datetime import UTC, datetime

import pytest
from dependency_injector import errors, providers

from adapters.__main__ import services
from adapters.container import Container
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.settings import Settings
from adapters.testkit.clock import SettableClock


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
