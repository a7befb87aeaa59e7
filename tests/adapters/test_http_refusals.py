"""Every refusal of the API and of the tools names the member and what would do, in no framework's words."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from adapters.inbound.mcp.tools import TOOLS, Toolbox, Wrong
from tests.adapters.desks_of_touches import ANNA, Api, TouchDesk, api_over, desk_over
from tests.adapters.test_http_api import EVERY_MONTH, PLAN

FRAMEWORK_WORDS = re.compile(
    "Value error|Input should|Extra inputs|hexadecimal|UUID|Field required|[Vv]alid |pydantic|Expecting"
    "|Extra data|Not Found|Not Allowed|unable to parse|parsing|invalid literal|isoformat|object at|Error"
    "|None|dict|instance|validation"
)
EVERY = EVERY_MONTH["every"]
BEFORE = {"deadline": "2027-03-31", "days": [1], "at": "10:00", "timeZone": "UTC"}
TOUCH = {"when": "in 10 minutes", "text": "x"}


def plan(**changes: Any) -> dict[str, Any]:
    return {**PLAN, **changes}


def every(**changes: Any) -> dict[str, Any]:
    return plan(schedule={"every": {**EVERY, **changes}})


def before(**changes: Any) -> dict[str, Any]:
    return plan(schedule={"before": {**BEFORE, **changes}})


BODIES = [
    ("/touches", {"text": "x"}, "when: it is wanted"),
    ("/touches", {**TOUCH, "when": 5}, "when: a text is wanted"),
    ("/touches", {**TOUCH, "when": None}, "when: a text is wanted"),
    ("/touches", {**TOUCH, "when": "x" * 101}, "when: at most 100 characters"),
    ("/touches", {**TOUCH, "text": ["x"]}, "text: a text is wanted"),
    ("/touches", {**TOUCH, "kind": "mystery"}, "kind: 'mystery' is none of call, message"),
    ("/touches", {**TOUCH, "whenClientWrites": "maybe"}, "whenClientWrites: keep or cancel is wanted"),
    ("/touches", {**TOUCH, "whenClientWrites": 1}, "whenClientWrites: keep or cancel is wanted"),
    ("/touches", {**TOUCH, "channel": "email"}, "channel: there is no such member"),
    ("/touches", {**TOUCH, "text": "a\0b"}, "text: it holds what is no character"),
    ("/touches", [TOUCH], "body: an object is wanted"),
    ("/touches", "x", "body: an object is wanted"),
    ("/touches", 7, "body: an object is wanted"),
    ("/touches", {**TOUCH, "when_client_writes": "keep"}, "when_client_writes: there is no such member"),
    ("/sessions", {"person": "anna", "lasts_seconds": 60}, "lasts_seconds: there is no such member"),
    ("/plans", plan(catch_up=1), "catch_up: there is no such member"),
    ("/plans", every(short_month="last"), "schedule.every.short_month: there is no such member"),
    ("/sessions", {"contactPointId": "mine"}, "contactPointId: an id such as"),
    ("/sessions", {"touchId": 17}, "touchId: an id such as"),
    ("/sessions", {"touchId": "0198c5f0-7d3e-7000-8000-0123456789"}, "touchId: an id such as"),
    ("/sessions", {"person": "anna", "lastsSeconds": 5}, "lastsSeconds: 60 or more is wanted"),
    ("/sessions", {"person": "anna", "lastsSeconds": 10**6}, "lastsSeconds: 86400 or less is wanted"),
    ("/sessions", {"person": "anna", "lastsSeconds": 60.5}, "lastsSeconds: a whole number is wanted"),
    ("/sessions", {"person": "anna", "lastsSeconds": "60"}, "lastsSeconds: a whole number is wanted"),
    ("/sessions", {"person": "anna", "lastsSeconds": True}, "lastsSeconds: a whole number is wanted"),
    ("/sessions", {"person": "x" * 65}, "person: at most 64 characters"),
    ("/sessions", {}, "person: give person"),
    ("/plans", {}, "schedule: it is wanted"),
    ("/plans", plan(schedule=[]), "schedule: an object is wanted"),
    ("/plans", plan(schedule={}), "schedule: give either every or before"),
    ("/plans", plan(text=None), "text: a text is wanted"),
    ("/plans", plan(catchUp=-1), "catchUp: 0 or more is wanted"),
    ("/plans", plan(graceSeconds=0), "graceSeconds: 1 or more is wanted"),
    ("/plans", plan(when="now"), "when: there is no such member"),
    ("/plans", every(rule=""), "rule"),
    ("/plans", every(rule="FREQ=MONTHLY;BYMONTHDAY=x"), "rule"),
    ("/plans", every(rule="FREQ=MONTHLY;UNTIL=soon"), "rule"),
    ("/plans", every(rule="FREQ=MONTHLY;INTERVAL=x"), "rule"),
    ("/plans", every(rule="FREQ"), "rule"),
    ("/plans", every(rule="FREQ=MONTHLY;BYSETPOS=900"), "rule"),
    ("/plans", every(rule="FREQ=MONTHLY;COUNT=" + "9" * 400), "rule"),
    ("/plans", every(rule="x" * 501), "schedule.every.rule: at most 500 characters"),
    ("/plans", every(anchor="soon"), "anchor: 'soon' is no wall time"),
    ("/plans", every(timeZone="Europe/Nowhere"), "time zone 'Europe/Nowhere' is unknown"),
    ("/plans", every(shortMonth="first"), "schedule.every.shortMonth: skip or last is wanted"),
    ("/plans", every(extra=1), "schedule.every.extra: there is no such member"),
    ("/plans", before(deadline="31.03.2027"), "schedule.before.deadline: a day such as 2027-03-31 is wanted"),
    ("/plans", before(deadline="2027-02-30"), "schedule.before.deadline: a day such as 2027-03-31 is wanted"),
    ("/plans", before(deadline=20270331), "schedule.before.deadline: a day such as 2027-03-31 is wanted"),
    ("/plans", before(days=[]), "schedule.before.days: at least 1 are wanted"),
    ("/plans", before(days=[1] * 51), "schedule.before.days: at most 50 are wanted"),
    ("/plans", before(days="1"), "schedule.before.days: a list is wanted"),
    ("/plans", before(days=[1, "x"]), "schedule.before.days.1: a whole number is wanted"),
    ("/plans", before(at="25:61"), "at: '25:61' is no hour such as 10:00"),
    ("/plans/preview", {"schedule": EVERY_MONTH, "count": 101}, "count: 100 or less is wanted"),
    ("/plans/preview", {"schedule": EVERY_MONTH, "count": None}, "count: a whole number is wanted"),
]
PLACES = [
    ("GET", "/touches/17", 422, "touch_id: an id is wanted, such as"),
    ("DELETE", "/touches/%00", 422, "touch_id: an id is wanted, such as"),
    ("GET", "/plans/none", 422, "plan_id: an id is wanted, such as"),
    ("DELETE", "/sessions/1", 422, "session_id: an id is wanted, such as"),
    ("GET", "/touches?limit=ten", 422, "limit: a whole number is wanted"),
    ("GET", "/touches?limit=1.5", 422, "limit: a whole number is wanted"),
    ("GET", "/touches?limit=" + "9" * 5_000, 422, "limit: "),
    ("GET", "/touches?limit=0", 422, "limit: 1 or more is wanted"),
    ("GET", "/touches?limit=101", 422, "limit: 100 or less is wanted"),
    ("GET", "/touches?status=Lost", 422, "status: 'Pending', 'InProgress', "),
    ("GET", "/touches?cursor=x", 422, "cursor: it is none of this list's"),
    ("GET", "/upcoming?days=0", 422, "days: 1 or more is wanted"),
    ("GET", "/touches?limit=5&limit=6", 422, "limit: it is given more than once"),
    ("GET", "/touches?state=Pending", 422, "state: there is no such parameter"),
    ("GET", "/touches?Limit=5", 422, "Limit: there is no such parameter"),
    ("GET", "/touches?a%20b=5", 422, "query: there is no such parameter"),
    ("GET", "/upcoming?days=1&days=1", 422, "days: it is given more than once"),
    ("GET", "/plans?days=1", 422, "days: there is no such parameter"),
    ("POST", "/heard?x=1", 422, "x: there is no such parameter"),
    ("GET", "/nowhere", 404, "there is nothing at this path"),
    ("PATCH", "/touches", 405, "this path does not take that method"),
]
CALLS = [
    ("defer_touch", {}, "when: it is wanted"),
    ("defer_touch", {**TOUCH, "when": 5}, "when: a text is wanted"),
    ("defer_touch", {**TOUCH, "key": ["k"]}, "key: a text is wanted"),
    ("defer_touch", {**TOUCH, "whenClientWrites": "maybe"}, "whenClientWrites: keep or cancel is wanted"),
    ("defer_touch", {**TOUCH, "channel": "email"}, "channel: there is no such member"),
    ("defer_touch", {**TOUCH, "kind": "\0"}, "kind: it holds what is no character"),
    ("defer_touch", {**TOUCH, "when": "\ud800"}, "when: it holds what is no character"),
    ("defer_touch", {**TOUCH, "a\nb": {"\0": 1}}, "arguments: it holds what is no character"),
    ("cancel_touch", {"touch_id": str(ANNA)}, "touchId: it is wanted"),
    ("defer_touch", {**TOUCH, "when_client_writes": "keep"}, "when_client_writes: there is no such member"),
    ("cancel_touch", {"touchId": "soon"}, "touchId: an id such as"),
    ("cancel_touch", {"touchId": 5}, "touchId: an id such as"),
    ("cancel_touch", {"touchId": None}, "touchId: an id such as"),
    ("list_touches", {"after": "soon"}, "after: an id such as"),
    ("list_touches", {"limit": "5"}, "limit: a whole number is wanted"),
    ("list_touches", {"limit": 1.5}, "limit: a whole number is wanted"),
    ("upcoming", {"days": 0}, "days: 1 or more is wanted"),
    ("upcoming", {"days": {}}, "days: a whole number is wanted"),
]


@pytest.fixture(scope="module")
def desk() -> Iterator[TouchDesk]:
    with desk_over("memory", str) as made:
        yield made


@pytest.fixture(scope="module")
def api(desk: TouchDesk) -> Iterator[Api]:
    with api_over(desk) as made:
        yield made


def in_a_users_words(said: str, says: str) -> None:
    assert said.startswith(says), said
    assert len(said.splitlines()) == 1
    assert not FRAMEWORK_WORDS.search(said), said


@pytest.mark.parametrize(("path", "body", "says"), BODIES)
def test_a_body_is_refused_in_a_users_words(
    api: Api, desk: TouchDesk, path: str, body: Any, says: str
) -> None:
    token = desk.session() if path == "/touches" else desk.platform
    answer = api("POST", path, token, body, {"Idempotency-Key": "k1"})
    assert answer.status_code == 422
    in_a_users_words(answer.json()["detail"], says)


@pytest.mark.parametrize(
    "content", [b"{", b"{'a': 1}", b"[1,]", b'{"a":"b', b'{"a":1}x', b"nothing", b'{"a":"\t"}']
)
def test_a_body_that_is_no_json_is_refused_in_a_users_words(
    api: Api, desk: TouchDesk, content: bytes
) -> None:
    answer = api.send(desk.session(), content)
    assert answer.status_code == 422
    in_a_users_words(answer.json()["detail"], "body: it is no JSON from its character ")


@pytest.mark.parametrize(("method", "path", "status", "says"), PLACES)
def test_a_path_or_a_query_is_refused_in_a_users_words(
    api: Api, desk: TouchDesk, method: str, path: str, status: int, says: str
) -> None:
    token = desk.session() if path.startswith(("/upcoming", "/heard")) else desk.platform
    answer = api(method, path, token)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    in_a_users_words(answer.json()["detail"], says)


@pytest.mark.parametrize(("tool", "arguments", "says"), CALLS)
def test_a_tools_call_is_refused_in_a_users_words(
    desk: TouchDesk, tool: str, arguments: dict[str, Any], says: str
) -> None:
    token = desk.access.admit(desk.session())
    with pytest.raises(Wrong) as refused:
        Toolbox(desk.desk.asking).call(tool, arguments, lambda: token)
    in_a_users_words(str(refused.value), says)


def test_a_call_over_http_that_no_reader_may_be_sure_of_is_the_tools_own_refusal(
    api: Api, desk: TouchDesk
) -> None:
    for more, says in (
        (rb'"text":"a\u0000b"', "text: it holds what is no character"),
        (rb'"text":"\ud800"', "text: it holds what is no character"),
        (rb'"text":"x","text":"y"', "arguments: an object has the same key twice"),
        (rb'"text":NaN', "arguments: NaN is no number"),
        (rb'"text":' + b"[" * 20 + b"]" * 20, "arguments: it is nested more than"),
        (b'"text":"\xff"', "arguments: it is not UTF-8"),
    ):
        call = b'{"jsonrpc":"2.0","id":"one","method":"tools/call","params":{"name":"defer_touch",'
        body = call + b'"arguments":{"when":"in 10 minutes",' + more + b"}}}"
        headers = {
            "Authorization": f"Bearer {desk.session()}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        answer = api.client.post(f"{api.url}/mcp", content=body, headers=headers)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        assert (told["id"], told["result"]["isError"]) == ("one", True)
        in_a_users_words(told["result"]["content"][0]["text"], says)


def test_every_tool_and_each_of_its_arguments_is_described() -> None:
    bare = [
        (tool.name, name)
        for tool in TOOLS
        for name, told in tool.arguments.model_json_schema(by_alias=True)["properties"].items()
        if not told.get("description")
    ]
    assert bare == []
    assert all(tool.description for tool in TOOLS)


def test_nothing_that_was_refused_was_written(desk: TouchDesk) -> None:
    assert desk.people.person(desk.access.admit(desk.platform).tenant_id, ANNA) is not None
    assert desk.nothing_is_written()
