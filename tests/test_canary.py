"""Marked words are sent through every input of a running Tickler, and no signal of it holds one.

The inputs are read off the commands, the API's own document and the tools, so that a new one is covered, or
asks here for what it needs. Source: design section 7; the specification, "Наблюдаемость".
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from confluent_kafka import Producer
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from adapters.codec import TRACEPARENT, encode_due
from adapters.inbound.mcp.tools import TOOLS
from adapters.testkit.publisher import due
from application.dispatching import TOPIC
from application.ports.tokens import Scope
from tests.canary import Heard, Live, Marks, as_json, commands, filled, ics, live, secret_of
from tests.kafka.mock import MockCluster
from tests.kafka.reading import records
from tests.web_server import HOST, WebServer, body, status

CHANNELS = ("email", "webhook", "telegram", "whatsapp", "apprise", "console")
# What an operator calls a token is who did it, in the history (docs/decisions/0018).
ACTOR = "name of a token"
OFFSET = timedelta(seconds=6)
# Start loops and servers of their own, or have nothing to put a word into.
APART = {"demo", "mcp"}


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


@pytest.fixture
def running(
    postgres_url: str, mock_kafka: MockCluster, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Live]:
    mock_kafka.topic(TOPIC, 4)
    with live(postgres_url, mock_kafka, web, monkeypatch) as made, libraries_heard(made.heard):
        yield made


class libraries_heard:
    """What a library would say on stderr, where nothing else is configured."""

    def __init__(self, heard: Heard) -> None:
        self._handler = logging.StreamHandler(heard)
        self._handler.setLevel(logging.WARNING)

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self._handler)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self._handler)


def leaks(running: Live) -> dict[str, list[str]]:
    """By signal, the places whose words are in it and may not be."""
    found = {name: set(running.marks.found_in(text)) for name, text in running.signals().items()}
    found["history"] -= {ACTOR}
    return {name: sorted(places) for name, places in found.items() if places}


# The whole way of each thing that words are about


def test_no_word_that_goes_all_the_way_is_in_any_signal(
    running: Live, web: WebServer, tmp_path: Path
) -> None:
    mark = running.marks
    web.answers += _answers(mark)
    tenant = mark("tenant's handle")
    people = {channel: mark(f"handle of the one with {channel}") for channel in CHANNELS}
    _move_in(running, tenant, people)
    due_at = datetime.now(UTC) + OFFSET
    start = due_at + timedelta(minutes=15)
    for channel, person in people.items():
        _plan(running, tenant, person, channel, due_at, start)
        file = tmp_path / f"{mark('file name')}.ics"
        file.write_text(ics(mark, f"{start:%Y%m%dT%H%M%SZ}"))
        running("import", str(file), "--tenant", tenant, "--owner", person)
    _put_off(running, tenant, people["console"], due_at)
    running.until(
        "select status from tickler.event_reminders where due_at < now() + interval '1 minute'",
        lambda found: len(found) >= len(CHANNELS) and "('Pending',)" not in found,
    )
    running.until(
        "select status in ('Pending', 'InProgress') and failures = 0 from tickler.deferred_touches"
        " where due_at < now() + interval '1 minute'",
        lambda found: len(found) >= 6 and "(True,)" not in found,
    )
    running.until(
        "select channel from tickler.deliveries d where exists (select from tickler.delivery_attempts a"
        " where a.delivery_id = d.id and ended_at is not null) group by channel",
        lambda found: len(found) == len(CHANNELS),
    )
    running.until("select 1 from tickler.outbox where published_at is null", lambda found: not found)
    topic = "\n".join(
        f"{one.key!r} {one.value!r} {one.headers!r}" for one in records(running.kafka.bootstrap, TOPIC)
    )
    assert topic.count("reminderId") >= len(CHANNELS)
    assert mark.found_in(topic) == []
    called = "\n".join(f"{one.path} {one.headers} {one.body.decode()}" for one in web.seen)
    arrived = set(mark.found_in(called))
    assert {"webhook path", "text of a call", "agent path"} <= arrived
    assert {"title for webhook", "SUMMARY"} & arrived
    assert leaks(running) == {}
    told = running.signals()
    for event in ("reminder sent", "delivery handled", "touch handled", "batch relayed", "batch taken in"):
        assert event in told["log"]
    for span in ("dispatch item", "delivery attempt", "touch attempt", "POST /api/v1/touches"):
        assert span in told["spans"]
    assert 'notifications_delivery_items_total{channel="webhook"' in told["/metrics"]


def _answers(mark: Marks) -> list[Any]:
    """What the servers say that we call, in whatever order they are called."""
    said = as_json({"answer": mark("answer of an agent"), mark("unknown member of an answer"): 1}).encode()
    good = as_json({"answer": mark("answer of an agent")}).encode()
    odd = status(418, X_Said=mark("header of an answer"), Location=f"http://b.example/{mark('Location')}")
    return [body(200, good), body(400, mark("body of a refusal").encode()), odd, body(200, said)] * 2


def _move_in(running: Live, tenant: str, people: Mapping[str, str]) -> None:
    mark, port = running.marks, running.web.port
    addresses = {
        "email": f"{mark('email')}@{mark('email host')}.example",
        "webhook": f"http://{HOST}:{port}/{mark('webhook path')}?key={mark('webhook query')}",
        "telegram": mark("telegram"),
        "whatsapp": mark("whatsapp"),
        "apprise": f"json://{mark('user')}:{mark('password')}@{HOST}:{port}/{mark('apprise path')}",
    }
    assert running("tenant", "add", tenant, "--zone", "Europe/Moscow") == 0
    url = f"http://{HOST}:{port}/{mark('agent path')}"
    assert running("tenant", "agent", tenant, "--url", url, "--secret", secret_of(mark("agent secret"))) == 0
    for channel, person in people.items():
        assert running("person", "add", person, "--tenant", tenant, "--language", "ru") == 0
        if channel in addresses:
            add = ("contact", "add", "--tenant", tenant, "--person", person, "--channel", channel)
            secret = ("--secret", secret_of(mark("webhook secret"))) if channel == "webhook" else ()
            assert running(*add, "--address", addresses[channel], *secret) == 0
    assert running("tenant", "set", tenant, "--operator", people["console"]) == 0


def _plan(running: Live, tenant: str, person: str, channel: str, due_at: datetime, start: datetime) -> None:
    title = running.marks(f"title for {channel}")
    plan = ("event", "plan", "--tenant", tenant, "--owner", person, "--zone", "UTC", "--title", title)
    at = ("--start", f"{start:%Y-%m-%d %H:%M:%S}", "--remind", f"at {due_at.isoformat()}")
    assert running(*plan, *at) == 0


def _put_off(running: Live, tenant: str, person: str, due_at: datetime) -> None:
    """Touches of each kind and a plan, by commands, over the API and by an agent's tool."""
    mark, when = running.marks, due_at.isoformat()
    for kind in ("message", "call", "raising"):
        add = ("touch", "add", "--tenant", tenant, "--for", person, "--when", when, "--kind", kind)
        assert running(*add, "--text", mark(f"text of a {kind}"), "--key", mark("key")) == 0
    text = f"{mark('text of a plan')} {{{{ date }}}}"
    every = ("--every", "FREQ=DAILY", "--from", f"{due_at:%Y-%m-%dT%H:%M:%S}", "--zone", "UTC")
    plan = ("plan", "add", "--tenant", tenant, "--for", person, "--text", text)
    assert running(*plan, *every, "--key", mark("key of a plan")) == 0
    session = _session(running, tenant, person)
    body_ = {"when": when, "text": mark("text over HTTP")}
    key = {"Idempotency-Key": mark("key over HTTP")}
    assert running.request("POST", "/api/v1/touches", session, json=body_, headers=key).status_code == 201

    async def defer(client: Client) -> None:
        given = {"when": when, "text": mark("text over MCP"), "key": mark("key over MCP")}
        assert not (await client.call_tool("defer_touch", given)).is_error

    _converse(running, session, defer)


