"""Times in words, on a Sunday evening in Moscow; each by the rule that `reading` states."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from application.touching.words.reading import Resolved, Unclear, read_time
from domain.errors import Invalid

MOSCOW = "Europe/Moscow"
SUNDAY = datetime.fromisoformat("2026-11-29T18:20:30+03:00")
WEDNESDAY = SUNDAY + timedelta(days=3)


def read(words: str, now: datetime = SUNDAY, time_zone: str = MOSCOW) -> str:
    found = read_time(words, now, time_zone)
    assert isinstance(found, Resolved)
    assert found.at.tzinfo is UTC
    return f"{found.local:%Y-%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("in 10 minutes", "2026-11-29 18:30"),
        ("in an hour", "2026-11-29 19:20"),
        ("in half an hour", "2026-11-29 18:50"),
        ("in one and a half hours", "2026-11-29 19:50"),
        ("in 3 days", "2026-12-02 18:20"),
        ("in six weeks", "2027-01-10 18:20"),
        ("in two weeks at 10", "2026-12-13 10:00"),
        ("in a month", "2026-12-29 18:20"),
        ("in 3 months", "2027-02-28 18:20"),
        ("in a year", "2027-11-29 18:20"),
        ("через 10 минут", "2026-11-29 18:30"),
        ("через час", "2026-11-29 19:20"),
        ("через полчаса", "2026-11-29 18:50"),
        ("через полтора часа", "2026-11-29 19:50"),
        ("через три дня в 9:30", "2026-12-02 09:30"),
        ("через неделю", "2026-12-06 18:20"),
        ("через полтора месяца", "2027-01-13 18:20"),
        ("через полгода", "2027-05-29 18:20"),
        ("Tomorrow", "2026-11-30 09:00"),
        ("tomorrow at 9", "2026-11-30 09:00"),
        ("tomorrow at 3 pm", "2026-11-30 15:00"),
        ("tomorrow at 12 am", "2026-11-30 00:00"),
        ("tomorrow evening", "2026-11-30 19:00"),
        ("today at 21:15", "2026-11-29 21:15"),
        ("the day after tomorrow", "2026-12-01 09:00"),
        ("завтра", "2026-11-30 09:00"),
        ("завтра в 10", "2026-11-30 10:00"),
        ("завтра в 7 вечера", "2026-11-30 19:00"),
        ("завтра утром", "2026-11-30 09:00"),
        ("послезавтра в 15:00", "2026-12-01 15:00"),
        ("on Tuesday", "2026-12-01 09:00"),
        ("Tuesday, at 15:00", "2026-12-01 15:00"),
        ("on Sunday", "2026-12-06 09:00"),
        ("next Tuesday", "2026-12-01 09:00"),
        ("во вторник в 10:00", "2026-12-01 10:00"),
        ("в следующий вторник", "2026-12-01 09:00"),
        ("в среду", "2026-12-02 09:00"),
        ("at 7", "2026-11-30 07:00"),
        ("at 19:30", "2026-11-29 19:30"),
        ("в 19:30", "2026-11-29 19:30"),
        ("15 December", "2026-12-15 09:00"),
        ("December 15th at 10:30", "2026-12-15 10:30"),
        ("1 ноября", "2027-11-01 09:00"),
        ("31 марта 2027 года в 10", "2027-03-31 10:00"),
        ("29 February", "2028-02-29 09:00"),
        ("15.12", "2026-12-15 09:00"),
        ("15.12.2027 10:00", "2027-12-15 10:00"),
        ("25/12", "2026-12-25 09:00"),
        ("2026-12-08", "2026-12-08 09:00"),
        ("2026-12-08T10:00", "2026-12-08 10:00"),
        ("2026-12-08 10:00", "2026-12-08 10:00"),
        ("2026-12-08T10:00:00Z", "2026-12-08 13:00"),
    ],
)
def test_words_mean_one_time(words: str, meant: str) -> None:
    assert read(words) == meant


@pytest.mark.parametrize(
    ("words", "now", "candidates"),
    [
        ("next Friday", WEDNESDAY, ["2026-12-04 09:00", "2026-12-11 09:00"]),
        ("в следующую пятницу в 10", WEDNESDAY, ["2026-12-04 10:00", "2026-12-11 10:00"]),
        ("this Monday", WEDNESDAY, ["2026-12-07 09:00"]),
        ("12/5", SUNDAY, ["2027-05-12 09:00", "2026-12-05 09:00"]),
        ("next week", SUNDAY, []),
        ("на следующей неделе", SUNDAY, []),
        ("Later.", SUNDAY, []),
        ("потом", SUNDAY, []),
    ],
)
def test_what_may_mean_two_times_is_asked_about(words: str, now: datetime, candidates: list[str]) -> None:
    found = read_time(words, now, MOSCOW)
    assert isinstance(found, Unclear)
    assert found.question.endswith("?")
    assert [f"{one.local:%Y-%m-%d %H:%M}" for one in found.candidates] == candidates


def test_next_friday_is_next_weeks_when_this_weeks_has_passed() -> None:
    assert read("next Monday", WEDNESDAY) == "2026-12-07 09:00"
    assert read("next Wednesday", WEDNESDAY) == "2026-12-09 09:00"


@pytest.mark.parametrize(
    "words",
    [
        "",
        "when pigs fly",
        "today at 9",
        "2020-01-01",
        "2026-11-29T18:20:30+03:00",
        "30 February",
        "31.02.2027",
        "tomorrow at 25",
        "tomorrow at 9:75",
        "in 10 minutes at 9",
        "in 9999 years",
        "99999-01-01",
        "tomorrow " * 20,
        "завтра\0",
        "in ² days",
    ],
)
def test_what_is_no_time_to_come_is_refused(words: str) -> None:
    with pytest.raises(Invalid, match="when"):
        read_time(words, SUNDAY, MOSCOW)


def test_days_keep_the_wall_clock_and_hours_do_not_across_a_clock_change() -> None:
    saturday = datetime.fromisoformat("2027-03-27T12:00+01:00")
    assert read("in a day", saturday, "Europe/Berlin") == "2027-03-28 12:00"
    assert read("in 24 hours", saturday, "Europe/Berlin") == "2027-03-28 13:00"
    assert read("tomorrow at 2:30", saturday, "Europe/Berlin") == "2027-03-28 03:30"


def test_the_day_is_that_of_the_speakers_zone() -> None:
    late = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)
    assert read("tomorrow", late, "Europe/Moscow") == "2026-12-01 09:00"
    assert read("tomorrow", late, "America/New_York") == "2026-11-30 09:00"


@given(st.text(max_size=60))
def test_any_text_is_a_time_to_come_a_question_or_a_refusal(words: str) -> None:
    try:
        found = read_time(words, SUNDAY, MOSCOW)
    except Invalid:
        return
    assert isinstance(found, Unclear) or found.at > SUNDAY
