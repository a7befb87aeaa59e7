"""VALARM components become triggers, exactly as the file means them."""

from datetime import time

import pytest

from adapters.inbound.ics.source import MAX_DEPTH
from domain.triggers import DaysBeforeStart, MinutesBeforeStart
from tests.adapters.ics_files import dues, only, read_events, refusals, spelled, vevent

START = ("DTSTART;TZID=Europe/Berlin:20261026T110000", "DTEND;TZID=Europe/Berlin:20261026T114500")


@pytest.mark.parametrize(
    ("trigger", "spelling"),
    [
        ("TRIGGER:-PT15M", "start-15m"),
        ("TRIGGER:PT15M", "start+15m"),
        ("TRIGGER:+PT15M", "start+15m"),
        ("TRIGGER:-PT24H", "start-1440m"),
        ("TRIGGER:-P1D", "start-1d"),
        ("TRIGGER:-P1W", "start-7d"),
        ("TRIGGER:P1D", "start+1d"),
        ("TRIGGER:-P1DT2H", "start-1d-120m"),
        ("TRIGGER:-P0DT0H10M0S", "start-10m"),
        ("trigger;value=duration:-pt5m", "start-5m"),
        ("TRIGGER:-PT90S", "start-2m"),
        ("TRIGGER:PT90S", "start+1m"),
        ("TRIGGER;RELATED=START:-PT5M", "start-5m"),
        ("TRIGGER;RELATED=END:-PT15M", "end-15m"),
        ("TRIGGER;RELATED=END:PT1H", "end+60m"),
        ("TRIGGER;RELATED=END:-PT24H", "end-1440m"),
        ("TRIGGER;RELATED=END:-P1DT2H", "end-1d-120m"),
        ("TRIGGER;RELATED=END:-P1D", "end-1d"),
        ("TRIGGER;VALUE=DATE-TIME:20261003T130000Z", "at 2026-10-03T13:00:00+00:00"),
        ("TRIGGER:20261003T130000Z", "at 2026-10-03T13:00:00+00:00"),
        ("TRIGGER;VALUE=DATE-TIME:20261003T130000", "at 2026-10-03T11:00:00+00:00"),
    ],
)
def test_a_trigger_keeps_its_meaning(trigger: str, spelling: str) -> None:
    reading = read_events(vevent("alarmed", *START, alarms=[[trigger]]))
    assert spelled(reading) == [spelling]
    assert not reading.notes.refused


@pytest.mark.parametrize("zero", ["P", "PT", "P0D", "PT0S", "-PT0M", "PT0H", "-P0D", "P0W"])
def test_r34_every_spelling_of_nothing_is_a_reminder_at_the_start(zero: str) -> None:
    assert only(read_events(vevent("zero", *START, alarms=[[f"TRIGGER:{zero}"]]))).draft.triggers == (
        MinutesBeforeStart(0),
    )


def test_r26_a_day_before_keeps_the_wall_clock_over_a_clock_change_and_24_hours_do_not() -> None:
    sunday = ("DTSTART;TZID=Europe/Berlin:20261025T100000",)
    assert dues(read_events(vevent("day", *sunday, alarms=[["TRIGGER:-P1D"]]))) == ["2026-10-24T08:00Z"]
    assert dues(read_events(vevent("hours", *sunday, alarms=[["TRIGGER:-PT24H"]]))) == ["2026-10-24T09:00Z"]


def test_r35_before_the_end_is_reckoned_from_the_end() -> None:
    reading = read_events(vevent("end", *START, alarms=[["TRIGGER;RELATED=END:-PT15M"]]))
    assert dues(reading) == ["2026-10-26T10:30Z"]


def test_r31_15_hours_before_an_all_day_event_is_nine_in_the_morning_of_the_day_before() -> None:
    reading = read_events(vevent("day", "DTSTART;VALUE=DATE:20261018", alarms=[["TRIGGER:-PT15H"]]))
    assert dues(reading) == ["2026-10-17T07:00Z"]


