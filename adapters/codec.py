"""Events and messages as JSON, under explicit versioned names; the wire says camelCase.

Instants are ISO 8601 in UTC with microseconds and `Z`, wall times the same without it, triggers in their one
spelling. What a cycle writes for each row is spelled out by hand, for speed; cattrs does the rest.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

import attrs
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from adapters.contracts.contract import Breach, Contract
from application.dispatching import TOPIC
from domain import calendar_event, reminder
from domain.errors import Invalid
from domain.policies import ReminderDueEvent
from domain.reminder import ReminderScheduled, ReminderSent, ReminderSkipped
from domain.triggers import Trigger, trigger
from domain.values import (
    AppointmentId,
    EventId,
    Kind,
    ReminderId,
    TenantId,
    Timing,
    UserId,
    zone,
)

Event = calendar_event.Event | reminder.Event

CONTRACT_VERSION = 1
TRACEPARENT = "traceparent"
"""The header of the W3C trace context, where somebody follows a reminder."""

_CLASSES: Mapping[str, type[Event]] = {
    "calendar-event.planned.v1": calendar_event.CalendarEventPlanned,
    "calendar-event.changed.v1": calendar_event.CalendarEventChanged,
    "calendar-event.moved.v1": calendar_event.CalendarEventMoved,
    "calendar-event.rezoned.v1": calendar_event.CalendarEventRezoned,
    "calendar-event.started.v1": calendar_event.CalendarEventStarted,
    "calendar-event.completed.v1": calendar_event.CalendarEventCompleted,
    "calendar-event.cancelled.v1": calendar_event.CalendarEventCancelled,
    "reminder.scheduled.v1": ReminderScheduled,
    "reminder.sent.v1": ReminderSent,
    "reminder.skipped.v1": ReminderSkipped,
}
_NAMES: Mapping[type[Event], str] = {class_: name for name, class_ in _CLASSES.items()}

Value = TypeVar("Value")


class Malformed(ValueError):
    """Bytes that are no such event or message; the text is one line and names the field, never its value."""


class UnknownEvent(Malformed):
    """An event of a name that this version does not know; the text names it."""


def encode_event(event: Event) -> tuple[str, bytes]:
    """An event's stored name, and its JSON.

    Raises Invalid, or whatever a value of the wrong type raises, for one that JSON cannot hold.
    """
    class_ = type(event)
    if class_ is ReminderSent:
        assert isinstance(event, ReminderSent)
        at = instant_text(event.at)
        return "reminder.sent.v1", f'{{"eventVersion":{event.event_version:d},"at":"{at}"}}'.encode()
    if class_ is ReminderSkipped:
        assert isinstance(event, ReminderSkipped)
        at = instant_text(event.at)
        return "reminder.skipped.v1", f'{{"reason":"{event.reason}","at":"{at}"}}'.encode()
    return _NAMES[class_], json.dumps(_converter.unstructure(event), separators=(",", ":")).encode()


def decode_event(name: str, data: bytes | Mapping[str, Any], stream_id: UUID | None = None) -> Event:
    """The event that was stored under this name; `stream_id`, where known, is named in what is raised.

    Raises UnknownEvent for a name that is not known, Malformed for JSON that is no such event.
    """
    where = f" in stream {stream_id}" if stream_id else ""
    class_ = _CLASSES.get(name)
    if class_ is None:
        raise UnknownEvent(f"unknown event {name!r}{where}")
    try:
        fields = data if isinstance(data, Mapping) else _object(data)
        return _converter.structure(fields, class_)
    except Exception as problem:
        raise Malformed(f"{name}{where} cannot be read: {_first_problem(problem)}") from None


def encode_due(due: ReminderDueEvent) -> bytes:
    """The message of a sent reminder, contract version 1; what is None is left out.

    Raises Invalid for a time zone that cannot be written, Malformed for what breaks the contract.
    """
    client, appointment = due.client_user_id, due.appointment_id
    payload = (
        f'{{"contractVersion":1,"reminderId":"{_uuid_text(due.reminder_id)}",'
        f'"eventId":"{_uuid_text(due.event_id)}","tenantId":"{_known_uuid_text(due.tenant_id.int)}",'
        f'"ownerUserId":"{_known_uuid_text(due.owner_user_id.int)}",'
        + (f'"clientUserId":"{_known_uuid_text(client.int)}",' if client is not None else "")
        + f'"kind":"{due.kind}","startAt":"{instant_text(due.start_at)}",'
        f'"timeZone":{_zone_text(due.time_zone)},"offsetMinutes":{due.offset_minutes:d}'
        + (f',"appointmentId":"{_uuid_text(appointment)}"}}' if appointment is not None else "}")
    ).encode()
    if not _DUE.is_plainly_kept(payload):
        check_due(payload)
    return payload


def check_due(payload: bytes) -> None:
    """Malformed, in one line, for what may not be written to `pin.calendar.reminder-due.v1`."""
    if not _DUE.is_plainly_kept(payload):
        try:
            _DUE.check_written(_object(payload))
        except Breach as problem:
            raise Malformed(str(problem)) from None


def decode_due(data: bytes) -> ReminderDueEvent:
    """The message of a sent reminder; fields that version 1 does not know are passed over.

    Raises Malformed, in one line that names the field.
    """
    if _DUE.is_plainly_kept(data):
        fields = json.loads(data)
    else:
        fields = _object(data)
        try:
            _DUE.check_read(fields)
        except Breach as problem:
            raise Malformed(str(problem)) from None
    client, appointment = fields.get("clientUserId"), fields.get("appointmentId")
    return ReminderDueEvent(
        reminder_id=ReminderId(UUID(fields["reminderId"])),
        event_id=EventId(UUID(fields["eventId"])),
        tenant_id=TenantId(UUID(fields["tenantId"])),
        owner_user_id=UserId(UUID(fields["ownerUserId"])),
        client_user_id=None if client is None else UserId(UUID(client)),
        kind=Kind(fields["kind"]),
        start_at=_field(fields, "startAt", _instant),
        time_zone=_field(fields, "timeZone", _zone),
        offset_minutes=int(fields["offsetMinutes"]),  # JSON Schema takes 15.0 for a whole number too
        appointment_id=None if appointment is None else AppointmentId(UUID(appointment)),
    )


def outbox_headers(correlation_id: UUID, traceparent: str | None = None) -> dict[str, str]:
    """The headers of every message that a transaction puts into the outbox; its id is `Message.id`."""
    headers = {"correlationId": str(correlation_id), "contractVersion": str(CONTRACT_VERSION)}
    return headers if traceparent is None else {**headers, TRACEPARENT: traceparent}


def has_headers(found: object) -> bool:
    """Whether what is kept beside a message names its run and its contract."""
    if not isinstance(found, Mapping):
        return False
    try:
        UUID(str(found.get("correlationId")))
    except ValueError:
        return False
    return str(found.get("contractVersion")).isdecimal()


def check_text(what: str, text: str | None) -> None:
    """Invalid for what no database keeps: NUL, and halves of surrogate pairs."""
    if text is None:
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Invalid(f"{what}: it is not Unicode text") from None
    if "\0" in text:
        raise Invalid(f"{what}: it has a NUL character in it")


@lru_cache(maxsize=16384)  # most events begin at a full hour or near it
def instant_text(at: datetime) -> str:
    """An aware instant as `2026-11-29T10:00:00.000000Z`; Invalid for a naive one."""
    if at.tzinfo is None:
        raise Invalid("an instant with an offset is wanted")
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _uuid_text(id_: UUID) -> str:
    digits = id_.bytes.hex()  # as str(id_), in half the time
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@lru_cache(maxsize=65536)
def _known_uuid_text(number: int) -> str:
    """For ids that come again and again: tenants, owners, clients. From `UUID.int`: it hashes in C."""
    return str(UUID(int=number))


@lru_cache(maxsize=1024)
def _zone_text(name: str) -> str:
    # NUL and lone surrogates pass through JSON, and no database or reader behind it takes them.
    if not name.isprintable():
        raise Invalid("time zone: its name cannot be written")
    return json.dumps(name)


def _object(data: bytes) -> Mapping[str, Any]:
    """JSON in UTF-8 as every reader takes it: no byte order mark, no NaN, no field twice."""
    try:
        found = json.loads(data.decode(), object_pairs_hook=_each_once, parse_constant=_no_number)
    except Malformed:
        raise
    except (ValueError, RecursionError):
        raise Malformed("it is not JSON") from None
    if not isinstance(found, dict):
        raise Malformed("it is not a JSON object")
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("a field is there twice")
    return found


def _no_number(_: str) -> None:
    raise Malformed("it is not JSON")


def _field(fields: Mapping[str, Any], name: str, read: Callable[[Any], Value]) -> Value:
    try:
        return read(fields[name])
    except Malformed as problem:
        raise Malformed(f"{name}: {problem}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Malformed("a text is wanted")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise Malformed("a whole number is wanted")
    return value


def _uuid(value: Any) -> UUID:
    text = _text(value)
    try:
        found = UUID(text)
    except ValueError:
        found = None
    if found is None or str(found) != text.lower():
        raise Malformed("a UUID is wanted")
    return found


def _instant(value: Any) -> datetime:
    text = _text(value)
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None or len(text) < len("2026-11-29T10:00Z"):
            raise ValueError
        return at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Malformed("an instant such as 2026-11-29T10:00:00Z is wanted") from None


def _wall(value: Any) -> datetime:
    text = _text(value)
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is not None:
            raise ValueError
        return at
    except ValueError:
        raise Malformed("a wall time such as 2026-11-29T10:00:00 is wanted") from None


def _zone(value: Any) -> str:
    name = _text(value)
    try:
        zone(name)
    except Invalid:
        raise Malformed("an IANA time zone is wanted") from None
    return name


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Malformed("true or false is wanted")
    return value


def _trigger(value: Any) -> Trigger:
    try:
        return trigger(_text(value))
    except Invalid:
        raise Malformed("no trigger") from None


def _member(value: Any, closed_list: type[StrEnum]) -> StrEnum:
    try:
        return closed_list(_text(value))
    except ValueError:
        raise Malformed(f"no {closed_list.__name__}") from None


def _time_text(at: datetime) -> str:
    return at.isoformat(timespec="microseconds") if at.tzinfo is None else instant_text(at)


def _first_problem(problem: BaseException) -> str:
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    if isinstance(problem, KeyError):
        return f"{problem.args[0]}: it is missing"
    return str(problem) if isinstance(problem, Malformed) else type(problem).__name__


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _make_converter() -> Converter:
    converter = Converter(detailed_validation=False)
    converter.register_unstructure_hook(UUID, str)
    converter.register_unstructure_hook(datetime, _time_text)
    converter.register_unstructure_hook(StrEnum, lambda member: member.value)
    converter.register_unstructure_hook(Trigger, str)
    converter.register_structure_hook(UUID, lambda value, _: _uuid(value))
    converter.register_structure_hook(datetime, lambda value, _: _instant(value))
    converter.register_structure_hook(str, lambda value, _: _text(value))
    converter.register_structure_hook(StrEnum, _member)  # else it would be left a mere text
    converter.register_structure_hook(int, lambda value, _: _whole(value))
    converter.register_structure_hook(bool, lambda value, _: _boolean(value))
    converter.register_structure_hook(Trigger, lambda value, _: _trigger(value))
    for class_ in (Timing, *_NAMES):
        names = {one.name: override(rename=_camel(one.name)) for one in attrs.fields(class_)}
        unstructure = make_dict_unstructure_fn(class_, converter, **names)  # type: ignore[arg-type]
        converter.register_unstructure_hook(class_, unstructure)
        if class_ is Timing:
            names["start_local"] = override(rename="startLocal", struct_hook=lambda value, _: _wall(value))
        structure = make_dict_structure_fn(class_, converter, **names)  # type: ignore[arg-type]
        converter.register_structure_hook(class_, structure)
    return converter


_converter = _make_converter()
_DUE = Contract.named(TOPIC)
