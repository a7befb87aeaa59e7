"""The contract of the topic: one schema, what may follow it, and what the code makes and takes beside it."""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

import attrs
import fastjsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.codec import (
    CONTRACT_VERSION,
    TRACEPARENT,
    Malformed,
    check_due,
    decode_due,
    encode_due,
    outbox_headers,
)
from adapters.contracts.contract import Breach, Contract
from adapters.contracts.spelling import spelling
from adapters.observability.tracing.traceparent import root_of, sound
from adapters.outbound.kafka.connection import headers_of, key_of
from adapters.testkit.publisher import due, message
from application.dispatching import TOPIC
from domain.errors import Invalid
from domain.policies import ReminderDueEvent
from domain.values import AppointmentId, EventId, Kind, ReminderId, TenantId, UserId, zone
from tests.compatibility import FORMS, breaches, meaning
from tests.specification import ROOT

DOCUMENTS = ROOT / "docs/contracts"
SCHEMA_FILE = f"{TOPIC}.schema.json"
SCHEMA: dict[str, Any] = json.loads((ROOT / "adapters/contracts" / SCHEMA_FILE).read_text("utf-8"))
PUBLISHED = sorted((ROOT / "tests/contracts_v1").glob("*.schema.json"), key=lambda file: int(file.stem[:-7]))
EXAMPLES = sorted((DOCUMENTS / "examples").glob("*.json"))
ASYNCAPI: dict[str, Any] = yaml.safe_load((DOCUMENTS / "asyncapi.yaml").read_text("utf-8"))
CONTRACT = Contract.of(SCHEMA)
CLOSED = fastjsonschema.compile({**SCHEMA, "additionalProperties": False})
PAYLOAD = encode_due(due(1))
FOLLOWED = root_of(UUID(int=0xABC))
OPTIONAL = {"clientUserId", "appointmentId"}

Change = Callable[[dict[str, Any]], object]


def _with(name: str, **field: Any) -> Change:
    return lambda schema: schema["properties"].update({name: field})


def _field(name: str, **keywords: Any) -> Change:
    return lambda schema: schema["properties"][name].update(keywords)


def _renamed(schema: dict[str, Any]) -> None:
    fields = schema["properties"]
    schema["properties"] = {"startsAt" if name == "startAt" else name: fields[name] for name in fields}
    schema["required"] = ["startsAt" if name == "startAt" else name for name in schema["required"]]


def _in_another_order(schema: dict[str, Any]) -> None:
    schema["properties"] = dict(reversed(schema["properties"].items()))
    schema["required"].reverse()


def _changed(change: Change) -> dict[str, Any]:
    schema = deepcopy(SCHEMA)
    change(schema)
    return schema


# One schema


def test_the_published_schema_is_the_one_that_the_code_holds_messages_to() -> None:
    assert (DOCUMENTS / SCHEMA_FILE).read_bytes() == (ROOT / "adapters/contracts" / SCHEMA_FILE).read_bytes()


def test_the_schema_names_what_a_due_reminder_has_in_the_words_of_the_code() -> None:
    names = [
        re.sub("_(.)", lambda found: found[1].upper(), one.name) for one in attrs.fields(ReminderDueEvent)
    ]
    assert list(SCHEMA["properties"]) == ["contractVersion", *names]
    assert set(SCHEMA["properties"]) - set(SCHEMA["required"]) == OPTIONAL
    assert SCHEMA["properties"]["kind"]["enum"] == [kind.value for kind in Kind]
    assert SCHEMA["properties"]["contractVersion"]["const"] == CONTRACT_VERSION
    assert SCHEMA["$id"].endswith(f":{TOPIC}")
    assert TOPIC.endswith(f".v{CONTRACT_VERSION}")


# What may follow


