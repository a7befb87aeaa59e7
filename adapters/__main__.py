"""The program: settings, the container, and the commands that are handed what is in it."""

# ruff: noqa: E402

import os
import re
import signal
import sys
from types import FrameType

from adapters.streams import make_streams_safe, open_what_is_closed

open_what_is_closed()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(0 if sys.argv[1:2] in (["run"], ["demo"]) else 130)


# What is imported below takes a good second, in which Ctrl-C would show where it came.
_before = signal.signal(signal.SIGINT, _leave)

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TextIO, TypeVar

import psycopg
from dependency_injector import providers
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.container import Container
from adapters.inbound.cli.app import main as run_command
from adapters.inbound.cli.office import Office, Say, Services, Unready
from adapters.observability.delivering import ObservedChannel
from adapters.observability.logging import configure_logging, log, one_line
from adapters.observability.tracing import wrapping
from adapters.outbound.channels.console import ConsoleChannel
from adapters.outbound.kafka.publisher import KafkaPublisher
from adapters.outbound.postgres.embedded import EmbeddedPostgres, EmbeddedPostgresError
from adapters.outbound.postgres.facts import examine, examine_api, faults_of_roles
from adapters.outbound.postgres.migrations import MigrationError, migrate, missing
from adapters.outbound.postgres.roles import Roles
from adapters.outbound.templates.own import BrokenTemplates
from adapters.settings import LogLevel, Settings
from application.delivering.senders import Delivering
from application.ports.channel import Channel
from application.ports.facts import DatabaseFacts, LoginFacts
from application.ports.templates import Templates
from application.ports.topics import Topics

signal.signal(signal.SIGINT, _before)

Looked = TypeVar("Looked")

CONNECT_SECONDS = 4
CLOSE_SECONDS = 0.5
WATCH_SECONDS = 1.0
SHORT_CADENCE = {
    "dispatch_interval": 1.0,
    "relay_interval": 0.1,
    "delivery_interval": 0.2,
    "touch_interval": 0.2,
}


class PostgresOffice:
    """Works on the server of TICKLER_DATABASE_URL, or else on an embedded one of our own."""

    def __init__(self, settings: Settings | None = None, console: TextIO | None = None) -> None:
        """With `console`, the store is for this once: faster, and gone in a crash."""
        self._given = settings
        self._console = console

    @cached_property
    def settings(self) -> Settings:
        return self._given or Settings.read()

    @property
    def places(self) -> Mapping[str, str]:
        if self.settings.database_url is not None:
            return {"data": "the database of TICKLER_DATABASE_URL"}
        home = self.settings.home_folder
        return {"data": str(home), "postgresLog": str(EmbeddedPostgres(home).log)}

    @cached_property
    def templates(self) -> Templates:
        try:
            found: Templates = Container(settings=self.settings).templates()
        except BrokenTemplates as problem:
            raise Unready(f"TICKLER_TEMPLATES_FOLDER: {problem}") from None
        return found

    @property
    def topics(self) -> Topics:
        return topics(Container(settings=self.settings))

    @contextmanager
    def open(self, say: Say, *, migrating: bool = False, json_lines: bool = False) -> Iterator[Services]:
        configure_logging(self.settings.log_level, self.settings.log_format)
        templates = self.templates
        with self._server(say) as conninfo:
            self._bring_up_to_date(conninfo, say, migrating)
            container = Container(settings=self.settings, conninfo=conninfo)
            if self.settings.api_database_url is not None:
                container.api_conninfo.override(self._api_conninfo())
            console = providers.Singleton(ConsoleChannel, self._console, json_lines=json_lines)
            container.console.override(console)
            container.templates.override(providers.Object(templates))
            try:
                yield services(container)
            finally:
                _close_publisher(container)
                _close_spans(container)
                _at_most(CLOSE_SECONDS, container.database().close)
                _at_most(CLOSE_SECONDS, container.heartbeats().close)
                _at_most(CLOSE_SECONDS, container.watch_database().close)
                _at_most(CLOSE_SECONDS, container.requests().close)

    def _api_conninfo(self) -> str:
        assert self.settings.api_database_url is not None
        url = self.settings.api_database_url.get_secret_value()
        _check_scheme(url, "TICKLER_API_DATABASE_URL")
        return _hasty(url)

    def migrate(self, say: Say, roles: str | None = None) -> Sequence[str]:
        with self._server(say) as conninfo:
            applied = _migrated(conninfo, None if roles is None else Roles(roles))
            if roles is None and (faults := _looked_at(lambda: faults_of_roles(conninfo))):
                more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
                say(f"the roles are not as they should be, run `tickler migrate --roles`: {faults[0]}{more}")
            return applied

    def facts(self, say: Say, tz_version: str) -> DatabaseFacts:
        with self._server(say) as conninfo:
            return _looked_at(lambda: examine(conninfo, tz_version))

    def api_login(self) -> LoginFacts | None:
        if self.settings.api_database_url is None:
            return None
        return _looked_at(lambda: examine_api(self._api_conninfo()))

    def throwaway(self, home: Path, console: TextIO) -> Office:
        apart = {
            "database_url": None,
            "api_database_url": None,
            "kafka_bootstrap_servers": None,
            "otlp_endpoint": None,
        }
        changed = {"home": home, **apart, "log_level": LogLevel.WARNING, **SHORT_CADENCE}
        return PostgresOffice(self.settings.with_usual_rules().model_copy(update=changed), console)

    @contextmanager
    def _server(self, say: Say) -> Iterator[str]:
        if self.settings.database_url is not None:
            url = self.settings.database_url.get_secret_value()
            _check_scheme(url, "TICKLER_DATABASE_URL")
            yield _hasty(url)
            return
        embedded = EmbeddedPostgres(self.settings.home_folder, throwaway=self._console is not None)
        try:
            embedded.attach()
        except EmbeddedPostgresError as error:
            raise Unready(str(error)) from None
        left = threading.Event()
        watch = threading.Thread(target=_keep_alive, args=(embedded, left), name="server", daemon=True)
        watch.start()
        try:
            yield embedded.conninfo
        finally:
            left.set()
            embedded.release(timeout=2.0)

    def _bring_up_to_date(self, conninfo: str, say: Say, migrating: bool) -> None:
        if migrating or self.settings.database_url is None:
            if applied := _migrated(conninfo):
                say(f"made the schema: {', '.join(applied)}")
            return
        try:
            pending = missing(conninfo)
        except MigrationError as error:
            raise Unready(str(error)) from None
        if pending:
            more = f" and {len(pending) - 1} more" if len(pending) > 1 else ""
            raise Unready(f"run `tickler migrate` on the database first: it lacks {pending[0]}{more}")


