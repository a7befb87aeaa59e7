"""When a reminder of an event is due: exact minutes, days at the same wall clock, or one instant.

A trigger has one spelling, `str(trigger)`, and `trigger(text)` reads it.
"""

import re
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache

from attrs import field, frozen

from domain.errors import Invalid
from domain.values import EARLIEST, LATEST, Timing, instant, zone

MAX_OFFSET_MINUTES = 5 * 366 * 24 * 60
MAX_TRIGGERS = 50


def _minutes(what: str, minutes: int) -> None:
    if not -MAX_OFFSET_MINUTES <= minutes <= MAX_OFFSET_MINUTES:
        raise Invalid(f"{what}: {minutes} minutes is more than five years")


@frozen
class MinutesBeforeStart:
    """Exactly so many minutes before the start; negative means after it."""

    minutes: int

    def __attrs_post_init__(self) -> None:
        _minutes("offset", self.minutes)

    def __str__(self) -> str:
        return f"start{-self.minutes:+d}m" if self.minutes else "start-0m"


@frozen
class MinutesBeforeEnd:
    """Exactly so many minutes before the end (the start, where an event has no end)."""

    minutes: int

    def __attrs_post_init__(self) -> None:
        _minutes("offset", self.minutes)

    def __str__(self) -> str:
        return f"end{-self.minutes:+d}m" if self.minutes else "end-0m"


@frozen
class DaysBeforeStart:
    """So many days before the start at the same wall clock, or at the hour `at`; then `minutes` earlier."""

    days: int
    at: time | None = None
    minutes: int = 0

    def __attrs_post_init__(self) -> None:
        _minutes("offset", self.days * 1440)
        _minutes("offset", self.minutes)
        if self.at is not None and (self.at.tzinfo or self.at.microsecond or self.at.second):
            raise Invalid("offset: the hour of a days-before reminder is HH:MM")

    def __str__(self) -> str:
        hour = f"@{self.at:%H:%M}" if self.at is not None else ""
        more = f"{-self.minutes:+d}m" if self.minutes else ""
        return (f"start{-self.days:+d}d" if self.days else "start-0d") + hour + more


@frozen
class DaysBeforeEnd:
    """So many days before the end (the start, where there is none) at the same wall clock in the event's
    zone; then `minutes` earlier.
    """

    days: int
    minutes: int = 0

    def __attrs_post_init__(self) -> None:
        _minutes("offset", self.days * 1440)
        _minutes("offset", self.minutes)

    def __str__(self) -> str:
        more = f"{-self.minutes:+d}m" if self.minutes else ""
        return (f"end{-self.days:+d}d" if self.days else "end-0d") + more


def _utc(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise Invalid("offset: an instant with an offset is wanted")
    if not EARLIEST <= at < LATEST:
        raise Invalid(f"offset: the year {at.year} is not between 1970 and 2199")
    return at.astimezone(UTC)


@frozen
class AtInstant:
    """One instant, whatever becomes of the event's start."""

    at: datetime = field(converter=_utc)

    def __str__(self) -> str:
        return f"at {self.at.isoformat()}"


Trigger = MinutesBeforeStart | DaysBeforeStart | MinutesBeforeEnd | DaysBeforeEnd | AtInstant

_RELATIVE = re.compile(
    r"(?P<anchor>start|end)"
    r"(?:(?P<days>[+-]\d{1,9})d)?"
    r"(?:@(?P<at>[0-2]\d:[0-5]\d))?"
    r"(?:(?P<minutes>[+-]\d{1,9})m)?"
)


@lru_cache(maxsize=4096)
def trigger(text: str) -> Trigger:
    """Read what `str(trigger)` writes: `start-15m`, `start-1d`, `start-1d@09:00`, `end-5m`, `end-1d`,
    `at 2026-…Z`.

    Raises Invalid for anything else.
    """
    wrong = Invalid(
        f"offset: {text!r} is not one of start-15m, start-1d, start-1d@09:00, end-15m, end-1d, at INSTANT"
    )
    if text.startswith("at "):
        try:
            return AtInstant(datetime.fromisoformat(text[3:]))
        except Invalid:
            raise
        except ValueError:
            raise wrong from None
    match = _RELATIVE.fullmatch(text)
    if match is None:
        raise wrong
    minutes = -int(match["minutes"] or 0)
    if match["days"] is not None and match["anchor"] == "start":
        try:
            at = time.fromisoformat(match["at"]) if match["at"] else None
        except ValueError:
            raise wrong from None
        return DaysBeforeStart(-int(match["days"]), at, minutes)
    if match["days"] is not None and match["at"] is None:
        return DaysBeforeEnd(-int(match["days"]), minutes)
    if match["at"] is not None or match["minutes"] is None:
        raise wrong
    return MinutesBeforeStart(minutes) if match["anchor"] == "start" else MinutesBeforeEnd(minutes)


def due_at(trigger: Trigger, timing: Timing) -> datetime:
    """When a reminder by this trigger is due: it follows from trigger and timing alone (INV-REM-1)."""
    match trigger:
        case MinutesBeforeStart(minutes):
            return timing.start_at - timedelta(minutes=minutes)
        case MinutesBeforeEnd(minutes):
            return (timing.end_at or timing.start_at) - timedelta(minutes=minutes)
        case DaysBeforeStart(days, at, minutes):
            day = timing.start_local - timedelta(days=days)
            wall = day if at is None else datetime.combine(day.date(), at)
            return instant(wall, timing.time_zone) - timedelta(minutes=minutes)
        case DaysBeforeEnd(days, minutes):
            return _days_before(timing.end_at or timing.start_at, days, timing) - timedelta(minutes=minutes)
        case AtInstant(at_instant):
            return at_instant


def _days_before(end: datetime, days: int, timing: Timing) -> datetime:
    if not days:
        # Of an hour that happens twice the wall clock does not say which one it is.
        return end
    wall = end.astimezone(zone(timing.time_zone)).replace(tzinfo=None)
    return instant(wall - timedelta(days=days), timing.time_zone)


def offset_minutes(due: datetime, timing: Timing) -> int:
    """Whole minutes from `due` to the start, rounded down; negative after the start."""
    return (timing.start_at - due) // timedelta(minutes=1)


def check_triggers(triggers: tuple[Trigger, ...]) -> tuple[Trigger, ...]:
    """The triggers of one event, each once, in the order given; Invalid above MAX_TRIGGERS."""
    distinct = tuple(dict.fromkeys(triggers))
    if len(distinct) > MAX_TRIGGERS:
        raise Invalid(f"offsets: {len(distinct)} reminders are more than {MAX_TRIGGERS} for one event")
    return distinct