def test_the_newest_of_the_published_ones_is_the_schema_of_today() -> None:
    assert [file.name for file in PUBLISHED] == [f"{n}.schema.json" for n in range(1, len(PUBLISHED) + 1)]
    assert meaning(json.loads(PUBLISHED[-1].read_text("utf-8"))) == meaning(SCHEMA)


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: str(file.stem))
def test_the_schema_may_follow_each_that_was_published(file: Path) -> None:
    assert breaches(json.loads(file.read_text("utf-8")), SCHEMA) == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_with("branchId", type="string", pattern=FORMS["id"]), id="an id"),
        pytest.param(
            _with("sentAt", type="string", format="date-time", pattern=FORMS["instant"]), id="a time"
        ),
        pytest.param(_with("clientTimeZone", type="string", pattern=FORMS["time zone"]), id="a zone"),
        pytest.param(_with("urgency", type="string", enum=["low", "high"]), id="a closed list"),
        pytest.param(_with("allDay", type="boolean"), id="a truth"),
        pytest.param(_with("attempt", type="integer", minimum=0, maximum=99), id="a bounded number"),
        pytest.param(_with("distance", type="integer", minimum=-9, maximum=999), id="one with a sign"),
    ],
)
def test_a_new_optional_field_may_follow_and_readers_of_before_take_it(change: Change) -> None:
    newer = _changed(change)
    assert breaches(SCHEMA, newer) == []
    name = (newer["properties"].keys() - SCHEMA["properties"].keys()).pop()
    value = {
        "branchId": str(UUID(int=1)),
        "sentAt": "2026-11-29T10:00:00Z",
        "clientTimeZone": "Asia/Tokyo",
        "urgency": "high",
        "allDay": True,
        "attempt": 7,
        "distance": 42,
    }[name]
    written = PAYLOAD[:-1] + f',"{name}":{json.dumps(value)}}}'.encode()
    assert Contract.of(newer).is_plainly_kept(written)
    assert decode_due(written) == due(1)
    Contract.of(newer).check_read(json.loads(PAYLOAD))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_field("kind", description="Another word for it."), id="a description"),
        pytest.param(_field("timeZone", examples=["Asia/Tokyo"]), id="an example"),
        pytest.param(_in_another_order, id="the order"),
    ],
)
def test_what_only_tells_may_change(change: Change) -> None:
    assert breaches(SCHEMA, _changed(change)) == []
    assert _changed(change) != SCHEMA or change is _in_another_order


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("appointmentId", lambda schema: schema["properties"].pop("appointmentId")),
        ("startAt", _renamed),
        ("clientUserId", lambda schema: schema["required"].append("clientUserId")),
        ("timeZone", lambda schema: schema["required"].remove("timeZone")),
        ("kind", lambda schema: schema["properties"]["kind"]["enum"].remove("renewal")),
        ("kind", lambda schema: schema["properties"]["kind"]["enum"].append("webinar")),
        ("offsetMinutes", _field("offsetMinutes", type="string")),
        ("offsetMinutes", _field("offsetMinutes", type=["integer", "null"])),
        ("offsetMinutes", _field("offsetMinutes", minimum=0)),
        ("offsetMinutes", _field("offsetMinutes", maximum=10**8 * 2)),
        ("contractVersion", _field("contractVersion", const=2)),
        ("reminderId", _field("reminderId", pattern="^[0-9A-F-]{36}$")),
        ("startAt", lambda schema: schema["properties"]["startAt"].pop("pattern")),
        ("additionalProperties", lambda schema: schema.update(additionalProperties=False)),
        ("type", lambda schema: schema.update(type=["object", "null"])),
        ("$id", lambda schema: schema.pop("$id")),
        ("anyOf", lambda schema: schema.update(anyOf=[{}])),
        ("propertyNames", lambda schema: schema.update(propertyNames={"maxLength": 3})),
    ],
)
def test_what_takes_from_readers_or_from_earlier_messages_may_not_follow(field: str, change: Change) -> None:
    assert [line.partition(":")[0] for line in breaches(SCHEMA, _changed(change))].count(field) >= 1


def test_a_new_field_may_not_be_required() -> None:
    def change(schema: dict[str, Any]) -> None:
        _with("allDay", type="boolean")(schema)
        schema["required"].append("allDay")

    assert breaches(SCHEMA, _changed(change)) == ["allDay: it is required now, and earlier messages lack it"]


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string"},
        {"type": "string", "maxLength": 3},
        {"type": "string", "format": "email"},
        {"type": "string", "format": "uuid"},
        {"type": "string", "pattern": "^.*$"},
        {"type": "string", "pattern": "^[A-Za-z ]+$"},
        {"type": "string", "pattern": FORMS["time zone"][:-1]},
        {"type": ["string", "null"], "pattern": FORMS["id"]},
        {"type": "object"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "integer"},
        {"type": "integer", "minimum": 0, "maximum": 79_999_999_999},
        {"type": "number"},
        {"pattern": FORMS["id"]},
        {"anyOf": [{"type": "string"}]},
        {"$ref": "#/definitions/note"},
        {"description": "whatever it is"},
        {},
    ],
    ids=str,
)
def test_a_field_that_could_hold_a_name_an_address_or_a_number_to_call_may_not_follow(
    field: dict[str, Any],
) -> None:
    (breach,) = breaches(SCHEMA, _changed(_with("note", **field)))
    assert breach.startswith("note: ")


