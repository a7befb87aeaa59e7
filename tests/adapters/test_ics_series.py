"""Series: what occurs, what is excepted, and under which id each occurrence stands."""

import sys
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from adapters.inbound.ics.budget import Budget, rounds
from tests.adapters.ics_files import NOW, at, only, read_events, refusals, spelled, starts, vevent

DAILY = ("DTSTART;TZID=Europe/Paris:20260910T110000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=4")


def days(*numbers: int) -> list[str]:
    return [f"2026-09-{number:02d}T09:00Z" for number in numbers]


@pytest.mark.parametrize("until", ["20231012", "20231012T090000", "20231012T130000Z"])
def test_r40_until_in_each_of_its_shapes_includes_the_last_occurrence(until: str) -> None:
    lines = ["DTSTART;TZID=America/New_York:20231005T090000", f"RRULE:FREQ=WEEKLY;UNTIL={until}"]
    reading = read_events(vevent("weekly", *lines), now=datetime(2023, 10, 1, tzinfo=UTC))
    assert starts(reading) == ["2023-10-05T13:00Z", "2023-10-12T13:00Z"]


@pytest.mark.parametrize(
    "exdate",
    [
        "EXDATE;TZID=Europe/Paris:20260911T110000",
        "EXDATE:20260911T090000Z",
        "EXDATE;VALUE=DATE:20260911",
        "EXDATE;TZID=America/New_York:20260911T050000",
        "EXDATE;TZID=Romance Standard Time:20260911T110000",
    ],
)
def test_r41_an_exdate_of_any_shape_excludes_its_day_and_no_neighbour(exdate: str) -> None:
    assert starts(read_events(vevent("daily", *DAILY, exdate))) == days(10, 12, 13)


@pytest.mark.parametrize(
    "exdate",
    [
        "EXDATE;VALUE=DATE:20260911",
        "EXDATE:20260911T000000Z",
        "EXDATE:20260911T000000",
        "EXDATE:20260910T220000Z",
    ],
)
def test_r41_an_exdate_of_any_shape_excludes_a_day_of_an_all_day_series(exdate: str) -> None:
    lines = ["DTSTART;VALUE=DATE:20260910", "RRULE:FREQ=DAILY;COUNT=3", exdate]
    reading = read_events(vevent("days", *lines))
    assert [one.draft.timing.start_local.day for one in reading.take] == [10, 12]
    assert all(one.draft.timing.all_day for one in reading.take)


def test_rdates_add_occurrences_and_a_period_brings_its_own_length() -> None:
    more = ["RDATE;TZID=Europe/Paris:20260920T110000,20260921T110000"]
    more += ["RDATE;VALUE=PERIOD;TZID=Europe/Paris:20260922T110000/PT3H", "RDATE;VALUE=DATE:20260923"]
    reading = read_events(vevent("more", *DAILY[:2], *more))
    assert starts(reading) == days(10, 20, 21, 22, 23)
    lengths = [
        timing.end_at - timing.start_at
        for one in reading.take
        if (timing := one.draft.timing).end_at is not None
    ]
    assert lengths == [timedelta(hours=hours) for hours in (1, 1, 1, 3, 1)]


def exception(slot: str, *lines: str) -> list[str]:
    return vevent("daily", f"RECURRENCE-ID;TZID=Europe/Paris:{slot}", *lines)


def test_r42_an_occurrence_that_was_moved_is_where_it_was_moved_to_and_nowhere_else() -> None:
    moved = exception("20260911T110000", "DTSTART;TZID=Europe/Paris:20260911T130000", "SUMMARY:Moved")
    far = exception("20260912T110000", "DTSTART:20260925T080000Z")
    for order in ([vevent("daily", *DAILY), moved, far], [far, moved, vevent("daily", *DAILY)]):
        assert starts(read_events(*order)) == [
            "2026-09-10T09:00Z",
            "2026-09-11T11:00Z",
            "2026-09-25T08:00Z",
            "2026-09-13T09:00Z",
        ]


