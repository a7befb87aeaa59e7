"""Whatever a file calls a zone, an IANA zone is kept and the instant is right."""

from datetime import UTC, datetime

import pytest

from adapters.inbound.ics.budget import Budget
from tests.adapters.ics_files import only, read_events, starts, vevent

CUSTOM = [
    "BEGIN:VTIMEZONE",
    "TZID:Customized Time Zone",
    "BEGIN:STANDARD",
    "DTSTART:16011028T030000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
    "TZOFFSETFROM:+0500",
    "TZOFFSETTO:+0400",
    "END:STANDARD",
    "BEGIN:DAYLIGHT",
    "DTSTART:16010325T020000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
    "TZOFFSETFROM:+0400",
    "TZOFFSETTO:+0500",
    "END:DAYLIGHT",
    "END:VTIMEZONE",
]


@pytest.mark.parametrize(
    ("tzid", "zone", "start"),
    [
        ("Europe/Berlin", "Europe/Berlin", "2026-09-17T11:00Z"),
        ("W. Europe Standard Time", "Europe/Berlin", "2026-09-17T11:00Z"),
        ("Russian Standard Time", "Europe/Moscow", "2026-09-17T10:00Z"),
        ("GMT Standard Time", "Europe/London", "2026-09-17T12:00Z"),
        ("/freeassociation.sourceforge.net/Europe/Madrid", "Europe/Madrid", "2026-09-17T11:00Z"),
        (
            "/vendor/2026/America/Argentina/Buenos_Aires",
            "America/Argentina/Buenos_Aires",
            "2026-09-17T16:00Z",
        ),
        ("/Asia/Tokyo", "Asia/Tokyo", "2026-09-17T04:00Z"),
        ('"US/Eastern"', "US/Eastern", "2026-09-17T17:00Z"),
        ("tzone://Microsoft/Utc", "UTC", "2026-09-17T13:00Z"),
        ("GMT", "UTC", "2026-09-17T13:00Z"),
        ("(UTC) Coordinated Universal Time", "UTC", "2026-09-17T13:00Z"),
        ("Eastern Standard Time 1", "America/New_York", "2026-09-17T17:00Z"),
        ("UTC+11", "Etc/GMT-11", "2026-09-17T02:00Z"),
        ("UTC-11", "Etc/GMT+11", "2026-09-18T00:00Z"),
        ("GMT+03:00", "Etc/GMT-3", "2026-09-17T10:00Z"),
        (
            "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
            "Europe/Amsterdam",
            "2026-09-17T11:00Z",
        ),
        ("(UTC-05:00) Eastern Time (US & Canada)", "America/New_York", "2026-09-17T17:00Z"),
        ("(GMT-08:00) Pacific Time (US & Canada)", "America/Los_Angeles", "2026-09-17T20:00Z"),
        ("(UTC+00:00) Dublin, Edinburgh, Lisbon, London", "Europe/Dublin", "2026-09-17T12:00Z"),
        ("(UTC+03:00) Moscow, St. Petersburg, Volgograd (RTZ 2)", "Europe/Moscow", "2026-09-17T10:00Z"),
        ("(UTC+05:00) Ekaterinburg (RTZ 4)", "Asia/Yekaterinburg", "2026-09-17T08:00Z"),
        ("(UTC-06:00) Guadalajara, Mexico City, Monterrey", "America/Mexico_City", "2026-09-17T19:00Z"),
        ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "Asia/Kolkata", "2026-09-17T07:30Z"),
    ],
)
def test_r37_a_known_name_gives_its_iana_zone_without_a_warning(tzid: str, zone: str, start: str) -> None:
    quoted = tzid if tzid.startswith('"') else f'"{tzid}"'
    reading = read_events(vevent("zoned", f"DTSTART;TZID={quoted}:20260917T130000"))
    assert starts(reading) == [start]
    assert only(reading).draft.timing.time_zone == zone
    assert not reading.notes.warnings()


