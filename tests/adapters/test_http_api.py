"""The HTTP API, as a real server answers over both stores."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from attrs import evolve

from adapters.testkit.touches.examples import claim_due
from application.ports.tokens import Scope
from domain.values import TouchId
from tests.adapters.desks_of_touches import (
    ANNA,
    BORIS,
    EMAIL,
    NOW,
    WHATSAPP,
    Api,
    TouchDesk,
    api_over,
    desk_over,
)

MINUTE = timedelta(minutes=1)
EVERY_MONTH = {
    "every": {
        "rule": "FREQ=MONTHLY",
        "anchor": "2026-12-31T10:00",
        "timeZone": "Europe/Berlin",
        "shortMonth": "last",
    }
}
PLAN = {"schedule": EVERY_MONTH, "person": "anna", "contactPointId": str(WHATSAPP), "text": "time to renew"}

KEY = {"Idempotency-Key": "p1"}


@pytest.fixture(params=["memory", "postgres", "postgres as the api"])
def desk(request: pytest.FixtureRequest) -> Iterator[TouchDesk]:
    def url() -> str:
        found: str = request.getfixturevalue("postgres_url")
        return found

    with desk_over(request.param, url) as made:
        yield made


@pytest.fixture
def api(desk: TouchDesk) -> Iterator[Api]:
    with api_over(desk) as made:
        yield made


# Putting off


def test_what_a_session_puts_off_is_kept_with_the_sessions_own_origin(api: Api, desk: TouchDesk) -> None:
    answer = api.defer(desk.session(), when="tomorrow at 9")
    assert answer.status_code == 201
    told = answer.json()
    assert (told["dueAt"], told["local"], told["timeZone"], told["status"]) == (
        "2026-11-30T06:00:00.000000Z",
        "2026-11-30T09:00:00",
        "Europe/Moscow",
        "Pending",
    )
    (kept,) = desk.touches.listed(None, 10)
    assert (kept.origin.user_id, kept.origin.channel, kept.origin.contact_point_id) == (
        ANNA,
        "whatsapp",
        WHATSAPP,
    )
    assert str(kept.id) == told["touchId"]
    assert desk.touches.texts(kept.id).text == "the kettle"


def test_a_time_that_may_mean_two_is_asked_about_and_nothing_is_put_off(api: Api, desk: TouchDesk) -> None:
    answer = api.defer(desk.session(), when="12/5")
    assert answer.status_code == 422
    assert [one["local"][:10] for one in answer.json()["candidates"]] == ["2027-05-12", "2026-12-05"]
    assert desk.nothing_is_written()
    chosen = api.defer(desk.session(), when=answer.json()["candidates"][1]["local"])
    assert chosen.json()["dueAt"] == answer.json()["candidates"][1]["dueAt"]


def test_a_session_that_was_opened_in_the_work_on_a_touch_answers_where_that_touch_does(
    api: Api, desk: TouchDesk
) -> None:
    made = api.defer(desk.session(), kind="call").json()
    refused = api("POST", "/sessions", desk.platform, {"touchId": made["touchId"]})
    assert (refused.status_code, refused.json()["rule"]) == (409, "INV-TCH-3")
    desk.clock.advance(11 * MINUTE)
    claim_due(desk.touches, desk.clock.now())
    opened = api("POST", "/sessions", desk.platform, {"touchId": made["touchId"]})
    assert opened.status_code == 201
    api.defer(opened.json()["token"], "k2", text="once more")
    first, second = desk.touches.listed(None, 10)
    assert (second.origin, second.depth) == (first.origin, 1)


def test_r56_without_an_address_session_and_plan_take_the_preferred_one_that_is_not_opted_out_of(
    api: Api, desk: TouchDesk
) -> None:
    plan = {
        "person": str(ANNA),
        "text": "{{ days_left }}",
        "schedule": {"before": {"deadline": "2027-03-31", "days": [7], "at": "10:00", "timeZone": "UTC"}},
    }
    for channel, address in (("whatsapp", WHATSAPP), ("email", EMAIL)):
        opened = api("POST", "/sessions", desk.platform, {"person": str(ANNA)})
        assert opened.json()["channel"] == channel
        planned = api("POST", "/plans", desk.platform, plan, {"Idempotency-Key": channel}).json()
        assert (planned["channel"], planned["contactPointId"]) == (channel, str(address))
        desk.people.opt_out(address, True)
        assert api("POST", "/sessions", desk.platform, {"person": str(BORIS)}).json()["channel"] == "console"


def test_work_for_an_agent_platform_that_the_tenant_has_not_is_refused(api: Api, desk: TouchDesk) -> None:
    refused = api.defer(desk.others_session(), kind="call")
    assert (refused.status_code, refused.json()["rule"]) == (409, "INV-TCH-1")
    assert "tickler tenant agent TENANT --url URL" in refused.json()["detail"]
    assert desk.nothing_is_written()


def test_a_time_that_a_clock_change_leaves_out_is_told_with_the_one_that_is_meant(
    api: Api, desk: TouchDesk
) -> None:
    anna = desk.people.by_id(ANNA)
    assert anna is not None
    desk.people.set_person(evolve(anna, time_zone="Europe/Berlin"))
    for key in ("k1", "k1"):
        made = api.defer(desk.session(), key, when="2027-03-28T02:30").json()
        assert (made["local"], made["dueAt"]) == ("2027-03-28T03:30:00", "2027-03-28T01:30:00.000000Z")
        assert made["note"].startswith("02:30 does not exist on 2027-03-28 in Europe/Berlin: 03:30 is meant")
    asked = api.defer(desk.session(), "k2", when="3/10/2027 at 2:30").json()["candidates"]
    assert ["note" in one for one in asked] == [False, False]
    twice = api.defer(desk.session(), "k3", when="31.10.2027 at 2:30").json()["note"]
    assert twice.startswith("02:30 happens twice on 2027-10-31 in Europe/Berlin: the first is meant")


# Looking and taking back


def test_a_session_sees_and_takes_back_its_own_places_touches_and_no_others(
    api: Api, desk: TouchDesk
) -> None:
    here, by_mail, at_boris = desk.session(), desk.session(ANNA, EMAIL), desk.session(BORIS, None)
    touch_id = api.defer(here).json()["touchId"]
    again = desk.session()
    assert [one["text"] for one in api("GET", "/touches", again).json()["touches"]] == ["the kettle"]
    assert api("GET", f"/touches/{touch_id}", again).json()["status"] == "Pending"
    for other in (by_mail, at_boris, desk.others_session()):
        assert api("GET", "/touches", other).json() == {"touches": []}
        assert api("GET", f"/touches/{touch_id}", other).status_code == 404
        assert api("DELETE", f"/touches/{touch_id}", other).status_code == 404
    assert api("DELETE", f"/touches/{touch_id}", again).json()["status"] == "Cancelled"
    assert api("DELETE", f"/touches/{touch_id}", again).status_code == 200


def test_a_tenants_token_sees_all_of_the_tenants_touches_and_may_try_a_failed_one_again(
    api: Api, desk: TouchDesk
) -> None:
    touch_id = api.defer(desk.session()).json()["touchId"]
    api.defer(desk.session(BORIS, None))
    assert len(api("GET", "/touches", desk.platform).json()["touches"]) == 2
    assert api("GET", "/touches", desk.others_platform).json() == {"touches": []}
    assert api("POST", f"/touches/{touch_id}/retry", desk.platform).json()["status"] == "Pending"
    assert api("POST", f"/touches/{touch_id}/retry", desk.others_platform).status_code == 404
    assert api("DELETE", f"/touches/{touch_id}", desk.platform).json()["status"] == "Cancelled"
    late = api("POST", f"/touches/{touch_id}/retry", desk.platform)
    assert (late.status_code, late.json()["rule"]) == (409, "INV-TCH-6")


def test_a_list_goes_on_where_its_cursor_says_until_it_ends(api: Api, desk: TouchDesk) -> None:
    session = desk.session()
    for number in range(5):
        api.defer(session, f"k{number}", text=f"number {number}")
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        page = api("GET", "/touches", session, params={"limit": 2} | ({"cursor": cursor} if cursor else {}))
        seen += [one["text"] for one in page.json()["touches"]]
        cursor = page.json().get("cursor")
    assert seen == [f"number {number}" for number in range(5)]
    assert cursor is None


def test_what_is_to_come_back_is_told_soonest_first(api: Api, desk: TouchDesk) -> None:
    session = desk.session()
    for key, when in (("a", "in two days"), ("b", "in an hour"), ("c", "in 60 days")):
        assert api.defer(session, key, when=when, text=when).status_code == 201
    told = api("GET", "/upcoming", session).json()["touches"]
    assert [one["text"] for one in told] == ["in an hour", "in two days"]


def test_a_client_who_writes_first_cancels_what_was_to_be_cancelled_then(api: Api, desk: TouchDesk) -> None:
    session = desk.session()
    kept = api.defer(session, "a").json()["touchId"]
    dropped = api.defer(session, "b", whenClientWrites="cancel").json()["touchId"]
    elsewhere = api.defer(desk.session(ANNA, EMAIL), whenClientWrites="cancel").json()["touchId"]
    told = {one["touchId"]: one["status"] for one in api("POST", "/heard", session).json()["touches"]}
    assert told == {kept: "Pending", dropped: "Cancelled"}
    assert api("GET", f"/touches/{elsewhere}", desk.platform).json()["status"] == "Pending"


# Sessions


def test_a_session_ends_with_its_time_by_hand_and_with_the_token_that_opened_it(
    api: Api, desk: TouchDesk
) -> None:
    def opened() -> dict[str, str]:
        body = {"person": "anna", "contactPointId": str(WHATSAPP), "lastsSeconds": 600}
        made: dict[str, str] = api("POST", "/sessions", desk.platform, body).json()
        return made

    first, second, third = opened(), opened(), opened()
    assert (first["channel"], first["expiresAt"]) == ("whatsapp", "2026-11-29T12:10:00.000000Z")
    assert api("DELETE", f"/sessions/{first['sessionId']}", desk.others_platform).status_code == 404
    assert api("DELETE", f"/sessions/{first['sessionId']}", desk.platform).status_code == 204
    assert api("GET", "/upcoming", first["token"]).status_code == 401
    assert api("GET", "/upcoming", second["token"]).status_code == 200
    desk.clock.set(NOW + 10 * MINUTE)
    assert api("GET", "/upcoming", second["token"]).status_code == 401
    desk.clock.set(NOW)
    opener = desk.access.admit(desk.platform)
    assert desk.access.revoke(opener.tenant_id, opener.id)
    assert api("GET", "/upcoming", third["token"]).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {"person": "nobody"},
        {"person": str(BORIS), "contactPointId": str(WHATSAPP)},
        {"person": "00000000-0000-7000-8000-000000000404"},
        {"touchId": "00000000-0000-7000-8000-000000000404"},
    ],
)
def test_no_session_is_opened_for_who_or_what_is_not_there(
    api: Api, desk: TouchDesk, body: dict[str, str]
) -> None:
    assert api("POST", "/sessions", desk.platform, body).status_code == 404


# Plans


def test_a_plan_is_looked_at_before_it_is_kept_and_can_be_changed_and_ended(
    api: Api, desk: TouchDesk
) -> None:
    seen = api("POST", "/plans/preview", desk.platform, {"schedule": EVERY_MONTH, "count": 3}).json()
    assert [one["local"] for one in seen["occurrences"]] == [
        "2026-12-31T10:00:00",
        "2027-01-31T10:00:00",
        "2027-02-28T10:00:00",
    ]
    assert desk.nothing_is_written()
    made = api("POST", "/plans", desk.platform, PLAN, KEY)
    assert (made.status_code, made.json()["nextAt"]) == (201, "2026-12-31T09:00:00.000000Z")
    path = f"/plans/{made.json()['planId']}"
    before = {"deadline": "2027-03-31", "days": [45, 1], "at": "10:00", "timeZone": "Europe/Moscow"}
    edited = api("PUT", path, desk.platform, {**PLAN, "schedule": {"before": before}, "catchUp": 0}).json()
    assert (edited["revision"], edited["schedule"], edited["catchUp"]) == (2, {"before": before}, 0)
    assert api("POST", f"{path}/pause", desk.platform).json()["nextAt"] is None
    assert api("POST", f"{path}/resume", desk.platform).json()["status"] == "Active"
    assert api("GET", "/plans", desk.platform).json()["plans"] == [api("GET", path, desk.platform).json()]
    for method, other in (("GET", path), ("DELETE", path), ("POST", f"{path}/pause"), ("PUT", path)):
        body = {**PLAN, "contactPointId": None} if method == "PUT" else None
        assert api(method, other, desk.others_platform, body).status_code == 404
    assert api("DELETE", path, desk.platform).json()["status"] == "Ended"
    assert api("PUT", path, desk.platform, PLAN).status_code == 409


@pytest.mark.parametrize(
    "change",
    [
        {"schedule": {}},
        {"schedule": {"every": EVERY_MONTH["every"], "before": None}, "catchUp": 101},
        {"schedule": {"every": {**EVERY_MONTH["every"], "rule": "FREQ=SECONDLY"}}},
        {"schedule": {"every": {**EVERY_MONTH["every"], "timeZone": "Europe/Nowhere"}}},
        {"schedule": {"every": {**EVERY_MONTH["every"], "anchor": "soon"}}},
        {"schedule": {"before": {"deadline": "2020-01-01", "days": [1], "at": "9:00", "timeZone": "UTC"}}},
        {"text": "  "},
        {"kind": "mystery"},
    ],
)
def test_a_plan_that_will_not_do_is_refused_in_one_line(
    api: Api, desk: TouchDesk, change: dict[str, object]
) -> None:
    answer = api("POST", "/plans", desk.platform, PLAN | change, KEY)
    assert answer.status_code == 422
    assert len(answer.json()["detail"].splitlines()) == 1
    assert desk.nothing_is_written()


def test_a_repeat_of_a_plans_request_is_the_same_plan_as_it_is_now_and_another_body_is_a_conflict(
    api: Api, desk: TouchDesk
) -> None:
    made = api("POST", "/plans", desk.platform, PLAN, KEY)
    path = f"/plans/{made.json()['planId']}"
    again = api("POST", "/plans", desk.platform, PLAN, KEY)
    assert (made.status_code, again.status_code, again.json()) == (201, 200, made.json())
    api("POST", f"{path}/pause", desk.platform)
    assert api("POST", "/plans", desk.platform, PLAN, KEY).json()["status"] == "Paused"
    for change in ({"text": "another"}, {"catchUp": 7}, {"contactPointId": str(EMAIL)}):
        answer = api("POST", "/plans", desk.platform, PLAN | change, KEY)
        assert (answer.status_code, "idempotency key" in answer.json()["detail"]) == (409, True)
    assert api("POST", "/plans", desk.platform, PLAN, {"Idempotency-Key": "p2"}).status_code == 201
    assert api("POST", "/plans", desk.issue("other", Scope.PLANS), PLAN, KEY).status_code == 201
    for key in ({}, {"Idempotency-Key": ""}, {"Idempotency-Key": "a b"}, {"Idempotency-Key": "x" * 201}):
        answer = api("POST", "/plans", desk.platform, PLAN, key)
        assert (answer.status_code, answer.json()["detail"][:15]) == (422, "Idempotency-Key")
    assert len(desk.touches.plans(None)) == 3


def test_plans_are_listed_page_by_page_and_a_cursor_is_of_use_to_its_own_token_alone(
    api: Api, desk: TouchDesk
) -> None:
    ids = [
        api("POST", "/plans", desk.platform, PLAN, {"Idempotency-Key": f"p{number}"}).json()["planId"]
        for number in range(5)
    ]
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        page = api(
            "GET", "/plans", desk.platform, params={"limit": 2} | ({"cursor": cursor} if cursor else {})
        )
        seen += [one["planId"] for one in page.json()["plans"]]
        cursor = page.json().get("cursor")
    assert (seen, cursor) == (ids, None)
    cursor = api("GET", "/plans", desk.platform, params={"limit": 2}).json()["cursor"]
    assert api("GET", "/plans", desk.others_platform, params={"cursor": cursor}).status_code == 422
    assert (
        api("GET", "/plans", desk.issue("other", Scope.PLANS), params={"cursor": cursor}).status_code == 422
    )
    assert api("GET", "/touches", desk.platform, params={"cursor": cursor}).status_code == 422
    assert api("GET", "/plans", desk.others_platform).json() == {"plans": []}


def test_a_plan_can_be_put_back_as_it_was_read(api: Api, desk: TouchDesk) -> None:
    asked = {**PLAN, "catchUp": 3, "graceSeconds": 60, "spreadSeconds": 5}
    made = api("POST", "/plans", desk.platform, asked, KEY).json()
    read = ("schedule", "contactPointId", "text", "kind", "catchUp", "graceSeconds", "spreadSeconds")
    body = {"person": made["userId"]} | {name: made[name] for name in read}
    put = api("PUT", f"/plans/{made['planId']}", desk.platform, body).json()
    assert put == made | {"revision": put["revision"]}
    assert (put["catchUp"], put["graceSeconds"], put["spreadSeconds"]) == (3, 60, 5)


# The document


def test_the_document_names_every_path_and_who_is_let_in(api: Api) -> None:
    document = api("GET", "/openapi.json").json()
    assert set(document["paths"]) == {
        "/api/v1/heard",
        "/api/v1/plans",
        "/api/v1/plans/preview",
        "/api/v1/plans/{plan_id}",
        "/api/v1/plans/{plan_id}/pause",
        "/api/v1/plans/{plan_id}/resume",
        "/api/v1/sessions",
        "/api/v1/sessions/{session_id}",
        "/api/v1/touches",
        "/api/v1/touches/{touch_id}",
        "/api/v1/touches/{touch_id}/retry",
        "/api/v1/upcoming",
    }
    bare = [
        path
        for path, methods in document["paths"].items()
        for told in methods.values()
        if not told.get("security")
    ]
    assert bare == []
    assert document["components"]["schemas"]["NewTouch"]["additionalProperties"] is False


def test_the_document_tells_of_every_refusal_in_the_media_type_that_it_has(api: Api) -> None:
    document = api("GET", "/openapi.json").json()
    told = {
        f"{method.upper()} {path.removeprefix('/api/v1')}": operation["responses"]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    for responses in told.values():
        assert {"401", "403", "422", "429", "503"} <= set(responses)
        refusals = [one["content"] for status, one in responses.items() if int(status) >= 400]
        assert {kind for one in refusals for kind in one} == {"application/problem+json"}
    statuses = {"401", "403", "408", "409", "413", "415", "422", "429", "500", "503"}
    assert set(told["POST /touches"]) == {"200", "201"} | statuses
    assert set(told["PUT /plans/{plan_id}"]) == {"200", "404"} | statuses
    assert "404" in told["GET /touches/{touch_id}"]
    unclear = told["POST /touches"]["422"]["content"]["application/problem+json"]["schema"]["anyOf"]
    assert [one["$ref"].rpartition("/")[2] for one in unclear] == ["Problem", "Asked"]
    shapes = document["components"]["schemas"]
    assert not {"HTTPValidationError", "ValidationError"} & set(shapes)
    assert set(shapes["Problem"]["properties"]) == {"status", "detail", "rule"}


def test_the_document_names_the_words_that_a_choice_takes(api: Api) -> None:
    shapes = api("GET", "/openapi.json").json()["components"]["schemas"]
    assert shapes["NewTouch"]["properties"]["whenClientWrites"]["enum"] == ["keep", "cancel"]
    assert shapes["EveryShape"]["properties"]["shortMonth"]["enum"] == ["skip", "last"]


def test_a_token_of_the_tenant_does_what_its_scopes_say_and_nothing_else(api: Api, desk: TouchDesk) -> None:
    tries = {
        Scope.SESSIONS: ("POST", "/sessions", {"person": "anna"}),
        Scope.TOUCHES: ("GET", "/touches", None),
        Scope.PLANS: ("GET", "/plans", None),
    }
    for scope in Scope:
        token = desk.issue(f"only-{scope}", scope)
        allowed = {
            one for one, (method, path, body) in tries.items() if api(method, path, token, body).is_success
        }
        assert allowed == {scope}


def test_an_id_of_a_touch_that_is_none_is_an_error_of_the_request(api: Api, desk: TouchDesk) -> None:
    answer = api("GET", "/touches/17", desk.platform)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert api("GET", f"/touches/{TouchId(ANNA)}", desk.platform).status_code == 404
