"""A file put into the calendar: once, again, changed, and called off."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import pytest

from adapters.inbound.ics.importing import import_file, silent
from adapters.inbound.ics.report import Report
from adapters.inbound.ics.source import Unreadable
from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.store import MemoryStore
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from application.calendar import Calendar
from domain.reminder import SkipReason, Status
from domain.values import EventStatus
from tests.adapters.ics_files import CLIENT, NOW, OWNER, TENANT, at, options, vcalendar, vevent

Import = Callable[..., Report]

SINGLE = vevent("single", "SUMMARY:Созвон", "DTSTART:20260910T080000Z", alarms=[["TRIGGER:-PT30M"]])
WEEKLY = (
    "SUMMARY:Weekly",
    "DTSTART;TZID=Europe/Berlin:20260908T100000",
    "DURATION:PT1H",
    "RRULE:FREQ=WEEKLY;COUNT=4",
)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(NOW)


@pytest.fixture
def calendar(store: MemoryStore, clock: SettableClock) -> Calendar:
    return Calendar(MemoryLedger(store), clock, CountedIds())


@pytest.fixture
def put(store: MemoryStore, calendar: Calendar, clock: SettableClock, tmp_path: Path) -> Import:
    def put(*components: Sequence[str], also: Sequence[str] = (), **differently: object) -> Report:
        file = tmp_path / "calendar.ics"
        file.write_bytes(vcalendar(*components, also=also))
        imports = MemoryImports(store)
        return import_file(file, calendar, imports, options(now=clock.now(), **differently), silent)

    return put


def planned(store: MemoryStore) -> list[str]:
    """When the events start that are still to be, in UTC."""
    return sorted(at(one.state.timing.start_at) for one in store.events.values() if one.state.status.is_open)


def pending(store: MemoryStore) -> list[str]:
    return sorted(
        at(row.state.due_at) for row in store.reminders.values() if row.state.status is Status.PENDING
    )


def test_an_event_arrives_with_its_title_client_and_reminder(store: MemoryStore, put: Import) -> None:
    report = put(SINGLE, client_user_id=CLIENT)
    ((event_id, event),) = store.events.items()
    assert (event.state.tenant_id, event.state.owner_user_id) == (TENANT, OWNER)
    assert event.state.client_user_id == CLIENT
    assert store.titles[event_id] == "Созвон"
    assert pending(store) == ["2026-09-10T07:30Z"]
    assert (report.counts.events_new, report.counts.reminders_made) == (1, 1)


def test_r44_the_same_file_again_makes_nothing_new(store: MemoryStore, put: Import) -> None:
    off = vevent(
        "weekly",
        "RECURRENCE-ID;TZID=Europe/Berlin:20260915T100000",
        "DTSTART;TZID=Europe/Berlin:20260915T100000",
        "STATUS:CANCELLED",
    )
    file = [SINGLE, vevent("weekly", *WEEKLY), off, vevent("day", "DTSTART;VALUE=DATE:20260920")]
    first = put(*file)
    history = dict(store.history)
    second = put(*file)
    assert first.counts.events_new == 5
    assert (second.counts.events_taken, second.counts.events_unchanged) == (5, 5)
    assert (second.counts.reminders_made, second.counts.events_cancelled) == (0, 0)
    assert store.history == history


def test_an_event_that_was_moved_in_the_file_moves(store: MemoryStore, put: Import) -> None:
    put(SINGLE)
    moved = [line.replace("20260910T080000Z", "20260911T090000Z") for line in SINGLE]
    report = put([*moved[:-1], "SEQUENCE:1", moved[-1]])
    assert report.counts.events_moved == 1
    assert planned(store) == ["2026-09-11T09:00Z"]
    assert pending(store) == ["2026-09-11T08:30Z"]
    assert len(store.events) == 1


def test_alarms_that_changed_in_the_file_change_the_reminders(store: MemoryStore, put: Import) -> None:
    put(SINGLE)
    report = put([line.replace("-PT30M", "-PT45M") for line in SINGLE])
    assert report.counts.events_changed == 1
    assert pending(store) == ["2026-09-10T07:15Z"]


def test_an_event_cancelled_in_the_file_is_cancelled_where_it_is_known(
    store: MemoryStore, put: Import
) -> None:
    put(SINGLE)
    called_off = [*SINGLE[:-1], "STATUS:CANCELLED", SINGLE[-1]]
    unknown = vevent("unknown", "DTSTART:20260911T080000Z", "STATUS:CANCELLED")
    report = put(called_off, unknown)
    assert (report.counts.events_cancelled, report.counts.skipped_cancelled) == (1, 1)
    assert [one.state.status for one in store.events.values()] == [EventStatus.CANCELLED]
    assert [row.state.reason for row in store.reminders.values()] == [SkipReason.CANCELLED]
    again = put(called_off, unknown)
    assert again.counts.events_cancelled == 0


def test_a_file_that_calls_off_cancels_what_is_known_and_plans_nothing(
    store: MemoryStore, put: Import
) -> None:
    put(SINGLE, vevent("weekly", *WEEKLY))
    put(SINGLE, vevent("weekly", *WEEKLY), vevent("new", "DTSTART:20260912T080000Z"), also=["METHOD:CANCEL"])
    assert planned(store) == []
    assert len(store.events) == 5


def test_a_series_put_to_another_hour_leaves_no_old_occurrence_behind(
    store: MemoryStore, put: Import
) -> None:
    put(vevent("weekly", *WEEKLY))
    report = put(vevent("weekly", *[line.replace("T100000", "T113000") for line in WEEKLY]))
    assert report.counts.events_moved == 4
    assert planned(store) == [f"2026-09-{day:02d}T09:30Z" for day in (8, 15, 22, 29)]
    assert pending(store) == [f"2026-09-{day:02d}T09:15Z" for day in (8, 15, 22, 29)]


def test_a_series_put_to_another_day_cancels_the_old_occurrences(store: MemoryStore, put: Import) -> None:
    put(vevent("weekly", *WEEKLY))
    report = put(vevent("weekly", *[line.replace("20260908", "20260909") for line in WEEKLY]))
    assert (report.counts.events_new, report.counts.events_cancelled) == (4, 4)
    assert planned(store) == [f"2026-09-{day:02d}T08:00Z" for day in (9, 16, 23, 30)]


def test_a_single_event_that_becomes_a_series_leaves_nothing_behind(store: MemoryStore, put: Import) -> None:
    put(vevent("weekly", *WEEKLY[:3]))
    put(vevent("weekly", *WEEKLY))
    assert planned(store) == [f"2026-09-{day:02d}T08:00Z" for day in (8, 15, 22, 29)]


def test_an_occurrence_taken_out_of_a_series_is_cancelled(store: MemoryStore, put: Import) -> None:
    put(vevent("weekly", *WEEKLY))
    report = put(vevent("weekly", *WEEKLY, "EXDATE;TZID=Europe/Berlin:20260915T100000"))
    assert report.counts.events_cancelled == 1
    assert planned(store) == [f"2026-09-{day:02d}T08:00Z" for day in (8, 22, 29)]


def test_an_occurrence_taken_out_after_it_was_is_left_in_peace(
    store: MemoryStore, put: Import, clock: SettableClock
) -> None:
    put(vevent("weekly", *WEEKLY))
    clock.set(datetime(2026, 9, 16, tzinfo=UTC))
    report = put(vevent("weekly", *WEEKLY, "EXDATE;TZID=Europe/Berlin:20260915T100000"))
    assert report.counts.events_cancelled == 0


def test_what_is_called_off_and_what_is_gone_end_in_one_import(store: MemoryStore, put: Import) -> None:
    put(SINGLE, vevent("weekly", *WEEKLY))
    shorter = vevent("weekly", *WEEKLY[:3], "RRULE:FREQ=WEEKLY;COUNT=3")
    report = put([*SINGLE[:-1], "STATUS:CANCELLED", SINGLE[-1]], shorter)
    assert report.counts.events_cancelled == 2


def test_a_series_cut_short_cancels_what_would_have_come(store: MemoryStore, put: Import) -> None:
    put(vevent("weekly", *WEEKLY))
    put(vevent("weekly", *WEEKLY[:3], "RRULE:FREQ=WEEKLY;COUNT=2"))
    assert planned(store) == ["2026-09-08T08:00Z", "2026-09-15T08:00Z"]


def test_a_known_occurrence_moved_beyond_the_horizon_follows(store: MemoryStore, put: Import) -> None:
    put(vevent("weekly", *WEEKLY))
    far = vevent(
        "weekly",
        "RECURRENCE-ID;TZID=Europe/Berlin:20260915T100000",
        "DTSTART;TZID=Europe/Berlin:20270315T100000",
    )
    report = put(vevent("weekly", *WEEKLY), far)
    assert (report.counts.events_moved, report.counts.events_cancelled) == (1, 0)
    assert planned(store)[-1] == "2027-03-15T09:00Z"


def test_a_known_event_moved_into_the_past_reminds_of_nothing_any_more(
    store: MemoryStore, put: Import
) -> None:
    put(SINGLE)
    put([line.replace("20260910", "20260801") for line in SINGLE])
    assert pending(store) == []


def test_occurrences_that_are_over_are_left_as_they_are_by_a_later_import(
    store: MemoryStore, put: Import, clock: SettableClock
) -> None:
    put(vevent("weekly", *WEEKLY))
    clock.set(datetime(2026, 9, 16, tzinfo=UTC))
    report = put(vevent("weekly", *WEEKLY))
    assert report.counts.events_cancelled == 0
    assert len(planned(store)) == 4


def test_a_reminder_whose_time_has_passed_is_kept_as_skipped(store: MemoryStore, put: Import) -> None:
    report = put(vevent("soon", f"DTSTART:{NOW + timedelta(minutes=5):%Y%m%dT%H%M%SZ}"))
    assert report.counts.reminders_past == 1
    assert [row.state.reason for row in store.reminders.values()] == [SkipReason.PAST]


def test_an_event_cancelled_by_hand_stays_cancelled(
    store: MemoryStore, put: Import, calendar: Calendar
) -> None:
    put(SINGLE)
    (event_id,) = store.events
    calendar.cancel(event_id)
    report = put(SINGLE)
    assert (report.counts.events_taken, report.counts.events_over) == (0, 1)
    assert planned(store) == []


def test_an_unreadable_file_changes_nothing(store: MemoryStore, calendar: Calendar, tmp_path: Path) -> None:
    file = tmp_path / "half.ics"
    file.write_bytes(vcalendar(SINGLE, vevent("weekly", *WEEKLY))[:-20])
    with pytest.raises(Unreadable):
        import_file(file, calendar, MemoryImports(store), options())
    assert not store.events


def test_bad_components_cost_themselves_and_the_report_says_why(store: MemoryStore, put: Import) -> None:
    report = put(
        SINGLE,
        vevent("bad", "DTSTART:20260910T080000Z", "DTEND:20260910T070000Z", "SUMMARY:Secret plan"),
        vevent("bomb", "DTSTART:20260910T080000Z", "RRULE:FREQ=SECONDLY", "SUMMARY:Secret bomb"),
        vevent("odd", "DTSTART;TZID=Nowhere/Land:20260910T080000", "SUMMARY:Secret zone"),
    )
    assert len(store.events) == 2
    lines = list(report.lines())
    text = "\n".join([*lines, repr(report)])
    assert "Secret" not in text
    assert lines[0].startswith("events: 2 taken (2 new")
    assert "  line 15: VEVENT 'bad': it ends before it starts (DTEND on line 19)" in lines
    assert any("'Nowhere/Land' is unknown" in line for line in lines)


def test_a_report_can_be_turned_into_plain_values(put: Import) -> None:
    report = put(SINGLE, vevent("bad"))
    plain = attrs.asdict(report)
    assert plain["counts"]["events_new"] == 1
    assert plain["refused"][0]["reason"] == "it has no DTSTART"


def test_progress_is_told_from_nothing_to_all(calendar: Calendar, tmp_path: Path) -> None:
    file = tmp_path / "calendar.ics"
    file.write_bytes(vcalendar(SINGLE, vevent("weekly", *WEEKLY)))
    told: list[tuple[int, int]] = []
    imports = MemoryImports(MemoryStore())
    import_file(file, calendar, imports, options(), lambda done, total: told.append((done, total)))
    assert told == [(done, 5) for done in range(6)]


def test_an_event_cancelled_by_hand_and_moved_in_the_file_is_told_to_be_left_alone(
    store: MemoryStore, put: Import, calendar: Calendar
) -> None:
    put(SINGLE)
    (event_id,) = store.events
    calendar.cancel(event_id)
    before = store.events[event_id]
    report = put([line.replace("20260910T080000Z", "20260911T090000Z") for line in SINGLE])
    assert (report.counts.events_over, report.counts.events_unchanged, report.counts.events_moved) == (
        1,
        0,
        0,
    )
    assert "over, left alone: 1 cancelled here, or completed and moved in the file" in report.lines()
    assert store.events[event_id] == before


def test_an_event_with_another_title_alone_is_told_to_be_changed(store: MemoryStore, put: Import) -> None:
    put(SINGLE)
    report = put([line.replace("SUMMARY:Созвон", "SUMMARY:Разговор") for line in SINGLE])
    assert (report.counts.events_changed, report.counts.events_unchanged) == (1, 0)
    assert list(store.titles.values()) == ["Разговор"]


def test_a_client_stays_when_the_file_comes_again_without_one_unless_told_otherwise(
    store: MemoryStore, put: Import
) -> None:
    put(SINGLE, client_user_id=CLIENT)
    assert put(SINGLE).counts.events_unchanged == 1
    ((event_id, event),) = store.events.items()
    assert event.state.client_user_id == CLIENT
    assert put(SINGLE, no_client=True).counts.events_changed == 1
    assert store.events[event_id].state.client_user_id is None


def test_tasks_and_journals_are_counted_as_what_they_are(put: Import) -> None:
    task = ["BEGIN:VTODO", "UID:task", "SUMMARY:x", "END:VTODO"]
    journal = ["BEGIN:VJOURNAL", "UID:journal", "END:VJOURNAL"]
    report = put(SINGLE, task, task, journal)
    assert (report.counts.skipped_todos, report.counts.skipped_journals) == (2, 1)
    assert "skipped: 2 VTODO, 1 VJOURNAL, which are no events" in report.lines()


def test_the_zone_told_is_the_one_that_times_without_a_zone_were_taken_in(
    store: MemoryStore, put: Import
) -> None:
    floating = vevent("floating", "DTSTART:20260910T100000")
    assert put(floating).zones == ("Europe/Berlin",)
    assert planned(store) == ["2026-09-10T08:00Z"]
    assert put(floating, also=["X-WR-TIMEZONE:Asia/Tokyo"]).zones == ("Asia/Tokyo",)
    assert planned(store) == ["2026-09-10T01:00Z"]
