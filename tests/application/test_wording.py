"""The words of a reminder: the title as typed, the time as the recipient's clock shows it, the zone named."""

from datetime import datetime
from uuid import UUID

import pytest

from application.wording import one_line, words
from domain.calendar_event import CalendarEvent
from domain.delivery import Template
from domain.values import EventId, Kind, TenantId, Timing, UserId

AS_TYPED = 'Созвон 🚀 №5 "срочно" <b>'
SUMMER_AFTERNOON = datetime.fromisoformat("2026-07-06T15:00")


def event(
    start: datetime = SUMMER_AFTERNOON, zone: str = "Europe/Moscow", all_day: bool = False
) -> CalendarEvent:
    return CalendarEvent(
        id=EventId(UUID(int=1)),
        tenant_id=TenantId(UUID(int=2)),
        owner_user_id=UserId(UUID(int=3)),
        client_user_id=None,
        kind=Kind.MEETING,
        timing=Timing.of(start, zone, all_day=all_day),
        appointment_id=None,
        triggers=(),
    )


@pytest.mark.parametrize(
    ("template", "language", "subject"),
    [
        (Template.CALENDAR_REMINDER, "en", f"Reminder: {AS_TYPED}"),
        (Template.CALENDAR_REMINDER, "ru", f"Напоминание: {AS_TYPED}"),
        (Template.APPOINTMENT_REMINDER, "en", f"Your appointment: {AS_TYPED}"),
        (Template.APPOINTMENT_REMINDER, "ru", f"Ваша запись: {AS_TYPED}"),
        (Template.CALENDAR_REMINDER, "es", f"Reminder: {AS_TYPED}"),
    ],
)
def test_r53_the_subject_holds_the_title_as_typed(template: Template, language: str, subject: str) -> None:
    assert words(template, event(), AS_TYPED, language, "UTC").subject == subject


@pytest.mark.parametrize(
    ("language", "zone", "line"),
    [
        ("ru", "Europe/Moscow", "Начало: понедельник, 06.07.2026, 15:00 (Europe/Moscow)"),
        ("en", "Europe/Madrid", "Starts: Monday, 2026-07-06, 14:00 (Europe/Madrid)"),
        ("en", "Pacific/Auckland", "Starts: Tuesday, 2026-07-07, 00:00 (Pacific/Auckland)"),
    ],
)
def test_r52_each_reads_their_own_clock_and_language(language: str, zone: str, line: str) -> None:
    said = words(Template.CALENDAR_REMINDER, event(), AS_TYPED, language, zone)

    assert said.text == f"{AS_TYPED}\n{line}"


def test_an_all_day_event_is_on_its_own_day_for_everybody() -> None:
    day = event(datetime.fromisoformat("2026-07-06"), all_day=True)

    said = words(Template.CALENDAR_REMINDER, day, "day", "en", "Pacific/Honolulu")

    assert said.text == "day\nStarts: Monday, 2026-07-06 (Europe/Moscow)"


@pytest.mark.parametrize("title", [None, "", "  ", "\n", "\0"])
def test_an_event_without_a_title_is_told_as_such(title: str | None) -> None:
    assert words(Template.CALENDAR_REMINDER, event(), title, "en", "UTC").subject == "Reminder: (no title)"
    assert (
        words(Template.CALENDAR_REMINDER, event(), title, "ru", "UTC").subject
        == "Напоминание: (без названия)"
    )


@pytest.mark.parametrize("title", ["{title}", "{0.__class__}", "%s", "{{7*7}}", "${x}", "{when}"])
def test_a_title_is_no_template(title: str) -> None:
    said = words(Template.CALENDAR_REMINDER, event(), title, "en", "UTC")

    assert said.subject == f"Reminder: {title}"
    assert said.text.startswith(f"{title}\n")


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("a\r\nBcc: b", "a Bcc: b"),
        ("a\n\n\tb", "a b"),
        ("a\u2028b\x85c\x1b[2Jd", "a b c [2Jd"),
        ("  a  b ", "a  b"),
        ("a\u00a0b", "a\u00a0b"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
    ],
)
def test_a_title_is_one_line_and_otherwise_as_typed(typed: str, line: str) -> None:
    assert one_line(typed) == line


def test_the_hour_of_a_winter_event_is_by_winter_time() -> None:
    winter = event(datetime.fromisoformat("2026-12-07T15:00"))

    said = words(Template.CALENDAR_REMINDER, winter, "a", "en", "Europe/Madrid")

    assert "13:00 (Europe/Madrid)" in said.text
