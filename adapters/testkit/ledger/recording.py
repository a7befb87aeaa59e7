"""The promises of Ledger.transaction, and of Transaction.record and write_title."""

import pytest

from adapters.testkit.examples import (
    CYCLE,
    MINUTE,
    NOON,
    cancelling,
    changing,
    due,
    keep,
    numbered,
    planned,
    scheduling,
    sending_new,
    skipping,
)
from adapters.testkit.ledger.surroundings import Surroundings, ids_of
from adapters.testkit.threads import Beside, at_once
from application.ports.errors import Conflict
from application.ports.ledger import Change, Context, Ledger, Versioned
from application.ports.outbox import Outbox
from domain import calendar_event, reminder
from domain.errors import Invalid
from domain.reminder import SkipReason
from domain.triggers import MinutesBeforeStart
from domain.values import EventId, ReminderId


class RecordingContract(Surroundings):
    def test_nothing_is_seen_before_the_block_ends(self, ledger: Ledger, outbox: Outbox) -> None:
        example = due(1, NOON)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record(example.changes)
            transaction.write_title(example.event.id, "Dentist")
            transaction.settle(sending_new(example))
            assert ledger.event(example.event.id) is None
            assert list(ledger.reminders(example.event.id)) == []
            assert list(ledger.history(example.event.id)) == []
            assert ledger.title(example.event.id) is None
            assert ledger.backlog(NOON + MINUTE).count == 0
            assert outbox.backlog(NOON).count == 0
        assert ledger.event(example.event.id) is not None
        assert ledger.title(example.event.id) == "Dentist"
        assert outbox.backlog(NOON).count == 1

    @pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt])
    def test_nothing_is_kept_of_a_block_that_raises(
        self, ledger: Ledger, impatient: Ledger, outbox: Outbox, problem: type[BaseException]
    ) -> None:
        there, new = due(1, NOON), due(2, NOON)
        keep(ledger, there)

        def write_and_raise() -> None:
            with ledger.transaction(CYCLE) as transaction:
                assert transaction.event(there.event.id) is not None
                transaction.record([*new.changes, cancelling(Versioned(there.event, 1))])
                transaction.write_title(there.event.id, "Dentist")
                assert len(transaction.settle(sending_new(new)).written) == 1
                raise problem

        with pytest.raises(problem):
            write_and_raise()
        assert ledger.event(there.event.id) == Versioned(there.event, 1)
        assert ledger.event(new.event.id) is None
        assert list(ledger.reminders(new.event.id)) == []
        assert len(ledger.history(there.event.id)) == 1
        assert list(ledger.history(new.event.id)) == []
        assert ledger.title(there.event.id) is None
        assert outbox.backlog(NOON).count == 0
        with impatient.transaction(CYCLE) as transaction:
            assert transaction.event(there.event.id) == Versioned(there.event, 1)

    def test_a_transaction_sees_what_it_wrote(self, ledger: Ledger) -> None:
        example = due(1, NOON)
        with ledger.transaction(CYCLE) as transaction:
            transaction.record(example.changes)
            assert transaction.event(example.event.id) == Versioned(example.event, 1)
            assert list(transaction.pending(example.event.id)) == [Versioned(example.reminders[0], 1)]
            change = cancelling(Versioned(example.event, 1))
            transaction.record([change])
            assert transaction.event(example.event.id) == Versioned(change.state, 2)
        assert len(ledger.history(example.event.id)) == 2

    def test_the_reminders_of_an_event_are_known_from_history_when_their_rows_are_gone(
        self, ledger: Ledger
    ) -> None:
        example, other = due(1, NOON, NOON - MINUTE), due(2, NOON)
        keep(ledger, example, other)
        later = scheduling(ReminderId(numbered(1900)), example.event, MinutesBeforeStart(7))
        with ledger.transaction(Context(numbered(99), "user")) as transaction:
            transaction.record([cancelling(Versioned(example.event, 1)), later])
        whole = [*ids_of(example.reminders), ReminderId(later.stream_id)]
        assert list(ledger.reminder_ids(example.event.id)) == whole
        for lost in whole[1:]:
            self.lose_reminder(lost)
        assert list(ledger.reminder_ids(example.event.id)) == whole
        assert list(ledger.reminder_ids(EventId(numbered(404)))) == []

    @pytest.mark.parametrize("after", [0, 2])
    def test_an_event_at_another_version_is_a_conflict(self, ledger: Ledger, after: int) -> None:
        example = planned(1)
        keep(ledger, example)
        change = cancelling(Versioned(example.event, after))
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([change])
        assert ledger.event(example.event.id) == Versioned(example.event, 1)
        assert len(ledger.history(example.event.id)) == 1

    @pytest.mark.parametrize("after", [0, 2])
    def test_a_reminder_at_another_version_is_a_conflict(self, ledger: Ledger, after: int) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        change = skipping(Versioned(example.reminders[0], after))
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([change])
        assert ledger.reminders(example.event.id) == [Versioned(example.reminders[0], 1)]
        assert len(ledger.history(change.stream_id)) == 1

    def test_a_stream_that_is_not_there_is_a_conflict(self, ledger: Ledger) -> None:
        example = planned(1)
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([cancelling(Versioned(example.event, 1))])
        assert ledger.event(example.event.id) is None
        assert list(ledger.history(example.event.id)) == []

    def test_one_conflict_keeps_the_whole_batch_out(self, ledger: Ledger) -> None:
        stale, new = planned(1), planned(2)
        keep(ledger, stale)
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([*new.changes, cancelling(Versioned(stale.event, 2))])
        assert ledger.event(new.event.id) is None

    def test_a_second_pending_reminder_of_one_trigger_is_a_conflict(self, ledger: Ledger) -> None:
        example = planned(1, MinutesBeforeStart(15))
        keep(ledger, example)
        second = scheduling(ReminderId(numbered(77)), example.event, MinutesBeforeStart(15))
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([second])
        assert ids_of(ledger.reminders(example.event.id)) == ids_of(example.reminders)

    def test_a_second_pending_reminder_within_one_batch_is_a_conflict(self, ledger: Ledger) -> None:
        example = planned(1, MinutesBeforeStart(15))
        second = scheduling(ReminderId(numbered(77)), example.event, MinutesBeforeStart(15))
        with pytest.raises(Conflict), ledger.transaction(CYCLE) as transaction:
            transaction.record([*example.changes, second])
        assert ledger.event(example.event.id) is None

    def test_the_same_trigger_on_another_event_is_no_conflict(self, ledger: Ledger) -> None:
        first, second = planned(1, MinutesBeforeStart(15)), planned(2, MinutesBeforeStart(15))
        keep(ledger, first)
        keep(ledger, second)
        assert len(ledger.reminders(second.event.id)) == 1

    @pytest.mark.parametrize("skipped_first", [True, False], ids=["skip first", "schedule first"])
    def test_one_batch_may_skip_the_old_and_schedule_the_new(
        self, ledger: Ledger, skipped_first: bool
    ) -> None:
        example = planned(1, MinutesBeforeStart(15))
        keep(ledger, example)
        batch = [
            skipping(Versioned(example.reminders[0], 1), SkipReason.MOVED),
            scheduling(ReminderId(numbered(77)), example.event, MinutesBeforeStart(15)),
        ]
        with ledger.transaction(CYCLE) as transaction:
            transaction.record(batch if skipped_first else batch[::-1])
        statuses = {row.state.id: row.state.status for row in ledger.reminders(example.event.id)}
        assert statuses == {
            example.reminders[0].id: reminder.Status.SKIPPED,
            numbered(77): reminder.Status.PENDING,
        }

    def test_of_two_writers_of_one_version_one_has_a_conflict(self, ledger: Ledger) -> None:
        example = planned(1)
        keep(ledger, example)
        row = Versioned(example.event, 1)
        commands: list[calendar_event.Command] = [calendar_event.Start(NOON), calendar_event.Cancel(NOON)]

        def write(command: calendar_event.Command) -> None:
            with ledger.transaction(CYCLE) as transaction:
                transaction.record([changing(row, command)])

        answers = at_once(lambda: write(commands[0]), lambda: write(commands[1]))
        assert [type(answer) for answer in answers if answer is not None] == [Conflict]
        won = answers.index(None)
        assert ledger.event(example.event.id) == Versioned(changing(row, commands[won]).state, 2)
        assert len(ledger.history(example.event.id)) == 2

    def test_of_two_who_plan_one_event_one_has_a_conflict(self, ledger: Ledger) -> None:
        example = due(1, NOON)
        answers = at_once(*[lambda: keep(ledger, example)] * 4)
        assert [type(answer) for answer in answers if answer is not None] == [Conflict] * 3
        assert len(ledger.history(example.event.id)) == 1
        assert len(ledger.reminders(example.event.id)) == 1

    def test_of_two_new_reminders_of_one_trigger_at_once_one_is_a_conflict(self, ledger: Ledger) -> None:
        example = planned(1)
        keep(ledger, example)

        def schedule(number: int) -> Change:
            return scheduling(ReminderId(numbered(number)), example.event, MinutesBeforeStart(15))

        def write_another() -> None:
            with ledger.transaction(CYCLE) as transaction:
                transaction.record([schedule(72)])

        with ledger.transaction(CYCLE) as transaction:
            transaction.record([schedule(71)])
            other = Beside(write_another)
            assert other.waits(), "two transactions have a Pending reminder of one trigger"
        assert isinstance(other.answer(), Conflict)
        assert ids_of(ledger.reminders(example.event.id)) == [numbered(71)]

    def test_a_title_is_kept_and_an_earlier_one_replaced(self, ledger: Ledger) -> None:
        example = planned(1)
        keep(ledger, example)
        assert ledger.title(example.event.id) is None
        for title in ("Зубной в 15:00", "Dentist 'n' \"co\" \\ 🦷"):
            with ledger.transaction(CYCLE) as transaction:
                assert transaction.write_title(example.event.id, title)
            assert ledger.title(example.event.id) == title

    def test_a_title_written_again_is_told_to_be_no_other(self, ledger: Ledger) -> None:
        example = planned(1)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as transaction:
            told = [transaction.write_title(example.event.id, title) for title in ("a", "a", "b")]
        with ledger.transaction(CYCLE) as transaction:
            told += [transaction.write_title(example.event.id, title) for title in ("b", "a")]
        assert told == [True, False, True, False, True]
        assert ledger.title(example.event.id) == "a"

    @pytest.mark.parametrize("title", ["Den\0tist", "Dentist \ud800"], ids=["NUL", "half a surrogate pair"])
    def test_a_title_that_is_no_text_is_invalid(self, ledger: Ledger, title: str) -> None:
        example = planned(1)
        keep(ledger, example)
        with pytest.raises(Invalid), ledger.transaction(CYCLE) as transaction:
            transaction.write_title(example.event.id, title)
        assert ledger.title(example.event.id) is None