def test_r42_a_moved_occurrence_keeps_its_id_and_brings_its_own_alarm() -> None:
    plain = read_events(vevent("daily", *DAILY))
    moved = exception("20260911T110000", "DTSTART;TZID=Europe/Paris:20260911T130000")
    moved[-1:] = ["BEGIN:VALARM", "TRIGGER:-PT5M", "END:VALARM", "END:VEVENT"]
    reading = read_events(vevent("daily", *DAILY), moved)
    assert [one.event_id for one in reading.take] == [one.event_id for one in plain.take]
    assert [str(one.draft.triggers[0]) for one in reading.take][1] == "start-5m"


def test_r42_a_cancelled_occurrence_is_not_taken_and_is_called_off() -> None:
    plain = read_events(vevent("daily", *DAILY))
    off = exception("20260911T110000", "DTSTART;TZID=Europe/Paris:20260911T110000", "STATUS:CANCELLED")
    reading = read_events(vevent("daily", *DAILY), off)
    assert starts(reading) == days(10, 12, 13)
    assert list(reading.cancelled) == [plain.take[1].event_id]


def test_an_occurrence_both_excluded_and_moved_is_excluded() -> None:
    moved = exception("20260911T110000", "DTSTART;TZID=Europe/Paris:20260911T130000")
    excluded = vevent("daily", *DAILY, "EXDATE;TZID=Europe/Paris:20260911T110000")
    assert starts(read_events(excluded, moved)) == days(10, 12, 13)


def test_r43_an_exception_with_a_copied_rule_is_one_occurrence() -> None:
    copied = exception(
        "20260911T110000", "DTSTART;TZID=Europe/Paris:20260911T130000", "RRULE:FREQ=WEEKLY;COUNT=9"
    )
    assert len(starts(read_events(vevent("daily", *DAILY), copied))) == 4


def test_this_and_future_moves_what_follows() -> None:
    later = vevent(
        "daily",
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Paris:20260912T110000",
        "DTSTART;TZID=Europe/Paris:20260912T120000",
    )
    assert starts(read_events(vevent("daily", *DAILY), later)) == [
        *days(10, 11),
        "2026-09-12T10:00Z",
        "2026-09-13T10:00Z",
    ]


def test_an_exception_that_cannot_be_read_gives_no_reminder_at_a_time_that_may_be_wrong() -> None:
    broken = exception("20260911T110000", "DTSTART:never")
    reading = read_events(vevent("daily", *DAILY), broken)
    assert starts(reading) == days(10, 12, 13)
    untouched = read_events(vevent("daily", *DAILY)).take[1].event_id
    assert untouched not in {*reading.gone, *reading.cancelled}
    assert len(refusals(reading)) == 1


def test_exceptions_without_their_series_are_events_of_their_own() -> None:
    alone = exception("20260911T110000", "DTSTART;TZID=Europe/Paris:20260911T130000")
    reading = read_events(alone)
    assert starts(reading) == ["2026-09-11T11:00Z"]
    with_series = read_events(vevent("daily", *DAILY), alone)
    assert only(reading).event_id == with_series.take[1].event_id


def test_a_series_put_to_another_hour_keeps_the_ids_of_its_occurrences() -> None:
    later = [DAILY[0].replace("T110000", "T120000"), *DAILY[1:]]
    before, after = read_events(vevent("daily", *DAILY)), read_events(vevent("daily", *later))
    assert starts(before) != starts(after)
    assert [one.event_id for one in before.take] == [one.event_id for one in after.take]


def test_several_occurrences_a_day_have_ids_of_their_own() -> None:
    lines = ["DTSTART:20260910T080000Z", "RRULE:FREQ=DAILY;COUNT=6;BYHOUR=8,12,16"]
    assert len({one.event_id for one in read_events(vevent("thrice", *lines)).take}) == 6


def test_the_same_uid_of_another_tenant_or_owner_is_another_event() -> None:
    one = only(read_events(vevent("x", "DTSTART:20260910T080000Z"))).event_id
    other = only(read_events(vevent("x", "DTSTART:20260910T080000Z"), owner_user_id=UUID(int=9))).event_id
    assert one != other


