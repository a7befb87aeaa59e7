"""Events of deferred touches and plans as JSON, under explicit versioned names; the wire says camelCase.

Instants and wall times are spelled as in `adapters.codec`, lengths of time in seconds, a schedule by its tag
`type`: `every` or `beforeDeadline`.
"""

import json
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import attrs
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from adapters.codec import Malformed, UnknownEvent, instant_text
from domain import deferred_touch, touch_plan
from domain.errors import Invalid
from domain.recurrence import BeforeDeadline, Every, Schedule
from domain.touch_plan import Terms
from domain.values import Occurrence, Origin

Event = deferred_touch.Event | touch_plan.Event

_CLASSES: Mapping[str, type[Event]] = {
    "touch.registered.v1": deferred_touch.TouchRegistered,
    "touch.claimed.v1": deferred_touch.TouchClaimed,
    "touch.recovered.v1": deferred_touch.TouchRecovered,
    "touch.released.v1": deferred_touch.TouchReleased,
    "touch.attempt-failed.v1": deferred_touch.TouchAttemptFailed,
    "touch.put-off.v1": deferred_touch.TouchPutOff,
    "touch.answered.v1": deferred_touch.TouchAnswered,
    "touch.delivered.v1": deferred_touch.TouchDelivered,
    "touch.closed.v1": deferred_touch.TouchClosed,
    "touch.cancelled.v1": deferred_touch.TouchCancelled,
    "touch.failed.v1": deferred_touch.TouchFailed,
    "touch.retried.v1": deferred_touch.TouchRetried,
    "plan.created.v1": touch_plan.PlanCreated,
    "plan.edited.v1": touch_plan.PlanEdited,
    "plan.paused.v1": touch_plan.PlanPaused,
    "plan.resumed.v1": touch_plan.PlanResumed,
    "plan.advanced.v1": touch_plan.PlanAdvanced,
    "plan.ended.v1": touch_plan.PlanEnded,
}
_NAMES: Mapping[type[Event], str] = {class_: name for name, class_ in _CLASSES.items()}
_SCHEDULES: Mapping[str, type[Schedule]] = {"every": Every, "beforeDeadline": BeforeDeadline}
_TAGS: Mapping[type[Schedule], str] = {class_: tag for tag, class_ in _SCHEDULES.items()}


def encode_touch_event(event: Event) -> tuple[str, str]:
    """An event's stored name, and its JSON."""
    return _NAMES[type(event)], json.dumps(_converter.unstructure(event), separators=(",", ":"))


def decode_touch_event(name: str, data: Mapping[str, Any], stream_id: UUID) -> Event:
    """The event that was stored under this name.

    Raises UnknownEvent for a name that is not known, Malformed for what is no such event, the stream named.
    """
    class_ = _CLASSES.get(name)
    if class_ is None:
        raise UnknownEvent(f"unknown event {name!r} in stream {stream_id}")
    try:
        return _converter.structure(data, class_)
    except Exception as problem:
        raise Malformed(f"{name} in stream {stream_id} cannot be read: {type(problem).__name__}") from None


def encode_terms(terms: Terms) -> str:
    return json.dumps(_converter.unstructure(terms), separators=(",", ":"))


def decode_terms(data: Mapping[str, Any]) -> Terms:
    """Malformed, in one line, for what are no terms."""
    try:
        return _converter.structure(data, Terms)
    except Invalid as problem:
        raise Malformed(f"terms: {problem}") from None
    except Exception as problem:
        raise Malformed(f"terms cannot be read: {type(problem).__name__}") from None


def _instant(value: Any) -> datetime:
    at = datetime.fromisoformat(value)
    if at.tzinfo is None:
        raise Malformed("an instant is wanted")
    return at


def _wall(value: Any) -> datetime:
    at = datetime.fromisoformat(value)
    if at.tzinfo is not None:
        raise Malformed("a wall time is wanted")
    return at


def _time_text(at: datetime) -> str:
    return at.isoformat(timespec="microseconds") if at.tzinfo is None else instant_text(at)


def _unstructure_schedule(schedule: Schedule) -> dict[str, Any]:
    return {"type": _TAGS[type(schedule)], **_converter.unstructure(schedule)}


def _structure_schedule(data: Any, _: type) -> Schedule:
    fields = dict(data)
    return _converter.structure(fields, _SCHEDULES[fields.pop("type")])


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _make_converter() -> Converter:
    converter = Converter(detailed_validation=False)
    converter.register_unstructure_hook(UUID, str)
    converter.register_unstructure_hook(datetime, _time_text)
    converter.register_unstructure_hook(date, date.isoformat)
    converter.register_unstructure_hook(time, lambda at: f"{at:%H:%M}")
    converter.register_unstructure_hook(timedelta, timedelta.total_seconds)
    converter.register_unstructure_hook(StrEnum, lambda member: member.value)
    converter.register_structure_hook(UUID, lambda value, _: UUID(value))
    converter.register_structure_hook(datetime, lambda value, _: _instant(value))
    converter.register_structure_hook(date, lambda value, _: date.fromisoformat(value))
    converter.register_structure_hook(time, lambda value, _: time.fromisoformat(value))
    converter.register_structure_hook(timedelta, lambda value, _: timedelta(seconds=value))
    converter.register_unstructure_hook(Schedule, _unstructure_schedule)
    converter.register_structure_hook(Schedule, _structure_schedule)
    for class_ in (Origin, Occurrence, Every, BeforeDeadline, Terms, touch_plan.Made, *_NAMES):
        names = {one.name: override(rename=_camel(one.name)) for one in attrs.fields(class_)}
        unstructure = make_dict_unstructure_fn(class_, converter, **names)  # type: ignore[arg-type]
        converter.register_unstructure_hook(class_, unstructure)
        for wall in {"slot", "anchor"} & set(names):
            names[wall] = override(rename=wall, struct_hook=lambda value, _: _wall(value))
        structure = make_dict_structure_fn(class_, converter, **names)  # type: ignore[arg-type]
        converter.register_structure_hook(class_, structure)
    return converter


_converter = _make_converter()