def _session(running: Live, tenant: str, person: str) -> str:
    desk = running.container.desk()
    (found,) = [one for one in running.container.people().tenants() if one.handle == tenant]
    platform = desk.access.issue(found.id, running.marks(ACTOR), list(Scope)).secret
    opened = running.request("POST", "/api/v1/sessions", platform, json={"person": person})
    assert opened.status_code == 201, opened.text
    for secret in (platform, opened.json()["token"]):
        running.marks.put[secret] = "a token"
    return str(opened.json()["token"])


def _converse(running: Live, token: str, talk: Callable[[Client], Awaitable[None]]) -> None:
    async def converse() -> None:
        sending = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False)
        async with AsyncExitStack() as opened:
            transport = streamable_http_client(f"{running.http}/mcp", http_client=sending)
            await talk(await opened.enter_async_context(Client(transport, mode="auto")))

    anyio.run(converse)


# What is refused


VALID = {
    "address": "anna@b.example",
    "channel": "email",
    "name": "somebody",
    "owner": "anna",
    "person": "anna",
    "scope": "touches",
    "start": "2099-01-01 10:00",
    "tenant": "acme",
    "text": "a text",
    "when": "2099-01-01T10:00",
    "whom": "anna",
}
UNKNOWN = "01950000-0000-7000-8000-000000000001"