def test_r24_a_series_holds_its_wall_clock_over_a_clock_change() -> None:
    lines = ["DTSTART;TZID=Europe/Berlin:20261024T023000", "RRULE:FREQ=DAILY;COUNT=3"]
    assert starts(read_events(vevent("night", *lines))) == [
        "2026-10-24T00:30Z",
        "2026-10-25T00:30Z",
        "2026-10-26T01:30Z",
    ]
    lines = ["DTSTART;TZID=Europe/Berlin:20260328T023000", "RRULE:FREQ=DAILY;COUNT=3"]
    assert starts(read_events(vevent("night", *lines), now=datetime(2026, 3, 27, tzinfo=UTC))) == [
        "2026-03-28T01:30Z",
        "2026-03-29T01:30Z",
        "2026-03-30T00:30Z",
    ]


def test_r47_monthly_on_the_31st_leaves_out_the_short_months_as_the_rfc_has_it() -> None:
    lines = ["DTSTART:20260731T100000Z", "RRULE:FREQ=MONTHLY"]
    assert starts(read_events(vevent("month", *lines), horizon=timedelta(days=130))) == [
        "2026-10-31T10:00Z",
        "2026-12-31T10:00Z",
    ]


def test_a_series_is_taken_from_now_to_the_horizon_and_no_further() -> None:
    lines = ["DTSTART:20200101T120000Z", "RRULE:FREQ=DAILY"]
    found = starts(read_events(vevent("old", *lines), horizon=timedelta(days=10)))
    assert found[0] == "2026-09-01T12:00Z"
    assert found[-1] == "2026-09-10T12:00Z"
    assert len(found) == 10


def test_an_occurrence_under_way_is_taken_and_one_that_is_over_is_not() -> None:
    long = ["DTSTART:20260801T070000Z", "DURATION:PT2H", "RRULE:FREQ=DAILY;UNTIL=20260901"]
    assert starts(read_events(vevent("long", *long))) == [at(NOW - timedelta(hours=1))]
    short = ["DTSTART:20260801T070000Z", "DURATION:PT30M", "RRULE:FREQ=DAILY;UNTIL=20260901"]
    assert starts(read_events(vevent("short", *short))) == []


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["DTSTART:20260801T100000Z"], "skipped_past"),
        (["DTSTART:20270801T100000Z", "RRULE:FREQ=DAILY"], "skipped_outside"),
        (["DTSTART:20200801T100000Z", "RRULE:FREQ=YEARLY"], "skipped_outside"),
        (["DTSTART:20200801T100000Z", "RDATE:20270801T100000Z"], "skipped_outside"),
        (["DTSTART:20200801T100000Z", "RDATE:20270801T100000Z", "EXDATE:20270801T100000Z"], "skipped_past"),
        (["DTSTART:20200801T100000Z", "RRULE:FREQ=DAILY;COUNT=3"], "skipped_past"),
    ],
)
def test_what_is_over_or_beyond_the_horizon_is_skipped_and_counted(lines: list[str], count: str) -> None:
    reading = read_events(vevent("elsewhere", *lines))
    assert not reading.take
    assert reading.notes.counts == {count: 1}


@pytest.mark.parametrize("year", [2027, 2030, 2199])
def test_a_single_event_is_taken_however_far_ahead_it_is(year: int) -> None:
    reading = read_events(vevent("far", f"DTSTART:{year}0801T100000Z"))
    assert starts(reading) == [f"{year}-08-01T10:00Z"]


def test_a_series_beyond_the_horizon_is_named_with_its_next_occurrence() -> None:
    yearly = ["DTSTART;VALUE=DATE:20100714", "RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:20270714"]
    over = vevent("over", "DTSTART:20200801T100000Z", "RRULE:FREQ=DAILY;COUNT=3")
    reading = read_events(over, vevent("birthday", *yearly))
    (warning,) = reading.notes.warnings()
    assert warning.text.startswith(
        "the series 'birthday' has no occurrence within 90 days, the next is on 2028-07-14"
    )


def test_of_many_series_beyond_the_horizon_a_hundred_are_named() -> None:
    later = [vevent(f"u{n}", "DTSTART:20270801T100000Z", "RRULE:FREQ=DAILY") for n in range(150)]
    warnings = read_events(*later).notes.warnings()
    assert len(warnings) == 101
    assert warnings[-1].text.startswith("another series")
    assert warnings[-1].count == 50


