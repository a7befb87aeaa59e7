"""Bad input, by its number in the study on reliability: refused in one line, and nothing is written."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import UUID

import httpx
import pytest

from adapters.testkit.examples import numbered
from adapters.testkit.touches.examples import claim_due
from application.ports.tokens import Scope
from application.touching.deferring import Limits
from application.touching.fitting import MAX_TEXT, fit_for_people
from domain.deferred_touch import Status
from domain.values import TouchId
from tests.adapters.desks_of_touches import ANNA, BORIS, EMAIL, Api, TouchDesk, api_over, desk_over

Open = Callable[[Limits | None], Api]


@pytest.fixture(params=["memory", "postgres"])
def open_api(request: pytest.FixtureRequest) -> Iterator[Open]:
    def url() -> str:
        found: str = request.getfixturevalue("postgres_url")
        return found

    with ExitStack() as opened:

        def open_one(limits: Limits | None = None) -> Api:
            return opened.enter_context(api_over(opened.enter_context(desk_over(request.param, url, limits))))

        yield open_one


@pytest.fixture
def api(open_api: Open) -> Api:
    return open_api(None)


@pytest.fixture
def desk(api: Api) -> TouchDesk:
    return api.desk


def refused(answer: httpx.Response, *statuses: int) -> str:
    """The one line of a refusal."""
    assert answer.status_code in statuses, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == answer.status_code
    assert len(told["detail"].splitlines()) == 1
    line: str = told["detail"]
    return line


# Repeats and their keys


def test_b8_a_repeat_of_a_request_is_answered_alike_and_another_body_is_a_conflict(
    api: Api, desk: TouchDesk
) -> None:
    session = desk.session()
    first = api.defer(session)
    desk.clock.advance(timedelta(minutes=5))
    repeat = api.defer(desk.session())
    assert (first.status_code, repeat.status_code) == (201, 200)
    assert repeat.json() == first.json()
    refused(api.defer(session, text="another"), 409)
    refused(api.defer(session, when="in 11 minutes"), 409)
    assert len(desk.touches.listed(None, 10)) == 1


@pytest.mark.parametrize(
    "key",
    [b"", b"x" * 201, "ключ".encode(), b"a b", b"a\x7f", "ｋ1".encode()],
    ids=["empty", "long", "other letters", "space", "control", "look-alike"],
)
def test_b9_a_key_that_is_no_key_is_refused(api: Api, desk: TouchDesk, key: bytes) -> None:
    token = desk.session()
    answer = api.client.post(
        f"{api.url}/api/v1/touches",
        headers=[(b"Authorization", f"Bearer {token}".encode()), (b"Idempotency-Key", key)],
        json={"when": "in 10 minutes", "text": "the kettle"},
    )
    assert "Idempotency-Key" in refused(answer, 422)
    assert desk.nothing_is_written()


def test_b9_a_request_without_a_key_is_refused(api: Api, desk: TouchDesk) -> None:
    answer = api("POST", "/touches", desk.session(), {"when": "in 10 minutes", "text": "the kettle"})
    assert "Idempotency-Key" in refused(answer, 422)
    assert desk.nothing_is_written()


@pytest.mark.parametrize("key", [b"a\0b", b"x" * 1_000_000], ids=["NUL", "1 MB"])
def test_b9_a_key_that_no_header_may_hold_ends_the_connection_or_the_request(
    api: Api, desk: TouchDesk, key: bytes
) -> None:
    status = _raw(api, key, desk.session())
    assert status in (b"", b"400", b"431")
    assert desk.nothing_is_written()
    assert api.defer(desk.session()).status_code == 201


def test_b9_one_key_of_two_clients_or_tenants_makes_two_touches(api: Api, desk: TouchDesk) -> None:
    for session in (
        desk.session(),
        desk.session(ANNA, EMAIL),
        desk.session(BORIS, None),
        desk.others_session(),
    ):
        assert api.defer(session, "same").status_code == 201
    assert len(desk.touches.listed(None, 10)) == 4


def _raw(api: Api, key: bytes, token: str) -> bytes:
    """The status that a server gives to a request as no library would send it; nothing where it hangs up."""
    host, _, port = api.url.removeprefix("http://").partition(":")
    body = b'{"when":"in 10 minutes","text":"the kettle"}'
    head = (
        b"POST /api/v1/touches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        + b"Authorization: Bearer "
        + token.encode()
        + b"\r\nContent-Length: "
        + str(len(body)).encode()
        + b"\r\nIdempotency-Key: "
        + key
        + b"\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        try:
            connection.sendall(head + body)
            answer = connection.recv(4096)
        except OSError:
            return b""
    return answer.split(b" ", 2)[1] if answer else b""


# Texts


@pytest.mark.parametrize("field", ["text", "kind", "when"])
@pytest.mark.parametrize("escape", [rb"\u0000", rb"\ud800", rb"\udfff x"])
def test_b12_a_nul_and_half_a_surrogate_pair_are_refused_in_every_text(
    api: Api, desk: TouchDesk, field: str, escape: bytes
) -> None:
    body = b'{"when":"in 10 minutes","text":"x","kind":"message"}'
    values = {"text": b'"x"', "kind": b'"message"', "when": b'"in 10 minutes"'}
    refused(api.send(desk.session(), body.replace(values[field], b'"' + escape + b'"')), 422)
    assert desk.nothing_is_written()


def test_b12_a_nul_in_a_plan_or_a_session_is_refused(api: Api, desk: TouchDesk) -> None:
    before = {"deadline": "2027-03-31", "days": [1], "at": "10:00", "timeZone": "UTC"}
    plan = {"schedule": {"before": before}, "person": "anna", "text": "renew\0"}
    refused(api("POST", "/plans", desk.platform, plan), 422)
    refused(api("POST", "/sessions", desk.platform, {"person": "an\0na"}), 422)
    assert desk.nothing_is_written()


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"when":"in 10 minutes","text":"\xff\xfe"}', 422),
        (b'\xef\xbb\xbf{"when":"in 10 minutes","text":"x"}', 422),
        ('{"when":"in 10 minutes","text":"gnp.exe\u202egpj"}'.encode(), 422),
        (b'{"when":"in 10 minutes","text":"' + b"x" * 10_000_000 + b'"}', 413),
        (('{"when":"in 10 minutes","text":"' + "👩" * 100_000 + '"}').encode(), 413),
        (('{"when":"in 10 minutes","text":"' + "👩" * (MAX_TEXT + 1) + '"}').encode(), 422),
        (b'{"when":"in 10 minutes","text":"   "}', 422),
    ],
    ids=["not UTF-8", "BOM", "override", "10 MB", "100k emoji", "too many emoji", "blank"],
)
def test_b13_a_text_that_is_none_or_too_long_is_refused(
    api: Api, desk: TouchDesk, content: bytes, status: int
) -> None:
    session = desk.session()
    try:
        refused(api.send(session, content), status)
    except (httpx.WriteError, httpx.ReadError):
        assert status == 413  # whoever sends on after the answer may meet a closed connection
    assert desk.nothing_is_written()


def test_b13_a_body_without_a_length_is_bounded_too(api: Api, desk: TouchDesk) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"when":"in 10 minutes","text":"'
        for _ in range(200):
            yield b"x" * 1_000

    headers = {"Idempotency-Key": "k1", "Content-Type": "application/json"}
    with suppress(httpx.WriteError, httpx.ReadError):
        refused(api("POST", "/touches", desk.session(), None, headers, content=pieces()), 413)
    assert desk.nothing_is_written()


# JSON


@pytest.mark.parametrize(
    "more",
    [
        b'"text":"twice"',
        b'"key":NaN',
        b'"key":Infinity',
        b'"key":-Infinity',
        b'"key":1e400',
        b'"key":1' + b"0" * 5_000 + b".0",
        b'"key":9007199254740993',
        b'"key":' + b"9" * 20_000,
        b'"key":' + b"[" * 10_000 + b"]" * 10_000,
        b'"key":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'"__proto__":{"admin":true}',
        b'"constructor":1',
        b'"key":1,',
        b'"key":"' + b'\\"' * 30_000,
        b"",
    ],
    ids=[
        "key twice",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e400",
        "many digits",
        "over 2^53",
        "20,000 digits",
        "deep list",
        "deep object",
        "__proto__",
        "constructor",
        "comma",
        "no end",
        "trailing comma",
    ],
)
def test_b14_json_of_two_meanings_or_without_bounds_is_refused_at_once(
    api: Api, desk: TouchDesk, more: bytes
) -> None:
    session = desk.session()
    began = monotonic()
    answer = api.send(session, b'{"when":"in 10 minutes","text":"x",' + more + b"}")
    said = refused(answer, 422)
    names_a_member = more.startswith((b'"__proto__"', b'"constructor"'))
    assert said.startswith(more[1:9].decode() if names_a_member else "body"), said
    assert monotonic() - began < 5
    assert desk.nothing_is_written()


@pytest.mark.parametrize("content", [b"[]", b"null", b'"x"', b"{}", b"", b"\xf0", b"{'when': 1}"])
def test_b14_a_body_that_is_no_touch_is_refused(api: Api, desk: TouchDesk, content: bytes) -> None:
    refused(api.send(desk.session(), content), 422)
    assert desk.nothing_is_written()


def test_b14_a_body_of_another_kind_is_refused(api: Api, desk: TouchDesk) -> None:
    body = b'{"when":"in 10 minutes","text":"x"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp"):
        refused(api.send(desk.session(), body, kind), 415)
    assert desk.nothing_is_written()


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Content-Type", "application/json; charset=latin-1", 415),
        ("Content-Type", 'application/json; charset="utf-16"', 415),
        ("Content-Type", "application/json;charset=", 415),
        ("Content-Type", "text/plain, application/json", 415),
        ("Content-Encoding", "gzip", 415),
        ("Content-Encoding", "identity, br", 415),
        ("Content-Type", "application/json; charset=UTF-8", 201),
        ("Content-Type", 'APPLICATION/JSON;charset="utf-8"', 201),
        ("Content-Encoding", "identity", 201),
    ],
)
def test_b14_a_body_is_taken_only_as_it_is_and_in_utf_8(
    api: Api, desk: TouchDesk, header: str, value: str, status: int
) -> None:
    headers = {"Idempotency-Key": "k1", "Content-Type": "application/json", header: value}
    body = b'{"when":"in 10 minutes","text":"x"}'
    answer = api("POST", "/touches", desk.session(), None, headers, content=body)
    assert answer.status_code == status, answer.text
    if status == 415:
        refused(answer, 415)
    assert desk.nothing_is_written() is (status == 415)


@pytest.mark.parametrize("name", ["Idempotency-Key", "Content-Type"])
def test_b9_a_header_that_is_given_twice_is_refused(api: Api, desk: TouchDesk, name: str) -> None:
    once = [
        ("Authorization", f"Bearer {desk.session()}"),
        ("Content-Type", "application/json"),
        ("Idempotency-Key", "k1"),
    ]
    again = [one for one in once if one[0] == name]
    answer = api.client.post(
        f"{api.url}/api/v1/touches",
        headers=[*once, *again],
        content=b'{"when":"in 10 minutes","text":"x"}',
    )
    refused(answer, 415 if name == "Content-Type" else 422)
    assert desk.nothing_is_written()


@pytest.mark.parametrize(
    "change", [{"text": 17}, {"when": ["in 10 minutes"]}, {"kind": None}, {"whenClientWrites": "maybe"}]
)
def test_b14_a_value_of_another_type_is_not_bent_into_shape(
    api: Api, desk: TouchDesk, change: dict[str, Any]
) -> None:
    refused(api.defer(desk.session(), **change), 422)
    assert desk.nothing_is_written()


# What agents try


def test_b29_an_answer_is_capped_and_calls_shows_and_steers_nothing() -> None:
    assert len(fit_for_people("x" * 5_000_000)) == MAX_TEXT
    told = fit_for_people("\x1b[2J\x07@everyone @here see https://me:secret@b.example/a\u202efdp\ud800\x00")
    assert "secret" not in told
    assert "@everyone" not in told
    assert "@here" not in told
    assert "https://b.example/a" in told
    assert not set("\x1b\x07\x00\u202e\ud800") & set(told)
    assert fit_for_people("\x00\x01\x02") == ""


def test_b30_nobody_answers_completes_or_extends_a_touch_over_the_wire(api: Api, desk: TouchDesk) -> None:
    session = desk.session()
    touch_id = api.defer(session, kind="call").json()["touchId"]
    desk.clock.advance(timedelta(minutes=11))
    claim_due(desk.touches, desk.clock.now())
    held = desk.touches.touch(TouchId(UUID(touch_id)))
    for token in (session, desk.platform, desk.others_platform, desk.others_session()):
        for method, path in (
            ("POST", f"/touches/{touch_id}/answer"),
            ("POST", f"/touches/{touch_id}/complete"),
            ("PUT", f"/touches/{touch_id}"),
            ("PATCH", f"/touches/{touch_id}"),
        ):
            body = {"claim": 1, "answer": "forged"}
            refused(api(method, path, token, body), 404, 405)
    for token in (session, desk.platform):
        assert "INV-TCH-3" in refused(api("DELETE", f"/touches/{touch_id}", token), 409)
    for token in (desk.others_platform, desk.others_session()):
        refused(api("DELETE", f"/touches/{touch_id}", token), 404)
    refused(api("POST", f"/touches/{touch_id}/retry", desk.others_platform), 404)
    refused(api("POST", f"/touches/{touch_id}/retry", desk.platform), 409)
    assert desk.touches.touch(TouchId(UUID(touch_id))) == held


@pytest.mark.parametrize(
    "more",
    [
        {"origin": {"channel": "email"}},
        {"channel": "email"},
        {"contactPointId": str(EMAIL)},
        {"contact_point_id": str(EMAIL)},
        {"userId": str(BORIS)},
        {"person": "boris"},
        {"depth": 0},
        {"tenantId": str(numbered(2))},
    ],
)
def test_b31_no_request_says_where_the_answer_goes(api: Api, desk: TouchDesk, more: dict[str, Any]) -> None:
    refused(api.defer(desk.session(), **more), 422)
    assert desk.nothing_is_written()


def test_b31_a_token_that_is_no_sessions_puts_nothing_off(api: Api, desk: TouchDesk) -> None:
    assert "session" in refused(api.defer(desk.platform), 403)
    assert desk.nothing_is_written()


def test_b32_no_more_are_taken_than_a_client_or_a_tenant_may_have(open_api: Open) -> None:
    api = open_api(Limits(most_of_tenant=4, most_of_caller=2))
    session, other, third = api.desk.session(), api.desk.session(BORIS, None), api.desk.session(ANNA, EMAIL)
    for asked, key in ((session, "a"), (session, "b"), (other, "a"), (other, "b")):
        assert api.defer(asked, key).status_code == 201
    for asked in (session, third):
        answer = api.defer(asked, "c")
        refused(answer, 429)
        assert int(answer.headers["Retry-After"]) > 0
    assert api.defer(session, "a").status_code == 200
    assert len(api.desk.touches.listed(None, 10)) == 4


def test_b32_a_touch_that_puts_off_a_touch_comes_to_an_end(open_api: Open) -> None:
    api = open_api(Limits(depth=2))
    session, put_off = api.desk.session(), 0
    while True:
        answer = api.defer(session, f"k{put_off}", kind="call", when="in 1 minute")
        if answer.status_code == 422:
            break
        put_off += 1
        api.desk.clock.advance(timedelta(minutes=2))
        claim_due(api.desk.touches, api.desk.clock.now())
        opened = api("POST", "/sessions", api.desk.platform, {"touchId": answer.json()["touchId"]})
        session = opened.json()["token"]
    assert "deep" in answer.json()["detail"]
    assert put_off == 3
    assert len(api.desk.touches.listed(None, 10)) == 3


@pytest.mark.parametrize("is_new", [True, False], ids=["a session a touch", "one session for all"])
def test_b32_a_touch_that_puts_off_a_touch_in_a_session_of_the_persons_comes_to_an_end_too(
    open_api: Open, is_new: bool
) -> None:
    api = open_api(Limits(depth=2))
    session, put_off = api.desk.session(), 0
    while True:
        answer = api.defer(session, f"k{put_off}", kind="call", when="in 1 minute")
        if answer.status_code == 422:
            break
        put_off += 1
        api.desk.clock.advance(timedelta(minutes=2))
        claim_due(api.desk.touches, api.desk.clock.now())
        session = api.desk.session() if is_new else session
    assert "deep" in answer.json()["detail"]
    assert put_off == 3
    assert api.defer(api.desk.session(ANNA, EMAIL)).status_code == 201
    assert api.defer(api.desk.session(BORIS, None)).status_code == 201
    assert [one.depth for one in api.desk.touches.listed(None, 10)] == [0, 1, 2, 0, 0]


@pytest.mark.parametrize("limit", ["-1", "0", "101", "1000000000", "1e3", "ten", ""])
def test_b33_a_limit_out_of_bounds_is_refused(api: Api, desk: TouchDesk, limit: str) -> None:
    for path in ("/touches", "/upcoming"):
        refused(api("GET", path, desk.session(), params={"limit": limit}), 422)


def test_b33_a_cursor_is_of_use_only_whole_to_its_own_token_and_for_its_own_list(
    api: Api, desk: TouchDesk
) -> None:
    session = desk.session()
    for number in range(3):
        api.defer(session, f"k{number}")
    cursor = api("GET", "/touches", session, params={"limit": 1}).json()["cursor"]
    swapped = "A" if cursor[5] != "A" else "B"
    tampered = [cursor[:5] + swapped + cursor[6:], cursor[:-4], cursor + "AAAA", "", "x" * 5_000, "%00", "ё"]
    for one in tampered:
        refused(api("GET", "/touches", session, params={"limit": 1, "cursor": one}), 422)
    for token in (desk.session(), desk.platform, desk.others_platform, desk.others_session()):
        refused(api("GET", "/touches", token, params={"limit": 1, "cursor": cursor}), 422)
    other_list = {"limit": 1, "cursor": cursor, "status": Status.PENDING.value}
    refused(api("GET", "/touches", session, params=other_list), 422)
    assert len(api("GET", "/touches", session, params={"cursor": cursor}).json()["touches"]) == 2


# Who is let in

JWT_WITHOUT_A_SIGNATURE = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm5hIn0."


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer nonsense",
        f"Bearer {JWT_WITHOUT_A_SIGNATURE}",
        "Bearer tickler_" + "A" * 43,
        "Bearer tickler_" + "A" * 20_000,
        "Basic YW5uYTphbm5h",
        "Token {token}",
        "Bearer {token}x",
        "Bearer {token}, Bearer {token}",
    ],
)
def test_b39_without_a_token_that_holds_nobody_is_let_in(
    api: Api, desk: TouchDesk, authorization: str | None
) -> None:
    given = None if authorization is None else authorization.replace("{token}", desk.session())
    headers = {"Idempotency-Key": "k1"} | ({} if given is None else {"Authorization": given})
    body = {"when": "in 10 minutes", "text": "the kettle"}
    for method, path in (("POST", "/touches"), ("GET", "/touches"), ("POST", "/sessions"), ("GET", "/plans")):
        answer = api(method, path, None, body if method == "POST" else None, headers)
        refused(answer, 401)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    tools = api.client.post(f"{api.url}/mcp", json={}, headers=headers)
    refused(tools, 401)
    assert desk.nothing_is_written()


def test_b39_a_token_in_the_address_or_twice_lets_nobody_in(api: Api, desk: TouchDesk) -> None:
    token = desk.session()
    for name in ("access_token", "token", "authorization"):
        refused(api("GET", "/touches", params={name: token}), 401)
    both = [("Authorization", f"Bearer {token}"), ("Authorization", f"Bearer {desk.platform}")]
    refused(api.client.get(f"{api.url}/api/v1/touches", headers=both), 401)


def test_b39_a_token_that_expired_or_was_revoked_lets_nobody_in(api: Api, desk: TouchDesk) -> None:
    session = desk.session()
    access = desk.access
    tenant_id = access.admit(desk.platform).tenant_id
    passing = access.issue(tenant_id, "passing", [Scope.TOUCHES], desk.clock.now() + timedelta(minutes=1))
    revoked = access.issue(tenant_id, "revoked", [Scope.TOUCHES])
    for issued in (passing, revoked):
        assert api("GET", "/touches", issued.secret).status_code == 200
    assert not access.revoke(access.admit(desk.others_platform).tenant_id, revoked.token.id)
    assert access.revoke(tenant_id, revoked.token.id)
    desk.clock.advance(timedelta(minutes=1))
    for issued in (passing, revoked):
        refused(api("GET", "/touches", issued.secret), 401)
    desk.clock.advance(timedelta(hours=1))
    refused(api.defer(session), 401)
    assert desk.nothing_is_written()


def test_b39_a_sessions_token_is_not_passed_on_as_the_tenants_nor_the_other_way_round(
    api: Api, desk: TouchDesk
) -> None:
    session, elsewhere = desk.session(), desk.issue("looks", Scope.TOUCHES)
    refused(api("POST", "/sessions", session, {"person": "boris"}), 403)
    refused(api("GET", "/plans", session), 403)
    refused(api("POST", f"/touches/{numbered(404)}/retry", session), 403)
    refused(api("POST", "/sessions", elsewhere, {"person": "boris"}), 403)
    refused(api("GET", "/upcoming", desk.platform), 403)
    refused(api("POST", "/heard", desk.platform), 403)
    tools = api.client.post(f"{api.url}/mcp", json={}, headers={"Authorization": f"Bearer {desk.platform}"})
    refused(tools, 403)


def test_b39_who_has_left_the_tenant_puts_nothing_off_any_more(api: Api, desk: TouchDesk) -> None:
    session = desk.session()
    desk.people.erase(desk.access.admit(desk.platform).tenant_id, ANNA)
    refused(api.defer(session), 403)
    assert desk.nothing_is_written()