def test_no_word_given_to_a_command_is_in_any_signal(
    running: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Some are names of files, which are written where the command is called.
    monkeypatch.chdir(tmp_path)
    assert running("tenant", "add", "acme", "--zone", "Europe/Moscow") == 0
    assert running("person", "add", "anna", "--tenant", "acme") == 0
    given: set[str] = set()
    for command in commands():
        if command.name[0] in APART:
            continue
        given.add(" ".join(command.name))
        running(*command.line({name: running.marks(name) for name in command.values}))
        for name in command.values:
            needed = {one: VALID.get(one, UNKNOWN) for one in command.required}
            word = running.marks(f"{' '.join(command.name)} {name}")
            for value in (word, f"{word}@b.example"):
                running(*command.line({**needed, name: value}))
        running(*command.name, running.marks("one argument too many"), f"--{running.marks('an option')}")
    file = tmp_path / "people.csv"
    file.write_text(
        f"handle,{running.marks('a column')}\n{running.marks('a cell')},{running.marks('more')}\n"
    )
    running("person", "import", str(file), "--tenant", "acme")
    assert len(given) > 50
    assert leaks(running) == {}


# Whoever asks is told which name is not known; of what they said under a name nothing comes back.
NAMES = {"query name", "unknown member"}


def test_no_word_of_a_request_is_in_any_signal_or_in_the_answer_to_another(running: Live) -> None:
    assert running("tenant", "add", "acme", "--zone", "Europe/Moscow") == 0
    assert running("person", "add", "anna", "--tenant", "acme") == 0
    session = _session(running, "acme", "anna")
    document = running.request("GET", "/api/v1/openapi.json", None).json()
    count = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            for token in (session, None, running.marks("a token that is none")):
                _ask(running, document, path, method, operation, token)
                count += 1
    assert count >= 3 * 17
    strange = running.request("GET", f"/{running.marks('a path')}?{running.marks('a query')}", session)
    assert strange.status_code == 404
    with httpx.Client(timeout=20, trust_env=False) as client:
        strange_page = f"{running.watch}/{running.marks('a path')}?{running.marks('a query')}"
        watched = client.get(strange_page, headers={"Accept": running.marks("Accept")})
    assert (watched.status_code, running.marks.found_in(watched.text)) == (404, [])
    broken = running.request("POST", "/api/v1/touches", session, content=running.marks("no JSON"))
    assert broken.status_code == 415
    assert leaks(running) == {}


def _ask(
    running: Live,
    document: Mapping[str, Any],
    path: str,
    method: str,
    operation: Mapping[str, Any],
    token: str | None,
) -> None:
    before = set(running.marks.put)
    mark, query, headers = running.marks, {}, {f"X-{running.marks('header name')}": running.marks("header")}
    headers |= {"User-Agent": mark("User-Agent"), "Referer": mark("Referer"), TRACEPARENT: mark(TRACEPARENT)}
    for parameter in operation.get("parameters", []):
        name, where = parameter["name"], mark(f"{parameter['in']} {parameter['name']}")
        match parameter["in"]:
            case "path":
                path = path.replace("{" + name + "}", where)
            case "query":
                query[name] = where
            case _:
                headers[name] = where
    bodies: list[dict[str, Any]] = [{}]
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        whole = filled(schema, document, mark)
        bodies = [{"json": whole}, {"json": {name: whole[name] for name in whole if name not in mark.put}}]
    for strange, sent in product(({}, {mark("query name"): mark("query value")}), bodies):
        asked = {**query, **strange}
        answer = running.request(method.upper(), path, token, params=asked, headers=headers, **sent)
        if answer.status_code >= 400:
            told = answer.text
            others = [word for word in before if word in told and word != token]
            assert others == [], told
            assert token is None or token not in told
            assert set(running.marks.found_in(told)) <= NAMES, told


def test_no_word_of_a_tools_call_is_in_any_signal(running: Live) -> None:
    assert running("tenant", "add", "acme", "--zone", "Europe/Moscow") == 0
    assert running("person", "add", "anna", "--tenant", "acme") == 0
    session, mark = _session(running, "acme", "anna"), running.marks

    async def talk(client: Client) -> None:
        for tool in TOOLS:
            schema = tool.arguments.model_json_schema(by_alias=True)
            whole = filled({**schema, "type": "object"}, schema, mark)
            for arguments in (whole, {name: whole[name] for name in schema["properties"]}):
                assert (await client.call_tool(tool.name, arguments)).is_error or tool.name == "upcoming"
        with suppress(MCPError):
            await client.call_tool(mark("name of a tool"), {mark("name"): mark("value")})

    _converse(running, session, talk)
    assert leaks(running) == {}


def test_no_word_of_a_record_is_in_any_signal(running: Live) -> None:
    mark = running.marks
    good = encode_due(due(1))
    values = [
        mark("no JSON").encode(),
        as_json({mark("name"): mark("value")}).encode(),
        good.replace(b'"kind":"', f'"kind":"{mark("kind")}'.encode()),
        good[:-1] + f',"{mark("more")}":"{mark("value")}"}}'.encode(),
        good.replace(b'"contractVersion":1', f'"contractVersion":"{mark("version")}"'.encode()),
    ]
    with Producer({"bootstrap.servers": running.kafka.bootstrap}) as producer:
        for value in values:
            headers: list[tuple[str, str | bytes | None]] = [
                (mark("name of a header"), mark("value of a header")),
                (TRACEPARENT, mark(TRACEPARENT)),
            ]
            producer.produce(TOPIC, value, mark("key"), headers=headers)
        assert producer.flush(20) == 0
    running.until("select count(*) from tickler.quarantine", lambda found: found == ["(4,)"])
    running.until("select 1 from tickler.inbox", bool)
    assert "records quarantined" in running.signals()["log"]
    assert leaks(running) == {}
