"""When a reminder is due, and how a trigger is spelled; INV-REM-1."""

from datetime import UTC, datetime, time, timedelta, timezone
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Invalid
from domain.triggers import (
    MAX_OFFSET_MINUTES,
    AtInstant,
    DaysBeforeEnd,
    DaysBeforeStart,
    MinutesBeforeEnd,
    MinutesBeforeStart,
    Trigger,
    check_triggers,
    due_at,
    offset_minutes,
    trigger,
)
from domain.values import Timing
from tests.domain.examples import utc, wall

MINUTES = st.integers(-MAX_OFFSET_MINUTES, MAX_OFFSET_MINUTES)
DAYS = st.integers(-MAX_OFFSET_MINUTES // 1440 + 1, MAX_OFFSET_MINUTES // 1440)
HOURS = st.builds(time, st.integers(0, 23), st.integers(0, 59))
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(
    min_value=wall("1970-01-02T00:00"), max_value=wall("2199-12-30T00:00"), timezones=OFFSETS
)
TRIGGERS: st.SearchStrategy[Trigger] = st.one_of(
    st.builds(MinutesBeforeStart, MINUTES),
    st.builds(MinutesBeforeEnd, MINUTES),
    st.builds(DaysBeforeEnd, DAYS, MINUTES),
    st.builds(DaysBeforeStart, DAYS, st.none() | HOURS, MINUTES),
    st.builds(AtInstant, INSTANTS),
)
ZONES = st.sampled_from(sorted(available_timezones() - {"localtime", "Factory"}))
TIMINGS = st.builds(
    Timing.of,
    st.datetimes(min_value=wall("1975-01-01T00:00"), max_value=wall("2194-12-31T00:00")),
    ZONES,
)
BERLIN = Timing.of(wall("2026-03-29T10:00"), "Europe/Berlin", end_at=utc("2026-03-29T09:30"))


@pytest.mark.parametrize(
    ("spelling", "due"),
    [
        ("start-0m", "2026-03-29T08:00"),
        ("start-15m", "2026-03-29T07:45"),
        ("start-1440m", "2026-03-28T08:00"),
        ("start-1d", "2026-03-28T09:00"),
        ("start-1d-30m", "2026-03-28T08:30"),
        ("start-1d@18:30", "2026-03-28T17:30"),
        ("start-0d@02:30", "2026-03-29T01:30"),
        ("start+10m", "2026-03-29T08:10"),
        ("start+1d", "2026-03-30T08:00"),
        ("end-5m", "2026-03-29T09:25"),
        ("end+5m", "2026-03-29T09:35"),
        ("end-0d", "2026-03-29T09:30"),
        ("end-1d", "2026-03-28T10:30"),
        ("end-1440m", "2026-03-28T09:30"),
        ("end-1d-30m", "2026-03-28T10:00"),
        ("end+1d", "2026-03-30T09:30"),
        ("at 2026-03-01T12:00:00+03:00", "2026-03-01T09:00"),
    ],
)
def test_when_each_kind_of_trigger_is_due_across_a_clock_change(spelling: str, due: str) -> None:
    assert due_at(trigger(spelling), BERLIN) == utc(due)


def test_before_the_end_means_before_the_start_where_there_is_no_end() -> None:
    assert due_at(MinutesBeforeEnd(5), Timing.of(wall("2026-06-01T10:00"), "UTC")) == utc("2026-06-01T09:55")


def test_days_before_the_end_means_before_the_start_where_there_is_no_end() -> None:
    timing = Timing.of(wall("2026-03-29T10:00"), "Europe/Berlin")
    assert due_at(DaysBeforeEnd(1), timing) == utc("2026-03-28T09:00")


def test_no_days_before_an_end_in_the_doubled_hour_is_that_end_itself() -> None:
    second = utc("2026-10-25T01:30")
    timing = Timing.of(wall("2026-10-25T01:00"), "Europe/Berlin", end_at=second)
    assert due_at(DaysBeforeEnd(0), timing) == second
    assert due_at(DaysBeforeEnd(1), timing) == utc("2026-10-24T00:30")


def test_days_before_a_start_keep_the_wall_clock_though_the_day_is_the_longer_one() -> None:
    autumn = Timing.of(wall("2026-10-25T10:00"), "Europe/Berlin")
    assert due_at(DaysBeforeStart(1), autumn) == utc("2026-10-24T08:00")
    assert due_at(MinutesBeforeStart(1440), autumn) == utc("2026-10-24T09:00")


def test_days_before_may_fall_into_the_gap_and_into_the_doubled_hour() -> None:
    spring = Timing.of(wall("2026-03-30T02:30"), "Europe/Berlin")
    autumn = Timing.of(wall("2026-10-26T02:30"), "Europe/Berlin")
    assert due_at(DaysBeforeStart(1), spring) == utc("2026-03-29T01:30")
    assert due_at(DaysBeforeStart(1), autumn) == utc("2026-10-25T00:30")


def test_a_zone_change_keeps_the_wall_clock_of_days_before() -> None:
    madrid = Timing.of(wall("2026-06-02T10:00"), "Europe/Madrid")
    assert due_at(DaysBeforeStart(1), madrid) == utc("2026-06-01T08:00")
    assert due_at(DaysBeforeStart(1), madrid.in_zone("America/Bogota", "")) == utc("2026-06-01T15:00")


@pytest.mark.parametrize("days", [24, 25, 45, 400, 1825])
def test_the_far_future_is_reckoned_like_the_near_one(days: int) -> None:
    timing = Timing.of(wall("2035-06-01T10:00"), "UTC")
    assert due_at(MinutesBeforeStart(days * 1440), timing) == timing.start_at - timedelta(days=days)


@pytest.mark.parametrize(
    ("due", "minutes"),
    [
        ("2026-03-29T08:00:00", 0),
        ("2026-03-29T07:59:59", 0),
        ("2026-03-29T07:59:00", 1),
        ("2026-03-29T08:00:01", -1),
        ("2026-03-29T08:10:00", -10),
    ],
)
def test_an_offset_counts_whole_minutes_to_the_start_and_is_negative_after_it(due: str, minutes: int) -> None:
    assert offset_minutes(utc(due), BERLIN) == minutes


@pytest.mark.parametrize(
    "text",
    [
        "", "ten", "15", "-15m", "start", "start15m", "start-m", "start-1h", "start-1d@25:00",
        "start-1d@9:00", "start@09:00", "start@09:00-5m", "end@09:00", "end-1d@09:00", "START-15m",
        " start-15m", "start-15m ", "start-15m\n", "start-1.5m",
        "at noon", "at 2026-13-01T00:00:00Z", "start-15m-1d",
    ],
)  # fmt: skip
def test_what_is_no_trigger_is_refused_with_examples(text: str) -> None:
    with pytest.raises(Invalid, match=r"start-15m, start-1d"):
        trigger(text)


@pytest.mark.parametrize("text", ["at 2026-06-01T10:00", "at 2026-06-01"])
def test_an_instant_without_an_offset_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="with an offset"):
        trigger(text)


