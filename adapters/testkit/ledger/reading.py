"""The promises of what Ledger gives to read: every value as it was recorded, in its order."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from adapters.testkit.examples import (
    CYCLE,
    LONG_BEFORE,
    MINUTE,
    NOON,
    OTHER_TENANT,
    OWNER,
    TENANT,
    TIMING,
    TIMINGS,
    TRIGGERS,
    cancelling,
    changing,
    due,
    keep,
    numbered,
    planned,
    scheduling,
    skipping,
    timing,
)
from adapters.testkit.ledger.surroundings import Surroundings, ids_of
from application.ports.backlog import Backlog
from application.ports.ledger import Change, Context, Ledger, Listed, Poison, Versioned
from domain import calendar_event, reminder
from domain.calendar_event import CalendarEvent
from domain.reminder import SkipReason
from domain.triggers import AtInstant, MinutesBeforeEnd, MinutesBeforeStart, Trigger
from domain.values import EventId, Kind, ReminderId, TenantId, Timing


class ReadingContract(Surroundings):
    def test_what_is_recorded_is_read_back_with_its_version(self, ledger: Ledger) -> None:
        example = due(1, NOON, NOON - MINUTE)
        keep(ledger, example)
        assert ledger.event(example.event.id) == Versioned(example.event, 1)
        assert set(ledger.reminders(example.event.id)) == {Versioned(one, 1) for one in example.reminders}

    def test_a_reminder_is_found_by_its_id_whatever_became_of_it(self, ledger: Ledger) -> None:
        example = due(1, NOON, NOON - MINUTE)
        keep(ledger, example)
        pending, skipped = example.reminders
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([change := skipping(Versioned(skipped, 1))])
        assert ledger.reminder(pending.id) == Versioned(pending, 1)
        assert ledger.reminder(skipped.id) == Versioned(change.state, 2)
        assert ledger.reminder(ReminderId(numbered(404))) is None

    def test_a_reminder_that_makes_no_sense_is_told_as_poison(self, ledger: Ledger) -> None:
        example = due(1, NOON, NOON - MINUTE)
        keep(ledger, example)
        spoilt, sound = example.reminders
        self.spoil_reminder(spoilt.id)
        found = ledger.reminder(spoilt.id)
        assert isinstance(found, Poison)
        assert (found.reminder_id, found.event_id) == (spoilt.id, example.event.id)
        assert found.problem
        assert ledger.reminder(sound.id) == Versioned(sound, 1)

    def test_a_reminder_that_makes_no_sense_stands_as_poison_among_the_others_of_its_event(
        self, ledger: Ledger
    ) -> None:
        example = due(1, NOON - MINUTE, NOON, NOON + MINUTE)
        keep(ledger, example)
        first, spoilt, last = example.reminders
        self.spoil_reminder(spoilt.id)
        found = ledger.each_reminder(example.event.id)
        assert (found[0], found[2]) == (Versioned(first, 1), Versioned(last, 1))
        assert isinstance(found[1], Poison)
        assert (found[1].reminder_id, found[1].event_id) == (spoilt.id, example.event.id)
        assert len(found) == 3

    @pytest.mark.parametrize("at", TIMINGS.values(), ids=TIMINGS.keys())
    def test_every_timing_comes_back_equal(self, ledger: Ledger, at: Timing) -> None:
        example = planned(1, MinutesBeforeStart(15), at=at)
        keep(ledger, example)
        found = ledger.event(example.event.id)
        assert found is not None
        assert found.state == example.event
        assert found.state.timing.tz_version == at.tz_version
        assert ledger.reminders(example.event.id) == [Versioned(example.reminders[0], 1)]

    @pytest.mark.parametrize("trigger", TRIGGERS, ids=str)
    def test_every_trigger_comes_back_equal(self, ledger: Ledger, trigger: Trigger) -> None:
        example = planned(1, trigger)
        keep(ledger, example)
        assert ledger.event(example.event.id) == Versioned(example.event, 1)
        assert ledger.reminders(example.event.id) == [Versioned(example.reminders[0], 1)]

    @pytest.mark.parametrize("kind", list(Kind))
    def test_every_kind_comes_back_equal_with_and_without_what_is_optional(
        self, ledger: Ledger, kind: Kind
    ) -> None:
        full = planned(1, kind=kind)
        bare = planned(2, kind=kind, client_user_id=None, appointment_id=None)
        keep(ledger, full, bare)
        assert ledger.event(full.event.id) == Versioned(full.event, 1)
        assert ledger.event(bare.event.id) == Versioned(bare.event, 1)

    def test_every_instant_that_comes_back_is_aware(self, ledger: Ledger) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        found = ledger.event(example.event.id)
        (row,) = ledger.reminders(example.event.id)
        (recorded,) = ledger.history(row.state.id)
        assert found is not None
        instants = (found.state.timing.start_at, row.state.due_at, recorded.occurred_at, recorded.event.at)
        assert [instant.utcoffset() for instant in instants] == [timedelta(0)] * 4
        assert found.state.timing.start_local.tzinfo is None

    def test_the_history_of_an_event_is_every_event_in_order(self, ledger: Ledger) -> None:
        example = planned(1)
        moved = timing("2026-12-02T09:00", "Europe/Moscow")
        commands: list[calendar_event.Command] = [
            calendar_event.Change(OWNER, None, TRIGGERS, "Asia/Tokyo", "2026b", NOON),
            calendar_event.Move(moved, NOON + MINUTE),
            calendar_event.Start(NOON + 2 * MINUTE),
            calendar_event.Complete(NOON + 3 * MINUTE),
        ]
        keep(ledger, example)
        happened = list(example.changes[0].events)
        for command in commands:
            change = changing(_event(ledger, example.event.id), command)
            with ledger.transaction(CYCLE) as transaction:
                transaction.record([change])
            happened += change.events
        history = ledger.history(example.event.id)
        assert [one.event for one in history] == happened
        assert [one.version for one in history] == [1, 2, 3, 4, 5]
        assert [one.occurred_at for one in history] == [LONG_BEFORE, *(NOON + n * MINUTE for n in range(4))]
        folded: CalendarEvent | None = None
        for one in history:
            assert not isinstance(
                one.event, reminder.ReminderScheduled | reminder.ReminderSent | reminder.ReminderSkipped
            )
            folded = calendar_event.evolve(folded, one.event)
        assert folded is not None
        assert ledger.event(example.event.id) == Versioned(folded, 5)

    def test_a_cancelled_event_comes_back_cancelled(self, ledger: Ledger) -> None:
        example = planned(1)
        keep(ledger, example)
        change = cancelling(Versioned(example.event, 1))
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([change])
        assert ledger.event(example.event.id) == Versioned(change.state, 2)
        assert ledger.history(example.event.id)[-1].event == change.events[0]

    @pytest.mark.parametrize("reason", list(SkipReason))
    def test_a_reminder_comes_back_skipped_with_its_reason(self, ledger: Ledger, reason: SkipReason) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        change = skipping(Versioned(example.reminders[0], 1), reason)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([change])
        assert ledger.reminders(example.event.id) == [Versioned(change.state, 2)]
        assert [one.event for one in ledger.history(change.stream_id)] == [
            *example.changes[1].events,
            *change.events,
        ]

    def test_two_events_of_one_change_are_two_versions(self, ledger: Ledger) -> None:
        example = planned(1)
        past = MinutesBeforeStart(15)
        id_ = ReminderId(numbered(77))
        schedule = reminder.Schedule(id_, example.event.id, TENANT, past, TIMING, at=NOON + 1000 * MINUTE)
        events = reminder.decide(None, schedule)
        assert len(events) == 2
        state = reminder.evolve(reminder.evolve(None, events[0]), events[1])
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([Change(id_, 0, events, state)])
        assert ledger.reminders(example.event.id) == [Versioned(state, 2)]
        assert [(one.version, one.event) for one in ledger.history(id_)] == [(1, events[0]), (2, events[1])]

    def test_history_says_in_whose_name_it_was(self, ledger: Ledger) -> None:
        example = planned(1)
        with ledger.transaction(Context(numbered(99), "import")) as transaction:
            transaction.record(example.changes)
        (recorded,) = ledger.history(example.event.id)
        assert (recorded.correlation_id, recorded.actor) == (numbered(99), "import")
        assert recorded.stream_id == example.event.id

    def test_what_is_unknown_is_not_there(self, ledger: Ledger) -> None:
        nobody = EventId(numbered(404))
        assert ledger.event(nobody) is None
        assert list(ledger.reminders(nobody)) == []
        assert list(ledger.history(nobody)) == []
        assert ledger.title(nobody) is None

    def test_reminders_of_every_status_are_ordered_by_due_at_and_id(self, ledger: Ledger) -> None:
        example = due(1, NOON, NOON - 2 * MINUTE, NOON - MINUTE)
        other = due(2, NOON - 5 * MINUTE)
        twin = scheduling(ReminderId(numbered(1)), example.event, MinutesBeforeStart(60 * 24))
        keep(ledger, example, other)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(Versioned(example.reminders[1], 1)), twin])
        last, first, middle = ids_of(example.reminders)
        assert ids_of(ledger.reminders(example.event.id)) == [twin.stream_id, first, middle, last]

    def test_reminders_due_together_are_ordered_by_id(self, ledger: Ledger) -> None:
        example = planned(1, AtInstant(TIMING.start_at), MinutesBeforeStart(0))
        lowest = scheduling(ReminderId(numbered(1)), example.event, MinutesBeforeEnd(0))
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([lowest])
        assert ids_of(ledger.reminders(example.event.id)) == [lowest.stream_id, *ids_of(example.reminders)]

    def test_upcoming_is_what_is_pending_before_an_instant_oldest_first(self, ledger: Ledger) -> None:
        example = due(1, NOON + MINUTE, NOON, NOON + 2 * MINUTE, NOON + 3 * MINUTE)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            transaction.write_title(example.event.id, "Dentist")
            transaction.record([skipping(Versioned(example.reminders[2], 1))])
        found = ledger.upcoming(NOON + 3 * MINUTE, 10).rows
        assert [one.reminder for one in found] == [example.reminders[1], example.reminders[0]]
        assert [(one.event, one.title) for one in found] == [(example.event, "Dentist")] * 2
        assert ledger.upcoming(NOON + 3 * MINUTE, 1).rows == found[:1]

    def test_upcoming_is_of_one_tenant_or_of_all(self, ledger: Ledger) -> None:
        one, other = due(1, NOON), due(2, NOON + MINUTE, tenant_id=OTHER_TENANT)
        keep(ledger, one, other)

        def found(tenant_id: TenantId | None) -> list[UUID]:
            return [row.event.id for row in ledger.upcoming(NOON + 5 * MINUTE, 10, tenant_id).rows]

        assert found(None) == [one.event.id, other.event.id]
        assert found(OTHER_TENANT) == [other.event.id]
        assert found(TenantId(numbered(404))) == []
        assert [row.title for row in ledger.upcoming(NOON + 5 * MINUTE, 10).rows] == [None, None]

    def test_events_are_those_that_start_in_the_window_ordered_by_start_and_id(self, ledger: Ledger) -> None:
        twins = planned(2, at=_starting(NOON)), planned(1, at=_starting(NOON))
        later = planned(3, at=_starting(NOON + MINUTE))
        keep(ledger, later, *twins)
        assert _listed(ledger, NOON, NOON + MINUTE) == [twins[1].event.id, twins[0].event.id]
        assert _listed(ledger, NOON + MINUTE, NOON + 2 * MINUTE) == [later.event.id]
        assert _listed(ledger, NOON, NOON + 2 * MINUTE, limit=1) == [twins[1].event.id]

    def test_events_are_of_one_tenant_or_of_all(self, ledger: Ledger) -> None:
        one, other = planned(1), planned(2, tenant_id=OTHER_TENANT)
        keep(ledger, one, other)
        start = TIMING.start_at
        assert _listed(ledger, start, start + MINUTE) == [one.event.id, other.event.id]
        assert _listed(ledger, start, start + MINUTE, tenant_id=OTHER_TENANT) == [other.event.id]
        assert _listed(ledger, start, start + MINUTE, tenant_id=TenantId(numbered(404))) == []

    def test_closed_events_are_listed_only_where_they_are_wanted_too(self, ledger: Ledger) -> None:
        kept, gone = planned(1), planned(2)
        keep(ledger, kept, gone)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([cancelling(Versioned(gone.event, 1))])
        start = TIMING.start_at
        assert _listed(ledger, start, start + MINUTE) == [kept.event.id]
        assert _listed(ledger, start, start + MINUTE, closed_too=True) == [kept.event.id, gone.event.id]
        assert _listed(ledger, start, start + MINUTE, tenant_id=TENANT) == [kept.event.id]

    def test_a_listed_event_has_its_title_and_its_next_pending_reminder(self, ledger: Ledger) -> None:
        example, bare = due(1, NOON - 3 * MINUTE, NOON - MINUTE, NOON - 2 * MINUTE), planned(2)
        keep(ledger, example, bare)
        with ledger.transaction(CYCLE) as transaction:
            transaction.write_title(example.event.id, "Dentist")
            transaction.record([skipping(Versioned(example.reminders[0], 1))])
        assert ledger.events(TIMING.start_at, TIMING.start_at + MINUTE, 10).rows == [
            Listed(example.event, "Dentist", NOON - 2 * MINUTE),
            Listed(bare.event, None, None),
        ]

    def test_ids_of_events_come_in_order_between_two_both_included(self, ledger: Ledger) -> None:
        examples = [planned(number) for number in (3, 1, 2, 4)]
        keep(ledger, *examples)
        third, first, second, _ = [one.event.id for one in examples]
        assert list(ledger.event_ids(first, third, 10)) == [first, second, third]
        assert list(ledger.event_ids(first, third, 2)) == [first, second]
        assert list(ledger.event_ids(numbered(1), numbered(2), 2)) == []

    def test_the_backlog_is_what_is_pending_and_due(self, ledger: Ledger) -> None:
        assert ledger.backlog(NOON) == Backlog(0, None)
        example = due(1, NOON - MINUTE, NOON - 2 * MINUTE, NOON - 3 * MINUTE, NOON)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(Versioned(example.reminders[2], 1))])
        assert ledger.backlog(NOON) == Backlog(2, NOON - 2 * MINUTE)


def _starting(at: datetime) -> Timing:
    return Timing.of(at.replace(tzinfo=None), "UTC")


def _listed(ledger: Ledger, since: datetime, until: datetime, limit: int = 10, **more: Any) -> list[EventId]:
    return [one.event.id for one in ledger.events(since, until, limit, **more).rows]


def _event(ledger: Ledger, event_id: EventId) -> Versioned[CalendarEvent]:
    found = ledger.event(event_id)
    assert found is not None
    return found