# What is made and taken


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: str(file.stem))
def test_an_example_keeps_the_schema_and_is_what_the_code_makes(file: Path) -> None:
    example = json.loads(file.read_text("utf-8"))
    CLOSED(example)
    made = encode_due(decode_due(file.read_bytes()))
    assert list(json.loads(made).items()) == list(example.items())


def test_the_examples_show_every_field_and_what_is_without_the_optional_ones() -> None:
    shown = [set(json.loads(file.read_text("utf-8"))) for file in EXAMPLES]
    assert set(SCHEMA["properties"]) in shown
    assert set(SCHEMA["required"]) in shown


def test_the_examples_in_the_schema_are_examples() -> None:
    told = {name: field["examples"][0] for name, field in SCHEMA["properties"].items() if "examples" in field}
    assert decode_due(json.dumps({"contractVersion": 1, "kind": "other", **told}).encode())


def _is_zone(name: str) -> bool:
    try:
        zone(name)
    except Invalid:
        return False
    return True


ZONES = sorted(filter(_is_zone, available_timezones()))
DUES = st.builds(
    ReminderDueEvent,
    reminder_id=st.uuids().map(ReminderId),
    event_id=st.uuids().map(EventId),
    tenant_id=st.uuids().map(TenantId),
    owner_user_id=st.uuids().map(UserId),
    client_user_id=st.none() | st.uuids().map(UserId),
    kind=st.sampled_from(Kind),
    start_at=st.datetimes(
        datetime.fromisoformat("1970-01-01"), datetime.fromisoformat("2199-12-31"), timezones=st.just(UTC)
    ),
    time_zone=st.sampled_from(ZONES),
    offset_minutes=st.integers(-158_112_000, 158_112_000),
    appointment_id=st.none() | st.uuids().map(AppointmentId),
)


@settings(deadline=None)
@given(DUES)
def test_whatever_is_due_is_made_by_the_schema_and_comes_back(one: ReminderDueEvent) -> None:
    made = encode_due(one)
    CLOSED(json.loads(made))
    assert decode_due(made) == one


@settings(deadline=None)
@given(DUES)
def test_what_is_made_is_told_by_the_quick_check_but_for_distant_offsets(one: ReminderDueEvent) -> None:
    assert CONTRACT.is_plainly_kept(encode_due(one)) or abs(one.offset_minutes) >= 10**8


def test_every_zone_of_the_zone_data_can_be_written() -> None:
    assert len(ZONES) > 400
    for name in ZONES:
        assert decode_due(encode_due(attrs.evolve(due(1), time_zone=name))).time_zone == name


@settings(deadline=None)
@given(st.data())
def test_what_the_quick_check_takes_keeps_the_schema(data: st.DataObject) -> None:
    one = encode_due(data.draw(DUES))
    place = data.draw(st.integers(0, len(one) - 1))
    length = data.draw(st.integers(0, 3))
    put = data.draw(st.text('0123456789abcdefZ-+:.,/_"\\{} \n', max_size=3)).encode()
    spoilt = one[:place] + put + one[place + length :]
    if CONTRACT.is_plainly_kept(spoilt):
        CONTRACT.check_written(json.loads(spoilt))


def test_the_quick_check_sees_each_byte_that_is_not_free() -> None:
    for place in range(len(PAYLOAD)):
        assert not CONTRACT.is_plainly_kept(PAYLOAD[:place] + b"*" + PAYLOAD[place + 1 :])
    assert CONTRACT.is_plainly_kept(PAYLOAD)


@pytest.mark.parametrize(("low", "high"), [(0, 9), (0, 10), (-9, 120), (-10, 0), (-101, 99), (0, 0)])
def test_the_quick_check_takes_no_number_past_its_bounds(low: int, high: int) -> None:
    bounded = Contract.of(_changed(_field("offsetMinutes", minimum=low, maximum=high)))
    for number in range(-1_100, 1_100):
        spelled = PAYLOAD.replace(b":15", f":{number}".encode())
        assert low <= number <= high or not bounded.is_plainly_kept(spelled)
    assert bounded.is_plainly_kept(PAYLOAD.replace(b":15", b":0"))


