"""What a reminder tells, before it is put into words: the recipient's time, and a title as typed."""

import re
from datetime import datetime, timedelta

from attrs import evolve, frozen

from application.ports.people import People, Person
from application.ports.templates import FALLBACK_LANGUAGE, Templates
from domain.calendar_event import CalendarEvent
from domain.values import TenantId, zone

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@frozen
class Told:
    """`starts` is wall time in `time_zone`, `utc_offset` that zone's at that time; of an event of all day
    only the date of `starts` means anything. `title` is one line, empty where there is none.
    """

    title: str
    starts: datetime
    all_day: bool
    time_zone: str
    utc_offset: str


def told(event: CalendarEvent, title: str | None, time_zone: str) -> Told:
    """An event as somebody in `time_zone` sees it; Invalid for a zone that there is not."""
    timing = event.timing
    told = told_instant(timing.start_at, timing.time_zone if timing.all_day else time_zone)
    wall = timing.start_local if timing.all_day else told.starts
    return evolve(told, title=one_line(title or ""), starts=wall, all_day=timing.all_day)


def told_instant(at: datetime, time_zone: str) -> Told:
    """An instant as somebody in `time_zone` sees it; Invalid for a zone that there is not."""
    starts = at.astimezone(zone(time_zone))
    offset = utc_offset(starts.utcoffset() or timedelta())
    return Told("", starts.replace(tzinfo=None), False, time_zone, offset)


def one_line(text: str) -> str:
    """A title on one line and otherwise as typed: line breaks would break mail headers."""
    return _BREAKS.sub(" ", text).strip()


def utc_offset(offset: timedelta) -> str:
    """`UTC`, `UTC+3`, `UTC-9:30`, in whole minutes."""
    minutes = round(offset.total_seconds() / 60)
    if minutes == 0:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'+' if minutes > 0 else '-'}{hours}" + (f":{rest:02}" if rest else "")


def language_of(person: Person | None, tenant_id: TenantId, people: People, templates: Templates) -> str:
    """The person's language where there are words in it, else their tenant's."""
    if person is not None and person.language in templates.languages:
        return person.language
    tenant = people.tenant(tenant_id)
    return tenant.language if tenant is not None else FALLBACK_LANGUAGE
