"""The IANA zone behind a TZID, for all the ways in which programs write one."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from zoneinfo import available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from domain import values
from domain.errors import Invalid

_UTC_NAMES = {"Z", "GMT", "UTC", "ETC/UTC", "TZONE://MICROSOFT/UTC", "(UTC) COORDINATED UNIVERSAL TIME"}
# "Eastern Standard Time 1": Outlook numbers a zone that it has twice.
_NUMBERED = re.compile(r"(.*\D) \d{1,3}")
_FROM_UTC = re.compile(r"(?:UTC|GMT)([+-])0?(\d{1,2})(?::?00)?")
# "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna": what Windows shows people.
_SHOWN = re.compile(r"\((?:UTC|GMT)(?:([+-])(\d\d):(\d\d))?\) (.+)")
_SHOWN_WITHOUT_A_CITY = {
    "Alaska": "America/Anchorage",
    "Arizona": "America/Phoenix",
    "Atlantic Time (Canada)": "America/Halifax",
    "Azores": "Atlantic/Azores",
    "Baja California": "America/Tijuana",
    "Brasilia": "America/Sao_Paulo",
    "Cabo Verde Is.": "Atlantic/Cape_Verde",
    "Central Time (US & Canada)": "America/Chicago",
    "Central America": "America/Guatemala",
    "City of Buenos Aires": "America/Argentina/Buenos_Aires",
    "Eastern Time (US & Canada)": "America/New_York",
    "Ekaterinburg": "Asia/Yekaterinburg",
    "Hawaii": "Pacific/Honolulu",
    "Indiana (East)": "America/Indiana/Indianapolis",
    "Mountain Time (US & Canada)": "America/Denver",
    "Newfoundland": "America/St_Johns",
    "Pacific Time (US & Canada)": "America/Los_Angeles",
    "Saskatchewan": "America/Regina",
    "Tbilisi": "Asia/Tbilisi",
    "West Central Africa": "Africa/Lagos",
}


@lru_cache(maxsize=1024)
def iana(tzid: str) -> str | None:
    """The IANA zone that a TZID means: one itself, a Windows name or what Windows shows for it, hours from
    UTC, or one behind a vendor's prefix.
    """
    if tzid.upper() in _UTC_NAMES:
        return "UTC"
    return next((name for name in _candidates(tzid) if _is_zone(name)), None)


def _candidates(tzid: str) -> Iterator[str]:
    yield tzid.strip('"')
    yield WINDOWS_TO_OLSON.get(tzid, "")
    if numbered := _NUMBERED.fullmatch(tzid):
        yield WINDOWS_TO_OLSON.get(numbered[1], "")
    if from_utc := _FROM_UTC.fullmatch(tzid.upper()):
        # The names of these zones count to the west.
        yield f"Etc/GMT{'-' if from_utc[1] == '+' else '+'}{int(from_utc[2])}"
    if shown := _SHOWN.fullmatch(tzid):
        sign, hours, minutes, places = shown.groups("0")
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        yield from _shown(-offset if sign == "-" else offset, places)
    if tzid.startswith("/"):
        parts = tzid.strip("/").split("/")
        yield from ("/".join(parts[first:]) for first in range(min(len(parts), 10)))


def _shown(offset: timedelta, places: str) -> Iterator[str]:
    """The zones of the places, as far as they are as far from UTC in winter as is shown."""
    named = [places, *(one.strip() for one in places.partition(" (")[0].split(","))]
    for place in named:
        for name in (_SHOWN_WITHOUT_A_CITY.get(place), *_by_city().get(place.replace(" ", "_"), ())):
            if name is not None and _is_zone(name) and _standard_offset(name) == offset:
                yield name


@cache
def _available() -> frozenset[str]:
    return frozenset(available_timezones())


@cache
def _by_city() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(_available()):
        if "/" in name:
            found.setdefault(name.rpartition("/")[2], []).append(name)
    return found


def _standard_offset(name: str) -> timedelta:
    zone = values.zone(name)
    halves = (datetime(2026, month, 1, tzinfo=UTC).astimezone(zone) for month in (1, 7))
    return min(one.utcoffset() or timedelta(0) for one in halves)


def _is_zone(name: str) -> bool:
    # To look for the file of a zone that nobody has takes long, and a file may name a hundred thousand.
    if name not in _available():
        return False
    try:
        values.zone(name)
    except Invalid:
        return False
    return True
