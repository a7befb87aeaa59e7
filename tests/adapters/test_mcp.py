"""An agent's tools, called by the SDK's client over stdio and over HTTP, until the client has the answer."""

import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, closing
from datetime import timedelta
from subprocess import PIPE, Popen
from typing import Any

import anyio
import httpx2
import pytest
from attrs import evolve, frozen
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from adapters.inbound.desk import Desk
from adapters.inbound.http.app import make_app
from adapters.inbound.http.serving import HttpServer
from adapters.outbound.memory.tokens import MemoryTokens
from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.tokens import PostgresTokens
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.outbound.system import UuidIds, new_secret
from adapters.testkit.clock import SettableClock
from application.ports.people import ContactPoint, Person, Tenant
from application.ports.tokens import Scope, Tokens
from application.telling_operators import TellingOperators
from application.touching.access import Access
from application.touching.answering import Answering
from application.touching.asking import Asking
from domain.deferred_touch import Status
from domain.values import ContactPointId, TenantId, UserId
from tests.application.touching_world import TouchingWorld
from tests.application.world import OLGA, TENANT

MODES = ("auto", "legacy")


@frozen
class Agency:
    """An office whose agent works over one of the transports; `work` has its workers and channels at it."""

    world: TouchingWorld
    tokens: Tokens
    access: Access
    secret: str
    connect: Callable[[str, str], Client]

    def conversation(
        self, talk: Callable[["Agent"], Awaitable[None]], mode: str = "auto", secret: str | None = None
    ) -> None:
        async def converse() -> None:
            async with AsyncExitStack() as opened:
                client = await opened.enter_async_context(self.connect(secret or self.secret, mode))
                await talk(Agent(client))

        anyio.run(converse)

    def what_comes_back(self) -> list[tuple[str, str]]:
        """After an hour in which workers and channels were at it: whom the channel told what."""
        self.world.clock.advance(timedelta(hours=1))
        self.world.work()
        self.world.deliver()
        return [(one.address, one.text) for one in self.world.channel.sent]


