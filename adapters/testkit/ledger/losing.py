"""The promises of Transaction.has_lost, and of record for a reminder whose row is lost."""

from collections.abc import Collection
from datetime import datetime

import attrs
import pytest

from adapters.testkit.examples import CYCLE, LONG_BEFORE, NOON, due, keep, planned, skipping
from adapters.testkit.ledger.surroundings import Surroundings, ids_of
from application.ports.errors import Conflict
from application.ports.ledger import Ledger, Versioned
from domain.reminder import Reminder, SkipReason, Status
from domain.triggers import MinutesBeforeStart, Trigger
from domain.values import EventId

QUARTER, HALF = MinutesBeforeStart(15), MinutesBeforeStart(30)


def has_lost(ledger: Ledger, event_id: EventId, places: Collection[tuple[Trigger, datetime]]) -> bool:
    with ledger.transaction(CYCLE) as transaction:
        return transaction.has_lost(event_id, places)


def place(one: Reminder) -> tuple[Trigger, datetime]:
    return one.trigger, one.due_at


class LosingContract(Surroundings):
    def test_what_is_pending_by_its_history_and_has_no_row_is_lost(self, ledger: Ledger) -> None:
        example, other = planned(1, QUARTER, HALF), planned(2, QUARTER)
        keep(ledger, example, other)
        lost = example.reminders[0]
        self.lose_reminder(lost.id)
        assert has_lost(ledger, example.event.id, [place(lost)])
        assert not has_lost(ledger, other.event.id, [(HALF, NOON)])

    @pytest.mark.parametrize("reason", list(SkipReason))
    def test_what_was_over_before_its_row_was_lost_is_not_missed(
        self, ledger: Ledger, reason: SkipReason
    ) -> None:
        example = planned(1, QUARTER)
        keep(ledger, example)
        (one,) = example.reminders
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(Versioned(one, 1), reason)])
        assert not has_lost(ledger, example.event.id, [place(one)])
        self.lose_reminder(one.id)
        assert not has_lost(ledger, example.event.id, [place(one)])

    @pytest.mark.parametrize(
        ("reason", "is_missed"),
        [(SkipReason.PAST, False), (SkipReason.STALE, False), (SkipReason.MOVED, True)],
    )
    def test_only_one_that_was_too_late_stands_for_a_place(
        self, ledger: Ledger, reason: SkipReason, is_missed: bool
    ) -> None:
        example = planned(1, QUARTER, HALF)
        keep(ledger, example)
        kept, lost = example.reminders
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipping(Versioned(kept, 1), reason)])
        self.lose_reminder(lost.id)
        assert has_lost(ledger, example.event.id, [place(kept)]) is is_missed
        assert has_lost(ledger, example.event.id, [place(kept), place(lost)])

    def test_one_that_has_a_row_after_all_was_lost_until_now(self, ledger: Ledger) -> None:
        example = planned(1, QUARTER)
        keep(ledger, example)
        assert has_lost(ledger, example.event.id, [place(*example.reminders)])

    def test_a_lost_one_is_recorded_with_a_row_as_it_is_then(self, ledger: Ledger) -> None:
        example = planned(1, QUARTER)
        keep(ledger, example)
        (one,) = example.reminders
        self.lose_reminder(one.id)
        change = attrs.evolve(skipping(Versioned(one, 1), SkipReason.WITHDRAWN), is_lost=True)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([change])
        (row,) = ledger.reminders(example.event.id)
        assert (row.version, row.state.status, row.state.reason) == (2, Status.SKIPPED, SkipReason.WITHDRAWN)
        assert [each.version for each in ledger.history(one.id)] == [1, 2]

    def test_a_lost_one_whose_history_went_on_is_a_conflict(self, ledger: Ledger) -> None:
        example = planned(1, QUARTER)
        keep(ledger, example)
        (one,) = example.reminders
        skipped = skipping(Versioned(one, 1))
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skipped])
        self.lose_reminder(one.id)
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([attrs.evolve(skipped, is_lost=True)])
        assert len(ledger.history(one.id)) == 2

    def test_one_that_is_not_lost_is_a_conflict_for_who_thinks_so(self, ledger: Ledger) -> None:
        example = due(1, LONG_BEFORE)
        keep(ledger, example)
        (one,) = example.reminders
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([attrs.evolve(skipping(Versioned(one, 1)), is_lost=True)])
        assert ids_of(ledger.reminders(example.event.id)) == [one.id]
        assert len(ledger.history(one.id)) == 1
