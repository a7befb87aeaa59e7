"""Wall clocks, zones and instants: what a clock change does to them, and what is refused."""

from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Invalid
from domain.values import EventStatus, Timing, instant, zone
from tests.domain.examples import utc, wall

ZONES = sorted(name for name in available_timezones() if name not in ("localtime", "Factory"))
WALLS = st.datetimes(min_value=wall("1971-01-01T00:00"), max_value=wall("2198-12-31T00:00"))


@pytest.mark.parametrize(
    ("local", "name", "at"),
    [
        ("2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59"),
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30"),
        ("2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00"),
        ("2026-03-08T02:15", "America/New_York", "2026-03-08T07:15"),
        ("2026-10-04T02:10", "Australia/Lord_Howe", "2026-10-03T15:40"),
        ("2011-12-30T12:00", "Pacific/Apia", "2011-12-30T22:00"),
    ],
)
def test_a_wall_time_that_a_clock_change_leaves_out_moves_forward_by_the_gap(
    local: str, name: str, at: str
) -> None:
    assert instant(wall(local), name) == utc(at)


@pytest.mark.parametrize(
    ("local", "name", "at"),
    [
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01T05:30"),
    ],
)
def test_a_wall_time_that_happens_twice_means_the_first(local: str, name: str, at: str) -> None:
    assert instant(wall(local), name) == utc(at)
    assert instant(wall(local).replace(fold=1), name) == utc(at)


@pytest.mark.parametrize(
    "name",
    ["", "Moscow", "Europe/Atlantis", "localtime", "right/UTC", "../etc/passwd", "UTC\0", "/etc/localtime"],
)
def test_a_name_that_is_no_iana_zone_is_refused_with_what_would_do(name: str) -> None:
    with pytest.raises(Invalid, match="Europe/Moscow"):
        zone(name)
    with pytest.raises(Invalid, match="Europe/Moscow"):
        Timing.of(wall("2026-06-01T10:00"), name)


@pytest.mark.parametrize(
    "name", ["Europe/Kiev", "Europe/Kyiv", "Asia/Calcutta", "US/Eastern", "EST5EDT", "UTC"]
)
def test_old_names_of_zones_still_do(name: str) -> None:
    assert zone(name).key == name


def test_two_names_of_one_zone_give_one_instant() -> None:
    assert instant(wall("2026-06-01T10:00"), "Europe/Kiev") == instant(
        wall("2026-06-01T10:00"), "Europe/Kyiv"
    )


def test_a_start_with_an_offset_is_refused() -> None:
    with pytest.raises(Invalid, match="start"):
        Timing.of(utc("2026-06-01T10:00"), "Europe/Berlin")


def test_an_end_without_an_offset_is_refused() -> None:
    with pytest.raises(Invalid, match="end"):
        Timing.of(wall("2026-06-01T10:00"), "Europe/Berlin", end_at=wall("2026-06-01T11:00"))


def test_an_end_before_the_start_is_refused_and_one_at_the_start_is_not() -> None:
    start, at = wall("2026-06-01T10:00"), utc("2026-06-01T08:00")
    assert Timing.of(start, "Europe/Berlin", end_at=at).end_at == at
    with pytest.raises(Invalid, match="before the start"):
        Timing.of(start, "Europe/Berlin", end_at=at - timedelta(microseconds=1))


@pytest.mark.parametrize("year", [1, 1969, 2200, 9999])
def test_a_start_outside_of_the_years_that_are_reckoned_with_is_refused(year: int) -> None:
    with pytest.raises(Invalid, match=str(year)):
        Timing.of(wall(f"{year:04}-06-01T10:00"), "Europe/Berlin")


@pytest.mark.parametrize("year", [1970, 2199])
def test_the_first_and_the_last_year_do(year: int) -> None:
    assert Timing.of(wall(f"{year}-06-01T10:00"), "UTC").start_at.year == year


def test_an_end_beyond_the_last_year_is_refused() -> None:
    with pytest.raises(Invalid, match="2200"):
        Timing.of(wall("2199-06-01T10:00"), "UTC", end_at=utc("2200-01-01T00:00"))


def test_an_end_is_kept_in_utc() -> None:
    end = datetime.fromisoformat("2026-06-01T12:00+02:00")
    timing = Timing.of(wall("2026-06-01T10:00"), "Europe/Berlin", end_at=end)
    assert timing.end_at is not None
    assert (timing.end_at, timing.end_at.tzinfo) == (end, UTC)


def test_the_zone_datas_version_is_kept_and_takes_no_part_in_equality() -> None:
    old, new = (Timing.of(wall("2026-06-01T10:00"), "UTC", tz_version=one) for one in ("2025a", "2026b"))
    assert (old, old.tz_version, new.tz_version) == (new, "2025a", "2026b")


def test_another_zone_keeps_the_wall_clock_and_moves_the_instant() -> None:
    madrid = Timing.of(wall("2026-06-01T10:00"), "Europe/Madrid", tz_version="2025a")
    bogota = madrid.in_zone("America/Bogota", "2026b")
    assert (bogota.start_local, bogota.start_at) == (wall("2026-06-01T10:00"), utc("2026-06-01T15:00"))
    assert (bogota.time_zone, bogota.tz_version) == ("America/Bogota", "2026b")


def test_open_are_planned_and_in_progress_alone() -> None:
    assert [status for status in EventStatus if status.is_open] == [
        EventStatus.PLANNED,
        EventStatus.IN_PROGRESS,
    ]


@given(local=WALLS, name=st.sampled_from(ZONES))
def test_an_instant_shows_the_wall_time_again_unless_it_falls_into_a_gap(local: datetime, name: str) -> None:
    at = instant(local, name)
    shown = at.astimezone(zone(name)).replace(tzinfo=None, fold=0)
    assert at.tzinfo is UTC
    assert shown >= local
    if shown != local:
        before = local.replace(tzinfo=zone(name), fold=0).utcoffset()
        after = local.replace(tzinfo=zone(name), fold=1).utcoffset()
        assert before is not None
        assert after is not None
        assert shown - local == before - after or shown - local == after - before


@given(
    local=WALLS,
    name=st.sampled_from(ZONES),
    other=st.sampled_from(ZONES),
    length=st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=30)),
)
def test_a_zone_change_keeps_wall_clock_and_length_and_can_be_taken_back(
    local: datetime, name: str, other: str, length: timedelta
) -> None:
    start_at = instant(local, name)
    timing = Timing.of(local, name, end_at=start_at + length)
    elsewhere = timing.in_zone(other, "")
    assert elsewhere.start_local == local
    assert elsewhere.end_at is not None
    assert elsewhere.end_at - elsewhere.start_at == length
    assert elsewhere.in_zone(name, "") == timing
