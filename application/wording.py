"""The words of a reminder, in the recipient's language and zone with the zone named."""

import re
from datetime import datetime

from attrs import frozen

from domain.calendar_event import CalendarEvent
from domain.delivery import Template
from domain.values import zone

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "ru": ("понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье"),
}
_UNTITLED = {"en": "(no title)", "ru": "(без названия)"}
_SUBJECT = {
    ("en", Template.APPOINTMENT_REMINDER): "Your appointment: {title}",
    ("en", Template.CALENDAR_REMINDER): "Reminder: {title}",
    ("ru", Template.APPOINTMENT_REMINDER): "Ваша запись: {title}",
    ("ru", Template.CALENDAR_REMINDER): "Напоминание: {title}",
}
_TEXT = {
    "en": "{title}\nStarts: {when} ({zone})",
    "ru": "{title}\nНачало: {when} ({zone})",
}


@frozen
class Words:
    subject: str
    text: str


def words(
    template: Template, event: CalendarEvent, title: str | None, language: str, time_zone: str
) -> Words:
    """Subject and text of a reminder; a language without words of its own falls back to English.

    An all-day event is told by its date alone, which is the same in every zone.
    """
    language = language if language in _TEXT else "en"
    named = one_line(title or "") or _UNTITLED[language]
    if event.timing.all_day:
        when, told_zone = _day(event.timing.start_local, language), event.timing.time_zone
    else:
        local = event.timing.start_at.astimezone(zone(time_zone))
        when, told_zone = f"{_day(local, language)}, {local:%H:%M}", time_zone
    # Not str.format on the title's side: what a title holds is typed text, never a template.
    return Words(
        _SUBJECT[language, template].format(title=named),
        _TEXT[language].format(title=named, when=when, zone=told_zone),
    )


def one_line(text: str) -> str:
    """A title on one line and otherwise as typed: line breaks would break mail headers."""
    return _BREAKS.sub(" ", text).strip()


def _day(at: datetime, language: str) -> str:
    weekday = _WEEKDAYS[language][at.weekday()]
    return f"{weekday}, {at:%d.%m.%Y}" if language == "ru" else f"{weekday}, {at:%Y-%m-%d}"
