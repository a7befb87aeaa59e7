"""What comes in JSON, made into values of the domain; Invalid names the member."""

from datetime import datetime, time, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Header, Query

from adapters.inbound.shapes import PlanBody, ScheduleShape
from domain.errors import Invalid
from domain.recurrence import BeforeDeadline, Every, Schedule
from domain.touch_plan import Terms
from domain.values import Origin, UserId

MOST_LISTED = 100
VISIBLE = "".join(map(chr, range(0x21, 0x7F)))
Key = Annotated[
    str | None,
    Header(description="From 1 to 200 visible ASCII characters; a repeat with it is the same request."),
]
Limit = Annotated[int, Query(ge=1, le=MOST_LISTED)]


def given_key(given: str | None) -> str:
    if given is None:
        raise Invalid("Idempotency-Key: it is wanted, so that a repeat is the same request")
    if not 1 <= len(given) <= 200 or given.strip(VISIBLE):
        raise Invalid("Idempotency-Key: from 1 to 200 visible ASCII characters")
    return given


def person_key(given: str) -> UserId | str:
    """An id where it is one, else a handle."""
    try:
        return UserId(UUID(given))
    except ValueError:
        return given


def schedule(shape: ScheduleShape) -> Schedule:
    if (every := shape.every) is not None and shape.before is None:
        return Every(every.rule, _wall("anchor", every.anchor), every.time_zone, every.short_month)
    if (before := shape.before) is not None and shape.every is None:
        return BeforeDeadline(before.deadline, tuple(before.days), _hour("at", before.at), before.time_zone)
    raise Invalid("schedule: give either every or before")


def terms(body: PlanBody, target: Origin) -> Terms:
    return Terms(
        schedule(body.schedule),
        target,
        body.kind,
        body.catch_up,
        timedelta(seconds=body.grace_seconds),
        timedelta(seconds=body.spread_seconds),
    )


def _wall(what: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Invalid(f"{what}: {text!r} is no wall time such as 2026-12-31T10:00") from None


def _hour(what: str, text: str) -> time:
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise Invalid(f"{what}: {text!r} is no hour such as 10:00") from None
