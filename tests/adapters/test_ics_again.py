"""A calendar that is read again and again: what moved, what is older, what is gone, what has another UID."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve

from adapters.inbound.ics.identity import Identity
from application.ports.imports import Revision
from application.ports.ledger import Context
from domain.reminder import SkipReason, Status
from domain.values import EventStatus
from tests.adapters.ics_desk import STORES, TEAM, UNTIL, Desk, opened_desk, single
from tests.adapters.ics_files import NOW, options, vevent


@pytest.fixture(params=STORES)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with opened_desk(request.param, request, tmp_path) as desk:
        yield desk


def test_r44_twice_then_moved_then_called_off(desk: Desk) -> None:
    desk.read(single("x", 10, "SEQUENCE:1"))
    again = desk.read(single("x", 10, "SEQUENCE:1"))
    assert (again.counts.events_new, again.counts.events_unchanged, again.counts.reminders_made) == (0, 1, 0)
    moved = desk.read(single("x", 10, "SEQUENCE:2", hour=12))
    assert (moved.counts.events_moved, desk.pending()) == (1, ["2026-09-10T11:45Z"])
    called_off = desk.read(single("x", 10, "SEQUENCE:3", hour=12), also=["METHOD:CANCEL"])
    assert (called_off.counts.events_cancelled, desk.pending()) == (1, [])


def test_r44_a_lower_sequence_than_was_taken_overwrites_nothing(desk: Desk) -> None:
    desk.read(single("x", 10, "SEQUENCE:2", hour=12))
    older = desk.read(single("x", 10, "SEQUENCE:1"))
    assert (older.counts.skipped_older, older.counts.events_taken) == (1, 0)
    assert desk.pending() == ["2026-09-10T11:45Z"]


def test_r44_a_lower_sequence_calls_nothing_off(desk: Desk) -> None:
    desk.read(single("x", 10, "SEQUENCE:2"))
    older = desk.read(single("x", 10, "SEQUENCE:1", "STATUS:CANCELLED"))
    assert (older.counts.skipped_older, older.counts.events_cancelled) == (1, 0)
    assert desk.pending() == ["2026-09-10T07:45Z"]


def test_a_file_that_states_no_sequence_is_believed(desk: Desk) -> None:
    desk.read(single("x", 10, "SEQUENCE:2"))
    assert desk.read(single("x", 10, hour=12)).counts.events_moved == 1
    assert desk.read(single("x", 10, "SEQUENCE:1")).counts.skipped_older == 1


WEEKLY = ("DTSTART:20260908T080000Z", "RRULE:FREQ=WEEKLY;COUNT=3", "SEQUENCE:4")


def test_an_exception_that_counts_for_itself_is_as_new_as_its_series(desk: Desk) -> None:
    desk.read(vevent("weekly", *WEEKLY))
    moved = vevent("weekly", "RECURRENCE-ID:20260915T080000Z", "DTSTART:20260915T120000Z", "SEQUENCE:1")
    assert desk.read(vevent("weekly", *WEEKLY), moved).counts.events_moved == 1
    older = [line.replace("SEQUENCE:4", "SEQUENCE:3") for line in WEEKLY]
    assert desk.read(vevent("weekly", *older)).counts.skipped_older == 3
    assert desk.pending() == ["2026-09-08T07:45Z", "2026-09-15T11:45Z", "2026-09-22T07:45Z"]


def test_r44_new_uids_for_the_same_events_make_no_new_ones(desk: Desk) -> None:
    series = vevent("s-1", *WEEKLY[:2], "SUMMARY:Weekly")
    desk.read(single("a-1", 10), single("b-1", 10), single("c-1", 12), series)
    pending = desk.pending()
    for turn in (2, 3):
        renamed = vevent(f"s-{turn}", *WEEKLY[:2], "SUMMARY:Weekly")
        report = desk.read(single(f"b-{turn}", 10), single(f"c-{turn}", 12), single(f"a-{turn}", 10), renamed)
        assert (report.counts.events_new, report.counts.events_unchanged) == (0, 6)
        assert report.counts.events_cancelled == 0
        assert desk.pending() == pending


def test_an_event_that_was_known_again_follows_under_its_new_uid(desk: Desk) -> None:
    desk.read(single("old", 10), single("stays", 11))
    desk.read(single("new", 10), single("stays", 11))
    assert desk.read(single("new", 10, hour=12), single("stays", 11)).counts.events_moved == 1
    report = desk.read(single("new", 10, "STATUS:CANCELLED", hour=12), single("stays", 11))
    assert report.counts.events_cancelled == 1
    assert desk.pending() == ["2026-09-11T07:45Z"]


def test_an_equal_event_of_another_calendar_is_another_event(desk: Desk) -> None:
    desk.read(single("one", 10))
    assert desk.read(single("two", 10), also=["X-WR-CALNAME:Other"]).counts.events_new == 1
    assert len(desk.pending()) == 2


def test_an_event_that_vanished_from_its_calendar_is_cancelled(desk: Desk) -> None:
    desk.read(single("stays", 10), single("goes", 11))
    report = desk.read(single("stays", 10))
    assert report.counts.events_cancelled == 1
    assert desk.pending() == ["2026-09-10T07:45Z"]
    (gone,) = [one for one in _skipped(desk) if one is SkipReason.CANCELLED]
    assert gone is SkipReason.CANCELLED
    assert desk.read(single("stays", 10)).counts.events_cancelled == 0


def test_with_keep_missing_it_stays(desk: Desk) -> None:
    desk.read(single("stays", 10), single("goes", 11))
    assert desk.read(single("stays", 10), keep_missing=True).counts.events_cancelled == 0
    assert len(desk.pending()) == 2


def test_another_calendar_of_the_same_owner_keeps_its_events(desk: Desk) -> None:
    desk.read(single("here", 10))
    desk.read(single("there", 11), also=["X-WR-CALNAME:Other"])
    desk.read(single("neither", 12), calendar="third")
    assert len(desk.pending()) == 3


def test_the_name_that_is_asked_for_counts_before_the_one_in_the_file(desk: Desk) -> None:
    desk.read(single("a", 10), calendar="work")
    report = desk.read(single("b", 11), also=["X-WR-CALNAME:Renamed"], calendar="work")
    assert report.counts.events_cancelled == 1


def test_a_message_about_one_event_is_not_the_whole_calendar(desk: Desk) -> None:
    desk.read(single("a", 10), single("b", 11))
    for method in ("REQUEST", "CANCEL", "ADD"):
        report = desk.read(single("b", 11), also=[*TEAM, f"METHOD:{method}"])
        assert report.counts.events_cancelled == (method == "CANCEL")
    assert desk.pending() == ["2026-09-10T07:45Z"]


def test_a_file_without_a_name_that_shares_nothing_with_the_last_one_cancels_nothing(desk: Desk) -> None:
    desk.read(single("first", 10), also=(), name="event.ics")
    report = desk.read(single("second", 11), also=(), name="event.ics")
    assert report.counts.events_cancelled == 0
    assert "1 events of before that are not in it were left" in report.warnings[0].text
    assert len(desk.pending()) == 2


def test_a_file_without_a_name_is_known_again_by_the_file_s_own(desk: Desk) -> None:
    desk.read(single("a", 10), single("b", 11), also=(), name="team.ics")
    assert desk.read(single("c", 12), also=(), name="other.ics").counts.events_cancelled == 0
    assert desk.read(single("a", 10), also=(), name="team.ics").counts.events_cancelled == 1


def test_a_component_that_cannot_be_read_is_not_taken_for_gone(desk: Desk) -> None:
    desk.read(single("a", 10), single("b", 11))
    broken = [line.replace("DTSTART:20260911T080000Z", "DTSTART:never") for line in single("b", 11)]
    assert desk.read(single("a", 10), broken).counts.events_cancelled == 0
    nameless = [line for line in broken if not line.startswith("UID")]
    report = desk.read(single("a", 10), nameless)
    assert report.counts.events_cancelled == 0
    assert "a VEVENT without a UID could not be read" in report.warnings[0].text


def test_what_has_begun_is_not_cancelled_because_the_file_has_it_no_longer(desk: Desk) -> None:
    desk.read(single("goes", 10), single("stays", 20))
    desk.clock.set(NOW + timedelta(days=9, minutes=1))
    assert desk.read(single("stays", 20)).counts.events_cancelled == 0


def test_an_event_beyond_a_shorter_horizon_is_still_in_the_file(desk: Desk) -> None:
    series = vevent("s", "DTSTART:20260902T080000Z", "RRULE:FREQ=WEEKLY;COUNT=6")
    desk.read(single("near", 3), single("far", 25), series)
    before = desk.pending()
    report = desk.read(single("near", 3), single("far", 25), series, horizon=timedelta(days=7))
    assert report.counts.events_cancelled == 0
    assert desk.pending() == before


def test_an_event_that_is_in_the_calendar_again_is_planned_again(desk: Desk) -> None:
    both = [single("a", 10), single("b", 11)]
    desk.read(*both)
    for _ in range(2):
        desk.read(both[0])
        assert desk.pending() == ["2026-09-10T07:45Z"]
        assert desk.read(*both).counts.events_new == 1
        assert desk.pending() == ["2026-09-10T07:45Z", "2026-09-11T07:45Z"]
        assert desk.read(*both).counts.events_unchanged == 2


def test_an_event_that_was_called_off_comes_back_with_a_later_sequence_only(desk: Desk) -> None:
    desk.read(single("a", 10, "SEQUENCE:1"))
    desk.read(single("a", 10, "SEQUENCE:2", "STATUS:CANCELLED"))
    for lines in (["SEQUENCE:1"], ["SEQUENCE:2"], []):
        desk.read(single("a", 10, *lines))
        assert desk.pending() == []
    assert desk.read(single("a", 10, "SEQUENCE:3")).counts.events_new == 1
    assert desk.pending() == ["2026-09-10T07:45Z"]


def test_an_occurrence_that_is_excepted_no_longer_is_planned_again(desk: Desk) -> None:
    series = ["DTSTART:20260908T080000Z", "RRULE:FREQ=WEEKLY;COUNT=3"]
    desk.read(vevent("s", *series))
    desk.read(vevent("s", *series, "EXDATE:20260915T080000Z"))
    assert len(desk.pending()) == 2
    desk.read(vevent("s", *series))
    assert desk.pending() == ["2026-09-08T07:45Z", "2026-09-15T07:45Z", "2026-09-22T07:45Z"]


def _skipped(desk: Desk) -> list[SkipReason | None]:
    events = desk.ledger.events(NOW, UNTIL, 1000, closed_too=True).rows
    rows = [row.state for one in events for row in desk.ledger.reminders(one.event.id)]
    return [row.reason for row in rows if row.status is Status.SKIPPED]


def test_r44_a_series_called_off_without_its_rule_is_called_off_whole(desk: Desk) -> None:
    desk.read(vevent("weekly", *WEEKLY), single("other", 10))
    message = vevent("weekly", WEEKLY[0], "SEQUENCE:5", "STATUS:CANCELLED")
    report = desk.read(message, also=["METHOD:CANCEL"], name="invite.ics")
    assert report.counts.events_cancelled == 3
    assert desk.pending() == ["2026-09-10T07:45Z"]
    assert desk.read(vevent("weekly", *WEEKLY), single("other", 10)).counts.skipped_older == 3


def test_a_series_that_becomes_a_single_event_leaves_no_occurrence_behind(desk: Desk) -> None:
    desk.read(vevent("weekly", *WEEKLY))
    report = desk.read(vevent("weekly", WEEKLY[0], "SEQUENCE:5"))
    assert report.counts.events_cancelled == 3
    assert desk.pending() == ["2026-09-08T07:45Z"]


def test_a_message_calls_off_an_occurrence_and_all_that_follow(desk: Desk) -> None:
    desk.read(vevent("weekly", *WEEKLY))
    off = vevent("weekly", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260915T080000Z", "DTSTART:20260915T080000Z")
    assert desk.read(off, also=["METHOD:CANCEL"], name="invite.ics").counts.events_cancelled == 2
    assert desk.pending() == ["2026-09-08T07:45Z"]


def test_a_series_cut_by_a_cancelled_occurrence_and_all_that_follow_ends_there(desk: Desk) -> None:
    desk.read(vevent("weekly", *WEEKLY))
    off = vevent(
        "weekly",
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20260915T080000Z",
        "DTSTART:20260915T080000Z",
        "STATUS:CANCELLED",
    )
    assert desk.read(vevent("weekly", *WEEKLY), off).counts.events_cancelled == 2
    assert desk.pending() == ["2026-09-08T07:45Z"]


def test_an_event_that_stands_for_something_in_the_file_is_ended_by_nothing_else_of_it(desk: Desk) -> None:
    desk.read(vevent("weekly", *WEEKLY), single("other", 11))
    first = min(
        (row.event for row in desk.ledger.upcoming(UNTIL, 10).rows), key=lambda one: one.timing.start_at
    )
    asked = options(now=desk.clock.now())
    other = Identity(asked.tenant_id, asked.owner_user_id, "other").single()
    (row,) = desk.imports.of_sources([other]).values()
    with desk.ledger.transaction(Context(desk.ids.new())) as transaction:
        transaction.revise([Revision(other, row, evolve(row, event_id=first.id))])
    desk.read(vevent("weekly", WEEKLY[0], "SEQUENCE:5"), single("other", 11))
    found = desk.ledger.event(first.id)
    assert found is not None
    assert found.state.status is EventStatus.PLANNED