def test_an_alarm_at_an_instant_belongs_to_one_occurrence_only() -> None:
    alarms = [["TRIGGER:20260911T120000Z"], ["TRIGGER:-PT5M"]]
    reading = read_events(vevent("daily", *DAILY, alarms=alarms))
    assert [len(one.draft.triggers) for one in reading.take] == [1, 1, 2, 1]


def test_of_two_components_of_one_uid_the_one_with_the_higher_sequence_counts() -> None:
    new = vevent("twice", "DTSTART:20260910T080000Z", "SEQUENCE:2")
    old = vevent("twice", "DTSTART:20260911T080000Z", "SEQUENCE:1")
    reading = read_events(new, old)
    assert starts(reading) == ["2026-09-10T08:00Z"]
    assert "stands in its place" in refusals(reading)[0][2]


def test_an_event_without_uid_has_the_same_id_at_every_import() -> None:
    bare = ["BEGIN:VEVENT", "DTSTART:20260910T080000Z", "SUMMARY:Same", "END:VEVENT"]
    other = ["BEGIN:VEVENT", "DTSTART:20260911T080000Z", "SUMMARY:Same", "END:VEVENT"]
    reading = read_events(bare, other)
    assert len({one.event_id for one in reading.take}) == 2
    assert only(read_events(bare)).event_id == reading.take[0].event_id


# January has no 366th day of the year; no look at the parts says so.
ENDLESS = "FREQ=DAILY;BYMONTH=1;BYYEARDAY=366"
BOMBS = [
    ("FREQ=SECONDLY", "recurs by the second"),
    ("FREQ=SECONDLY;COUNT=1000000000", "recurs by the second"),
    ("FREQ=MINUTELY", "recurs by the minute"),
    ("FREQ=HOURLY", "more than 1000 occurrences"),
    ("FREQ=DAILY;BYHOUR=0,1,2;BYMINUTE=0,1,2;BYSECOND=0,1,2", "more than 24 times a day"),
    ("FREQ=MONTHLY;INTERVAL=0;BYMONTHDAY=1", "INTERVAL that is not 1 or more"),
    ("FREQ=DAILY;INTERVAL=-1", "INTERVAL that is not 1 or more"),
    ("FREQ=DAILY;COUNT=0", "COUNT that is not 1 or more"),
    ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "never comes true"),
    ("FREQ=YEARLY;BYMONTH=2,4;BYMONTHDAY=-31", "never comes true"),
    ("FREQ=MONTHLY;BYMONTHDAY=32", "never comes true"),
    ("FREQ=DAILY;BYMONTH=February;BYMONTHDAY=3", "makes no sense"),
    (ENDLESS, "its RRULE takes too long"),
    ("FREQ=NEVER", "no FREQ that RFC 5545 knows"),
    ("INTERVAL=2", "no FREQ that RFC 5545 knows"),
    ("FREQ=DAILY;UNTIL=soon", "UNTIL that is neither"),
    ("FREQ=DAILY;BYDAY=XX", "makes no sense"),
    ("FREQ=DAILY;BYHOUR=99", "makes no sense|cannot be reckoned"),
    ("FREQ=DAILY;FREQ=WEEKLY", "makes no sense"),
    ("FREQ=DAILY;BYMONTHDAY=" + ",".join(str(n) for n in range(5000)), "longer than 2000 characters"),
]


@pytest.mark.parametrize(("rule", "said"), BOMBS, ids=[rule[:40] for rule, _ in BOMBS])
def test_r45_a_rule_that_is_a_bomb_costs_its_series_only(rule: str, said: str) -> None:
    bomb = vevent("bomb", "DTSTART:20260910T080000Z", f"RRULE:{rule}")
    good = vevent("good", "DTSTART:20260912T080000Z")
    reading = read_events(bomb, good, budgets=[Budget(each=0.5)])
    assert starts(reading) == ["2026-09-12T08:00Z"]
    ((_, uid, reason),) = refusals(reading)
    assert uid == "bomb"
    assert any(part in reason for part in said.split("|"))
    assert not reading.gone


