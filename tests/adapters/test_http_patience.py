"""What a request waits for at most, and how many are taken."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic

import anyio
import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from adapters.container import Container
from adapters.inbound.http.app import make_app
from adapters.inbound.http.pacing import MOST_AT_WORK, RequestRates, Turns
from adapters.inbound.http.problems import TooFast
from adapters.inbound.http.serving import HttpServer
from adapters.settings import Settings
from adapters.testkit.examples import numbered
from application.ports.tokens import TokenId
from tests.adapters.desks_of_touches import Api, TouchDesk, desk_over
from tests.adapters.silence import SilentProxy

ONE, TWO = TokenId(numbered(1)), TokenId(numbered(2))
# What a machine with other work may add.
SLACK = 2.5


class Ticking:
    """A monotonic clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def serving(desk: TouchDesk, rates: RequestRates) -> Iterator[Api]:
    with (
        HttpServer(make_app(desk.desk, rates), "127.0.0.1", 0) as server,
        httpx.Client(timeout=20, trust_env=False) as client,
    ):
        yield Api(desk, server.url, client)


# A store that is silent


@pytest.mark.parametrize("is_first", [True, False], ids=["its first request", "a later one"])
def test_a_request_to_a_frozen_database_is_told_so_within_five_seconds(
    postgres_url: str, is_first: bool
) -> None:
    headers = {"Authorization": "Bearer tickler_" + "A" * 43}
    with SilentProxy(postgres_url) as proxy:
        container = Container(settings=Settings(), conninfo=proxy.conninfo)
        try:
            with (
                HttpServer(make_app(container.desk()), "127.0.0.1", 0) as server,
                httpx.Client(timeout=30, trust_env=False, headers=headers) as client,
            ):
                if not is_first:
                    assert client.get(f"{server.url}/api/v1/touches").status_code == 401
                proxy.fall_silent()
                for method, path in (("GET", "/api/v1/touches"), ("POST", "/mcp")):
                    began = monotonic()
                    answer = client.request(method, f"{server.url}{path}")
                    assert answer.status_code == 503
                    assert int(answer.headers["Retry-After"]) > 0
                    assert monotonic() - began < 5 + SLACK
        finally:
            container.requests().close()


def test_many_requests_to_a_frozen_database_do_not_wait_for_one_another(postgres_url: str) -> None:
    headers = {"Authorization": "Bearer tickler_" + "A" * 43}

    with SilentProxy(postgres_url) as proxy:
        container = Container(settings=Settings(), conninfo=proxy.conninfo)
        proxy.fall_silent()
        many = MOST_AT_WORK * 3
        try:
            with (
                HttpServer(make_app(container.desk()), "127.0.0.1", 0) as server,
                httpx.Client(
                    headers=headers, timeout=60, trust_env=False, limits=httpx.Limits(max_connections=None)
                ) as client,
                ThreadPoolExecutor(many) as pool,
            ):

                def ask(path: str) -> tuple[int, float]:
                    began = monotonic()
                    status = client.get(f"{server.url}{path}").status_code
                    return status, monotonic() - began

                told = list(pool.map(ask, ["/api/v1/touches"] * many))
        finally:
            container.requests().close()
    assert {status for status, _ in told} == {503}
    assert max(waited for _, waited in told) < 6 + 2 * SLACK


def test_a_request_waits_for_a_turn_no_longer_than_a_second_and_gives_its_own_back() -> None:
    async def hold() -> None:
        held, free = anyio.Event(), anyio.Event()
        inside: list[int] = []
        statuses: list[int] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            inside.append(1)
            if len(inside) == MOST_AT_WORK:
                held.set()
            await free.wait()

        async def receive() -> Message:
            return {}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        turns = Turns(app)
        scope = {"type": "http", "method": "GET", "path": "/api/v1/touches", "headers": []}
        async with anyio.create_task_group() as group:
            for _ in range(MOST_AT_WORK):
                group.start_soon(turns, dict(scope), receive, send)
            await held.wait()
            await turns(dict(scope), receive, send)
            assert (statuses, len(inside)) == ([503], MOST_AT_WORK)
            free.set()
        await turns(dict(scope), receive, send)
        assert len(inside) == MOST_AT_WORK + 1

    anyio.run(hold)


# Requests that come too fast


def test_a_token_has_its_burst_and_then_its_rate_and_other_tokens_their_own() -> None:
    clock = Ticking()
    rates = RequestRates(rate=2.0, burst=3, monotonic=clock)
    for _ in range(3):
        rates.take(ONE)
    with pytest.raises(TooFast) as refused:
        rates.take(ONE)
    assert refused.value.seconds == 1
    rates.take(TWO)
    clock.now += 0.5
    rates.take(ONE)
    with pytest.raises(TooFast):
        rates.take(ONE)
    clock.now += 3600
    for _ in range(3):
        rates.take(ONE)
    with pytest.raises(TooFast):
        rates.take(ONE)


def test_tokens_that_rest_are_forgotten_and_one_that_does_not_is_not() -> None:
    clock = Ticking()
    rates = RequestRates(rate=1.0, burst=2, monotonic=clock)
    for number in range(10_000):
        rates.take(TokenId(numbered(number + 10)))
    clock.now += 1
    rates.take(ONE)
    rates.take(ONE)
    assert len(rates._buckets) == 1
    with pytest.raises(TooFast):
        rates.take(ONE)


def test_a_request_too_many_is_answered_429_with_when_to_try_again() -> None:
    clock = Ticking()
    with desk_over("memory", str) as desk, serving(desk, RequestRates(0.1, 2, clock)) as api:
        session, other = desk.session(), desk.session()
        assert [api.defer(session, key).status_code for key in ("a", "b", "c")] == [201, 201, 429]
        answer = api("GET", "/touches", session)
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "10")
        assert answer.json()["detail"] == "too many requests of this token: try again in 10 s"
        assert api("GET", "/touches", other).status_code == 200
        clock.now += 10
        assert api("GET", "/touches", session).status_code == 200
        assert len(desk.touches.listed(None, 10)) == 2


def test_a_tools_call_too_many_is_refused_by_the_tool_in_words() -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "upcoming", "arguments": {}},
    }
    with desk_over("memory", str) as desk, serving(desk, RequestRates(0.1, 1, Ticking())) as api:
        headers = {
            "Authorization": f"Bearer {desk.session()}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        told = [
            api.client.post(f"{api.url}/mcp", json=body, headers=headers).json()["result"] for _ in range(2)
        ]
    assert [one["isError"] for one in told] == [False, True]
    assert told[1]["content"][0]["text"] == "too many requests of this token: try again in 10 s"