@frozen
class Agent:
    client: Client

    async def __call__(self, tool: str, **arguments: Any) -> Mapping[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        found: Mapping[str, Any] = result.structured_content
        return found

    async def refused(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        (said,) = result.content
        assert isinstance(said, TextContent)
        assert len(said.text.splitlines()) == 1
        return said.text


def opened_for_olga(world: TouchingWorld, tokens: Tokens) -> tuple[Access, str]:
    """The way in, and the token of a session with Olga at the address that her channel reaches."""
    access = Access(tokens, world.people, world.touches, world.clock, world.ids, new_secret)
    platform = access.issue(TENANT, "agents", [Scope.SESSIONS])
    point = world.origin.contact_point_id
    return access, access.open_session(platform.token, OLGA, point, timedelta(hours=2)).secret


@pytest.fixture
def over_http() -> Iterator[Agency]:
    """Over the memory store, at the application's own server."""
    world = TouchingWorld()
    _moves_to_moscow(world)
    tokens = MemoryTokens(world.store)
    access, secret = opened_for_olga(world, tokens)
    deferring = world.deferring()
    asking = Asking(access, deferring, world.touches, world.clock)
    desk = Desk(access, asking, deferring, world.planning, world.touches, world.clock)
    with HttpServer(make_app(desk), "127.0.0.1", 0) as server:

        def connect(secret: str, mode: str) -> Client:
            sending = httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, trust_env=False)
            return Client(streamable_http_client(f"{server.url}/mcp", http_client=sending), mode=mode)

        yield Agency(world, tokens, access, secret, connect)


@pytest.fixture
def over_stdio(postgres_url: str) -> Iterator[Agency]:
    """Over PostgreSQL, at a process of `tickler mcp`."""
    with closing(Database(postgres_url)) as database:
        world = _world_in(database)
        tokens = PostgresTokens(database)
        access, secret = opened_for_olga(world, tokens)

        def connect(secret: str, mode: str) -> Client:
            environment = {
                "TICKLER_DATABASE_URL": postgres_url,
                "TICKLER_TOKEN": secret,
                "PYTHONPATH": os.pathsep.join(sys.path),
            }
            started = StdioServerParameters(
                command=sys.executable, args=["-m", "adapters", "mcp"], env=environment
            )
            return Client(started, mode=mode)

        yield Agency(world, tokens, access, secret, connect)


@pytest.fixture(params=["over_http", "over_stdio"])
def agency(request: pytest.FixtureRequest) -> Agency:
    found: Agency = request.getfixturevalue(request.param)
    return found


def _world_in(database: Database) -> TouchingWorld:
    """The same office with its rows in PostgreSQL; its clock stands still at the database's time."""
    world = TouchingWorld()
    world.clock = SettableClock(PostgresClock(database).now())
    world.ids = UuidIds()  # type: ignore[assignment]
    world.people, world.touches = PostgresPeople(database), PostgresTouches(database)
    world.deliveries, world.ledger = PostgresDeliveries(database), PostgresLedger(database)
    world.answering = Answering(world.people, world.ids, TellingOperators(world.people, world.ids))
    world.people.add_tenant(Tenant(TENANT, "office"))
    world.people.add_person(Person(OLGA, TENANT, "olga"))
    point_id = world.origin.contact_point_id
    assert point_id is not None
    world.people.add_contact_point(ContactPoint(point_id, OLGA, world.channel.name, "olga's address"))
    _moves_to_moscow(world)
    return world


def _moves_to_moscow(world: TouchingWorld) -> None:
    olga = world.people.by_id(OLGA)
    assert olga is not None
    world.people.set_person(evolve(olga, time_zone="Europe/Moscow"))


@pytest.mark.parametrize("mode", MODES)
def test_a_conversation_ends_with_the_answer_in_the_channel_in_which_the_client_asked(
    agency: Agency, mode: str
) -> None:
    async def talk(agent: Agent) -> None:
        told = await agent("defer_touch", when="in 10 minutes", text="The kettle has boiled.")
        assert (told["deferred"], told["status"], told["timeZone"]) == (True, "Pending", "Europe/Moscow")
        again = await agent("defer_touch", when="in 10 minutes", text="The kettle has boiled.", key="other")
        assert again["touchId"] != told["touchId"]
        ahead = (await agent("upcoming", days=1))["touches"]
        assert {one["touchId"] for one in ahead} == {told["touchId"], again["touchId"]}
        gone = await agent("cancel_touch", touchId=again["touchId"])
        assert gone["status"] == "Cancelled"
        listed = (await agent("list_touches"))["touches"]
        assert [one["status"] for one in listed] == ["Pending", "Cancelled"]

    agency.conversation(talk, mode)
    ((address, text),) = agency.what_comes_back()
    assert address == "olga's address"
    assert "The kettle has boiled." in text

    async def looks_again(agent: Agent) -> None:
        listed = (await agent("list_touches"))["touches"]
        assert [one["status"] for one in listed] == ["Answered", "Cancelled"]

    agency.conversation(looks_again, mode)
    agency.world.answering.follow(agency.world.touches, agency.world.clock)
    (told, _) = agency.world.touches.listed(TENANT, 10)
    assert told.status is Status.DELIVERED


def test_words_that_may_mean_two_days_are_asked_about_and_one_of_them_is_taken_as_it_was_given(
    agency: Agency,
) -> None:
    async def talk(agent: Agent) -> None:
        asked = await agent("defer_touch", when="5/6 at 10", text="the renewal")
        assert asked["deferred"] is False
        assert len(asked["candidates"]) == 2
        assert (await agent("list_touches"))["touches"] == []
        chosen = asked["candidates"][1]
        told = await agent("defer_touch", when=chosen["local"], text="the renewal")
        assert (told["local"], told["dueAt"]) == (chosen["local"], chosen["dueAt"])

    agency.conversation(talk)


def test_a_call_that_is_repeated_within_its_minute_is_the_same_touch(over_http: Agency) -> None:
    async def talk(agent: Agent) -> None:
        told = await agent("defer_touch", when="tomorrow at 9", text="the renewal")
        again = await agent("defer_touch", when="at 9", text="the renewal")
        assert (told["isNew"], again["isNew"]) == (True, False)
        assert again["touchId"] == told["touchId"]
        assert (told["local"], told["weekday"]) == ("2026-12-01T09:00:00", "Tuesday")

    over_http.conversation(talk)


def test_a_time_that_a_clock_change_leaves_out_is_told_with_the_one_that_is_meant(over_http: Agency) -> None:
    olga = over_http.world.people.by_id(OLGA)
    assert olga is not None
    over_http.world.people.set_person(evolve(olga, time_zone="Europe/Berlin"))

    async def talk(agent: Agent) -> None:
        told = await agent("defer_touch", when="2027-03-28 02:30", text="x")
        assert (told["local"], told["note"]) == (
            "2027-03-28T03:30:00",
            "02:30 does not exist on 2027-03-28 in Europe/Berlin: 03:30 is meant, 2027-03-28T01:30Z",
        )

    over_http.conversation(talk)


def test_work_for_an_agent_platform_that_the_tenant_has_not_is_refused(over_http: Agency) -> None:
    over_http.world.people.set_tenant(Tenant(TENANT, "office"))

    async def talk(agent: Agent) -> None:
        said = await agent.refused("defer_touch", when="in 10 minutes", text="x", kind="call")
        assert "tickler tenant agent TENANT --url URL" in said

    over_http.conversation(talk)
    assert list(over_http.world.touches.listed(None, 10)) == []


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("defer_touch", {"when": "whenever the moon is full", "text": "x"}, "when"),
        ("defer_touch", {"when": "2020-01-01", "text": "x"}, "when"),
        ("defer_touch", {"when": "in 10 minutes"}, "text"),
        ("defer_touch", {"when": "in 10 minutes", "text": "   "}, "text"),
        ("defer_touch", {"when": "in 10 minutes", "text": "x" * 10_001}, "text"),
        ("defer_touch", {"when": "in 10 minutes", "text": "gnp.exe\u202egpj"}, "text"),
        ("defer_touch", {"when": "in 10 minutes", "text": "x", "kind": "mystery"}, "kind"),
        ("defer_touch", {"when": "in 10 minutes", "text": 17}, "text"),
        ("defer_touch", {"when": "in 10 minutes", "text": "x", "key": ""}, "key"),
        ("defer_touch", {"text": "x"}, "when"),
        ("defer_touch", {"when": "in 20 years", "text": "x"}, "due"),
        ("list_touches", {"limit": 0}, "limit"),
        ("list_touches", {"limit": 10**9}, "limit"),
        ("list_touches", {"after": "soon"}, "after"),
        ("cancel_touch", {"touchId": str(OLGA)}, "no such touch"),
        ("cancel_touch", {}, "touchId"),
        ("upcoming", {"days": -1}, "days"),
        ("answer_touch", {"text": "forged"}, "no tool"),
    ],
)
def test_a_call_that_will_not_do_is_refused_in_one_line_and_nothing_is_put_off(
    over_http: Agency, tool: str, arguments: dict[str, Any], says: str
) -> None:
    async def talk(agent: Agent) -> None:
        assert says in await agent.refused(tool, **arguments)

    over_http.conversation(talk)
    assert list(over_http.world.touches.listed(None, 10)) == []


