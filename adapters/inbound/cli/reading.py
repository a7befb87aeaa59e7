"""What people type, made into values; Invalid names the option and what would do."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from uuid import UUID
from zoneinfo import TZPATH

from domain.errors import Invalid
from domain.triggers import (
    MAX_OFFSET_MINUTES,
    AtInstant,
    DaysBeforeEnd,
    DaysBeforeStart,
    MinutesBeforeEnd,
    MinutesBeforeStart,
    Trigger,
    due_at,
    trigger,
)
from domain.values import EARLIEST, LATEST, AppointmentId, Timing, instant

LONGEST_TITLE = 1000
HANDLE = re.compile(r"\w[\w.@+-]{0,63}")
WALL_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?(.*)", re.ASCII | re.DOTALL)


def uuid(option: str, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Invalid(
            f"{option}: {text[:60]!r} is not an id such as 0198c5f0-7d3e-7000-8000-0123456789ab"
        ) from None


def appointment_id(text: str | None) -> AppointmentId | None:
    return None if text is None else AppointmentId(uuid("--appointment", text))


def maybe_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def handle(option: str, text: str) -> str:
    if not HANDLE.fullmatch(text) or maybe_uuid(text):
        raise Invalid(
            f"{option}: {text[:60]!r} is not a handle: a letter or digit, then at most 63 of those and ._@+-"
        )
    return text


def language(option: str, text: str) -> str:
    if not (2 <= len(text) <= 3 and text.isascii() and text.isalpha() and text.islower()):
        raise Invalid(f"{option}: {text[:20]!r} is not a code such as en or ru")
    return text


def title(text: str) -> str:
    if len(text) > LONGEST_TITLE:
        raise Invalid(f"--title: {len(text)} characters are more than {LONGEST_TITLE}")
    if "\0" in text:
        raise Invalid("--title: it holds a NUL character")
    if not text.strip():
        raise Invalid("--title: it is blank; leave it out for an event without one")
    if text.splitlines() != [text]:
        raise Invalid("--title: it holds a line break; a title is one line")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Invalid("--title: it is not UTF-8 text") from None
    return text


def wall_time(option: str, text: str, *, all_day: bool = False) -> datetime:
    """A naive wall time from `2026-12-01 10:00`, or from `2026-12-01` for all day."""
    matched = WALL_TIME.fullmatch(text.strip())
    if matched is None:
        raise Invalid(f"{option}: {text[:60]!r} is not a time such as '2026-12-01 10:00'")
    day, clock, rest = matched.groups()
    if rest and clock:
        raise Invalid(
            f"{option}: {text[:60]!r} is more than a wall time; write '{day} {clock}', and the zone as --zone"
        )
    if rest or (clock is None and not all_day):
        raise Invalid(f"{option}: {text[:60]!r} has no time of day; write '{day} 10:00', or add --all-day")
    if clock and all_day:
        raise Invalid(f"{option}: an event of all day begins on a day such as {day}, without a time")
    try:
        wall = datetime.fromisoformat(f"{day} {clock or '00:00'}")
    except ValueError:
        raise Invalid(f"{option}: {text[:60]!r} is no day and time that there is") from None
    if not EARLIEST.year <= wall.year < LATEST.year:
        raise Invalid(f"{option}: the year {wall.year} is not between 1970 and 2199")
    return wall


def timing(start: datetime, time_zone: str, *, end: str | None, minutes: int | None, all_day: bool) -> Timing:
    """When an event is. Of all-day events `end` is the last day; without one they last the first day only."""
    if end is not None and minutes is not None:
        raise Invalid("--minutes: give either --end or --minutes")
    if minutes is not None and not 0 <= minutes <= MAX_OFFSET_MINUTES:
        raise Invalid(f"--minutes: {minutes} is not between 0 and {MAX_OFFSET_MINUTES}")
    end_at: datetime | None = None
    if all_day:
        if minutes is not None:
            raise Invalid("--minutes: an event of all day has days; give its last one as --end")
        last = wall_time("--end", end, all_day=True) if end is not None else start
        if last < start:
            raise Invalid("--end: it is before the start")
        end_at = instant(last + timedelta(days=1), time_zone)
    elif end is not None:
        end_at = instant(wall_time("--end", end), time_zone)
    elif minutes is not None:
        end_at = instant(start, time_zone) + timedelta(minutes=minutes)
    return Timing.of(start, time_zone, end_at=end_at, all_day=all_day, tz_version=tz_version())


def reminders(texts: Sequence[str], option: str = "--remind") -> tuple[Trigger, ...]:
    return tuple(remind(text, option) for text in texts)


def remind(text: str, option: str) -> Trigger:
    """Minutes before the start, or a trigger's own spelling; by hand nothing comes after the start."""
    text = text.strip()
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        minutes = int(text)
        if not 0 <= minutes <= MAX_OFFSET_MINUTES:
            raise Invalid(
                f"{option}: {minutes} is not between 0 and {MAX_OFFSET_MINUTES} minutes before the start"
            )
        return MinutesBeforeStart(minutes)
    try:
        read = trigger(text[:80])
    except Invalid:
        raise Invalid(
            f"{option}: {text[:60]!r} is not minutes such as 15, nor one of start-15m, start-1d,"
            " start-1d@09:00, end-15m, end-1d, 'at INSTANT'"
        ) from None
    if _is_afterwards(read):
        raise Invalid(f"{option}: {text[:60]!r} comes after the event, too late to remind of it")
    return read


def _is_afterwards(read: Trigger) -> bool:
    match read:
        case MinutesBeforeStart(minutes) | MinutesBeforeEnd(minutes):
            return minutes < 0
        case DaysBeforeStart(days, at, minutes):
            return days < 0 or minutes < 0 or (days == 0 and at is not None)
        case DaysBeforeEnd(days, minutes):
            return days < 0 or minutes < 0
        case AtInstant():
            return False


def check_before_start(triggers: Sequence[Trigger], timing: Timing) -> None:
    """An instant can only be held against the start once both are known."""
    for one in triggers:
        if isinstance(one, AtInstant) and due_at(one, timing) > timing.start_at:
            raise Invalid(f"--remind: {str(one)!r} comes after the start, too late to remind of it")


def tz_version() -> str:
    """Which zone data zoneinfo reckons by: the system's where it has some, else the installed package's."""
    for folder in map(Path, TZPATH):
        if (folder / "Europe" / "London").is_file():
            return _version_in(folder)
    return version("tzdata")


@lru_cache(maxsize=8)
def _version_in(folder: Path) -> str:
    with suppress(OSError), (folder / "tzdata.zi").open(encoding="utf-8", errors="replace") as rules:
        stated = re.match(r"# version (\w{1,20})", rules.readline(100))
        if stated:
            return f"system {stated[1]}"
    return f"system of {datetime.fromtimestamp((folder / 'Europe' / 'London').stat().st_mtime, UTC):%Y-%m-%d}"
