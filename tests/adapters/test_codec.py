"""Events and messages as JSON: every one comes back as it went, and nothing else is let in."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import get_args
from uuid import UUID

import attrs
import pytest

from adapters.codec import (
    Event,
    Malformed,
    UnknownEvent,
    decode_due,
    decode_event,
    encode_due,
    encode_event,
)
from domain import calendar_event, reminder
from domain.calendar_event import (
    CalendarEventCancelled,
    CalendarEventChanged,
    CalendarEventCompleted,
    CalendarEventMoved,
    CalendarEventPlanned,
    CalendarEventRezoned,
    CalendarEventStarted,
)
from domain.errors import Invalid
from domain.policies import ReminderDueEvent
from domain.reminder import ReminderScheduled, ReminderSent, ReminderSkipped, SkipReason
from domain.triggers import (
    AtInstant,
    DaysBeforeEnd,
    DaysBeforeStart,
    MinutesBeforeEnd,
    MinutesBeforeStart,
    trigger,
)
from domain.values import AppointmentId, EventId, Kind, ReminderId, TenantId, Timing, UserId

AT = datetime(2026, 11, 29, 10, 0, 0, 123, tzinfo=UTC)
EVENT, REMINDER, TENANT = EventId(UUID(int=1)), ReminderId(UUID(int=2)), TenantId(UUID(int=3))
OWNER, CLIENT, APPOINTMENT = UserId(UUID(int=4)), UserId(UUID(int=5)), AppointmentId(UUID(int=6))
TIMING = Timing.of(
    datetime.fromisoformat("2026-12-01T09:30"),
    "Europe/Moscow",
    end_at=AT + timedelta(days=3),
    tz_version="2026a",
)
ALL_DAY = Timing.of(datetime.fromisoformat("2026-12-01"), "Asia/Yekaterinburg", all_day=True)
TRIGGERS = (
    MinutesBeforeStart(15),
    MinutesBeforeEnd(-5),
    DaysBeforeEnd(1, 5),
    DaysBeforeStart(1),
    trigger("start-1d@09:00-10m"),
    AtInstant(AT),
)

EVENTS: list[Event] = [
    CalendarEventPlanned(EVENT, TENANT, OWNER, CLIENT, Kind.APPOINTMENT, TIMING, APPOINTMENT, TRIGGERS, AT),
    CalendarEventPlanned(EVENT, TENANT, OWNER, None, Kind.OTHER, ALL_DAY, None, (), AT),
    CalendarEventChanged(OWNER, None, TRIGGERS[:2], TIMING, AT),
    CalendarEventMoved(ALL_DAY, AT),
    CalendarEventRezoned(TIMING, AT),
    CalendarEventStarted(AT),
    CalendarEventCompleted(AT),
    CalendarEventCancelled(AT),
    ReminderScheduled(REMINDER, EVENT, TENANT, TRIGGERS[3], 1450, AT, AT),
    ReminderSent(7, AT),
    *(ReminderSkipped(reason, AT) for reason in SkipReason),
]
DUE = ReminderDueEvent(
    REMINDER, EVENT, TENANT, OWNER, CLIENT, Kind.MEETING, AT, "Europe/Moscow", -3, APPOINTMENT
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_went(event: Event) -> None:
    name, data = encode_event(event)
    assert decode_event(name, data) == event
    assert decode_event(name, json.loads(data)) == event


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_each_field_comes_back_as_the_type_that_it_had(event: Event) -> None:
    came_back = decode_event(*encode_event(event))
    assert [type(value) for value in attrs.astuple(came_back, recurse=False)] == [
        type(value) for value in attrs.astuple(event, recurse=False)
    ]


def test_a_reason_that_is_none_of_the_list_is_malformed() -> None:
    with pytest.raises(Malformed, match=r"^reminder\.skipped\.v1 cannot be read: no SkipReason$"):
        decode_event("reminder.skipped.v1", b'{"reason": "bored", "at": "2026-11-29T10:00:00Z"}')


def test_an_event_keeps_by_which_zone_data_it_was_reckoned() -> None:
    came_back = decode_event(*encode_event(CalendarEventMoved(TIMING, AT)))
    assert isinstance(came_back, CalendarEventMoved)
    assert came_back.timing.tz_version == "2026a"


def test_every_event_of_the_domain_is_among_those_tried_here() -> None:
    every = {*get_args(calendar_event.Event), *get_args(reminder.Event)}
    assert {type(event) for event in EVENTS} == every


def test_names_are_versioned_and_each_is_one_event_s() -> None:
    names = {type(event): encode_event(event)[0] for event in EVENTS}
    assert names[ReminderSent] == "reminder.sent.v1"
    assert names[CalendarEventPlanned] == "calendar-event.planned.v1"
    assert len(set(names.values())) == len(names)


def test_the_json_is_camel_case_with_instants_in_utc_and_triggers_as_spelled() -> None:
    somewhere = timezone(timedelta(hours=3))
    event = ReminderScheduled(REMINDER, EVENT, TENANT, DaysBeforeStart(1), 1440, AT.astimezone(somewhere), AT)
    assert json.loads(encode_event(event)[1]) == {
        "id": str(REMINDER),
        "eventId": str(EVENT),
        "tenantId": str(TENANT),
        "trigger": "start-1d",
        "offsetMinutes": 1440,
        "dueAt": "2026-11-29T10:00:00.000123Z",
        "at": "2026-11-29T10:00:00.000123Z",
    }


def test_an_unknown_event_is_named_and_so_is_its_stream() -> None:
    with pytest.raises(UnknownEvent, match=r"'reminder\.sent\.v9' in stream 0{8}-0000-0000-0000-0{10}63"):
        decode_event("reminder.sent.v9", b"{}", UUID(int=99))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"eventVersion": "1", "at": "2026-11-29T10:00:00Z"}',
        b'{"eventVersion": true, "at": "2026-11-29T10:00:00Z"}',
        b'{"eventVersion": 1, "at": "2026-11-29T10:00:00"}',
        b'{"eventVersion": 1, "at": 5}',
    ],
)
def test_an_event_that_makes_no_sense_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed, match=r"^reminder\.sent\.v1 .*cannot be read"):
        decode_event("reminder.sent.v1", data)


@pytest.mark.parametrize("due", [DUE, attrs.evolve(DUE, client_user_id=None, appointment_id=None)])
def test_a_due_reminder_comes_back_as_it_went(due: ReminderDueEvent) -> None:
    assert decode_due(encode_due(due)) == due


def test_a_due_reminder_is_the_contract_of_version_1() -> None:
    assert json.loads(encode_due(DUE)) == {
        "contractVersion": 1,
        "reminderId": str(REMINDER),
        "eventId": str(EVENT),
        "tenantId": str(TENANT),
        "ownerUserId": str(OWNER),
        "clientUserId": str(CLIENT),
        "kind": "meeting",
        "startAt": "2026-11-29T10:00:00.000123Z",
        "timeZone": "Europe/Moscow",
        "offsetMinutes": -3,
        "appointmentId": str(APPOINTMENT),
    }


def test_what_a_due_reminder_has_not_is_absent_rather_than_null() -> None:
    sent = json.loads(encode_due(attrs.evolve(DUE, client_user_id=None, appointment_id=None)))
    assert "clientUserId" not in sent
    assert "appointmentId" not in sent


def test_fields_of_later_versions_are_passed_over() -> None:
    assert decode_due(encode_due(DUE)[:-1] + b',"priority":"high"}') == DUE


@pytest.mark.parametrize("zone", ["Europe/\0", "\ud800", "Europe/\n"])
def test_a_zone_that_no_reader_takes_is_not_written(zone: str) -> None:
    with pytest.raises(Invalid, match="time zone"):
        encode_due(attrs.evolve(DUE, time_zone=zone))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("contractVersion", 2),
        ("contractVersion", "1"),
        ("contractVersion", True),
        ("reminderId", "2"),
        ("reminderId", None),
        ("eventId", "{00000000-0000-0000-0000-000000000001}"),
        ("tenantId", 3),
        ("ownerUserId", ""),
        ("clientUserId", None),
        ("kind", "party"),
        ("kind", ["meeting"]),
        ("startAt", "2026-11-29T10:00:00"),
        ("startAt", "tomorrow"),
        ("startAt", "1969-12-31T23:59:59Z"),
        ("startAt", "9999-12-31T23:59:59-12:00"),
        ("timeZone", "Moscow"),
        ("timeZone", "../etc/passwd"),
        ("timeZone", ""),
        ("offsetMinutes", 1.5),
        ("offsetMinutes", "15"),
        ("offsetMinutes", 10**18),
        ("appointmentId", "none"),
    ],
)
def test_a_field_that_is_wrong_is_named_and_its_value_is_not(field: str, value: object) -> None:
    data = json.dumps({**json.loads(encode_due(DUE)), field: value}).encode()
    with pytest.raises(Malformed, match=f"^{field}: ") as raised:
        decode_due(data)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "field", sorted(json.loads(encode_due(DUE)).keys() - {"clientUserId", "appointmentId"})
)
def test_a_field_that_is_missing_is_named(field: str) -> None:
    fields = json.loads(encode_due(DUE))
    del fields[field]
    with pytest.raises(Malformed, match=f"^{field}: it is missing"):
        decode_due(json.dumps(fields).encode())


@pytest.mark.parametrize("data", [b"", b"\xff", b"null", b"[1]", b"{", b"[" * 100_000])
def test_what_is_no_object_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed, match=r"^it is not "):
        decode_due(data)