@pytest.mark.parametrize(
    ("written", "start"),
    [
        ("DTSTART;TZID=tzone://Microsoft/Utc:20260917T130000", "2026-09-17T13:00Z"),
        ("DTSTART;TZID=tzone://Microsoft/Utc;VALUE=DATE-TIME:20260917T130000", "2026-09-17T13:00Z"),
        ("DTSTART;VALUE=DATE-TIME;TZID=(UTC-05:00) Bogota, Lima:20260917T130000", "2026-09-17T18:00Z"),
        ('DTSTART;X-A="tzid=a:b";TZID=Asia/Tokyo:20260917T130000', "2026-09-17T04:00Z"),
    ],
)
def test_a_colon_in_a_zone_that_stands_without_quotes_is_a_part_of_its_name(written: str, start: str) -> None:
    reading = read_events(vevent("bare", written))
    assert starts(reading) == [start]
    assert not reading.notes.warnings()


@pytest.mark.parametrize(
    "tzid",
    [
        "Customized Time Zone 1",
        "(UTC+01:00) Mars, Olympus",
        "(UTC+02:00) Amsterdam, Berlin",
        "tzone://Microsoft/Custom",
        "UTC+05:45",
        "UTC+99",
        " 1",
        "CST",
    ],
)
def test_r38_one_unknown_zone_among_good_events_is_taken_in_the_owners_with_a_warning(tzid: str) -> None:
    good = [vevent(f"good-{n}", f"DTSTART:20260910T10{n:02d}00Z") for n in range(50)]
    odd = vevent("odd", f'DTSTART;TZID="{tzid}":20260917T130000', f'DTEND;TZID="{tzid}":20260917T140000')
    reading = read_events(*good, odd)
    assert len(reading.take) == 51
    assert starts(reading)[-1] == "2026-09-17T11:00Z"
    assert not reading.notes.refused
    (warning,) = reading.notes.warnings()
    assert "is unknown; taken in Europe/Berlin" in warning.text


def test_a_zone_that_only_the_file_knows_is_reckoned_by_its_own_rules() -> None:
    summer = vevent("summer", "DTSTART;TZID=Customized Time Zone:20260917T130000")
    winter = vevent("winter", "DTSTART;TZID=Customized Time Zone:20261105T130000")
    reading = read_events(summer, winter, CUSTOM)
    assert starts(reading) == ["2026-09-17T08:00Z", "2026-11-05T09:00Z"]
    timing = reading.take[0].draft.timing
    assert (timing.time_zone, f"{timing.start_local:%H:%M}") == ("Europe/Berlin", "10:00")
    assert "known to the file alone" in reading.notes.warnings()[0].text


def test_a_series_in_such_a_zone_keeps_its_own_wall_clock_over_its_own_clock_change() -> None:
    lines = ["DTSTART;TZID=Customized Time Zone:20261023T233000", "RRULE:FREQ=DAILY;COUNT=4"]
    assert starts(read_events(CUSTOM, vevent("nightly", *lines))) == [
        "2026-10-23T18:30Z",
        "2026-10-24T18:30Z",
        "2026-10-25T19:30Z",
        "2026-10-26T19:30Z",
    ]


def test_an_instant_in_the_hour_that_the_owner_lives_twice_is_kept_exactly() -> None:
    # 05:30+04:00 is 01:30Z: the second 02:30 in Berlin on that day.
    reading = read_events(CUSTOM, vevent("second", "DTSTART;TZID=Customized Time Zone:20261025T053000"))
    assert starts(reading) == ["2026-10-25T01:30Z"]
    assert only(reading).draft.timing.time_zone == "UTC"


