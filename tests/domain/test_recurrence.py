"""Recurrence: the instants that follow from a rule, a zone and its clock changes."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Invalid
from domain.recurrence import BeforeDeadline, ClockChange, Every, ShortMonth, occurrences, upcoming

wall = datetime.fromisoformat

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
NINE = wall("2026-01-31 09:00")


def slots(schedule: Every | BeforeDeadline, count: int) -> list[str]:
    return [f"{one.slot:%Y-%m-%d %H:%M}" for one in upcoming(schedule, LONG_AGO, count)]


def test_monthly_on_the_31st_is_the_last_day_of_shorter_months_and_the_31st_again() -> None:
    schedule = Every("FREQ=MONTHLY", NINE, "Europe/Berlin", ShortMonth.LAST)
    days = [one.slot.day for one in upcoming(schedule, LONG_AGO, 26)]
    assert days[:12] == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    assert days[25] == 29  # February 2028


def test_monthly_on_the_31st_passes_shorter_months_over_where_that_is_meant() -> None:
    assert [one[5:10] for one in slots(Every("FREQ=MONTHLY", NINE, "Europe/Berlin"), 4)] == [
        "01-31",
        "03-31",
        "05-31",
        "07-31",
    ]


def test_a_birthday_on_the_29th_of_february_is_kept_on_the_28th() -> None:
    schedule = Every("FREQ=YEARLY", wall("2024-02-29 08:00"), "Europe/Moscow", ShortMonth.LAST)
    assert slots(schedule, 3) == ["2026-02-28 08:00", "2027-02-28 08:00", "2028-02-29 08:00"]


def test_days_before_a_deadline_come_at_their_hour_in_the_zone() -> None:
    schedule = BeforeDeadline(date(2027, 3, 31), (1, 7, 45, 14, 30, 7), time(10, 0), "Europe/Moscow")
    assert [one.at.isoformat() for one in upcoming(schedule, LONG_AGO, 9)] == [
        "2027-02-14T07:00:00+00:00",
        "2027-03-01T07:00:00+00:00",
        "2027-03-17T07:00:00+00:00",
        "2027-03-24T07:00:00+00:00",
        "2027-03-30T07:00:00+00:00",
    ]


@pytest.mark.parametrize(
    ("zone", "wall", "instants"),
    [
        # Berlin leaves 02:30 out on 2026-03-29: that day at 03:30, the next again at 02:30.
        ("Europe/Berlin", wall("2026-03-28 02:30"), ["01:30", "01:30", "00:30"]),
        # Berlin has 02:30 twice on 2026-10-25: the first time, and once.
        ("Europe/Berlin", wall("2026-10-24 02:30"), ["00:30", "00:30", "01:30"]),
        # Lord Howe moves by half an hour: 02:15 is left out on 2026-10-04.
        ("Australia/Lord_Howe", wall("2026-10-03 02:15"), ["15:45", "15:45", "15:15"]),
        ("America/New_York", wall("2026-03-07 02:30"), ["07:30", "07:30", "06:30"]),
    ],
)
def test_a_clock_change_shifts_its_own_day_and_no_other(
    zone: str, wall: datetime, instants: list[str]
) -> None:
    found = upcoming(Every("FREQ=DAILY", wall, zone), LONG_AGO, 3)
    assert [f"{one.at:%H:%M}" for one in found] == instants
    assert [one.slot.time() for one in found] == [wall.time()] * 3


def test_a_clock_change_is_marked() -> None:
    spring = Every("FREQ=DAILY", wall("2026-03-28 02:30"), "Europe/Berlin")
    autumn = Every("FREQ=DAILY", wall("2026-10-24 02:30"), "Europe/Berlin")
    assert [one.clock_change for one in upcoming(spring, LONG_AGO, 3)] == [None, ClockChange.LEFT_OUT, None]
    assert [one.clock_change for one in upcoming(autumn, LONG_AGO, 3)] == [None, ClockChange.TWICE, None]


def test_the_day_that_samoa_left_out_comes_a_day_later() -> None:
    schedule = Every("FREQ=DAILY", wall("2011-12-29 12:00"), "Pacific/Apia")
    found = upcoming(schedule, datetime(2011, 12, 29, tzinfo=UTC), 3)
    assert [f"{one.slot:%d}" for one in found] == ["29", "30", "31"]
    assert found[1].clock_change is ClockChange.LEFT_OUT
    assert found[1].at == found[2].at


@given(
    st.sampled_from(["FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY"]),
    st.datetimes(wall("2026-01-01 00:00"), wall("2027-12-31 00:00")).map(
        lambda at: at.replace(second=0, microsecond=0)
    ),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]),
    st.integers(0, 50),
)
def test_going_on_after_any_occurrence_gives_the_same_ones_each_once(
    rule: str, anchor: datetime, zone: str, at: int
) -> None:
    schedule = Every(rule, anchor, zone, ShortMonth.SKIP)
    whole = upcoming(schedule, LONG_AGO, 60)
    assert all(first.slot < then.slot and first.at <= then.at for first, then in pairwise(whole))
    rest = list(islice(occurrences(schedule, whole[at].at), 59 - at))
    assert rest == [one for one in whole[at + 1 :] if one.at > whole[at].at][: len(rest)]


def test_until_in_utc_a_date_and_a_count_end_a_rule() -> None:
    anchor = wall("2026-06-01 23:30")
    assert (
        len(upcoming(Every("FREQ=DAILY;UNTIL=20260603T213000Z", anchor, "Europe/Berlin"), LONG_AGO, 9)) == 3
    )
    assert len(upcoming(Every("FREQ=DAILY;UNTIL=20260603", anchor, "Europe/Berlin"), LONG_AGO, 9)) == 3
    assert len(upcoming(Every("RRULE:FREQ=DAILY;COUNT=2", anchor, "Europe/Berlin"), LONG_AGO, 9)) == 2


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "DAILY",
        "FREQ=",
        "FREQ=SECONDLY",
        "FREQ=HOURLY",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=-1",
        "FREQ=DAILY;INTERVAL=" + "9" * 10_000,
        "FREQ=DAILY;INTERVAL=1²",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=10001",
        "FREQ=DAILY;BYHOUR=1,2,3",
        "FREQ=DAILY;BYMONTH=13",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=WEEKLY;BYMONTHDAY=1",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=5",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30",
        "FREQ=MONTHLY;INTERVAL=12;BYDAY=5MO",
        "FREQ=YEARLY;BYDAY=1MO",
        "FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29",
        "FREQ=YEARLY;UNTIL=yesterday",
        "FREQ=YEARLY;UNTIL=00010101T000000Z",
        "FREQ=DAILY\nCOUNT=3",
    ],
)
def test_a_rule_that_is_none_or_never_comes_true_is_refused(rule: str) -> None:
    with pytest.raises(Invalid, match="rule"):
        Every(rule, wall("2027-02-01 09:00"), "Europe/Berlin")


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("FREQ=MONTHLY;BYDAY=-1FR", "2026-02-27"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-02-27"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31"),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2026-02-13"),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", "2044-02-29"),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "2026-03-29"),
        ("FREQ=YEARLY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=29", "2028-02-29"),
        ("FREQ=WEEKLY;INTERVAL=2", "2026-01-31"),
    ],
)
def test_a_rule_of_the_field_is_taken(rule: str, first: str) -> None:
    assert slots(Every(rule, NINE, "Europe/Berlin"), 1) == [f"{first} 09:00"]


def test_the_last_day_of_a_shorter_month_goes_with_one_day_of_the_month() -> None:
    for rule in ("FREQ=WEEKLY", "FREQ=MONTHLY;BYDAY=1MO", "FREQ=MONTHLY;BYMONTHDAY=30,31"):
        with pytest.raises(Invalid, match="last day"):
            upcoming(Every(rule, NINE, "Europe/Berlin", ShortMonth.LAST), LONG_AGO, 1)


@pytest.mark.parametrize("days", [(), tuple(range(51)), (-1,), (2000,)])
def test_offsets_before_a_deadline_are_a_few_and_within_five_years(days: tuple[int, ...]) -> None:
    with pytest.raises(Invalid, match="days"):
        BeforeDeadline(date(2027, 3, 31), days, time(10, 0), "Europe/Moscow")


@pytest.mark.parametrize("year", [1969, 2200])
def test_an_anchor_or_deadline_outside_of_the_known_years_is_refused(year: int) -> None:
    with pytest.raises(Invalid, match="year"):
        Every("FREQ=DAILY", wall(f"{year}-01-01 00:00"), "UTC")
    with pytest.raises(Invalid, match="year"):
        BeforeDeadline(date(year, 1, 1), (1,), time(9, 0), "UTC")


def test_a_wall_time_comes_without_an_offset_and_a_zone_is_one() -> None:
    with pytest.raises(Invalid, match="without an offset"):
        Every("FREQ=DAILY", NINE.replace(tzinfo=UTC), "UTC")
    with pytest.raises(Invalid, match="time zone"):
        Every("FREQ=DAILY", NINE, "Mars/Olympus")
    with pytest.raises(Invalid, match="HH:MM"):
        BeforeDeadline(date(2027, 1, 1), (1,), time(9, 0, 1), "UTC")


def test_nothing_is_reckoned_past_the_year_2199() -> None:
    last = list(occurrences(Every("FREQ=YEARLY", NINE, "UTC"), datetime(2190, 1, 1, tzinfo=UTC)))
    assert last[-1].at.year == 2199
    assert last[-1].at - last[0].at > timedelta(days=3000)


def test_a_wrong_until_is_told_once_and_not_within_another_problem() -> None:
    with pytest.raises(Invalid) as refused:
        Every("FREQ=YEARLY;UNTIL=yesterday", datetime.fromisoformat("2026-01-01 09:00"), "UTC")
    assert str(refused.value) == "rule: UNTIL is a date such as 20270331 or 20270331T235959Z"
