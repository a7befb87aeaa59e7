"""A touch of the kind `call` is posted to its tenant's agent platform, and its answer is what comes of it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from standardwebhooks.webhooks import Webhook

from adapters.outbound.agents import AgentPlatforms
from adapters.outbound.channels.signing import new_secret
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.system import SystemClock
from application.ports.people import AgentPlatform, Tenant
from application.ports.work import Again, NothingToSay, Outcome, Say, Work, WorkFailed
from domain.errors import Invalid
from domain.values import ContactPointId, Origin, TenantId, TouchId, UserId
from tests.web_server import HOST, Answer, WebServer, body, drop, endless_body, hang, status

TENANT = TenantId(UUID(int=1))
TOUCH = TouchId(UUID(int=2))
SECRET = new_secret()
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORK = Work(
    touch_id=TOUCH,
    tenant_id=TENANT,
    kind="call",
    origin=Origin(UserId(UUID(int=3)), "whatsapp", ContactPointId(UUID(int=4))),
    text='ask the lab "again" 🚀',
    due_at=NOON,
    attempt=2,
    depth=1,
    deadline=NOON + timedelta(minutes=10),
    lost=Event(),
    stopping=Event(),
)


@pytest.fixture
def server() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def platforms(url: str | None, **more: Any) -> AgentPlatforms:
    people = MemoryPeople(MemoryStore())
    agent = None if url is None else AgentPlatform(url, SECRET)
    people.add_tenant(Tenant(TENANT, "acme", agent=agent))
    return AgentPlatforms(people, SystemClock(), **{"allow_http": True, "allow_private": True, **more})


def called(server: WebServer, *answers: Answer, **more: Any) -> Outcome:
    server.answers += answers
    return platforms(f"http://{HOST}:{server.port}/touches", **more)(WORK)


def test_the_platform_is_told_all_that_it_needs_and_can_check_who_asks(server: WebServer) -> None:
    called(server)
    (request,) = server.taken
    assert request.path == "/touches"
    said = Webhook(SECRET).verify(request.body, request.headers)
    assert said == json.loads(request.body)
    assert said == {
        "touchId": str(TOUCH),
        "tenantId": str(TENANT),
        "kind": "call",
        "text": 'ask the lab "again" 🚀',
        "dueAt": "2026-11-30T12:00:00+00:00",
        "round": 1,
        "attempt": 2,
        "depth": 1,
        "deadline": "2026-11-30T12:10:00+00:00",
        "origin": {
            "userId": str(UUID(int=3)),
            "channel": "whatsapp",
            "contactPointId": str(UUID(int=4)),
        },
    }


def test_each_attempt_has_the_touchs_id_for_its_key(server: WebServer) -> None:
    for attempt in (1, 2):
        platforms(f"http://{HOST}:{server.port}/")(evolve(WORK, attempt=attempt))
    assert [request.headers["webhook-id"] for request in server.taken] == [str(TOUCH)] * 2
    assert [request.headers["idempotency-key"] for request in server.taken] == [str(TOUCH)] * 2


def test_each_round_has_a_key_of_its_own_and_says_which_it_is(server: WebServer) -> None:
    for attempt in (1, 2):
        platforms(f"http://{HOST}:{server.port}/")(evolve(WORK, round=2, attempt=attempt))
    assert [request.headers["webhook-id"] for request in server.taken] == [f"{TOUCH}:2"] * 2
    assert [request.headers["idempotency-key"] for request in server.taken] == [f"{TOUCH}:2"] * 2
    said = [Webhook(SECRET).verify(request.body, request.headers) for request in server.taken]
    assert [(one["round"], one["touchId"]) for one in said] == [(2, str(TOUCH))] * 2


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (status(204), NothingToSay()),
        (body(200, b"{}"), NothingToSay()),
        (body(200, '{"answer": "всё в порядке"}'.encode()), Say("всё в порядке")),
        (body(200, b'{"answer": ""}'), Say("")),
        (body(200, b'{"againAt": "2026-12-01T10:00:00Z"}'), Again(datetime(2026, 12, 1, 10, tzinfo=UTC))),
        (
            body(200, b'{"againAt": "2026-12-01T10:00:00+03:00"}'),
            Again(datetime(2026, 12, 1, 7, tzinfo=UTC)),
        ),
    ],
)
def test_what_the_platform_answers_is_what_comes_of_it(
    server: WebServer, answer: Answer, outcome: Outcome
) -> None:
    assert called(server, answer) == outcome


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (status(500), "answered 500"),
        (status(202), "answered 202"),
        (status(404), "answered 404"),
        (status(302, location="http://169.254.169.254/"), "answered 302"),
        (body(200, b""), "no JSON"),
        (body(200, b"error"), "no JSON"),
        (body(200, b"\xff\xfe"), "no JSON"),
        (body(200, b'{"answer": "a", "answer": "b"}'), "no JSON"),
        (body(200, b'{"answer": NaN}'), "no JSON"),
        (body(200, b"[" * 60_000), "no JSON"),
        (body(200, b"[]"), "neither"),
        (body(200, b"null"), "neither"),
        (body(200, b'{"anwser": "a"}'), "neither"),
        (body(200, b'{"answer": null}'), "neither"),
        (body(200, b'{"answer": 1e400}'), "neither"),
        (body(200, b'{"answer": "a", "againAt": "2026-12-01T10:00:00Z"}'), "neither"),
        (body(200, b'{"againAt": "2026-12-01T10:00:00"}'), "no instant"),
        (body(200, b'{"againAt": "tomorrow"}'), "no instant"),
        (body(200, b'{"againAt": "99999-01-01T00:00:00Z"}'), "no instant"),
        (body(200, b'{"answer": "' + b"x" * 5_000_000 + b'"}'), "more than 64 kB"),
        (endless_body(200), "more than 64 kB"),
        (drop, "no answer"),
    ],
)
def test_any_other_answer_is_a_failed_attempt_told_without_the_platforms_words(
    server: WebServer, answer: Answer, said: str
) -> None:
    with pytest.raises(WorkFailed, match=said) as failed:
        called(server, answer)
    assert len(str(failed.value)) < 120
    assert len(server.seen) == 1


def test_a_platform_that_hangs_is_waited_for_no_longer_than_is_set(server: WebServer) -> None:
    with pytest.raises(WorkFailed, match="no answer"):
        called(server, hang, seconds=0.3)


def test_a_tenant_without_a_platform_has_a_failed_attempt_that_says_what_to_do() -> None:
    with pytest.raises(WorkFailed, match="tickler tenant agent"):
        platforms(None)(WORK)


@pytest.mark.parametrize(
    "url",
    [
        "https://169.254.169.254/",
        "https://localhost/",
        "https://a:b@agents.example/",
        "http://agents.example",
    ],
)
def test_a_platform_at_a_private_or_senseless_address_is_neither_kept_nor_called(url: str) -> None:
    strict = platforms(url, allow_http=False, allow_private=False)
    with pytest.raises(Invalid, match="address"):
        strict.platform(url, None)
    with pytest.raises(WorkFailed, match="cannot be called"):
        strict(WORK)


def test_a_platform_gets_a_secret_where_none_is_given() -> None:
    made = platforms(None).platform("https://AGENTS.example/touches", None)
    assert made.url == "https://agents.example/touches"
    assert made.secret.startswith("whsec_")
    assert platforms(None).platform(made.url, SECRET).secret == SECRET
    with pytest.raises(Invalid, match="secret"):
        platforms(None).platform(made.url, "hunter2")
