"""The promises of Transaction.event and Transaction.pending: what they lock, and how long they wait."""

import pytest

from adapters.testkit.examples import (
    CYCLE,
    MINUTE,
    NOON,
    cancelling,
    due,
    keep,
    numbered,
    planned,
    scheduling,
    skipping,
)
from adapters.testkit.ledger.surroundings import Surroundings, ids_of
from adapters.testkit.threads import Beside
from application.ports.errors import Busy
from application.ports.ledger import Ledger, Versioned
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder
from domain.triggers import MinutesBeforeStart
from domain.values import EventId, ReminderId


class LockingContract(Surroundings):
    def test_no_event_is_none(self, ledger: Ledger) -> None:
        with ledger.transaction(CYCLE) as transaction:
            assert transaction.event(EventId(numbered(404))) is None
            assert list(transaction.pending(EventId(numbered(404)))) == []

    def test_pending_are_those_that_are_pending_ordered_by_id(self, ledger: Ledger) -> None:
        example, other = due(1, NOON, NOON - MINUTE, NOON - 2 * MINUTE), due(2, NOON)
        lowest = scheduling(ReminderId(numbered(1)), example.event, MinutesBeforeStart(15))
        keep(ledger, example, other)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([lowest, skipping(Versioned(example.reminders[1], 1))])
        with ledger.transaction(CYCLE) as transaction:
            found = transaction.pending(example.event.id)
        first, _, third = ids_of(example.reminders)
        assert ids_of(found) == [lowest.stream_id, first, third]
        assert [row.version for row in found] == [1, 1, 1]

    def test_a_held_event_is_busy_for_another(self, ledger: Ledger, impatient: Ledger) -> None:
        example, other = due(1, NOON), due(2, NOON)
        keep(ledger, example, other)

        def change_one_and_ask_for_the_held() -> None:
            with impatient.transaction(CYCLE) as transaction:
                assert transaction.event(other.event.id) is not None
                transaction.record([cancelling(Versioned(other.event, 1))])
                transaction.event(example.event.id)

        with ledger.transaction(CYCLE) as holder:
            assert holder.event(example.event.id) is not None
            with pytest.raises(Busy):
                change_one_and_ask_for_the_held()
        assert ledger.event(other.event.id) == Versioned(other.event, 1)
        with impatient.transaction(CYCLE) as transaction:
            assert transaction.event(example.event.id) is not None

    def test_held_reminders_are_busy_for_another(self, ledger: Ledger, impatient: Ledger) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as holder:
            assert len(holder.pending(example.event.id)) == 1
            with pytest.raises(Busy), impatient.transaction(CYCLE) as transaction:
                transaction.pending(example.event.id)
        with impatient.transaction(CYCLE) as transaction:
            assert len(transaction.pending(example.event.id)) == 1

    def test_a_lock_on_one_event_leaves_the_others_free(self, ledger: Ledger, impatient: Ledger) -> None:
        one, other = due(1, NOON), due(2, NOON)
        keep(ledger, one, other)
        with ledger.transaction(CYCLE) as holder, impatient.transaction(CYCLE) as transaction:
            assert holder.event(one.event.id) is not None
            assert len(holder.pending(one.event.id)) == 1
            assert transaction.event(other.event.id) is not None
            assert len(transaction.pending(other.event.id)) == 1

    def test_a_transaction_may_lock_again_what_it_holds(self, impatient: Ledger) -> None:
        example = due(1, NOON)
        keep(impatient, example)
        with impatient.transaction(CYCLE) as transaction:
            for _ in range(2):
                assert transaction.event(example.event.id) is not None
                assert len(transaction.pending(example.event.id)) == 1

    def test_reading_without_a_lock_waits_for_nobody(self, ledger: Ledger, impatient: Ledger) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as holder:
            row = holder.event(example.event.id)
            assert row is not None
            holder.pending(example.event.id)
            holder.record([cancelling(row)])
            assert impatient.event(example.event.id) == row
            assert len(impatient.reminders(example.event.id)) == 1
            assert len(impatient.upcoming(NOON + MINUTE, 5).rows) == 1
            assert impatient.backlog(NOON + MINUTE).count == 1
            with impatient.transaction(CYCLE) as transaction:
                assert transaction.parents([example.event.id]) == {example.event.id: row}

    def test_who_waited_for_an_event_reads_it_as_it_was_left(self, ledger: Ledger) -> None:
        example = planned(1)
        keep(ledger, example)
        change = cancelling(Versioned(example.event, 1))

        def ask() -> Versioned[CalendarEvent] | None:
            with ledger.transaction(CYCLE) as transaction:
                return transaction.event(example.event.id)

        with ledger.transaction(CYCLE) as holder:
            holder.event(example.event.id)
            waiter = Beside(ask)
            assert waiter.waits(), "the event was had while another transaction held it"
            holder.record([change])
        assert waiter.answer() == Versioned(change.state, 2)

    def test_who_waited_for_reminders_gets_those_that_are_still_pending(self, ledger: Ledger) -> None:
        example = due(1, NOON, NOON - MINUTE)
        keep(ledger, example)

        def ask() -> list[Versioned[Reminder]]:
            with ledger.transaction(CYCLE) as transaction:
                return list(transaction.pending(example.event.id))

        with ledger.transaction(CYCLE) as holder:
            rows = holder.pending(example.event.id)
            waiter = Beside(ask)
            assert waiter.waits(), "reminders were had while another transaction held them"
            holder.record([skipping(rows[0])])
        assert waiter.answer() == [rows[1]]

    def test_a_reminder_is_held_as_long_as_the_transaction_that_has_it(self, ledger: Ledger) -> None:
        example, other = due(1, NOON), due(2, NOON)
        keep(ledger, example, other)
        (one,), (free,) = example.reminders, other.reminders
        assert not ledger.is_held(one.id)
        with ledger.transaction(CYCLE) as transaction:
            assert ids_of(transaction.claim_due(NOON + MINUTE, 1).due) == [one.id]
            assert ledger.is_held(one.id)
            assert not ledger.is_held(free.id)
        assert not ledger.is_held(one.id)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(Versioned(one, 1))])
            assert ledger.is_held(one.id)
        assert not ledger.is_held(one.id)
        assert not ledger.is_held(ReminderId(numbered(404)))

    def test_to_ask_whether_a_reminder_is_held_keeps_it_from_nobody(
        self, ledger: Ledger, impatient: Ledger
    ) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        (one,) = example.reminders
        with ledger.transaction(CYCLE):
            ledger.is_held(one.id)
            with impatient.transaction(CYCLE) as transaction:
                assert ids_of(transaction.claim_due(NOON + MINUTE, 1).due) == [one.id]
