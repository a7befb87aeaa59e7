"""Dates, times and durations as they are written in a file (RFC 5545 sections 3.3.4 to 3.3.6)."""

import re
from datetime import datetime, timedelta

from attrs import frozen

from adapters.inbound.ics.source import BadProperty, Property
from adapters.inbound.ics.zones import Zone, Zones

_DATE = re.compile(r"\d{8}")
_DATE_TIME = re.compile(r"\d{8}T\d{6}Z?")
_DURATION = re.compile(
    r"(?P<sign>[+-])?P(?:(?P<weeks>\d{1,9})W)?(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,9})S)?)?"
)


@frozen
class Moment:
    """A wall time in a zone, or a whole day (then `local` is its midnight)."""

    local: datetime
    zone: Zone
    all_day: bool

    @property
    def instant(self) -> datetime:
        return self.zone.instant(self.local)

    def local_in(self, zone: Zone) -> datetime:
        """The wall time in another zone; a whole day is the same day everywhere."""
        return self.local if self.all_day or zone == self.zone else zone.local(self.instant)


@frozen
class Span:
    """A duration in its two parts: days keep the wall clock, seconds are exact. Both have the same sign."""

    days: int = 0
    seconds: int = 0

    def __bool__(self) -> bool:
        return bool(self.days or self.seconds)


def moment(stated: Property, zones: Zones) -> Moment:
    """The date or date-time of a property that holds one."""
    return moment_of(stated.value, stated, zones)


def moments(stated: Property, zones: Zones) -> list[Moment]:
    """The dates and date-times of a property that holds a list."""
    return [moment_of(text, stated, zones) for text in stated.value.split(",") if text.strip()]


def moment_of(text: str, stated: Property, zones: Zones) -> Moment:
    """A date or date-time among the values of `stated`, whose TZID holds for it; else BadProperty.

    By its shape, not by VALUE: files exist with a VALUE that does not fit.
    """
    text = text.strip().upper()
    try:
        if _DATE.fullmatch(text):
            return Moment(_wall(text), zones.home, True)
        if _DATE_TIME.fullmatch(text):
            return Moment(_wall(text), _zone(text, stated, zones), False)
    except ValueError:
        pass
    raise BadProperty(f"{stated.name} on line {stated.line} is neither a date nor a date-time")


def _wall(text: str) -> datetime:
    """What has the shape of a date or date-time; strptime would take ten times as long."""
    hour, minute, second = (int(text[at : at + 2] or 0) for at in (9, 11, 13))
    return datetime(int(text[:4]), int(text[4:6]), int(text[6:8]), hour, minute, second)  # noqa: DTZ001


def _zone(text: str, stated: Property, zones: Zones) -> Zone:
    if text.endswith("Z"):
        return zones.utc()
    tzid = stated.parameters.get("TZID", "").strip()
    return zones.named(tzid, stated.line) if tzid else zones.floating


def span(text: str) -> Span:
    """A duration; some programs write `P` or `PT` for none. ValueError for anything else."""
    match = _DURATION.fullmatch(text.strip().upper())
    if match is None:
        raise ValueError("not a duration")
    part = {name: int(match[name] or 0) for name in ("weeks", "days", "hours", "minutes", "seconds")}
    sign = -1 if match["sign"] == "-" else 1
    seconds = part["hours"] * 3600 + part["minutes"] * 60 + part["seconds"]
    return Span(sign * (part["weeks"] * 7 + part["days"]), sign * seconds)


def end_of(start: datetime, zone: Zone, length: Span) -> datetime:
    """The instant at which something of this length ends; OverflowError past the year 9999."""
    return zone.instant(start + timedelta(days=length.days)) + timedelta(seconds=length.seconds)