@pytest.mark.parametrize("end", [b"\n", b" ", b"x", b"{}"])
def test_the_quick_check_reads_to_the_end(end: bytes) -> None:
    assert not CONTRACT.is_plainly_kept(PAYLOAD + end)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("timeZone", {"time_zone": "Europe/Nieuwzijds Voorburgwal 147"}),
        ("timeZone", {"time_zone": "anna@example.org"}),
        ("timeZone", {"time_zone": "Москва"}),
        ("timeZone", {"time_zone": 'A","note":"Anna'}),
        ("offsetMinutes", {"offset_minutes": 158_112_001}),
        ("offsetMinutes", {"offset_minutes": -(10**12)}),
        ("startAt", {"start_at": datetime(1969, 12, 31, tzinfo=UTC)}),
        ("startAt", {"start_at": datetime(2200, 1, 1, tzinfo=UTC)}),
        ("kind", {"kind": "party"}),
    ],
)
def test_what_breaks_the_contract_is_not_made_and_the_field_is_named(
    field: str, values: dict[str, Any]
) -> None:
    with pytest.raises(Malformed, match=f"^{field}: .* is wanted$") as raised:
        encode_due(attrs.evolve(due(1), **values))
    assert not any(str(value) in str(raised.value) for value in values.values())


def test_a_field_that_the_contract_does_not_name_is_read_past_and_never_written() -> None:
    more = PAYLOAD[:-1] + b',"note":"Anna"}'
    assert decode_due(more) == due(1)
    with pytest.raises(Malformed, match=r"^it has a field that the contract does not name$"):
        check_due(more)


@pytest.mark.parametrize(
    ("text", "minute"),
    [("15", 15), ("15.0", 15), ("0", 0), ("-0", 0), ("1.5e1", 15), ("158112000", 158112000)],
)
def test_a_whole_number_may_be_spelled_as_json_lets_it(text: str, minute: int) -> None:
    spelled = PAYLOAD.replace(b'"offsetMinutes":15', f'"offsetMinutes": {text}'.encode())
    check_due(spelled)
    read = decode_due(spelled)
    assert (read.offset_minutes, type(read.offset_minutes)) == (minute, int)


@pytest.mark.parametrize("second", ["00", "00.5", "00.12", "00.123", "00.1234", "00.12345", "00.123456"])
def test_a_start_may_be_told_in_as_many_digits_as_the_contract_lets_it(second: str) -> None:
    spelled = PAYLOAD.replace(b"09:00:00.000000Z", f"09:00:{second}Z".encode())
    assert decode_due(spelled).start_at.microsecond == round(float(f"0{second[2:] or '.0'}") * 10**6)