def test_r05_identical_alarms_collapse_into_one() -> None:
    alarms = [["TRIGGER:-PT15M", f"X-WR-ALARMUID:{n}"] for n in range(30)]
    reading = read_events(vevent("thirty", *START, alarms=alarms))
    assert spelled(reading) == ["start-15m"]
    assert reading.notes.counts["alarms_collapsed"] == 29


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["REPEAT:4"], 1),
        (["DURATION:PT5M"], 1),
        (["REPEAT:4", "DURATION:PT15M"], 5),
        (["REPEAT:10", "DURATION:PT1M"], 11),
        (["REPEAT:100000", "DURATION:PT1M"], 11),
        (["REPEAT:3", "DURATION:PT0S"], 1),
    ],
)
def test_r36_an_alarm_repeats_up_to_ten_times_and_only_with_a_duration(lines: list[str], count: int) -> None:
    reading = read_events(vevent("repeating", *START, alarms=[["TRIGGER:-PT1H", *lines]]))
    assert len(spelled(reading)) == count
    assert bool(reading.notes.warnings()) == ("REPEAT:100000" in lines)


def test_repeats_follow_at_their_distance() -> None:
    alarms = [["TRIGGER:-PT30M", "REPEAT:2", "DURATION:PT20M"]]
    assert spelled(read_events(vevent("three", *START, alarms=alarms))) == [
        "start-30m",
        "start-10m",
        "start+10m",
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "it has no TRIGGER"),
        (["TRIGGER:soon"], "neither a date nor a date-time"),
        (["TRIGGER:-P1Y"], "is no duration"),
        (["TRIGGER:-PT999999999M"], "more than five years"),
        (["TRIGGER;VALUE=DATE:20261003"], "is a date"),
        (["TRIGGER:19600101T000000Z"], "not between 1970 and 2199"),
        (["TRIGGER:-PT5M", "REPEAT:many", "DURATION:PT5M"], "is no number"),
        (["TRIGGER:-PT5M", "REPEAT:2", "DURATION:soon"], "is no duration"),
    ],
)
def test_an_alarm_that_cannot_be_read_costs_itself_only(lines: list[str], said: str) -> None:
    reading = read_events(vevent("half", *START, alarms=[lines, ["TRIGGER:-PT10M"]]))
    assert spelled(reading) == ["start-10m"]
    ((component, uid, reason),) = refusals(reading)
    assert (component, uid) == ("VALARM", "half")
    assert said in reason


def test_an_alarm_that_is_not_ended_costs_itself_only() -> None:
    open_alarm = vevent("open", *START, "BEGIN:VALARM", "TRIGGER:-PT5M")
    reading = read_events(open_alarm)
    assert spelled(reading) == ["start-15m"]
    assert refusals(reading) == [("VALARM", "open", "its END:VALARM is missing")]


def test_more_alarms_than_an_event_can_have_are_refused_and_the_first_are_kept() -> None:
    alarms = [[f"TRIGGER:-PT{n}M"] for n in range(1, 61)]
    reading = read_events(vevent("many", *START, alarms=alarms))
    assert len(spelled(reading)) == 50
    assert len(refusals(reading)) == 10


def test_an_event_without_an_alarm_gets_the_default() -> None:
    assert spelled(read_events(vevent("bare", *START))) == ["start-15m"]
    assert spelled(read_events(vevent("bare", *START), default_triggers=(MinutesBeforeStart(5),))) == [
        "start-5m"
    ]


def test_r32_an_all_day_event_without_an_alarm_is_reminded_of_the_day_before_at_nine() -> None:
    day = vevent("day", "DTSTART;VALUE=DATE:20261026")
    assert dues(read_events(day)) == ["2026-10-25T08:00Z"]
    at_noon = (DaysBeforeStart(0, time(12)),)
    assert dues(read_events(day, all_day_triggers=at_noon)) == ["2026-10-26T11:00Z"]


def test_a_file_that_says_outright_no_alarm_is_believed() -> None:
    quiet = vevent("quiet", *START, "BEGIN:VALARM", "ACTION:NONE", "TRIGGER:19760401T005545Z", "END:VALARM")
    reading = read_events(quiet)
    assert spelled(reading) == []
    assert not reading.notes.refused


def test_blocks_inside_each_other_without_end_are_no_danger() -> None:
    deep = ["BEGIN:X-A"] * (MAX_DEPTH * 1000)
    reading = read_events(vevent("deep", *START, *deep), vevent("good", *START))
    assert len(reading.take) == 2
