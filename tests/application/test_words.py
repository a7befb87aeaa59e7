"""Times in words, on a Sunday evening in Moscow; each by the rule that `reading` states."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from application.touching.words.reading import read_time
from application.touching.words.resolved import Resolved, Unclear
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
        ("in 20 seconds", "2026-11-29 18:20"),
        ("in a minute", "2026-11-29 18:21"),
        ("in twenty minutes", "2026-11-29 18:40"),
        ("in twenty-five minutes", "2026-11-29 18:45"),
        ("in an hour and a half", "2026-11-29 19:50"),
        ("in two and a half hours", "2026-11-29 20:50"),
        ("in 2.5 hours", "2026-11-29 20:50"),
        ("in 1h30m", "2026-11-29 19:50"),
        ("in 1 hour 30 minutes", "2026-11-29 19:50"),
        ("in 1 hour and 15 minutes", "2026-11-29 19:35"),
        ("in a quarter of an hour", "2026-11-29 18:35"),
        ("in 90 min", "2026-11-29 19:50"),
        ("in 45m", "2026-11-29 19:05"),
        ("in half a day", "2026-11-30 06:20"),
        ("in a day and a half", "2026-12-01 06:20"),
        ("in a couple of hours", "2026-11-29 20:20"),
        ("in a couple of days", "2026-12-01 18:20"),
        ("in ten days at 3pm", "2026-12-09 15:00"),
        ("in two days' time", "2026-12-01 18:20"),
        ("in a fortnight", "2026-12-13 18:20"),
        ("in a week's time", "2026-12-06 18:20"),
        ("in a year and a half", "2028-05-29 18:20"),
        ("in half a year", "2027-05-29 18:20"),
        ("in forty-five days at 10", "2027-01-13 10:00"),
        ("10 minutes", "2026-11-29 18:30"),
        ("two weeks", "2026-12-13 18:20"),
        ("tomorrow morning", "2026-11-30 09:00"),
        ("tomorrow morning at 8", "2026-11-30 08:00"),
        ("tomorrow at 8 in the morning", "2026-11-30 08:00"),
        ("tomorrow at noon", "2026-11-30 12:00"),
        ("at midnight", "2026-11-30 00:00"),
        ("tonight", "2026-11-29 19:00"),
        ("tonight at 8", "2026-11-29 20:00"),
        ("this evening", "2026-11-29 19:00"),
        ("this evening at 7", "2026-11-29 19:00"),
        ("first thing tomorrow", "2026-11-30 09:00"),
        ("tomorrow at this time", "2026-11-30 18:20"),
        ("same time tomorrow", "2026-11-30 18:20"),
        ("Monday morning", "2026-11-30 09:00"),
        ("on Monday at 9am", "2026-11-30 09:00"),
        ("Monday at 9:30 a.m.", "2026-11-30 09:30"),
        ("Monday at half past nine", "2026-11-30 09:30"),
        ("at half past nine tomorrow", "2026-11-30 09:30"),
        ("at quarter to ten", "2026-11-30 09:45"),
        ("at nine", "2026-11-30 09:00"),
        ("nine o'clock", "2026-11-30 09:00"),
        ("at 3 o'clock tomorrow", "2026-11-30 03:00"),
        ("3pm tomorrow", "2026-11-30 15:00"),
        ("at 10 on Tuesday", "2026-12-01 10:00"),
        ("Tuesday week", "2026-12-08 09:00"),
        ("a week from Tuesday", "2026-12-08 09:00"),
        ("a week from now", "2026-12-06 18:20"),
        ("two weeks from today at 10", "2026-12-13 10:00"),
        ("3 days from tomorrow", "2026-12-03 09:00"),
        ("Dec 15", "2026-12-15 09:00"),
        ("Dec. 15 at 10am", "2026-12-15 10:00"),
        ("15 Dec 2026 at 10am", "2026-12-15 10:00"),
        ("December 15, 2026 at 10:00", "2026-12-15 10:00"),
        ("the 15th of December", "2026-12-15 09:00"),
        ("Tuesday, 15 December", "2026-12-15 09:00"),
        ("on the 15th", "2026-12-15 09:00"),
        ("the 15th at 10", "2026-12-15 10:00"),
        ("the 1st of next month", "2026-12-01 09:00"),
        ("the 31st", "2026-12-31 09:00"),
        ("2026-12-8", "2026-12-08 09:00"),
        ("2026-12-08 at 10", "2026-12-08 10:00"),
        ("2026-12-08 10:00 am", "2026-12-08 10:00"),
        ("10.30", "2026-11-30 10:30"),
        ("at 15h", "2026-11-30 15:00"),
        ("at 5 pm", "2026-11-30 17:00"),
        ("12 pm", "2026-11-30 12:00"),
        ("next day at 10", "2026-11-30 10:00"),
        ("через 20 секунд", "2026-11-29 18:20"),
        ("через минутку", "2026-11-29 18:21"),
        ("через пару минут", "2026-11-29 18:22"),
        ("через двадцать минут", "2026-11-29 18:40"),
        ("через сорок пять минут", "2026-11-29 19:05"),
        ("через 1,5 часа", "2026-11-29 19:50"),
        ("через час с половиной", "2026-11-29 19:50"),
        ("через два с половиной часа", "2026-11-29 20:50"),
        ("через 2 ч 30 мин", "2026-11-29 20:50"),
        ("через 1 час 15 минут", "2026-11-29 19:35"),
        ("через час и 15 минут", "2026-11-29 19:35"),
        ("через четверть часа", "2026-11-29 18:35"),
        ("через полминуты", "2026-11-29 18:21"),
        ("минут через десять", "2026-11-29 18:30"),
        ("часа через два", "2026-11-29 20:20"),
        ("через сутки", "2026-11-30 18:20"),
        ("через двое суток", "2026-12-01 18:20"),
        ("через полтора дня", "2026-12-01 06:20"),
        ("через 3 дня утром", "2026-12-02 09:00"),
        ("через неделю в 10", "2026-12-06 10:00"),
        ("через 45 дней", "2027-01-13 18:20"),
        ("через полтора месяца в 11:00", "2027-01-13 11:00"),
        ("через полтора года", "2028-05-29 18:20"),
        ("завтра в полдень", "2026-11-30 12:00"),
        ("завтра в девять", "2026-11-30 09:00"),
        ("завтра в 9-00", "2026-11-30 09:00"),
        ("завтра в 9 часов утра", "2026-11-30 09:00"),
        ("завтра с утра", "2026-11-30 09:00"),
        ("завтра утром в 8", "2026-11-30 08:00"),
        ("завтра вечером в 8", "2026-11-30 20:00"),
        ("завтра в половине десятого", "2026-11-30 09:30"),
        ("завтра в полдесятого", "2026-11-30 09:30"),
        ("без четверти десять", "2026-11-30 09:45"),
        ("в четверть десятого", "2026-11-30 09:15"),
        ("в час дня", "2026-11-30 13:00"),
        ("в 2 часа ночи", "2026-11-30 02:00"),
        ("в 11 ночи", "2026-11-29 23:00"),
        ("сегодня вечером", "2026-11-29 19:00"),
        ("сегодня в 9 вечера", "2026-11-29 21:00"),
        ("в полночь", "2026-11-30 00:00"),
        ("завтра в это же время", "2026-11-30 18:20"),
        ("в 10 завтра", "2026-11-30 10:00"),
        ("утром в понедельник", "2026-11-30 09:00"),
        ("вечером 15 декабря", "2026-12-15 19:00"),
        ("в понедельник утром", "2026-11-30 09:00"),
        ("в понедельник в 10", "2026-11-30 10:00"),
        ("в понедельник в десять утра", "2026-11-30 10:00"),
        ("на понедельник", "2026-11-30 09:00"),
        ("в ближайшую среду", "2026-12-02 09:00"),
        ("в следующий понедельник", "2026-11-30 09:00"),
        ("15-го декабря", "2026-12-15 09:00"),
        ("15 декабря 2026 г.", "2026-12-15 09:00"),
        ("15 декабря 2026 года в 10 утра", "2026-12-15 10:00"),
        ("15.12.26", "2026-12-15 09:00"),
        ("15.12.26 в 10", "2026-12-15 10:00"),
        ("15 числа", "2026-12-15 09:00"),
        ("15-го", "2026-12-15 09:00"),
        ("1 числа следующего месяца", "2026-12-01 09:00"),
        ("во вторник 15 декабря", "2026-12-15 09:00"),
        ("спустя час", "2026-11-29 19:20"),
        ("в 19.30", "2026-11-29 19:30"),
        ("завтра, в 10:30", "2026-11-30 10:30"),
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
        ("1/2/2027 at 10", SUNDAY, ["2027-02-01 10:00", "2027-01-02 10:00"]),
        ("in a few minutes", SUNDAY, []),
        ("tomorrow at midnight", SUNDAY, ["2026-11-30 00:00", "2026-12-01 00:00"]),
        ("end of the month", SUNDAY, []),
        ("next weekend", SUNDAY, []),
        ("завтра в полночь", SUNDAY, ["2026-11-30 00:00", "2026-12-01 00:00"]),
        ("в эту пятницу", SUNDAY, ["2026-12-04 09:00"]),
        ("в выходные", SUNDAY, []),
        ("на днях", SUNDAY, []),
        ("после обеда", SUNDAY, []),
        ("в конце месяца", SUNDAY, []),
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


@pytest.mark.parametrize("words", ["12/11/2026", "11/12/2026"])
def test_of_two_dates_of_which_one_has_passed_the_other_is_meant(words: str) -> None:
    assert read(words, SUNDAY) == "2026-12-11 09:00"


def test_of_two_dates_that_have_passed_neither_is_meant() -> None:
    with pytest.raises(Invalid, match="has passed"):
        read("10/11/2026", SUNDAY)


def test_r54_a_day_said_late_on_monday_is_the_next_such_day_in_the_speakers_zone() -> None:
    late = datetime.fromisoformat("2026-12-07T23:30+03:00")
    assert read("on Tuesday", late) == "2026-12-08 09:00"
    assert read("on Monday", late) == "2026-12-14 09:00"
    found = read_time("next Tuesday", late, MOSCOW)
    assert isinstance(found, Unclear)
    assert [f"{one.local:%Y-%m-%d %H:%M}" for one in found.candidates] == [
        "2026-12-08 09:00",
        "2026-12-15 09:00",
    ]


def test_next_friday_is_next_weeks_when_this_weeks_has_passed() -> None:
    assert read("next Monday", WEDNESDAY) == "2026-12-07 09:00"
    assert read("next Wednesday", WEDNESDAY) == "2026-12-09 09:00"


@pytest.mark.parametrize(
    "words",
    [
        "",
        "this afternoon",
        "Monday, 15 December",
        "2026-02-30T10:00",
        "2026-02-30T10:00:00Z",
        "2027-02-30",
        "every Monday",
        "an hour ago",
        "yesterday",
        "by Friday",
        "in 0 minutes",
        "в понедельник 15 декабря",
        "каждый понедельник",
        "час назад",
        "вчера",
        "сейчас",
        "к пятнице",
        "через 10 минут после обеда",
        "через неделю после вторника",
        "через неделю во вторник",
        "в семь тридцать",
        "Напомни завтра",
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


def test_seconds_count_to_the_second() -> None:
    for words in ("in 20 seconds", "через 20 секунд"):
        found = read_time(words, SUNDAY, MOSCOW)
        assert isinstance(found, Resolved)
        assert found.at == SUNDAY + timedelta(seconds=20)


@pytest.mark.parametrize(
    "words", ["2026-02-30T10:00", "2026-02-30", "2026-02-30T10:00:00Z", "on 2026-02-30 at 9"]
)
def test_a_date_that_there_is_not_is_named_as_such(words: str) -> None:
    with pytest.raises(Invalid, match=r"^when: there is no day 2026-02-30$"):
        read_time(words, SUNDAY, MOSCOW)


def test_what_is_not_understood_is_repeated_as_it_was_said() -> None:
    with pytest.raises(Invalid, match="'When Pigs Fly' is not understood"):
        read_time("When Pigs Fly", SUNDAY, MOSCOW)


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (
            "tomorrow at 2:30",
            "02:30 does not exist on 2027-03-28 in Europe/Berlin: 03:30 is meant, 2027-03-28T01:30Z",
        ),
        (
            "2027-10-31T02:30",
            "02:30 happens twice on 2027-10-31 in Europe/Berlin: the first is meant, 2027-10-31T00:30Z",
        ),
        ("2027-10-31T02:30+01:00", None),
        ("in 14 hours", None),
        ("tomorrow at 3:30", None),
    ],
)
def test_a_wall_time_that_is_left_out_or_comes_twice_is_told_with_its_instant(
    words: str, note: str | None
) -> None:
    found = read_time(words, datetime.fromisoformat("2027-03-27T12:00+01:00"), "Europe/Berlin")
    assert isinstance(found, Resolved)
    assert found.note == note