def test_a_location_named_in_the_rules_is_believed() -> None:
    block = [*CUSTOM[:2], "X-LIC-LOCATION:Asia/Almaty", *CUSTOM[2:]]
    reading = read_events(block, vevent("located", "DTSTART;TZID=Customized Time Zone:20260917T130000"))
    assert only(reading).draft.timing.time_zone == "Asia/Almaty"
    assert not reading.notes.warnings()


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=YEARLY;INTERVAL=0",
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYSECOND=0,1,2",
        "FREQ=SOMETIMES",
    ],
)
def test_r45_a_zone_whose_rules_are_a_bomb_is_taken_as_unknown(rule: str) -> None:
    block = [line if not line.startswith("RRULE") else f"RRULE:{rule}" for line in CUSTOM]
    event = vevent("bomb", "DTSTART;TZID=Customized Time Zone:20260917T130000")
    reading = read_events(block, event, budgets=[Budget(each=0.2)])
    assert starts(reading) == ["2026-09-17T11:00Z"]
    assert "cannot be read; taken in Europe/Berlin" in reading.notes.warnings()[0].text


@pytest.mark.parametrize(
    ("also", "start", "zone"),
    [
        ([], "2026-09-09T22:30Z", "Pacific/Auckland"),
        (["X-WR-TIMEZONE:Europe/Paris"], "2026-09-10T08:30Z", "Europe/Paris"),
        (["X-WR-TIMEZONE:Romance Standard Time"], "2026-09-10T08:30Z", "Europe/Paris"),
        (["X-WR-TIMEZONE:Nowhere"], "2026-09-09T22:30Z", "Pacific/Auckland"),
    ],
)
def test_r39_a_floating_time_is_in_the_calendars_zone_else_in_the_owners(
    also: list[str], start: str, zone: str
) -> None:
    reading = read_events(
        vevent("floating", "DTSTART:20260910T103000"), also=also, default_zone="Pacific/Auckland"
    )
    assert starts(reading) == [start]
    assert only(reading).draft.timing.time_zone == zone


def test_a_wall_time_that_is_left_out_moves_forward_and_one_that_is_lived_twice_means_the_first() -> None:
    gap = vevent("gap", "DTSTART;TZID=America/New_York:20260308T023000", "DURATION:PT30M")
    twice = vevent("twice", "DTSTART;TZID=America/New_York:20261101T013000")
    reading = read_events(gap, now=datetime(2026, 3, 1, tzinfo=UTC))
    assert starts(reading) == ["2026-03-08T07:30Z"]
    assert starts(read_events(twice)) == ["2026-11-01T05:30Z"]


def test_an_all_day_event_begins_at_the_owners_midnight_and_ends_at_the_next() -> None:
    day = vevent("day", "DTSTART;VALUE=DATE:20261025")
    timing = only(read_events(day, also=["X-WR-TIMEZONE:Asia/Tokyo"])).draft.timing
    assert timing.all_day
    assert timing.time_zone == "Europe/Berlin"
    assert timing.end_at is not None
    # The clocks go back on that day: it has 25 hours.
    assert (f"{timing.start_at:%d %H}", f"{timing.end_at:%d %H}") == ("24 22", "25 23")


def test_start_and_end_may_be_in_two_zones() -> None:
    flight = vevent(
        "flight", "DTSTART;TZID=Europe/Paris:20260910T100000", "DTEND;TZID=America/New_York:20260910T120000"
    )
    timing = only(read_events(flight)).draft.timing
    assert timing.end_at is not None
    assert (timing.end_at - timing.start_at).total_seconds() == 8 * 3600


def test_days_of_a_duration_keep_the_wall_clock_and_its_hours_are_exact() -> None:
    start = "DTSTART;TZID=Europe/Berlin:20261024T100000"
    for duration, hours in (("P1D", 25), ("PT24H", 24)):
        timing = only(read_events(vevent("long", start, f"DURATION:{duration}"))).draft.timing
        assert timing.end_at is not None
        assert (timing.end_at - timing.start_at).total_seconds() == hours * 3600
