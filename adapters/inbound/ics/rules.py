"""Recurrence rules: looked at before anything is reckoned by them, and brought to one shape."""

import re
from datetime import datetime

from attrs import frozen
from dateutil.rrule import rrule, rrulestr

from adapters.inbound.ics.moments import Moment, moment_of
from adapters.inbound.ics.source import BadProperty, Property
from adapters.inbound.ics.zones import Zones

MAX_RULE = 2_000
MOST_A_DAY = 24
_NUMBER = re.compile(r"\d{1,18}")
_TOO_OFTEN = {"SECONDLY": "second", "MINUTELY": "minute"}
_LONGEST = {month: 29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31 for month in range(1, 13)}
_KNOWN = {
    *("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYSETPOS", "BYMONTH", "BYWEEKNO"),
    *("BYYEARDAY", "BYMONTHDAY", "BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND"),
}


@frozen
class Rule:
    """`slots` are naive wall times in order, maybe for ever; none is after `until`."""

    slots: rrule
    until: datetime | None


def rule_for(text: str, start: Moment, zones: Zones) -> Rule:
    """The rule for a series that begins at `start`, in wall times of the zone of `start`.

    Files write UNTIL as a date, a local time or in UTC, whatever DTSTART is; a date means that whole day.
    Raises BadProperty for a rule that makes no sense, recurs more than 24 times a day, never moves on, or
    wants days that none of its months has.
    """
    parts = _parts(text)
    frequency = parts.get("FREQ", "")
    if frequency in _TOO_OFTEN:
        raise BadProperty(f"its RRULE recurs by the {_TOO_OFTEN[frequency]}")
    if frequency not in ("HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"):
        raise BadProperty("its RRULE has no FREQ that RFC 5545 knows")
    for name in ("INTERVAL", "COUNT"):
        number = parts.get(name, "1")
        if not _NUMBER.fullmatch(number) or int(number) < 1:
            raise BadProperty(f"its RRULE has an {name} that is not 1 or more")
    _check_times_a_day(frequency, parts)
    _check_days(parts)
    stated = parts.pop("UNTIL", None)
    until = _until(stated, start, zones) if stated is not None else None
    if until is not None:
        parts["UNTIL"] = f"{until:%Y%m%dT%H%M%S}"
    try:
        slots = rrulestr(";".join(f"{name}={value}" for name, value in parts.items()), dtstart=start.local)
    except (ValueError, KeyError, TypeError, LookupError, OverflowError):
        raise BadProperty("its RRULE makes no sense") from None
    if not isinstance(slots, rrule):
        raise BadProperty("its RRULE makes no sense")
    return Rule(slots, until)


def _parts(text: str) -> dict[str, str]:
    if len(text) > MAX_RULE:
        raise BadProperty(f"its RRULE is longer than {MAX_RULE} characters")
    parts: dict[str, str] = {}
    for part in text.upper().split(";"):
        name, equals, value = part.partition("=")
        name, value = name.strip(), value.strip()
        if not name or name.startswith("X-"):
            continue
        if not equals or not value or name not in _KNOWN or name in parts:
            raise BadProperty("its RRULE makes no sense")
        parts[name] = value
    return parts


def _check_times_a_day(frequency: str, parts: dict[str, str]) -> None:
    hours = len(set(parts["BYHOUR"].split(","))) if "BYHOUR" in parts else 24 if frequency == "HOURLY" else 1
    minutes = len(set(parts.get("BYMINUTE", "0").split(",")))
    seconds = len(set(parts.get("BYSECOND", "0").split(",")))
    if hours * minutes * seconds > MOST_A_DAY:
        raise BadProperty(f"its RRULE recurs more than {MOST_A_DAY} times a day")


def _check_days(parts: dict[str, str]) -> None:
    """What names months and days of the month needs one that is there, whatever else it says."""
    if "BYMONTHDAY" not in parts:
        return
    try:
        months = [int(month) for month in parts.get("BYMONTH", "12").split(",")]
        days = [int(day) for day in parts["BYMONTHDAY"].split(",")]
    except ValueError:
        raise BadProperty("its RRULE makes no sense") from None
    longest = max((_LONGEST[month] for month in months if month in _LONGEST), default=0)
    if not any(1 <= abs(day) <= longest for day in days):
        raise BadProperty("its RRULE never comes true: none of its months has such a day")


def _until(text: str, start: Moment, zones: Zones) -> datetime:
    try:
        until = moment_of(text, Property("UNTIL", {}, text, 0), zones)
    except BadProperty:
        raise BadProperty("its RRULE has an UNTIL that is neither a date nor a date-time") from None
    if start.all_day or until.all_day:
        return until.local.replace(hour=23, minute=59, second=59)
    return until.local_in(start.zone) if text.endswith("Z") else until.local
