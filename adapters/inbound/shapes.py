"""What is said over the wire: JSON in camelCase, unknown members refused; instants in UTC, with a Z."""

from collections.abc import Callable
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from adapters.codec import instant_text
from application.touching.asking import Shown
from application.touching.words.resolved import Resolved, Unclear
from domain.deferred_touch import DeferredTouch, WhenClientWrites
from domain.recurrence import ShortMonth


class Shape(BaseModel):
    """What is taken: by the names of the wire, and no others."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)


class Told(Shape):
    """What is answered, made here by the names of the code."""

    model_config = ConfigDict(populate_by_name=True)


def _as(kind: type[Any], read: Callable[[str], Any], wanted: str) -> BeforeValidator:
    """Strict JSON knows only text: what else is spelled as text is made here, or what is wanted told."""

    def made(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        try:
            if isinstance(value, str):
                return read(value)
        except ValueError:
            pass
        raise PydanticCustomError("wanted", "{wanted} is wanted", {"wanted": wanted})

    return BeforeValidator(made, json_schema_input_type=str)


def _one_of(kind: type[StrEnum]) -> tuple[Any, ...]:
    return _as(kind, kind, " or ".join(kind)), Field(json_schema_extra={"enum": [one.value for one in kind]})


AN_ID = "an id such as 0198c5f0-7d3e-7000-8000-0123456789ab"
Id = Annotated[UUID, _as(UUID, UUID, AN_ID), Field(json_schema_extra={"format": "uuid"})]
MaybeAddress = Annotated[
    Id | None,
    Field(
        description="Without it the person's preferred address that they have not opted out of; the console"
        " where they have no address."
    ),
]
Day = Annotated[date, _as(date, date.fromisoformat, "a day such as 2027-03-31")]
Policy = Annotated[WhenClientWrites, *_one_of(WhenClientWrites)]
InShortMonths = Annotated[ShortMonth, *_one_of(ShortMonth)]


class NewTouch(Shape):
    """Where its answer goes is no part of it: that is the session's."""

    when: str = Field(
        max_length=100,
        description="An instant, or a wall time or words in the client's zone: 2026-12-08T10:00, in an hour.",
    )
    text: str | None = Field(default=None, description="The message, or what the work is about.")
    kind: str = Field(default="message", max_length=40, description="message, call, or a kind of your own.")
    when_client_writes: Policy = WhenClientWrites.KEEP


class Touch(Told):
    touch_id: str
    kind: str
    status: str
    due_at: str
    when_client_writes: str
    text: str | None = None
    reason: str | None = None


class DeferredShape(Touch):
    """`local` is the wall time in the client's `timeZone` at which it is due; `note` tells of a clock change
    that leaves out the time that was asked for, or has it twice.
    """

    local: str
    time_zone: str
    note: str | None = None


class Page(Told):
    """`cursor` is where the list goes on; absent at its end."""

    touches: list[Touch]
    cursor: str | None = None


class NewSession(Shape):
    """Either `person`, with a contact point or for the preferred one, or `touchId` of a touch in work."""

    person: str | None = Field(default=None, max_length=64, description="A handle or an id.")
    contact_point_id: MaybeAddress = None
    touch_id: Id | None = None
    lasts_seconds: int = Field(default=3600, ge=60, le=86_400)


class SessionShape(Told):
    """`token` is shown this once."""

    session_id: str
    token: str
    expires_at: str
    channel: str


class EveryShape(Shape):
    rule: str = Field(max_length=500, description="An RRULE such as FREQ=MONTHLY;BYMONTHDAY=31.")
    anchor: str = Field(max_length=40, description="The first wall time: 2026-12-31T10:00.")
    time_zone: str = Field(max_length=60)
    short_month: InShortMonths = ShortMonth.SKIP


class BeforeShape(Shape):
    deadline: Day
    days: list[int] = Field(min_length=1, max_length=50)
    at: str = Field(max_length=8, description="HH:MM")
    time_zone: str = Field(max_length=60)


class ScheduleShape(Shape):
    """One of the two."""

    every: EveryShape | None = None
    before: BeforeShape | None = None


class PlanBody(Shape):
    """`catchUp` occurrences that were missed are made up for; 0 skips them."""

    schedule: ScheduleShape
    person: str = Field(max_length=64, description="A handle or an id.")
    contact_point_id: MaybeAddress = None
    text: str
    kind: str = Field(default="message", max_length=40)
    catch_up: int = Field(default=1, ge=0, le=100)
    grace_seconds: int = Field(default=900, ge=1, le=2_678_400)
    spread_seconds: int = Field(default=60, ge=0, le=86_400)


class PlanShape(Told):
    plan_id: str
    status: str
    revision: int
    schedule: dict[str, Any]
    user_id: str
    channel: str
    contact_point_id: str | None
    kind: str
    text: str | None
    catch_up: int
    grace_seconds: int
    spread_seconds: int
    next_at: str | None


class Plans(Told):
    """`cursor` is where the list goes on; absent at its end."""

    plans: list[PlanShape]
    cursor: str | None = None


class PreviewBody(Shape):
    schedule: ScheduleShape
    count: int = Field(default=10, ge=1, le=100)


class OccurrenceShape(Told):
    """`clockChange` where the wall time is left out, or happens twice, at a change of the clocks."""

    at: str
    local: str
    clock_change: str | None = None


class Preview(Told):
    occurrences: list[OccurrenceShape]


class Problem(Told):
    """Problem details (RFC 9457): one line, and the rule where one said no."""

    status: int
    detail: str
    rule: str | None = None


class Asked(Told):
    """The time may mean several: ask the client. Nothing was written."""

    status: int = 422
    detail: str
    candidates: list[dict[str, str]]


def touch_shape(touch: DeferredTouch, text: str | None) -> Touch:
    return Touch(
        touch_id=str(touch.id),
        kind=touch.kind,
        status=touch.status.value,
        due_at=instant_text(touch.due_at),
        when_client_writes=touch.when_client_writes.value,
        text=text,
        reason=touch.reason,
    )


def shown_shape(shown: Shown) -> Touch:
    return touch_shape(shown.touch, shown.text)


def local_text(local: datetime) -> str:
    return local.isoformat(timespec="seconds")


def candidate(one: Resolved) -> dict[str, str]:
    told = {"dueAt": instant_text(one.at), "local": local_text(one.local), "timeZone": one.time_zone}
    return told if one.note is None else {**told, "note": one.note}


def asked(unclear: Unclear) -> dict[str, Any]:
    return {"detail": f"when: {unclear.question}", "candidates": [*map(candidate, unclear.candidates)]}
