"""The promises of Transaction.claim_due, parents and count_passed_over."""

from datetime import timedelta
from threading import Barrier

import pytest

from adapters.testkit.examples import (
    CYCLE,
    MINUTE,
    NOON,
    cancelling,
    due,
    keep,
    numbered,
    skipping,
)
from adapters.testkit.ledger.surroundings import Surroundings, ids_of
from adapters.testkit.threads import PATIENCE, at_once
from application.ports.errors import Busy
from application.ports.ledger import Ledger, Unreadable, Versioned
from domain.values import EventId, ReminderId


class ClaimingContract(Surroundings):
    def test_due_is_strictly_before_as_of(self, ledger: Ledger) -> None:
        example = due(1, NOON - timedelta(microseconds=1), NOON, NOON + timedelta(microseconds=1))
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            claimed = transaction.claim_due(NOON, 10)
        assert claimed.due == [Versioned(example.reminders[0], 1)]
        assert list(claimed.poison) == []

    def test_nothing_due_is_nothing_claimed(self, ledger: Ledger) -> None:
        with ledger.transaction(CYCLE) as transaction:
            claimed = transaction.claim_due(NOON, 10)
            assert (list(claimed.due), list(claimed.poison)) == ([], [])
            assert transaction.count_passed_over(NOON, [], None) == 0

    def test_the_oldest_come_first_and_those_due_together_by_id(self, ledger: Ledger) -> None:
        late, early = due(3, NOON - 2 * MINUTE, NOON - 4 * MINUTE), due(2, NOON - 3 * MINUTE)
        twin = due(1, NOON - 2 * MINUTE)
        keep(ledger, late, early, twin)
        with ledger.transaction(CYCLE) as transaction:
            claimed = transaction.claim_due(NOON, 10)
        assert ids_of(claimed.due) == [
            late.reminders[1].id,
            early.reminders[0].id,
            twin.reminders[0].id,
            late.reminders[0].id,
        ]

    def test_a_limit_takes_the_oldest(self, ledger: Ledger) -> None:
        example = due(1, NOON - MINUTE, NOON - 3 * MINUTE, NOON - 2 * MINUTE)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            claimed = transaction.claim_due(NOON, 2)
        assert ids_of(claimed.due) == [example.reminders[1].id, example.reminders[2].id]

    def test_what_is_not_pending_is_not_claimed(self, ledger: Ledger) -> None:
        example = due(1, NOON - 2 * MINUTE, NOON - MINUTE)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(Versioned(example.reminders[0], 1))])
        with ledger.transaction(CYCLE) as transaction:
            assert ids_of(transaction.claim_due(NOON, 1).due) == [example.reminders[1].id]

    def test_what_is_left_out_makes_room_for_others(self, ledger: Ledger) -> None:
        example = due(1, *(NOON - n * MINUTE for n in (4, 3, 2, 1)))
        keep(ledger, example)
        ids = [one.id for one in example.reminders]
        with ledger.transaction(CYCLE) as transaction:
            assert ids_of(transaction.claim_due(NOON, 2, [ids[0], ids[2]]).due) == [ids[1], ids[3]]

    def test_a_cycle_goes_on_past_what_it_claimed_already(self, ledger: Ledger) -> None:
        example = due(1, *(NOON - n * MINUTE for n in (4, 3, 2, 1)))
        keep(ledger, example)
        ids = [one.id for one in example.reminders]
        with ledger.transaction(CYCLE) as transaction:
            assert ids_of(transaction.claim_due(NOON, 2).due) == ids[:2]
            assert ids_of(transaction.claim_due(NOON, 2, set(ids[:2])).due) == ids[2:]

    def test_claimed_rows_are_locked(self, ledger: Ledger, impatient: Ledger) -> None:
        example = due(1, NOON - MINUTE)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as cycle:
            assert len(cycle.claim_due(NOON, 1).due) == 1
            with pytest.raises(Busy), impatient.transaction(CYCLE) as transaction:
                transaction.pending(example.event.id)

    def test_a_claim_does_not_lock_the_events(self, ledger: Ledger, impatient: Ledger) -> None:
        example = due(1, NOON - MINUTE)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as cycle:
            assert len(cycle.claim_due(NOON, 1).due) == 1
            assert len(cycle.parents([example.event.id])) == 1
            with impatient.transaction(CYCLE) as transaction:
                assert transaction.event(example.event.id) == Versioned(example.event, 1)

    def test_rows_that_somebody_holds_are_passed_over(self, ledger: Ledger, impatient: Ledger) -> None:
        held, free = due(1, NOON - 3 * MINUTE, NOON - 2 * MINUTE), due(2, NOON - MINUTE)
        keep(ledger, held, free)
        with ledger.transaction(CYCLE) as holder:
            assert len(holder.pending(held.event.id)) == 2
            with impatient.transaction(CYCLE) as cycle:
                assert ids_of(cycle.claim_due(NOON, 1).due) == [free.reminders[0].id]
                assert cycle.count_passed_over(NOON, [free.reminders[0].id], None) == 2

    def test_rows_that_are_let_go_of_are_claimed_by_the_next(self, ledger: Ledger) -> None:
        example = due(1, NOON - MINUTE)
        keep(ledger, example)
        for _ in range(2):
            with ledger.transaction(CYCLE) as cycle:
                assert len(cycle.claim_due(NOON, 5).due) == 1

    def test_what_is_not_committed_is_not_claimed(self, ledger: Ledger, impatient: Ledger) -> None:
        new, there = due(1, NOON - MINUTE), due(2, NOON - MINUTE)
        keep(ledger, there)
        with ledger.transaction(CYCLE) as writer:
            writer.record([*new.changes, skipping(Versioned(there.reminders[0], 1))])
            with impatient.transaction(CYCLE) as cycle:
                assert list(cycle.claim_due(NOON, 5).due) == []
                assert cycle.count_passed_over(NOON, [], None) == 1
        with ledger.transaction(CYCLE) as cycle:
            assert ids_of(cycle.claim_due(NOON, 5).due) == [new.reminders[0].id]

    def test_two_cycles_at_once_share_no_row_and_leave_none(self, ledger: Ledger) -> None:
        keep(ledger, *(due(number, *(NOON - n * MINUTE for n in range(1, 6))) for number in range(1, 9)))
        both_have_claimed = Barrier(2)

        def cycle() -> list[ReminderId]:
            with ledger.transaction(CYCLE) as transaction:
                claimed = transaction.claim_due(NOON, 20)
                both_have_claimed.wait(PATIENCE)
                return ids_of(claimed.due)

        one, other = at_once(cycle, cycle)
        assert isinstance(one, list)
        assert isinstance(other, list)
        assert (len(one), len(other)) == (20, 20)
        assert set(one).isdisjoint(other)

    def test_a_row_that_cannot_be_read_is_poison(self, ledger: Ledger) -> None:
        example = due(1, NOON - 3 * MINUTE, NOON - 2 * MINUTE, NOON - MINUTE)
        keep(ledger, example)
        ids = [one.id for one in example.reminders]
        self.spoil_reminder(ids[1])
        with ledger.transaction(CYCLE) as cycle:
            claimed = cycle.claim_due(NOON, 3)
            assert ids_of(claimed.due) == [ids[0], ids[2]]
            (poison,) = claimed.poison
            assert (poison.reminder_id, poison.event_id) == (ids[1], example.event.id)
            assert poison.problem.strip()
            assert "\n" not in poison.problem
            again = cycle.claim_due(NOON, 3, [ids[1]])
            assert (ids_of(again.due), list(again.poison)) == ([ids[0], ids[2]], [])

    def test_poison_counts_towards_the_limit(self, ledger: Ledger) -> None:
        example = due(1, NOON - 3 * MINUTE, NOON - 2 * MINUTE, NOON - MINUTE)
        keep(ledger, example)
        self.spoil_reminder(example.reminders[0].id)
        with ledger.transaction(CYCLE) as cycle:
            claimed = cycle.claim_due(NOON, 2)
        assert ids_of(claimed.due) == [example.reminders[1].id]
        assert [one.reminder_id for one in claimed.poison] == [example.reminders[0].id]

    def test_parents_are_those_that_are_there_with_their_versions(self, ledger: Ledger) -> None:
        one, other = due(1, NOON), due(2, NOON)
        keep(ledger, one, other)
        change = cancelling(Versioned(other.event, 1))
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([change])
        with ledger.transaction(CYCLE) as transaction:
            wanted = {one.event.id, other.event.id, EventId(numbered(404))}
            assert transaction.parents(wanted) == {
                one.event.id: Versioned(one.event, 1),
                other.event.id: Versioned(change.state, 2),
            }
            assert transaction.parents([]) == {}

    def test_parents_show_what_was_committed_after_the_claim(self, ledger: Ledger) -> None:
        example = due(1, NOON - MINUTE)
        keep(ledger, example)
        change = cancelling(Versioned(example.event, 1))
        with ledger.transaction(CYCLE) as cycle:
            cycle.claim_due(NOON, 1)
            assert cycle.parents([example.event.id]) == {example.event.id: Versioned(example.event, 1)}
            with ledger.transaction(CYCLE) as transaction:
                transaction.record([change])
            assert cycle.parents([example.event.id]) == {example.event.id: Versioned(change.state, 2)}

    def test_parents_do_not_show_what_is_not_committed(self, ledger: Ledger) -> None:
        example = due(1, NOON - MINUTE)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as cycle, ledger.transaction(CYCLE) as transaction:
            transaction.record([cancelling(Versioned(example.event, 1))])
            assert cycle.parents([example.event.id]) == {example.event.id: Versioned(example.event, 1)}

    def test_an_event_that_cannot_be_read_is_said_to_be_so(self, ledger: Ledger) -> None:
        spoilt, sound = due(1, NOON), due(2, NOON)
        keep(ledger, spoilt, sound)
        self.spoil_event(spoilt.event.id)
        with ledger.transaction(CYCLE) as transaction:
            found = transaction.parents([spoilt.event.id, sound.event.id])
        unreadable = found[spoilt.event.id]
        assert isinstance(unreadable, Unreadable)
        assert unreadable.problem.strip()
        assert found[sound.event.id] == Versioned(sound.event, 1)

    def test_passed_over_are_the_due_ones_that_were_not_claimed(self, ledger: Ledger) -> None:
        example = due(1, *(NOON - n * MINUTE for n in (5, 4, 3, 2, 1, 0)))
        keep(ledger, example)
        ids = [one.id for one in example.reminders]
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(Versioned(example.reminders[0], 1))])
        with ledger.transaction(CYCLE) as cycle:
            assert cycle.count_passed_over(NOON, [], None) == 4
            assert cycle.count_passed_over(NOON, [ids[1], ids[3]], None) == 2
            assert cycle.count_passed_over(NOON, [ids[3]], (NOON - 2 * MINUTE, ids[3])) == 2
            assert cycle.count_passed_over(NOON, ids, None) == 0

    def test_rows_due_together_with_the_last_and_after_it_were_not_come_to(self, ledger: Ledger) -> None:
        together = [due(number, NOON - MINUTE) for number in range(1, 5)]
        keep(ledger, *together)
        ids = [one.reminders[0].id for one in together]
        with ledger.transaction(CYCLE) as cycle:
            assert cycle.count_passed_over(NOON, [ids[1]], (NOON - MINUTE, ids[1])) == 1
            assert cycle.count_passed_over(NOON, [ids[1]], None) == 3
