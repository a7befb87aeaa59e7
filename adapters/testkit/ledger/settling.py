"""The promises of Transaction.settle: what is written, what is stale, what is poison."""

import random
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import attrs
import pytest

from adapters import codec
from adapters.testkit.examples import (
    CYCLE,
    MINUTE,
    NOON,
    RUN,
    TOPIC,
    Planned,
    changing,
    due,
    keep,
    sending,
    sending_new,
    skipping,
    timing,
)
from adapters.testkit.ledger.surroundings import Surroundings
from adapters.testkit.threads import Beside
from application.ports.ledger import Change, Context, Ledger, Settled, Settlement, Versioned
from application.ports.outbox import Outbox
from domain import calendar_event
from domain.reminder import Reminder, SkipReason
from domain.values import ReminderId

AS_OF = NOON + MINUTE


class SettlingContract(Surroundings):
    def test_a_sent_reminder_is_written_with_its_history_and_its_message(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as cycle:
            (row,) = cycle.claim_due(AS_OF, 5).due
            settled = sending(row, Versioned(example.event, 1), AS_OF)
            settlement = cycle.settle([settled])
        assert _sets(settlement) == ({row.state.id}, set(), set())
        assert ledger.reminders(example.event.id) == [Versioned(settled.state, 2)]
        sent = ledger.history(row.state.id)[-1]
        assert (sent.version, sent.event, sent.occurred_at) == (2, settled.events[0], AS_OF)
        assert (sent.correlation_id, sent.actor) == (RUN, "system")
        ((message,),) = [[claim.message for claim in _claim(outbox)]]
        assert (message.id, message.topic, message.key) == (row.state.id, TOPIC, example.event.id)
        assert settled.message is not None
        assert codec.decode_due(message.payload) == settled.message.payload
        assert message.headers == codec.outbox_headers(RUN)

    def test_a_message_carries_the_trace_of_its_transaction(self, ledger: Ledger, outbox: Outbox) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        traceparent = f"00-{RUN.hex}-00000000000000ff-01"
        with ledger.transaction(Context(RUN, traceparent=traceparent)) as cycle:
            cycle.settle([sending(Versioned(example.reminders[0], 1), Versioned(example.event, 1), AS_OF)])
        (claim,) = _claim(outbox)
        assert claim.message.headers == codec.outbox_headers(RUN, traceparent)

    def test_a_skipped_reminder_is_written_without_a_message(self, ledger: Ledger, outbox: Outbox) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        settled = _skipping(Versioned(example.reminders[0], 1), 1)
        with ledger.transaction(CYCLE) as cycle:
            assert _sets(cycle.settle([settled])) == ({settled.state.id}, set(), set())
        assert ledger.reminders(example.event.id) == [Versioned(settled.state, 2)]
        assert ledger.history(settled.state.id)[-1].event == settled.events[0]
        assert outbox.backlog(NOON).count == 0

    def test_an_empty_batch_is_an_empty_settlement(self, ledger: Ledger) -> None:
        with ledger.transaction(CYCLE) as cycle:
            assert _sets(cycle.settle([])) == (set(), set(), set())

    def test_a_settled_row_is_no_longer_due(self, ledger: Ledger) -> None:
        example = due(1, NOON, NOON - MINUTE)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as cycle:
            cycle.settle(sending_new(example, AS_OF)[:1])
            assert [row.state for row in cycle.claim_due(AS_OF, 5).due] == [example.reminders[1]]
        assert ledger.backlog(AS_OF).count == 1
        with ledger.transaction(CYCLE) as cycle:
            assert [row.state for row in cycle.claim_due(AS_OF, 5).due] == [example.reminders[1]]

    def test_each_of_many_has_its_own_message(self, ledger: Ledger, outbox: Outbox) -> None:
        example = due(1, *(NOON - n * MINUTE for n in range(40)))
        keep(ledger, example)
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle(sending_new(example, AS_OF))
        ids = {one.id for one in example.reminders}
        assert _sets(settlement) == (ids, set(), set())
        messages = [claim.message for claim in _claim(outbox)]
        assert {codec.decode_due(message.payload).reminder_id: message.id for message in messages} == {
            id_: id_ for id_ in ids
        }
        assert len(messages) == 40

    def test_a_reminder_that_changed_is_stale(self, ledger: Ledger, outbox: Outbox) -> None:
        changed, sound = due(1, NOON), due(2, NOON)
        keep(ledger, changed, sound)
        decided = [*sending_new(changed, AS_OF), *sending_new(sound, AS_OF)]
        skip = skipping(Versioned(changed.reminders[0], 1))
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skip])
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle(decided)
        assert _sets(settlement) == ({sound.reminders[0].id}, {changed.reminders[0].id}, set())
        assert ledger.reminders(changed.event.id) == [Versioned(skip.state, 2)]
        assert [one.event for one in ledger.history(skip.stream_id)][1:] == list(skip.events)
        assert [claim.message.id for claim in _claim(outbox)] == [sound.reminders[0].id]

    def test_a_reminder_at_another_version_is_stale(self, ledger: Ledger) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        (settled,) = sending_new(example, AS_OF)
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle([attrs.evolve(settled, after=2)])
        assert _sets(settlement) == (set(), {settled.state.id}, set())
        assert ledger.reminders(example.event.id) == [Versioned(example.reminders[0], 1)]

    def test_a_reminder_that_is_no_longer_pending_is_stale_at_whatever_version(self, ledger: Ledger) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        (settled,) = sending_new(example, AS_OF)
        skip = skipping(Versioned(example.reminders[0], 1))
        with ledger.transaction(CYCLE) as transaction:
            transaction.record([skip])
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle([attrs.evolve(settled, after=2)])
        assert _sets(settlement) == (set(), {settled.state.id}, set())
        assert ledger.reminders(example.event.id) == [Versioned(skip.state, 2)]

    def test_a_reminder_that_is_not_there_is_stale(self, ledger: Ledger, outbox: Outbox) -> None:
        example = due(1, NOON)
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle(sending_new(example, AS_OF))
        assert _sets(settlement) == (set(), {example.reminders[0].id}, set())
        assert outbox.backlog(NOON).count == 0

    @pytest.mark.parametrize(
        "command",
        [
            calendar_event.Cancel(NOON),
            calendar_event.Start(NOON),
            calendar_event.Move(timing("2026-12-05T10:00", "Europe/Moscow"), NOON),
        ],
        ids=lambda command: type(command).__name__,
    )
    def test_an_event_changed_between_decision_and_write_makes_its_reminders_stale(
        self, ledger: Ledger, outbox: Outbox, command: calendar_event.Command
    ) -> None:
        example, sound = due(1, NOON, NOON - MINUTE), due(2, NOON)
        keep(ledger, example, sound)
        with ledger.transaction(CYCLE) as cycle:
            cycle.claim_due(AS_OF, 5)
            cycle.parents([example.event.id])
            with ledger.transaction(CYCLE) as transaction:
                transaction.record([changing(Versioned(example.event, 1), command)])
            settlement = cycle.settle([*sending_new(example, AS_OF), *sending_new(sound, AS_OF)])
        ids = {one.id for one in example.reminders}
        assert _sets(settlement) == ({sound.reminders[0].id}, ids, set())
        self._is_as_it_was(ledger, example)
        assert [claim.message.id for claim in _claim(outbox)] == [sound.reminders[0].id]

    @pytest.mark.parametrize("raise_version", [True, False], ids=["version too", "status alone"])
    def test_an_event_cancelled_in_its_row_alone_makes_its_reminders_stale(
        self, ledger: Ledger, outbox: Outbox, raise_version: bool
    ) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        with ledger.transaction(CYCLE) as cycle:
            cycle.claim_due(AS_OF, 5)
            cycle.parents([example.event.id])
            self.cancel_event_alone(example.event.id, raise_version)
            settlement = cycle.settle(sending_new(example, AS_OF))
        assert _sets(settlement) == (set(), {example.reminders[0].id}, set())
        self._is_as_it_was(ledger, example)
        assert outbox.backlog(NOON).count == 0
        with ledger.transaction(CYCLE) as cycle:
            (row,) = cycle.claim_due(AS_OF, 5).due
            parent = cycle.parents([example.event.id])[example.event.id]
            assert isinstance(parent, Versioned)
            assert _sets(cycle.settle([_skipping(row, parent.version)])) == ({row.state.id}, set(), set())

    @pytest.mark.parametrize("refused", [[0], [36], [17], [3, 4], [0, 18, 36], list(range(37))], ids=str)
    def test_the_rows_that_the_store_refuses_are_poison_and_the_rest_is_written(
        self, ledger: Ledger, outbox: Outbox, refused: list[int]
    ) -> None:
        example = due(1, *(NOON - n * MINUTE for n in range(37)))
        keep(ledger, example)
        ids = [one.id for one in example.reminders]
        for index in refused:
            self.refuse(ids[index])
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle(sending_new(example, AS_OF))
        poison = {ids[index] for index in refused}
        assert _sets(settlement) == (set(ids) - poison, set(), poison)
        assert all(one.event_id == example.event.id and one.problem.strip() for one in settlement.poison)
        assert {row.state.id for row in ledger.reminders(example.event.id) if row.version == 1} == poison
        assert {claim.message.id for claim in _claim(outbox)} == set(ids) - poison
        assert {id_ for id_ in ids if len(ledger.history(id_)) == 1} == poison

    def test_what_cannot_be_encoded_is_poison_and_the_rest_is_written(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        example = due(1, NOON - 2 * MINUTE, NOON - MINUTE, NOON)
        keep(ledger, example)
        decided = sending_new(example, AS_OF)
        decided[1] = _unencodable(decided[1])
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle(decided)
        first, second, third = (one.id for one in example.reminders)
        assert _sets(settlement) == ({first, third}, set(), {second})
        assert ledger.reminders(example.event.id)[1] == Versioned(example.reminders[1], 1)
        assert {claim.message.id for claim in _claim(outbox)} == {first, third}

    def test_written_stale_and_poison_are_told_apart_in_one_batch(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        sound, stale = due(1, *(NOON - n * MINUTE for n in range(20))), due(2, NOON, NOON - MINUTE)
        keep(ledger, sound, stale)
        self.refuse(sound.reminders[7].id)
        decided = [*sending_new(sound, AS_OF), *sending_new(stale, AS_OF)]
        decided[12] = _unencodable(decided[12])
        random.Random(7).shuffle(decided)
        with ledger.transaction(CYCLE) as cycle:
            cycle.claim_due(AS_OF, 50)
            self.cancel_event_alone(stale.event.id, raise_version=True)
            settlement = cycle.settle(decided)
        poison = {sound.reminders[7].id, sound.reminders[12].id}
        written = {one.id for one in sound.reminders} - poison
        assert _sets(settlement) == (written, {one.id for one in stale.reminders}, poison)
        assert {claim.message.id for claim in _claim(outbox)} == written

    def test_a_poison_row_stays_pending_for_the_next_cycle(self, ledger: Ledger) -> None:
        example = due(1, NOON)
        keep(ledger, example)
        self.refuse(example.reminders[0].id)
        for _ in range(2):
            with ledger.transaction(CYCLE) as cycle:
                (row,) = cycle.claim_due(AS_OF, 5).due
                settlement = cycle.settle([sending(row, Versioned(example.event, 1), AS_OF)])
                assert _sets(settlement) == (set(), set(), {row.state.id})
        assert ledger.backlog(AS_OF).count == 1

    def test_a_reminder_that_has_its_message_already_gets_no_second(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        example = due(1, NOON - MINUTE, NOON)
        keep(ledger, example)
        first, second = (one.id for one in example.reminders)
        self.put_message(second)
        with ledger.transaction(CYCLE) as cycle:
            settlement = cycle.settle(sending_new(example, AS_OF))
        assert _sets(settlement) == ({first}, set(), {second})
        assert sorted(claim.message.id for claim in _claim(outbox)) == [first, second]
        assert ledger.reminders(example.event.id)[1] == Versioned(example.reminders[1], 1)

    def test_two_cycles_that_decided_the_same_rows_write_each_once(
        self, ledger: Ledger, outbox: Outbox
    ) -> None:
        example = due(1, *(NOON - n * MINUTE for n in range(20)))
        keep(ledger, example)
        decided = sending_new(example, AS_OF)
        ids = {one.id for one in example.reminders}

        def settle_too() -> Settlement:
            with ledger.transaction(CYCLE) as transaction:
                return transaction.settle(decided)

        with ledger.transaction(CYCLE) as cycle:
            assert _sets(cycle.settle(decided)) == (ids, set(), set())
            other = Beside(settle_too)
            assert other.waits(), "rows were settled that another transaction had settled"
        late = other.answer()
        assert isinstance(late, Settlement), late
        assert _sets(late) == (set(), ids, set())
        assert len(_claim(outbox)) == 20
        assert [len(ledger.history(id_)) for id_ in ids] == [2] * 20

    def _is_as_it_was(self, ledger: Ledger, example: Planned) -> None:
        rows = {row.state.id: row for row in ledger.reminders(example.event.id)}
        assert rows == {one.id: Versioned(one, 1) for one in example.reminders}
        assert [len(ledger.history(one.id)) for one in example.reminders] == [1] * len(example.reminders)


def _claim(outbox: Outbox) -> Any:
    return outbox.claim("relay", 1000, NOON, timedelta(minutes=1))


def _sets(settlement: Settlement) -> tuple[set[ReminderId], set[ReminderId], set[ReminderId]]:
    poison = [one.reminder_id for one in settlement.poison]
    answers: list[UUID] = [*settlement.written, *settlement.stale, *poison]
    assert len(answers) == len(set(answers)), "a row has two fates"
    return set(settlement.written), set(settlement.stale), set(poison)


def _skipping(row: Versioned[Reminder], event_version: int) -> Settled:
    change: Change = skipping(row, SkipReason.CANCELLED)
    assert isinstance(change.state, Reminder)
    return Settled(change.state, row.version, cast(Any, change.events), event_version, None)


def _unencodable(settled: Settled) -> Settled:
    assert settled.message is not None
    payload = attrs.evolve(settled.message.payload, time_zone="Europe/\ud800")
    return attrs.evolve(settled, message=attrs.evolve(settled.message, payload=payload))
