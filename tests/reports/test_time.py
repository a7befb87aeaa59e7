"""Field reports R24 to R35: zones, clock changes, days and offsets."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.inbound.ics.importing import import_file
from adapters.inbound.ics.report import Report
from application.calendar import Draft
from domain.errors import Invalid
from domain.reminder import Status
from domain.triggers import AtInstant, MinutesBeforeStart, due_at, trigger
from domain.values import Timing
from tests.adapters.ics_files import options, read_events, starts, vcalendar, vevent
from tests.reports.desks import OTHER_TENANT, OWNER, TENANT, Desk, told, utc


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("20260328", ["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"]),
        ("20261024", ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"]),
    ],
)
def test_r24_daily_at_half_past_two_is_once_a_day_on_the_days_of_the_clock_change(
    first: str, found: list[str]
) -> None:
    lines = [f"DTSTART;TZID=Europe/Berlin:{first}T023000", "RRULE:FREQ=DAILY;COUNT=3"]
    now = datetime(2026, int(first[4:6]), 20, tzinfo=UTC)
    assert starts(read_events(vevent("night", *lines), now=now)) == found


def test_r25_in_the_hour_that_comes_twice_everybodys_reminders_leave_in_their_turn(desk: Desk) -> None:
    desk.clock.set(utc("2026-10-31 12:00"))
    new_york = desk.plan("2026-11-01 01:30", "start-0m", zone="America/New_York").event
    desk.plan("2026-11-01 06:29", "start-0m", tenant=OTHER_TENANT)
    assert told(new_york.timing.start_at) == "2026-11-01 05:30"
    # Both are 01:30:30 in New York.
    first, second = "2026-11-01 05:30:30", "2026-11-01 06:30:30"
    assert desk.tick(utc(first)) == [utc("2026-11-01 05:30")]
    assert desk.tick(utc(second)) == [utc("2026-11-01 06:29")]


def test_r26_a_week_later_is_the_same_wall_clock_and_1440_minutes_are_24_hours(desk: Desk) -> None:
    weekly = vevent("weekly", "DTSTART;TZID=Europe/Berlin:20260322T100000", "RRULE:FREQ=WEEKLY;COUNT=2")
    assert starts(read_events(weekly, now=utc("2026-03-20 00:00"))) == [
        "2026-03-22T09:00Z",
        "2026-03-29T08:00Z",
    ]
    desk.clock.set(utc("2026-03-20 00:00"))
    event = desk.plan("2026-03-29 10:00", "start-1d", "start-1440m", zone="Europe/Berlin").event
    due = {str(row.trigger): told(row.due_at) for row in desk.reminders(event.id)}
    assert due == {"start-1d": "2026-03-28 09:00", "start-1440m": "2026-03-28 08:00"}


def test_r27_another_zone_keeps_the_wall_clock_and_moves_what_is_pending_alone(desk: Desk) -> None:
    desk.clock.set(utc("2026-06-01 00:00"))
    event = desk.plan("2026-06-10 10:00", "start-1440m", "start-60m", zone="Europe/Madrid").event
    assert desk.tick(utc("2026-06-09 08:01")) == [utc("2026-06-09 08:00")]
    (sent,) = [row for row in desk.reminders(event.id) if row.status is Status.SENT]
    desk.calendar.change(
        event.id, tz_version="", time_zone="America/Bogota", triggers=(trigger("start-60m"),)
    )
    assert desk.pending(event.id) == ["2026-06-10 14:00"]
    assert sent in desk.reminders(event.id)


@pytest.mark.parametrize(
    ("name", "hour"),
    [
        ("Europe/Kiev", 7),
        ("Europe/Kyiv", 7),
        ("Asia/Calcutta", 4),
        ("Asia/Kolkata", 4),
        ("US/Eastern", 14),
        ("EST5EDT", 14),
    ],
)
def test_r29_each_spelling_of_a_zone_is_taken(name: str, hour: int) -> None:
    assert Timing.of(datetime.fromisoformat("2026-06-01T10:00"), name).start_at.hour == hour


@pytest.mark.parametrize("name", ["Moscow", "", " ", "Europe/Kie", "../etc/passwd"])
def test_r29_what_is_no_zone_is_refused_when_it_is_written(desk: Desk, name: str) -> None:
    with pytest.raises(Invalid):
        desk.plan("2026-06-01 10:00", zone=name)


def _made(desk: Desk, _: Path) -> list[str]:
    return desk.pending(desk.plan("2026-06-10 15:00", "start-60m", zone="Europe/Warsaw").event.id)


def _changed(desk: Desk, _: Path) -> list[str]:
    event = desk.plan("2026-06-11 15:00", "start-10m", zone="UTC").event
    desk.calendar.change(
        event.id, tz_version="", time_zone="Europe/Warsaw", triggers=(MinutesBeforeStart(60),)
    )
    desk.calendar.move(event.id, datetime.fromisoformat("2026-06-10T15:00"), tz_version="")
    return desk.pending(event.id)


def _imported(desk: Desk, folder: Path) -> list[str]:
    event = vevent("x", "DTSTART;TZID=Europe/Warsaw:20260610T150000", alarms=[["TRIGGER:-PT60M"]])
    return _read(desk, folder, event)


def _edited_in_a_series(desk: Desk, folder: Path) -> list[str]:
    alarms = [["TRIGGER:-PT60M"]]
    series = vevent(
        "s", "DTSTART;TZID=Europe/Warsaw:20260609T090000", "RRULE:FREQ=DAILY;COUNT=2", alarms=alarms
    )
    edit = ("RECURRENCE-ID;TZID=Europe/Warsaw:20260610T090000", "DTSTART;TZID=Europe/Warsaw:20260610T150000")
    return _read(desk, folder, series, vevent("s", *edit, alarms=alarms))[1:]


def _read(desk: Desk, folder: Path, *components: list[str]) -> list[str]:
    file = folder / "team.ics"
    file.write_bytes(vcalendar(*components))
    now = desk.clock.now()
    import_file(file, desk.calendar, desk.imports, options(now=now, default_zone="Europe/Warsaw"))
    return [told(row.reminder.due_at) for row in desk.ledger.upcoming(utc("2026-07-01 00:00"), 10).rows]


@pytest.mark.parametrize("way", [_made, _changed, _imported, _edited_in_a_series])
def test_r30_one_event_is_due_at_one_instant_whichever_way_it_came(
    desk: Desk, tmp_path: Path, way: Callable[[Desk, Path], list[str]]
) -> None:
    desk.clock.set(utc("2026-06-01 00:00"))
    assert way(desk, tmp_path) == ["2026-06-10 12:00"]


@pytest.mark.parametrize(
    ("written", "minutes"),
    [("-PT15M", 15), ("PT0S", 0), ("PT15M", -15)],
)
def test_r33_a_file_and_an_offset_have_one_sign(desk: Desk, written: str, minutes: int) -> None:
    desk.clock.set(utc("2026-06-01 00:00"))
    timing = Timing.of(datetime.fromisoformat("2026-06-10T10:00"), "UTC")
    draft = Draft(TENANT, OWNER, timing, triggers=(MinutesBeforeStart(minutes),))
    (row,) = desk.calendar.plan(draft).reminders
    event = vevent("x", "DTSTART:20260610T100000Z", alarms=[[f"TRIGGER:{written}"]])
    (wanted,) = read_events(event, now=desk.clock.now()).take
    assert wanted.draft.triggers == draft.triggers
    assert (row.offset_minutes, row.due_at) == (minutes, due_at(wanted.draft.triggers[0], timing))
    assert (
        told(row.due_at) == {15: "2026-06-10 09:45", 0: "2026-06-10 10:00", -15: "2026-06-10 10:15"}[minutes]
    )


def test_r35_a_reminder_before_the_end_follows_it_on_a_move_and_an_instant_stays(
    desk: Desk, tmp_path: Path
) -> None:
    desk.clock.set(utc("2024-09-01 00:00"))
    alarms = [["TRIGGER;RELATED=END:-PT15M"], ["TRIGGER;VALUE=DATE-TIME:20241003T130000Z"]]
    zone = "TZID=Europe/Berlin"
    lines = [f"DTSTART;{zone}:20241004T110000", f"DTEND;{zone}:20241004T114500"]
    # 11:30 in Berlin is 09:30Z.
    _read(desk, tmp_path, vevent("x", *lines, alarms=alarms))
    rows = desk.ledger.upcoming(utc("2025-01-01 00:00"), 10).rows
    assert [told(row.reminder.due_at) for row in rows] == ["2024-10-03 13:00", "2024-10-04 09:30"]
    event = rows[0].event
    moved = desk.calendar.move(event.id, datetime.fromisoformat("2024-10-04T15:00"), tz_version="")
    assert desk.pending(event.id) == ["2024-10-03 13:00", "2024-10-04 13:30"]
    assert moved.kept == (AtInstant(utc("2024-10-03 13:00")),)


def test_r35_an_instant_that_stays_though_its_event_moves_is_flagged_when_the_file_is_read_again(
    desk: Desk, tmp_path: Path
) -> None:
    def imported(start: str, alarm: str) -> Report:
        alarms = [["TRIGGER:-PT15M"], [f"TRIGGER;VALUE=DATE-TIME:{alarm}"]]
        file = tmp_path / "team.ics"
        file.write_bytes(vcalendar(vevent("the-uid", f"DTSTART:{start}", alarms=alarms)))
        return import_file(file, desk.calendar, desk.imports, options(now=desk.clock.now()))

    desk.clock.set(utc("2024-09-01 00:00"))
    assert imported("20241004T110000Z", "20241003T130000Z").warnings == ()
    again = imported("20241005T110000Z", "20241003T130000Z")
    (flag,) = again.warnings
    assert flag.text == "'the-uid' moved, and its alarm at 2024-10-03T13:00Z stays, for it is at a fixed time"
    assert (again.counts.events_moved, again.counts.alarms_kept) == (1, 1)
    # Nothing moves, or the alarm moves too, or it has left.
    assert imported("20241005T110000Z", "20241003T130000Z").warnings == ()
    assert imported("20241006T110000Z", "20241004T130000Z").warnings == ()
    desk.clock.set(utc("2024-10-04 13:01"))
    assert imported("20241007T110000Z", "20241004T130000Z").warnings == ()