def _keep_alive(embedded: EmbeddedPostgres, left: threading.Event) -> None:
    """Start the server again where it dies while we use it; nobody else would."""
    while not left.wait(WATCH_SECONDS):
        try:
            if embedded.revive():
                log().warning("database started again")
        except (EmbeddedPostgresError, OSError) as problem:
            log().error("database cannot be started again", problem=one_line(problem))


def services(container: Container) -> Services:
    """What the commands are handed, out of a container."""
    settings: Settings = container.settings()
    channels = container.channels()
    can_send = [one for one in channels if one.name != "email" or settings.smtp_host is not None]
    return Services(
        calendar=container.calendar(),
        ledger=container.ledger(),
        deliveries=container.deliveries(),
        people=container.people(),
        imports=container.imports(),
        rezoning=container.rezoning(),
        auditing=container.auditing(),
        rebuilding=container.rebuilding(),
        clock=container.clock(),
        ids=container.ids(),
        dispatch_job=container.dispatch_job(),
        relay=container.relay(),
        parking=container.parking(),
        retrying=container.retrying(),
        confirming=container.confirming(),
        pruning=container.pruning(),
        consuming=container.consuming() if settings.publishes_to == "kafka" else None,
        quarantine=container.quarantine(),
        channels=channels,
        delivering=[_delivering(container, channel) for channel in can_send],
        skipping=container.skipping(served=[channel.name for channel in can_send]),
        verifying=container.verifying(),
        touches=container.touches(),
        deferring=container.deferring(),
        planning=container.planning(),
        erasing=container.erasing(),
        agents=container.call().platform,
        touch_loops=container.touch_loops,
        desk=container.desk(),
        metrics=container.metrics(),
        pages=container.pages,
        explaining=container.explaining(),
        recalling=container.recalling(),
        spans=container.spans(),
        interrupt=lambda: _interrupt(container),
    )


def _delivering(container: Container, channel: Channel) -> Delivering:
    """Of one channel, whose sends are timed and, where that is wanted, traced."""
    observed = ObservedChannel(channel, container.own_clock(), container.metrics().deliveries)
    traced = wrapping.channel(observed, container.attempts())
    made: Delivering = container.delivering(channel=traced)
    return made


def _interrupt(container: Container) -> None:
    """End what waits for a network; the relay then gives back what it holds, if the store still answers."""
    _close_publisher(container)
    if container.store() == "postgres":
        container.database().interrupt()
        container.requests().interrupt()


def _close_publisher(container: Container) -> None:
    publisher = container.publisher()
    if isinstance(publisher, KafkaPublisher):
        publisher.close()


def _close_spans(container: Container) -> None:
    spans = container.spans()
    if spans is not None:
        spans.close()


def topics(container: Container) -> Topics:
    """The topics of the cluster that is set. Raises Unready where none is."""
    settings: Settings = container.settings()
    if settings.publishes_to != "kafka":
        raise Unready("TICKLER_KAFKA_BOOTSTRAP_SERVERS is not set, so there is no topic: reminders stay here")
    found: Topics = container.topics()
    return found


def _at_most(seconds: float, work: Callable[[], None]) -> None:
    """Wait no longer than that: connections to a silent server close when they like."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)


def _migrated(conninfo: str, roles: Roles | None = None) -> Sequence[str]:
    try:
        return migrate(conninfo, roles=roles)
    except MigrationError as error:
        raise Unready(str(error)) from None


def _looked_at(look: Callable[[], Looked]) -> Looked:
    try:
        return look()
    except MigrationError as error:
        raise Unready(str(error)) from None
    except psycopg.Error as error:
        raise Unready(f"the database cannot be looked at: {one_line(error)}") from None


def _check_scheme(url: str, variable: str) -> None:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]{0,30})://", url)
    if scheme is not None and scheme[1] not in ("postgresql", "postgres"):
        raise Unready(
            f"{variable}: it begins with {scheme[0]} and is no PostgreSQL server's;"
            " write postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
        )


def _hasty(url: str) -> str:
    """The same, with a bound on connecting where it has none; one that cannot be read stays as it is."""
    try:
        if "connect_timeout" in conninfo_to_dict(url):
            return url
        return make_conninfo(url, connect_timeout=CONNECT_SECONDS)
    except psycopg.Error:
        return url


def main() -> None:
    """Entry point of `tickler` and of `python -m adapters`."""
    make_streams_safe()
    code = run_command(sys.argv[1:], PostgresOffice())
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Not sys.exit: a thread that waits for a silent server must not keep the process alive.
    os._exit(code)


if __name__ == "__main__":
    main()
