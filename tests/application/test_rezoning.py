"""Events that were reckoned by older zone data, put right by today's: over memory and PostgreSQL."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from attrs import frozen

from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.reckonings import MemoryReckonings
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.reckonings import PostgresReckonings
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from application.calendar import Calendar
from application.dispatching import ReminderDispatchJob
from application.ports.ledger import Change, Context, Ledger, Versioned
from application.ports.reckonings import Reckonings
from application.rezoning import Rezoning
from domain import calendar_event, reminder
from domain.calendar_event import CalendarEvent, CalendarEventPlanned, CalendarEventRezoned
from domain.reminder import Reminder, ReminderScheduled, SkipReason, Status
from domain.triggers import AtInstant, DaysBeforeStart, MinutesBeforeStart, Trigger, offset_minutes
from domain.values import EventId, Kind, ReminderId, TenantId, Timing, UserId

# Almaty was at +06 until 1 March 2024, and is at +05 since: 10:00 on that day is 05:00Z, not 04:00Z.
ALMATY_BEFORE = timezone(timedelta(hours=6))
TENANT = TenantId(UUID(int=1))
OWNER = UserId(UUID(int=2))
NOW = datetime(2024, 2, 1, 12, tzinfo=UTC)


@frozen
class Desk:
    ledger: Ledger
    reckonings: Reckonings
    clock: SettableClock
    ids: CountedIds

    @property
    def rezoning(self) -> Rezoning:
        return Rezoning(Calendar(self.ledger, self.clock, self.ids), self.reckonings, self.clock)

    def plant(self, number: int, start: datetime, before: timezone, zone: str, *triggers: Trigger) -> EventId:
        """An event and its reminders as a Tickler with older zone data left them."""
        event_id = EventId(UUID(int=number))
        start_at = start.replace(tzinfo=before).astimezone(UTC)
        timing = Timing(start, zone, start_at, start_at + timedelta(hours=1), tz_version="2023d")
        planned = CalendarEventPlanned(event_id, TENANT, OWNER, None, Kind.OTHER, timing, None, triggers, NOW)
        changes = [Change(event_id, 0, [planned], calendar_event.evolve(None, planned))]
        for trigger in triggers:
            due = _due_by(trigger, start, before)
            id_ = ReminderId(self.ids.new())
            scheduled = ReminderScheduled(
                id_, event_id, TENANT, trigger, offset_minutes(due, timing), due, NOW
            )
            changes.append(Change(id_, 0, [scheduled], reminder.evolve(None, scheduled)))
        with self.ledger.transaction(Context(self.ids.new())) as transaction:
            transaction.record(changes)
        return event_id

    def event(self, event_id: EventId) -> CalendarEvent:
        found = self.ledger.event(event_id)
        assert found is not None
        return found.state

    def reminders(self, event_id: EventId) -> list[Reminder]:
        return [row.state for row in self.ledger.reminders(event_id)]

    def pending(self, event_id: EventId) -> list[str]:
        rows = self.reminders(event_id)
        return [f"{row.due_at:%Y-%m-%dT%H:%MZ}" for row in rows if row.status is Status.PENDING]


def _due_by(trigger: Trigger, start: datetime, before: timezone) -> datetime:
    match trigger:
        case MinutesBeforeStart(minutes):
            return start.replace(tzinfo=before).astimezone(UTC) - timedelta(minutes=minutes)
        case DaysBeforeStart(days):
            return (start - timedelta(days=days)).replace(tzinfo=before).astimezone(UTC)
        case AtInstant(at):
            return at
        case _:
            raise AssertionError(trigger)


@pytest.fixture(params=["memory", "postgres"])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    clock, ids = SettableClock(NOW), CountedIds()
    if request.param == "memory":
        store = MemoryStore()
        yield Desk(MemoryLedger(store), MemoryReckonings(store), clock, ids)
        return
    with closing(Database(request.getfixturevalue("postgres_url"))) as database:
        yield Desk(PostgresLedger(database), PostgresReckonings(database), clock, ids)


LATER = datetime(2024, 3, 1, 10)  # noqa: DTZ001


def test_r28_an_event_reckoned_by_older_rules_follows_its_wall_clock_by_the_new_ones(desk: Desk) -> None:
    event_id = desk.plant(9, LATER, ALMATY_BEFORE, "Asia/Almaty", MinutesBeforeStart(60))
    assert desk.pending(event_id) == ["2024-03-01T03:00Z"]
    report = desk.rezoning.run("2026a")
    timing = desk.event(event_id).timing
    assert timing.start_at == datetime(2024, 3, 1, 5, tzinfo=UTC)
    assert timing.end_at == datetime(2024, 3, 1, 6, tzinfo=UTC)
    assert (timing.start_local, timing.tz_version) == (LATER, "2026a")
    assert desk.pending(event_id) == ["2024-03-01T04:00Z"]
    ((one,),) = [report.rezoned]
    assert (one.before.start_at.hour, one.after.start_at.hour) == (4, 5)
    assert [(row.due_before.hour, row.due_after.hour) for row in one.reminders] == [(3, 4)]
    assert [row.reason for row in desk.reminders(event_id) if row.status is Status.SKIPPED] == [
        SkipReason.MOVED
    ]


def test_r28_what_happened_is_in_the_history_and_makes_the_event_again(desk: Desk) -> None:
    event_id = desk.plant(9, LATER, ALMATY_BEFORE, "Asia/Almaty", MinutesBeforeStart(60))
    desk.rezoning.run("2026a")
    history = desk.ledger.history(event_id)
    assert isinstance(history[-1].event, CalendarEventRezoned)
    assert history[-1].actor == "rezone"
    state = None
    for one in history:
        assert not isinstance(one.event, ReminderScheduled | reminder.ReminderSent | reminder.ReminderSkipped)
        state = calendar_event.evolve(state, one.event)
    assert desk.ledger.event(event_id) == Versioned(state, len(history))


def test_a_day_before_moves_where_the_rules_changed_between_it_and_the_start(desk: Desk) -> None:
    # By the older rules the clocks went back a day before the event, by today's on its very morning.
    event_id = desk.plant(9, LATER, timezone(timedelta(hours=5)), "Asia/Almaty", DaysBeforeStart(1))
    before = desk.event(event_id).timing.start_at
    assert desk.pending(event_id) == ["2024-02-29T05:00Z"]
    report = desk.rezoning.run("2026a")
    assert desk.event(event_id).timing.start_at == before
    assert desk.pending(event_id) == ["2024-02-29T04:00Z"]
    assert len(report.rezoned) == 1


def test_what_stays_is_looked_at_once_and_no_more(desk: Desk) -> None:
    right = timezone(timedelta(hours=3))
    event_id = desk.plant(9, LATER, right, "Europe/Moscow", MinutesBeforeStart(60), DaysBeforeStart(1))
    pending, history = desk.pending(event_id), list(desk.ledger.history(event_id))
    report = desk.rezoning.run("2026a")
    assert (report.looked_at, report.rezoned) == (1, ())
    assert desk.pending(event_id) == pending
    assert list(desk.ledger.history(event_id)) == history
    assert desk.rezoning.run("2026a").looked_at == 0


def test_an_instant_stays_where_it_was_put(desk: Desk) -> None:
    at = datetime(2024, 2, 20, 8, tzinfo=UTC)
    event_id = desk.plant(9, LATER, ALMATY_BEFORE, "Asia/Almaty", AtInstant(at))
    (report,) = desk.rezoning.run("2026a").rezoned
    assert desk.pending(event_id) == ["2024-02-20T08:00Z"]
    assert report.reminders == ()


def test_a_reminder_that_was_sent_is_neither_touched_nor_promised_again(desk: Desk) -> None:
    event_id = desk.plant(9, LATER, ALMATY_BEFORE, "Asia/Almaty", MinutesBeforeStart(1440))
    desk.clock.set(datetime(2024, 2, 29, 4, 1, tzinfo=UTC))
    assert [cycle.sent_count for cycle in ReminderDispatchJob(desk.ledger, desk.clock, desk.ids).tick()] == [
        1
    ]
    (sent,) = desk.reminders(event_id)
    desk.rezoning.run("2026a")
    assert desk.reminders(event_id) == [sent]
    assert desk.event(event_id).timing.start_at.hour == 5


def test_a_reminder_that_is_due_already_still_leaves(desk: Desk) -> None:
    event_id = desk.plant(9, LATER, ALMATY_BEFORE, "Asia/Almaty", MinutesBeforeStart(1440))
    desk.clock.set(datetime(2024, 2, 29, 4, 1, tzinfo=UTC))
    desk.rezoning.run("2026a")
    assert [cycle.sent_count for cycle in ReminderDispatchJob(desk.ledger, desk.clock, desk.ids).tick()] == [
        1
    ]
    assert [row.status for row in desk.reminders(event_id)] == [Status.SENT]


def test_a_dry_run_tells_the_same_and_changes_nothing(desk: Desk) -> None:
    event_id = desk.plant(9, LATER, ALMATY_BEFORE, "Asia/Almaty", MinutesBeforeStart(60))
    event, rows = desk.ledger.event(event_id), desk.reminders(event_id)
    told = desk.rezoning.run("2026a", dry_run=True)
    assert (desk.ledger.event(event_id), desk.reminders(event_id)) == (event, rows)
    assert desk.rezoning.run("2026a") == told


def test_an_event_that_is_over_is_left_alone(desk: Desk) -> None:
    event_id = desk.plant(9, LATER, ALMATY_BEFORE, "Asia/Almaty", MinutesBeforeStart(60))
    Calendar(desk.ledger, desk.clock, desk.ids).cancel(event_id)
    assert desk.rezoning.run("2026a").looked_at == 0


def test_many_events_are_all_looked_at_and_progress_is_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("application.rezoning.PAGE", 3)
    ids = [
        desk.plant(number, LATER, ALMATY_BEFORE, "Asia/Almaty", MinutesBeforeStart(60))
        for number in range(11, 19)
    ]
    told: list[tuple[int, int]] = []
    report = desk.rezoning.run("2026a", lambda done, total: told.append((done, total)))
    assert [one.event_id for one in report.rezoned] == ids
    assert told == [(0, 8), (3, 8), (6, 8), (8, 8)]
    assert all(desk.pending(one) == ["2024-03-01T04:00Z"] for one in ids)
