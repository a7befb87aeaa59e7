"""Offices for tests of the commands: over memory with a clock that stands still, or over a real server."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import pytest
from attrs import field, frozen
from dependency_injector import providers

from adapters.__main__ import services, topics
from adapters.container import Container
from adapters.inbound.cli.app import main
from adapters.inbound.cli.office import Office, Say, Services, Unready
from adapters.observability.logging import configure_logging
from adapters.settings import Settings
from adapters.testkit.clock import SettableClock
from application.ports.facts import DatabaseFacts, LoginFacts
from application.ports.templates import Templates
from application.ports.topics import Topics

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@frozen
class MemoryOffice:
    """All commands over one memory store, from one to the next."""

    container: Container
    clock: SettableClock
    opened: list[str] = field(factory=list)

    @classmethod
    def new(cls, settings: Settings | None = None) -> "MemoryOffice":
        container = Container(store="memory", settings=settings or Settings())
        clock = SettableClock(NOW)
        container.clock.override(providers.Object(clock))
        return cls(container, clock)

    @property
    def settings(self) -> Settings:
        found: Settings = self.container.settings()
        return found

    @property
    def places(self) -> Mapping[str, str]:
        return {"data": "memory"}

    @property
    def templates(self) -> Templates:
        found: Templates = self.container.templates()
        return found

    @property
    def topics(self) -> Topics:
        return topics(self.container)

    @contextmanager
    def open(self, say: Say, *, migrating: bool = False, json_lines: bool = False) -> Iterator[Services]:
        configure_logging(self.settings.log_level, self.settings.log_format)
        self.opened.append("migrating" if migrating else "as it is")
        yield services(self.container)

    def migrate(self, say: Say, roles: str | None = None) -> Sequence[str]:
        return []

    def facts(self, say: Say, tz_version: str) -> DatabaseFacts:
        raise Unready("there is no database in memory")

    def api_login(self) -> LoginFacts | None:
        return None

    def throwaway(self, home: Path, console: TextIO) -> Office:
        return self


@frozen
class Said:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        (line,) = self.out.splitlines()
        return json.loads(line)


@frozen
class Commands:
    """Calls commands as the program does and gives back what they said."""

    office: Office
    captured: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Said:
        self.captured.readouterr()
        code = main(arguments, self.office)
        out, err = self.captured.readouterr()
        return Said(code, out, err)

    def document(self, *arguments: str) -> Any:
        said = self(*arguments, "--json")
        assert said.code == 0, said.err
        return said.document
