"""Field reports R01 to R23: once and only once, after a change, and late."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.inbound.ics.importing import import_file
from adapters.testkit.threads import at_once
from application.dispatching import CycleResult
from domain.reminder import SkipReason, Status
from tests.adapters.ics_files import options, vcalendar, vevent
from tests.reports.desks import MINUTE, Desk, told, utc

DAY = timedelta(days=1)


@pytest.mark.parametrize("ahead", [timedelta(hours=6), timedelta(days=45)])
def test_r01_any_number_of_wake_ups_while_it_waits_makes_one_message(desk: Desk, ahead: timedelta) -> None:
    now = utc("2026-06-01 10:00")
    desk.clock.set(now)
    desk.plan(told(now + ahead), "start-0m")
    sent = []
    for hour in range(ahead // timedelta(hours=1) + 3):
        for _ in range(4):
            sent += desk.tick(now + hour * timedelta(hours=1) + timedelta(seconds=1))
    assert sent == [now + ahead]
    assert len(desk.messages()) == 1


def test_r02_a_reminder_that_waits_an_hour_is_held_by_nobody_and_outlives_restarts(
    server_desk: Desk,
) -> None:
    now = utc("2026-06-01 10:00")
    server_desk.clock.set(now)
    event = server_desk.plan("2026-06-01 11:01", "start-0m").event
    for minute in range(61):
        assert server_desk.tick(now + minute * MINUTE) == []
        if minute % 20 == 0:
            # Whoever held the row would keep this waiting.
            server_desk.calendar.start(event.id)
            assert server_desk.pending(event.id) == ["2026-06-01 11:01"]
    assert len(server_desk.tick(now + 62 * MINUTE)) == 1
    assert server_desk.tick(now + 65 * MINUTE) == []


def test_r03_four_replicas_and_one_due_row_make_one_message(server_desk: Desk) -> None:
    server_desk.clock.set(utc("2026-06-01 09:00"))
    server_desk.plan("2026-06-01 10:00", "start-15m")
    server_desk.clock.set(utc("2026-06-01 09:46"))
    jobs = [server_desk.job() for _ in range(4)]
    ticks = at_once(*(lambda job=job: list(job.tick()) for job in jobs))
    assert sum(cycle.sent_count for cycle in _cycles(ticks)) == 1
    assert len(server_desk.messages()) == 1


@pytest.mark.parametrize("_", [pytest.param(n, marks=[pytest.mark.prove] * (n > 2)) for n in range(20)])
def test_r04_eight_dispatchers_share_a_thousand_rows_and_none_is_told_twice(
    server_desk: Desk, _: int
) -> None:
    server_desk.clock.set(utc("2026-06-01 09:00"))
    planned = {
        row.id
        for _ in range(100)
        for row in server_desk.plan("2026-06-01 10:00", *(f"start-{15 + n}m" for n in range(10))).reminders
    }
    server_desk.clock.set(utc("2026-06-01 09:46"))
    jobs = [server_desk.job(batch_size=50) for _ in range(8)]
    ticks = at_once(*(lambda job=job: list(job.tick()) for job in jobs))
    ended = Counter(item.reminder_id for cycle in _cycles(ticks) for item in cycle.items)
    ended.update(item.reminder_id for cycle in server_desk.job().tick() for item in cycle.items)
    assert ended == dict.fromkeys(planned, 1)
    assert Counter(message.id for message in server_desk.messages()) == dict.fromkeys(planned, 1)


def test_r07_a_weekly_series_reminds_once_an_occurrence_however_often_it_is_looked_at(
    desk: Desk, tmp_path: Path
) -> None:
    start = utc("2026-09-07 00:00")
    desk.clock.set(start)
    file = tmp_path / "weekly.ics"
    lines = "DTSTART:20260907T100000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=4"
    file.write_bytes(vcalendar(vevent("weekly", *lines, alarms=[["TRIGGER:-PT60M"]])))
    import_file(file, desk.calendar, desk.imports, options(now=start))
    sent = []
    for tick in range(24 * DAY // (5 * MINUTE)):
        sent += desk.tick(start + tick * 5 * MINUTE + timedelta(seconds=1))
    assert [told(due) for due in sent] == [f"2026-09-{day:02d} 09:00" for day in (7, 14, 21, 28)]


def test_r12_of_150_events_called_off_ten_minutes_before_nobody_is_told(desk: Desk) -> None:
    desk.clock.set(utc("2026-06-01 08:00"))
    events = [desk.plan("2026-06-01 10:00", "start-15m").event.id for _ in range(150)]
    desk.clock.set(utc("2026-06-01 09:35"))
    for event_id in events:
        desk.calendar.cancel(event_id)
    assert desk.tick(utc("2026-06-01 09:46")) == []
    assert desk.messages() == []
    rows = [row for event_id in events for row in desk.reminders(event_id)]
    assert Counter((row.status, row.reason) for row in rows) == {(Status.SKIPPED, SkipReason.CANCELLED): 150}


def test_r13_three_days_before_an_event_of_tomorrow_is_past_and_an_hour_before_is_to_come(
    desk: Desk,
) -> None:
    desk.clock.set(utc("2026-06-01 10:00"))
    event = desk.plan("2026-06-02 10:00", "start-4320m", "start-60m").event
    assert desk.tick(utc("2026-06-01 10:01")) == []
    far, near = desk.reminders(event.id)
    assert (far.status, far.reason) == (Status.SKIPPED, SkipReason.PAST)
    assert (near.status, told(near.due_at)) == (Status.PENDING, "2026-06-02 09:00")


def test_r14_a_move_and_a_move_back_leave_one_reminder_at_the_final_time(server_desk: Desk) -> None:
    server_desk.clock.set(utc("2026-06-01 08:00"))
    event = server_desk.plan("2026-06-01 10:00", "start-60m").event
    there = utc("2026-06-01 15:00").replace(tzinfo=None)
    server_desk.calendar.move(event.id, there, tz_version="")
    assert server_desk.pending(event.id) == ["2026-06-01 14:00"]
    server_desk.calendar.move(event.id, event.timing.start_local, tz_version="")
    assert server_desk.pending(event.id) == ["2026-06-01 09:00"]
    others = [row.reason for row in server_desk.reminders(event.id) if row.status is not Status.PENDING]
    assert others == [SkipReason.MOVED, SkipReason.MOVED]
    assert len(server_desk.tick(utc("2026-06-01 09:01"))) == 1
    assert server_desk.tick(utc("2026-06-01 14:01")) == []


def test_r17_a_deleted_series_and_a_finished_event_leave_nothing_pending(desk: Desk, tmp_path: Path) -> None:
    now = utc("2026-09-01 00:00")
    desk.clock.set(now)
    file = tmp_path / "weekly.ics"
    weekly = vevent("weekly", "DTSTART:20260907T100000Z", "RRULE:FREQ=WEEKLY;COUNT=4")
    file.write_bytes(vcalendar(weekly))
    import_file(file, desk.calendar, desk.imports, options(now=now))
    task = desk.plan("2026-09-07 10:00", "start-15m").event
    assert len(desk.ledger.upcoming(now + 60 * DAY, 100).rows) == 5
    file.write_bytes(vcalendar(weekly, also=["METHOD:CANCEL"]))
    import_file(file, desk.calendar, desk.imports, options(now=now))
    desk.calendar.complete(task.id)
    assert desk.ledger.upcoming(now + 60 * DAY, 100).rows == []
    assert [row.reason for row in desk.reminders(task.id)] == [SkipReason.COMPLETED]


def test_r19_a_dispatcher_that_slept_over_a_due_time_sends_once_when_it_wakes(desk: Desk) -> None:
    desk.clock.set(utc("2026-06-01 09:00"))
    event = desk.plan("2026-06-01 10:00", "start-15m").event
    assert desk.tick(utc("2026-06-01 09:44")) == []
    woken = utc("2026-06-01 09:45") + timedelta(seconds=90)
    assert [told(due) for due in desk.tick(woken)] == ["2026-06-01 09:45"]
    (row,) = desk.reminders(event.id)
    assert row.sent_at is not None
    assert row.sent_at - row.due_at == timedelta(seconds=90)
    assert desk.tick(woken + MINUTE) == []


def test_r20_after_three_days_down_what_is_too_late_is_skipped_and_the_rest_leaves_in_batches(
    server_desk: Desk,
) -> None:
    up_again = utc("2026-06-04 12:00")
    server_desk.clock.set(utc("2026-06-01 00:00"))
    for number in range(100):
        # Half of them fall due in the last six hours, half in the days before.
        hours = number % 5 if number % 2 else 10 + number % 50
        last = up_again - timedelta(hours=hours) - MINUTE
        server_desk.plan(told(last + 15 * MINUTE), *(f"start-{15 + n}m" for n in range(50)))
    server_desk.clock.set(up_again)
    cycles = list(server_desk.job(batch_size=500, stale_after=timedelta(hours=6)).tick())
    assert (sum(one.sent_count for one in cycles), sum(one.skipped_count for one in cycles)) == (2_500, 2_500)
    reasons = {item.reason for one in cycles for item in one.items if item.status is Status.SKIPPED}
    assert reasons == {SkipReason.STALE}
    assert max(len(one.items) for one in cycles) == 500
    assert server_desk.tick(up_again + MINUTE, stale_after=timedelta(hours=6)) == []


def test_r20_a_reminder_put_on_an_event_never_acts_on_the_past(desk: Desk) -> None:
    desk.clock.set(utc("2026-06-01 09:00"))
    event = desk.plan("2026-06-01 10:00").event
    added = desk.calendar.change(event.id, tz_version="", triggers=desk.plan(
        "2026-06-01 10:00", "start-120m", "start-15m"
    ).event.triggers)  # fmt: skip
    assert [row.reason for row in added.reminders] == [SkipReason.PAST, None]


def test_r21_a_tick_that_was_missed_costs_no_occurrence_of_a_rule(desk: Desk, tmp_path: Path) -> None:
    now = utc("2026-09-01 00:00")
    desk.clock.set(now)
    file = tmp_path / "every-other-day.ics"
    file.write_bytes(vcalendar(vevent("other", "DTSTART:20260901T100000Z", "RRULE:FREQ=DAILY;INTERVAL=2")))
    ten_days = timedelta(days=10)
    import_file(file, desk.calendar, desk.imports, options(now=now, horizon=ten_days))
    assert desk.tick(utc("2026-09-01 09:46")) == [utc("2026-09-01 09:45")]
    # Down over the next occurrence and over the next import as well.
    again = utc("2026-09-12 12:34")
    desk.tick(again, stale_after=timedelta(minutes=30))
    import_file(file, desk.calendar, desk.imports, options(now=again, horizon=ten_days))
    (first, *_) = desk.ledger.upcoming(again + ten_days, 100).rows
    assert told(first.reminder.due_at) == "2026-09-13 09:45"


def test_r22_a_hundred_reminders_of_one_minute_leave_within_the_next_and_a_backlog_has_an_age(
    desk: Desk,
) -> None:
    desk.clock.set(utc("2026-06-01 09:00"))
    for _ in range(100):
        desk.plan("2026-06-01 10:00", "start-15m")
    at = utc("2026-06-01 09:45") + timedelta(seconds=59)
    backlog = desk.ledger.backlog(at)
    assert (backlog.count, backlog.oldest) == (100, utc("2026-06-01 09:45"))
    assert len(desk.tick(at)) == 100
    assert desk.ledger.backlog(at).count == 0


@pytest.mark.parametrize("days", [24, 25, 45, 400])
def test_r23_the_far_future_is_not_due_before_its_time(desk: Desk, days: int) -> None:
    now = utc("2026-06-01 10:00")
    desk.clock.set(now)
    desk.plan(told(now + days * DAY), "start-0m")
    for day in range(days):
        assert desk.tick(now + day * DAY) == []
    assert desk.tick(now + days * DAY) == []
    assert desk.tick(now + days * DAY + timedelta(seconds=1)) == [now + days * DAY]


def _cycles(ticks: object) -> list[CycleResult]:
    assert isinstance(ticks, list)
    for tick in ticks:
        if isinstance(tick, Exception):
            raise tick
    return [cycle for tick in ticks for cycle in tick]