def test_a_nul_in_an_argument_is_refused_by_the_tool(agency: Agency) -> None:
    async def talk(agent: Agent) -> None:
        for argument in ("text", "when", "kind", "key"):
            arguments = {"when": "in 10 minutes", "text": "x", argument: "a\0b"}
            said = await agent.refused("defer_touch", **arguments)
            assert said.startswith(f"{argument}: it holds what is no character")

    agency.conversation(talk)
    assert list(agency.world.touches.listed(None, 10)) == []


def test_half_of_a_surrogate_pair_over_stdio_is_answered_by_the_tool_and_not_with_silence(
    over_stdio: Agency, postgres_url: str
) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        *(
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"defer_touch","arguments":'
            f'{{"when":"in 10 minutes","text":"{text}"}}}}}}'
            for text in (r"\ud800", r"x\\\udfff", r"\ud83d\ude00")
        ),
    ]
    environment = {
        "TICKLER_DATABASE_URL": postgres_url,
        "TICKLER_TOKEN": over_stdio.secret,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    with Popen(
        [sys.executable, "-m", "adapters", "mcp"], env=environment, stdin=PIPE, stdout=PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in lines:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            if '"id"' in line:
                answers.append(json.loads(process.stdout.readline())["result"])
        process.stdin.close()
    said = [one["content"][0]["text"] for one in answers[1:]]
    assert [one["isError"] for one in answers[1:]] == [True, True, False]
    assert all(one.startswith("text: it holds what is no character") for one in said[:2])
    (kept,) = over_stdio.world.touches.listed(None, 10)
    assert over_stdio.world.touches.texts(kept.id).text == "\U0001f600"


@pytest.mark.parametrize("name", ["origin", "channel", "contactPointId", "person", "userId", "depth"])
def test_b31_no_tool_takes_a_place_for_the_answer(over_http: Agency, name: str) -> None:
    async def talk(agent: Agent) -> None:
        tools = (await agent.client.list_tools()).tools
        assert [tool.name for tool in tools] == ["defer_touch", "list_touches", "cancel_touch", "upcoming"]
        for tool in tools:
            assert tool.input_schema["additionalProperties"] is False
            assert name not in tool.input_schema["properties"]
        await agent.refused("defer_touch", when="in 10 minutes", text="x", **{name: str(OLGA)})

    over_http.conversation(talk)
    assert list(over_http.world.touches.listed(None, 10)) == []


def test_b30_another_sessions_touch_is_not_there_for_an_agent(agency: Agency) -> None:
    made: list[str] = []

    async def puts_off(agent: Agent) -> None:
        made.append((await agent("defer_touch", when="in 10 minutes", text="a secret"))["touchId"])

    async def tries(agent: Agent) -> None:
        assert "no such touch" in await agent.refused("cancel_touch", touchId=made[0])
        assert (await agent("list_touches"))["touches"] == []
        assert (await agent("upcoming"))["touches"] == []

    agency.conversation(puts_off)
    people, ids = agency.world.people, agency.world.ids
    strangers = Tenant(TenantId(ids.new()), "strangers")
    people.add_tenant(strangers)
    stranger = Person(UserId(ids.new()), strangers.id, "stranger")
    people.add_person(stranger)
    elsewhere = ContactPoint(ContactPointId(ids.new()), OLGA, "recording", "another address of hers")
    people.add_contact_point(elsewhere)
    others = agency.access.issue(strangers.id, "agents", [Scope.SESSIONS]).token
    own = agency.tokens.of_tenant(TENANT)[0]
    for opened in (
        agency.access.open_session(others, stranger.id),
        agency.access.open_session(own, OLGA, elsewhere.id),
    ):
        agency.conversation(tries, secret=opened.secret)
    assert agency.world.touches.listed(TENANT, 1)[0].status is Status.PENDING


def _ended_while_the_agent_goes_on(agency: Agency, then: Callable[[Agent], Awaitable[None]]) -> None:
    async def talk(agent: Agent) -> None:
        await agent("list_touches")
        agency.tokens.revoke(agency.access.admit(agency.secret).id, agency.world.clock.now())
        await then(agent)

    agency.conversation(talk)
    assert list(agency.world.touches.listed(None, 10)) == []


def test_b39_a_session_that_ended_puts_nothing_off_in_a_process_that_goes_on(over_stdio: Agency) -> None:
    async def tries(agent: Agent) -> None:
        said = await agent.refused("defer_touch", when="in 10 minutes", text="x")
        assert "holds no more" in said

    _ended_while_the_agent_goes_on(over_stdio, tries)


def test_b39_a_session_that_ended_puts_nothing_off_over_http(over_http: Agency) -> None:
    async def tries(agent: Agent) -> None:
        with pytest.raises(MCPError):
            await agent.client.call_tool("defer_touch", {"when": "in 10 minutes", "text": "x"})

    _ended_while_the_agent_goes_on(over_http, tries)