@pytest.mark.parametrize(
    "payload",
    [
        PAYLOAD[:-1] + b',"more":NaN}',
        PAYLOAD[:-1] + b',"more":-Infinity}',
        PAYLOAD[:-1] + b',"kind":"other"}',
        b"\xef\xbb\xbf" + PAYLOAD,
        PAYLOAD.decode().encode("utf-16"),
    ],
)
def test_what_other_readers_of_json_may_take_otherwise_is_not_read(payload: bytes) -> None:
    with pytest.raises(Malformed):
        decode_due(payload)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("startAt", "2026-02-30T10:00:00.000000Z"),
        ("startAt", "2026-11-29T10:00:00.000000+00:00"),
        ("startAt", "2026-11-29T10:00:00.000000Z\n"),
        ("timeZone", "Anna"),
        ("timeZone", "UTC\n"),
        ("reminderId", str(UUID(int=10)).upper()),
        ("reminderId", f"{UUID(int=10)}\n"),
        ("contractVersion", 2),
        ("offsetMinutes", True),
        ("clientUserId", None),
    ],
)
def test_what_breaks_the_contract_is_not_read_and_the_field_is_named(name: str, value: object) -> None:
    with pytest.raises(Malformed, match=f"^{name}: .* is wanted$"):
        decode_due(json.dumps({**json.loads(PAYLOAD), name: value}).encode())


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string"},
        {"type": "string", "pattern": "[a-z]"},
        {"type": "string", "enum": ['"']},
        {"type": "integer"},
        {"type": "integer", "minimum": 1, "maximum": 9},
        {"type": "array"},
    ],
    ids=str,
)
def test_a_field_that_the_quick_check_cannot_hold_to_is_named_at_once(field: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^note: no closed list"):
        spelling(_changed(_with("note", **field)))


def test_a_schema_that_begins_with_an_optional_field_has_no_quick_check() -> None:
    with pytest.raises(ValueError, match=r"^contractVersion: the first field is to be a required one$"):
        spelling(_changed(lambda schema: schema["required"].remove("contractVersion")))


@pytest.mark.parametrize("fields", [{"contractVersion": 2}, {"contractVersion": "Anna", "reminderId": 1}])
def test_of_a_message_of_another_version_the_version_is_named_first(fields: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match=r"^contractVersion: 1 is wanted$"):
        decode_due(json.dumps(fields).encode())


def test_what_is_no_object_breaks_the_contract() -> None:
    with pytest.raises(Breach, match=r"^it is not a JSON object$"):
        CONTRACT.check_read([])


# AsyncAPI


def _message() -> dict[str, Any]:
    found: dict[str, Any] = ASYNCAPI["components"]["messages"]["reminderDue"]
    return found


def _references(node: Any) -> Iterator[str]:
    match node:
        case {"$ref": str(where)}:
            yield where
        case dict():
            for value in node.values():
                yield from _references(value)
        case list():
            for value in node:
                yield from _references(value)


def test_every_reference_of_the_asyncapi_document_leads_somewhere() -> None:
    references = list(_references(ASYNCAPI))
    assert SCHEMA_FILE in references
    for where in references:
        if not where.startswith("#/"):
            assert (DOCUMENTS / where).is_file()
            continue
        node = ASYNCAPI
        for name in where[2:].split("/"):
            node = node[name]


def test_the_asyncapi_document_names_the_topic_and_its_schema() -> None:
    assert ASYNCAPI["asyncapi"].startswith("3.")
    (channel,) = ASYNCAPI["channels"].values()
    assert channel["address"] == channel["bindings"]["kafka"]["topic"] == TOPIC
    assert _message()["payload"]["schema"] == {"$ref": SCHEMA_FILE}
    assert {one["action"] for one in ASYNCAPI["operations"].values()} == {"send", "receive"}


def test_the_asyncapi_document_tells_the_key_and_the_headers_that_the_code_makes() -> None:
    sent = message(due(1))
    key = _message()["bindings"]["kafka"]["key"]
    assert key["pattern"] == SCHEMA["properties"]["eventId"]["pattern"]
    assert key_of(sent).decode() == json.loads(sent.payload)["eventId"]
    made = _headers_of(outbox_headers(UUID(int=7)))
    assert made["messageId"] == json.loads(sent.payload)["reminderId"]
    fastjsonschema.validate({**_message()["headers"], "additionalProperties": False}, made)
    assert sorted(_message()["headers"]["required"]) == sorted(made)
    followed = _headers_of(outbox_headers(UUID(int=7), root_of(UUID(int=7))))
    fastjsonschema.validate({**_message()["headers"], "additionalProperties": False}, followed)
    assert set(_message()["headers"]["properties"]) == set(followed)
    assert set(followed) - set(made) == {TRACEPARENT}


def _headers_of(headers: dict[str, str]) -> dict[str, str]:
    sent = attrs.evolve(message(due(1)), headers=headers)
    return {name: value.decode() for name, value in headers_of(sent).items()}


@pytest.mark.parametrize("given", ["", "00-1-2-01", FOLLOWED.upper(), f"{FOLLOWED}-more"])
def test_the_asyncapi_document_and_the_code_know_a_traceparent_by_the_same_form(given: str) -> None:
    form = _message()["headers"]["properties"][TRACEPARENT]["pattern"]
    assert sound(FOLLOWED) == FOLLOWED
    assert re.fullmatch(form, FOLLOWED)
    assert sound(given) is None
    assert not re.fullmatch(form, given)


def test_the_example_of_the_asyncapi_document_is_one_of_the_files() -> None:
    (example,) = _message()["examples"]
    assert example["payload"] in [json.loads(file.read_text("utf-8")) for file in EXAMPLES]
    fastjsonschema.validate(_message()["headers"], example["headers"])
    assert example["headers"]["messageId"] == example["payload"]["reminderId"]