@pytest.mark.parametrize(
    "text", ["at 1969-12-31T23:59:59Z", "at 2200-01-01T00:00:00Z", "at 0001-01-01T00:00+14:00"]
)
def test_an_instant_outside_of_the_years_that_are_reckoned_with_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="between 1970 and 2199"):
        trigger(text)


@pytest.mark.parametrize(
    "text",
    [
        f"start-{MAX_OFFSET_MINUTES + 1}m",
        f"end+{MAX_OFFSET_MINUTES + 1}m",
        "start-999999999d",
        "start-694444d+999999999m",
        "start-1d-999999999m",
        "start-1000000000m",
    ],
)
def test_an_offset_of_more_than_five_years_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        trigger(text)


@pytest.mark.parametrize("hour", [time(9, 0, 1), time(9, 0, 0, 1), time(9, tzinfo=UTC)])
def test_the_hour_of_a_days_before_trigger_has_neither_seconds_nor_a_zone(hour: time) -> None:
    with pytest.raises(Invalid, match="HH:MM"):
        DaysBeforeStart(1, hour)


def test_one_instant_told_in_two_offsets_is_one_trigger() -> None:
    moscow, berlin = trigger("at 2026-10-25T03:30:00+03:00"), trigger("at 2026-10-25T02:30:00+02:00")
    assert check_triggers((moscow, berlin)) == (moscow,)
    assert str(moscow) == str(berlin)


@given(TRIGGERS)
def test_a_trigger_is_read_from_its_own_spelling(one: Trigger) -> None:
    assert trigger(str(one)) == one
    assert str(trigger(str(one))) == str(one)


@given(st.text(max_size=30))
def test_any_text_is_a_trigger_or_refused(text: str) -> None:
    try:
        one = trigger(text)
    except Invalid:
        return
    assert trigger(str(one)) == one


@given(one=TRIGGERS, timing=TIMINGS)
def test_inv_rem_1_every_trigger_gives_an_instant_and_its_offset_names_it_to_the_minute(
    one: Trigger, timing: Timing
) -> None:
    due = due_at(one, timing)
    assert due.utcoffset() == timedelta(0)
    gap = timing.start_at - due - timedelta(minutes=offset_minutes(due, timing))
    assert timedelta(0) <= gap < timedelta(minutes=1)


@given(minutes=MINUTES, timing=TIMINGS)
def test_inv_rem_1_minutes_before_the_start_are_exact(minutes: int, timing: Timing) -> None:
    due = due_at(MinutesBeforeStart(minutes), timing)
    assert due == timing.start_at - timedelta(minutes=minutes)
    assert offset_minutes(due, timing) == minutes


@given(days=DAYS, timing=TIMINGS)
def test_days_before_the_start_are_within_a_clock_change_of_so_many_days(days: int, timing: Timing) -> None:
    exact = timing.start_at - timedelta(days=days)
    assert abs(due_at(DaysBeforeStart(days), timing) - exact) <= timedelta(hours=26)


@given(st.lists(TRIGGERS, max_size=20))
def test_triggers_are_distinct_and_keep_their_order(many: list[Trigger]) -> None:
    checked = check_triggers(tuple(many))
    assert len(set(checked)) == len(checked)
    assert sorted(checked, key=many.index) == list(checked)
    assert set(checked) == set(many)


def test_the_due_time_of_an_instant_does_not_move_with_the_event() -> None:
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert due_at(AtInstant(at), BERLIN) == at == due_at(AtInstant(at), BERLIN.in_zone("Asia/Tokyo", ""))
