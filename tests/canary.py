"""Marked words, and a whole Tickler in this process into which they are sent: loops, servers, commands."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TextIO

import httpx
import psycopg
import typer.main
from attrs import define, field, frozen
from dependency_injector import providers
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import SecretStr

from adapters.__main__ import services, topics
from adapters.container import Container
from adapters.inbound.cli.app import app, main
from adapters.inbound.cli.office import Office, Say, Services, Unready
from adapters.inbound.cli.running import KINDS, make_loops
from adapters.inbound.http.app import make_app
from adapters.inbound.http.serving import HttpServer
from adapters.inbound.loops import Stop
from adapters.inbound.watching.serving import WatchServer
from adapters.observability import logging as our_logging
from adapters.observability.tracing.spans import Spans
from adapters.outbound.channels.console import ConsoleChannel
from adapters.settings import LogFormat, LogLevel, Settings
from adapters.testkit.channels import RecordingChannel
from application.ports.facts import DatabaseFacts, LoginFacts
from application.ports.templates import Templates
from application.ports.topics import Topics
from application.ports.work import Outcome, Work
from tests.kafka.mock import MockCluster
from tests.web_server import HOST, WebServer

PATIENCE_S = 60.0
BREAKABLE = (
    "DTSTART",
    "DTSTART;TZID={}",
    "RRULE",
    "EXDATE",
    "RECURRENCE-ID",
    "SEQUENCE",
    "STATUS",
    "DURATION",
)
WORD = re.compile(r"hush[a-z]*\d{4}", re.IGNORECASE)


@define
class Marks:
    """Words that nobody says by chance, each with where it was put."""

    put: dict[str, str] = field(factory=dict)
    _numbers: Iterator[int] = field(factory=lambda: count(1), init=False)

    def __call__(self, where: str) -> str:
        word = f"hush{next(self._numbers):04d}"
        self.put[word] = where
        return word

    def found_in(self, text: str) -> list[str]:
        """Where each marked word of a text was put, once."""
        words = dict.fromkeys(one.group().lower() for one in WORD.finditer(text))
        return [self.put.get(word, word) for word in words]


@define
class Heard:
    """All that the process logs: our lines, and what any library would say on stderr."""

    text: list[str] = field(factory=list)

    def write(self, text: str) -> int:
        self.text.append(text)
        return len(text)

    def flush(self) -> None:
        pass


@frozen
class Live:
    """Tickler as it runs, with commands beside it, over PostgreSQL and Kafka's mock."""

    container: Container
    conninfo: str
    heard: Heard
    exporter: InMemorySpanExporter
    web: WebServer
    http: str
    watch: str
    marks: Marks
    kafka: MockCluster

    @property
    def settings(self) -> Settings:
        found: Settings = self.container.settings()
        return found

    @property
    def places(self) -> Mapping[str, str]:
        return {"data": "a database"}

    @property
    def templates(self) -> Templates:
        found: Templates = self.container.templates()
        return found

    @property
    def topics(self) -> Topics:
        return topics(self.container)

    @contextmanager
    def open(self, say: Say, *, migrating: bool = False, json_lines: bool = False) -> Iterator[Services]:
        yield services(self.container)

    def migrate(self, say: Say, roles: str | None = None) -> Sequence[str]:
        return []

    def facts(self, say: Say, tz_version: str) -> DatabaseFacts:
        raise Unready("nobody asks how this database stands")

    def api_login(self) -> LoginFacts | None:
        return None

    def throwaway(self, home: Path, console: TextIO) -> Office:
        raise AssertionError("no mark goes into a demo")

    def __call__(self, *arguments: str) -> int:
        """A command as it is called beside what runs; its exit code."""
        return main(arguments, self)

    def rows(self, query: str) -> list[str]:
        with psycopg.connect(self.conninfo) as connection:
            return [str(row) for row in connection.execute(query)]

    def until(self, query: str, wanted: Callable[[list[str]], bool]) -> None:
        end = monotonic() + PATIENCE_S
        while not wanted(found := self.rows(query)):
            assert monotonic() < end, f"{query} gave {found} to the end"
            sleep(0.05)

    def request(self, method: str, path: str, token: str | None, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= more.pop("headers", {})
        with httpx.Client(timeout=20, trust_env=False) as client:
            return client.request(method, f"{self.http}{path}", headers=headers, **more)

    def signals(self) -> dict[str, str]:
        """What a stranger may see of it, by its kind."""
        told = {"log": "".join(self.heard.text)}
        told["spans"] = "\n".join(span.to_json() for span in self.exporter.get_finished_spans())
        with httpx.Client(timeout=20, trust_env=False) as client:
            for page in ("/metrics", "/health/live", "/health/ready"):
                told[page] = client.get(f"{self.watch}{page}").text
        told["outbox"] = "\n".join(self.rows("select o::text from tickler.outbox o"))
        told["history"] = "\n".join(self.rows("select e::text from tickler.domain_events e"))
        return told


@contextmanager
def live(conninfo: str, kafka: MockCluster, web: WebServer, monkeypatch: Any) -> Iterator[Live]:
    marks, heard, exporter = Marks(), Heard(), InMemorySpanExporter()
    monkeypatch.setattr(our_logging._Stderr, "write", lambda _, text: heard.write(text))
    settings = Settings(
        kafka_bootstrap_servers=kafka.bootstrap,
        smtp_host=HOST,
        smtp_port=9,
        smtp_user=marks("setting smtp_user"),
        smtp_password=SecretStr(marks("setting smtp_password")),
        webhook_allow_http=True,
        webhook_allow_private=True,
        dispatch_interval=1.0,
        relay_interval=0.1,
        delivery_interval=0.2,
        touch_interval=0.2,
        log_level=LogLevel.DEBUG,
        log_format=LogFormat.JSON,
        http_rate=100_000,
        http_burst=100_000,
    )
    container = Container(conninfo=conninfo, settings=settings)
    container.spans.override(providers.Object(Spans(SimpleSpanProcessor(exporter))))
    container.console.override(providers.Object(ConsoleChannel(StringIO())))
    for name in ("telegram", "whatsapp"):
        getattr(container, name).override(providers.Object(_answering(name, marks)))
    built_in = {**container.built_in(), "raising": _raising(marks)}
    container.built_in.override(providers.Object(built_in))
    our_logging.configure_logging(settings.log_level, settings.log_format)
    made = services(container)
    stop = Stop()
    loops = make_loops(made, settings, KINDS, stop)
    watch = WatchServer(made.pages(), HOST, 0)
    try:
        with HttpServer(make_app(made.desk, None, made.spans), HOST, 0) as http:
            watch.start()
            loops.start()
            yield Live(container, conninfo, heard, exporter, web, http.url, watch.url, marks, kafka)
    finally:
        left = loops.stop(budget=10.0)
        watch.stop()
        for name in ("database", "heartbeats", "watch_database", "requests"):
            getattr(container, name)().close()
        assert left == []


def _answering(name: str, marks: Marks) -> RecordingChannel:
    channel = RecordingChannel(name)
    word = marks(f"what {name} raises")

    def answer(_: object) -> Any:
        raise RuntimeError(word)

    channel.answer(answer, answer)
    return channel


def _raising(marks: Marks) -> Callable[[Work], Outcome]:
    word = marks("what a handler raises")

    def work_on(_: Work) -> Outcome:
        raise RuntimeError(word)

    return work_on


def secret_of(word: str) -> str:
    """A signing secret that has the word in it as it is written."""
    return "whsec_" + base64.b64encode(base64.b64decode(f"{word:x<32}"[:32])).decode()


# What there is to put a word into


@frozen
class Command:
    """A command's name, and its parameters that take a value: how each is written, and which it must have."""

    name: tuple[str, ...]
    values: Mapping[str, str | None]
    required: frozenset[str]

    def line(self, given: Mapping[str, str]) -> list[str]:
        line = list(self.name)
        for name, value in given.items():
            option = self.values[name]
            line += [value] if option is None else [option, value]
        return line


def commands() -> list[Command]:
    return list(_commands(typer.main.get_command(app), ()))


def _commands(node: Any, name: tuple[str, ...]) -> Iterator[Command]:
    if hasattr(node, "commands"):
        for part, inner in node.commands.items():
            yield from _commands(inner, (*name, part))
        return
    taking = [one for one in node.params if not getattr(one, "is_flag", False) and one.name != "help"]
    yield Command(
        name,
        {one.name: one.opts[0] if one.param_type_name == "option" else None for one in taking},
        frozenset(one.name for one in taking if one.required),
    )


def filled(schema: Mapping[str, Any], document: Mapping[str, Any], mark: Callable[[str], str]) -> Any:
    """A value for a JSON schema with a mark wherever a text may be, and in a member that is not known."""
    if "$ref" in schema:
        node: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            node = node[part]
        return filled(node, document, mark)
    for many in ("anyOf", "oneOf"):
        if many in schema:
            return filled(schema[many][0], document, mark)
    match schema.get("type"):
        case "object":
            known = {
                name: filled(one, document, _within(name, mark))
                for name, one in schema.get("properties", {}).items()
            }
            return {**known, mark("unknown member"): mark("value of an unknown member")}
        case "array":
            return [filled(schema.get("items", {}), document, mark)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return mark("text")


def _within(name: str, mark: Callable[[str], str]) -> Callable[[str], str]:
    return lambda where: mark(f"{name} {where}")


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def ics(mark: Callable[[str], str], start: str) -> str:
    """Calendar data with a mark in every place that a text may have there."""
    m = mark
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//{m('PRODID')}//EN",
        f"X-WR-CALNAME:{m('X-WR-CALNAME')}",
        f"X-{m('X name')}:{m('X value of the calendar')}",
        "BEGIN:VEVENT",
        f"UID:{m('UID')}@{m('UID host')}.example",
        "DTSTAMP:20260901T080000Z",
        f"DTSTART:{start}",
        "DURATION:PT30M",
        f"SUMMARY;X-P={m('parameter')}:{m('SUMMARY')}",
        f"DESCRIPTION:{m('DESCRIPTION')}",
        f'LOCATION;ALTREP="http://{m("ALTREP")}.example":{m("LOCATION")}',
        f"ATTENDEE;CN={m('CN of ATTENDEE')}:mailto:{m('ATTENDEE')}@b.example",
        f"ORGANIZER;CN={m('CN of ORGANIZER')}:mailto:{m('ORGANIZER')}@b.example",
        f"URL:https://b.example/{m('URL')}",
        f"CATEGORIES:{m('CATEGORIES')}",
        f"COMMENT:{m('COMMENT')}",
        f"CONTACT:{m('CONTACT')}",
        f"ATTACH:https://b.example/{m('ATTACH')}",
        f"RELATED-TO:{m('RELATED-TO')}",
        f"RESOURCES:{m('RESOURCES')}",
        f"GEO:{m('GEO')}",
        f"CLASS:{m('CLASS')}",
        f"X-TICKLER-CLIENT:{m('X-TICKLER-CLIENT')}",
        f"X-{m('X name of the event')};X-Q={m('X parameter')}:{m('X value of the event')}",
        "BEGIN:VALARM",
        f"ACTION:{m('ACTION')}",
        f"DESCRIPTION:{m('DESCRIPTION of an alarm')}",
        f"SUMMARY:{m('SUMMARY of an alarm')}",
        f"ATTENDEE:mailto:{m('ATTENDEE of an alarm')}@b.example",
        "TRIGGER:-PT15M",
        "END:VALARM",
        "END:VEVENT",
    ]
    for name in (
        "DTSTART",
        "DTSTART;TZID={}",
        "RRULE",
        "EXDATE",
        "RECURRENCE-ID",
        "SEQUENCE",
        "STATUS",
        "DURATION",
    ):
        lines += [
            "BEGIN:VEVENT",
            f"UID:{m(f'UID of a broken {name}')}",
            "DTSTAMP:20260901T080000Z",
            *([] if name.startswith("DTSTART") else [f"DTSTART:{start}"]),
            f"{name.format(m(f'TZID of {name}'))}:{m(f'broken {name}')}",
            f"SUMMARY:{m(f'SUMMARY of a broken {name}')}",
            "END:VEVENT",
        ]
    lines += [
        "BEGIN:VTIMEZONE",
        f"TZID:{m('TZID of a VTIMEZONE')}",
        "END:VTIMEZONE",
        f"BEGIN:{m('a component')}",
        f"END:{m('another component')}",
        f"{m('a broken line')}",
        "END:VCALENDAR",
    ]
    return "\r\n".join(lines) + "\r\n"
