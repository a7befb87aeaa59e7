"""Messages that the SDK alone would drop, bend or answer in its own words, over stdio and over HTTP."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest

from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from tests.adapters.desks_of_touches import Api, TouchDesk, api_over, desk_over

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOBODYS = [
    (b"{", -32700, "message: it is no JSON from its character 2 on"),
    (b"nothing", -32700, "message: it is no JSON from its character 1 on"),
    (b"\xff", -32700, "message: it is not UTF-8"),
    (b"[]", -32600, "message: one object of JSON-RPC 2.0 is wanted"),
    (b"null", -32600, "message: one object of JSON-RPC 2.0 is wanted"),
    (b"{}", -32600, "message: one object of JSON-RPC 2.0 is wanted"),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "message: one object of JSON-RPC 2.0 is wanted"),
    (b'{"jsonrpc":"2.0","method":"ping","method":"ping"}', -32600, "message: an object has the same key"),
    (b'{"jsonrpc":"2.0","method":"tools/call","params":{"x":NaN}}', -32600, "message: NaN is no number"),
]
CALLS = [
    (rb'{"when":"in 10 minutes","text":"x","text":"y"}', "arguments: an object has the same key twice"),
    (rb'{"when":"in 10 minutes","text":NaN}', "arguments: NaN is no number in JSON"),
    (rb'{"when":"in 10 minutes","text":"\ud800"}', "text: it holds what is no character"),
    (rb'{"body":"\u0000"}', "body: it holds what is no character"),
    (rb'{"when":"in 10 minutes","text":"x","when_client_writes":"keep"}', "when_client_writes: there is no"),
    (b"[]", "arguments: an object is wanted"),
    (b'"x"', "arguments: an object is wanted"),
    (b"null", "when: it is wanted"),
]


@pytest.fixture
def desk() -> Iterator[TouchDesk]:
    with desk_over("memory", str) as made:
        yield made


@pytest.fixture
def api(desk: TouchDesk) -> Iterator[Api]:
    with api_over(desk) as made:
        yield made


@pytest.fixture
def stored(postgres_url: str) -> Iterator[TouchDesk]:
    """At the time of the database, by which a process goes."""
    with (
        closing(Database(postgres_url)) as database,
        desk_over("postgres", lambda: postgres_url) as made,
    ):
        made.clock.set(PostgresClock(database).now())
        yield made


def call(arguments: bytes, request_id: object = 1) -> bytes:
    named = json.dumps(request_id).encode()
    begun = b'{"jsonrpc":"2.0","id":' + named + b',"method":"tools/call","params":{"name":"defer_touch",'
    return begun + b'"arguments":' + arguments + b"}}"


def post(api: Api, content: bytes | Any, method: str = "POST", **headers: str) -> httpx.Response:
    sent = {
        "Authorization": f"Bearer {api.desk.session()}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    return api.client.request(method, f"{api.url}/mcp", content=content, headers={**sent, **headers})


def over_stdio(url: str, secret: str, *lines: bytes) -> list[dict[str, Any]]:
    """What the process answers to all the lines, which come at once and with them the end of its input."""
    environment = {
        "TICKLER_DATABASE_URL": url,
        "TICKLER_TOKEN": secret,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    begun = [json.dumps(HELLO).encode(), json.dumps(READY).encode()]
    ended = subprocess.run(
        [sys.executable, "-m", "adapters", "mcp"],
        env=environment,
        input=b"\n".join([*begun, *lines]) + b"\n",
        capture_output=True,
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in ended.stdout.splitlines()]


def refusal(answer: dict[str, Any]) -> str:
    assert answer["result"]["isError"] is True
    said: str = answer["result"]["content"][0]["text"]
    assert len(said.splitlines()) == 1
    return said


# Over stdio


def test_every_line_over_stdio_is_answered_though_the_input_ends_with_the_last_of_them(
    stored: TouchDesk, postgres_url: str
) -> None:
    strange = [line for line, _, _ in NOBODYS]
    refused = [call(arguments, number) for number, (arguments, _) in enumerate(CALLS, 100)]
    kept = [call(b'{"when":"in %d minutes","text":"x"}' % (number + 10), number) for number in (1, 2, 3)]
    answers = over_stdio(postgres_url, stored.session(), *strange, *refused, *kept)
    of_nobody = [one["error"] for one in answers if one["id"] is None]
    by_id = {one["id"]: one for one in answers if one["id"] is not None}
    assert [one["code"] for one in of_nobody] == [code for _, code, _ in NOBODYS]
    for told, (_, _, says) in zip(of_nobody, NOBODYS, strict=True):
        assert told["message"].startswith(says)
    for number, (_, says) in enumerate(CALLS, 100):
        assert refusal(by_id[number]).startswith(says)
    for number in (1, 2, 3):
        assert by_id[number]["result"]["structuredContent"]["deferred"] is True
    assert len(answers) == len(NOBODYS) + len(CALLS) + 4
    assert len(stored.touches.listed(None, 10)) == 3


def test_a_call_over_stdio_that_is_taken_back_does_not_hold_up_the_end(
    stored: TouchDesk, postgres_url: str
) -> None:
    taken_back = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
    answers = over_stdio(postgres_url, stored.session(), call(b'{"when":"in 10 minutes"}', 7), taken_back)
    assert {one["id"] for one in answers} <= {0, 7}


# Over HTTP


@pytest.mark.parametrize(("content", "code", "says"), NOBODYS)
def test_what_is_no_message_over_http_is_an_error_of_json_rpc_in_one_line(
    api: Api, content: bytes, code: int, says: str
) -> None:
    answer = post(api, content)
    told = answer.json()
    assert (answer.status_code, told["id"], told["error"]["code"]) == (400, None, code)
    assert told["error"]["message"].startswith(says)
    assert set(told["error"]) == {"code", "message"}


@pytest.mark.parametrize(("arguments", "says"), CALLS)
def test_a_call_over_http_is_refused_by_the_tool_in_the_same_words(
    api: Api, arguments: bytes, says: str
) -> None:
    assert refusal(post(api, call(arguments)).json()).startswith(says)
    assert api.desk.nothing_is_written()


def test_a_request_that_is_none_is_answered_to_its_own_id(api: Api) -> None:
    for request_id in (17, "one"):
        told = post(api, json.dumps({"id": request_id, "method": "ping"}).encode()).json()
        assert (told["id"], told["error"]["code"]) == (request_id, -32600)


def test_a_message_that_is_too_long_or_of_another_kind_is_told_so_as_clients_read_it(api: Api) -> None:
    for answer, status, says in (
        (post(api, call(b'{"text":"' + b"x" * 65_536 + b'"}')), 413, "body: more than 65536 bytes"),
        (post(api, call(b"{}"), **{"Content-Type": "text/plain"}), 415, "body: application/json is wanted"),
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
        assert answer.json()["error"] == {"code": -32600, "message": says}


def test_no_stream_is_offered_and_no_session_of_the_transports_is_ended(api: Api) -> None:
    for method in ("GET", "DELETE", "PUT"):
        answer = post(api, b"", method)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://127.0.0.2:1",
        "http://[::1",
        "",
    ],
)
def test_a_page_of_another_host_is_refused(api: Api, origin: str) -> None:
    answer = post(api, call(b'{"when":"in 10 minutes","text":"x"}'), Origin=origin)
    assert (answer.status_code, answer.json()["detail"][:8]) == (403, "Origin: ")
    assert api.desk.nothing_is_written()


def test_a_page_of_the_servers_own_host_is_let_in_with_its_token(api: Api) -> None:
    for number, origin in enumerate((api.url, "http://localhost:6274")):
        body = call(b'{"when":"in 10 minutes","text":"%d"}' % number)
        assert post(api, body, Origin=origin).json()["result"]["isError"] is False
    assert len(api.desk.touches.listed(None, 10)) == 2