def test_r45_a_billion_occurrences_are_cut_at_the_horizon() -> None:
    bomb = vevent("bomb", "DTSTART:20260910T080000Z", "RRULE:FREQ=DAILY;COUNT=1000000000")
    # From 10 September to 30 November, both at 08:00.
    assert len(read_events(bomb).take) == 82


def test_r45_a_series_of_which_everything_is_excluded_gives_nothing() -> None:
    excluded = [f"EXDATE;VALUE=DATE:202609{day}" for day in (10, 11, 12, 13)]
    assert not read_events(vevent("none", *DAILY, *excluded)).take


def bombs(count: int) -> list[list[str]]:
    return [vevent(f"bomb-{n}", "DTSTART:20260910T080000Z", f"RRULE:{ENDLESS}") for n in range(count)]


def good_series(count: int) -> list[list[str]]:
    return [vevent(f"good-{n}", *DAILY) for n in range(count)]


def test_r45_many_bombs_share_one_budget() -> None:
    budget = Budget(each=0.1, left=0.3)
    reading = read_events(*bombs(50), budgets=[budget])
    assert len(reading.notes.refused) == 50
    assert budget.left == 0


def test_r45_bombs_cost_no_series_that_comes_after_them() -> None:
    budgets = [rounds()[0], Budget(each=0.1, left=0.5)]
    reading = read_events(*bombs(60), *good_series(20), budgets=budgets)
    assert {one.uid for one in reading.take} == {f"good-{n}" for n in range(20)}
    assert [one.uid for one in reading.notes.refused] == [f"bomb-{n}" for n in range(60)]


def test_r45_series_for_which_no_time_was_left_come_first_in_the_next_round() -> None:
    budgets = [Budget(each=0.02, left=0.1), Budget(each=0.5, left=1.0)]
    reading = read_events(*bombs(5), *good_series(5), budgets=budgets)
    assert {one.uid for one in reading.take} == {f"good-{n}" for n in range(5)}


def test_a_series_for_which_no_time_was_left_is_not_called_slow() -> None:
    reading = read_events(*bombs(2), *good_series(1), budgets=[Budget(each=0.1, left=0.2)])
    reasons = [reason for _, _, reason in refusals(reading)]
    assert reasons[0] == "its RRULE takes too long to reckon"
    assert reasons[2].startswith("its RRULE was not reckoned: those of other series in the file")


def test_a_slow_series_is_reckoned_in_a_later_round() -> None:
    old = vevent("old", "DTSTART:19000101T100000Z", "RRULE:FREQ=DAILY")
    first, last = Budget(each=0.001, left=0.001), Budget(each=20.0, left=20.0)
    assert read_events(old, budgets=[first, last]).take
    assert first.left == 0


def test_a_rule_on_a_day_that_one_of_its_months_has_is_no_bomb() -> None:
    for rule in (
        "FREQ=DAILY;BYMONTH=2,10;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYMONTHDAY=31,32",
        "FREQ=YEARLY;BYMONTHDAY=-31",
    ):
        reading = read_events(
            vevent("some", "DTSTART:20260910T080000Z", f"RRULE:{rule}"), horizon=timedelta(days=60)
        )
        assert not refusals(reading)
        assert len(reading.take) >= 2


def test_an_ordinary_series_is_done_in_the_first_round() -> None:
    budgets = rounds()
    read_events(vevent("old", "DTSTART:20200101T100000Z", "RRULE:FREQ=WEEKLY"), budgets=budgets)
    assert [budget.left for budget in budgets[1:]] == [budget.left for budget in rounds()[1:]]


def test_a_budget_leaves_no_profiler_behind() -> None:
    before = sys.getprofile()
    read_events(vevent("daily", *DAILY))
    assert sys.getprofile() is before


def test_a_series_with_an_all_day_default_is_reminded_of_each_day() -> None:
    lines = ["DTSTART;VALUE=DATE:20260910", "RRULE:FREQ=DAILY;COUNT=1"]
    assert spelled(read_events(vevent("days", *lines))) == ["start-1d@09:00"]
