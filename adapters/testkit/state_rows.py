"""The promises of the StateRows port, executed."""

from uuid import UUID

import attrs
import pytest

from adapters.testkit.examples import CYCLE, LONG_BEFORE, cancelling, due, keep, numbered, planned
from adapters.testkit.touches.examples import CALLER, registered
from adapters.testkit.touches.examples import planned as planned_touches
from application.ports.errors import Busy
from application.ports.ledger import Ledger
from application.ports.state_rows import Inserted, Made, Standing, State, StateRows
from application.ports.touches import Touches
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan
from domain.triggers import MinutesBeforeStart
from domain.values import EventId, ReminderId, TouchId

FIRST, SECOND = EventId(numbered(1000)), EventId(numbered(2000))


class StateRowsContract:
    """Each test has a store of its own, without any rows; the fixtures are adapters over that one store."""

    @pytest.fixture
    def state_rows(self) -> StateRows:
        raise NotImplementedError

    @pytest.fixture
    def impatient(self) -> StateRows:
        """Others over the same store, which wait for a lock for some tenths of a second at most."""
        raise NotImplementedError

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def touches(self) -> Touches:
        raise NotImplementedError

    def lose_all(self) -> None:
        """Take all rows of the current state away, and leave the history."""
        raise NotImplementedError

    def test_pages_bring_streams_in_the_order_of_ids_with_their_rows(
        self, state_rows: StateRows, ledger: Ledger, touches: Touches
    ) -> None:
        keep(ledger, due(1, LONG_BEFORE))
        registered(touches)
        planned_touches(touches)
        seen: list[Standing] = []
        after: UUID | None = None
        while (page := state_rows.page(after, 3)).last is not None:
            assert len(page.found) <= 3
            seen += page.found
            after = page.last
        assert [one.id for one in seen] == sorted(one.id for one in seen)
        kinds = {type(one.row.state) for one in seen if one.row is not None}
        assert kinds == {CalendarEvent, Reminder, DeferredTouch, TouchPlan}
        assert [len(one.stream) for one in seen] == [1, 1, 1, 1]
        assert [one.next_at is not None for one in seen].count(True) == 1
        assert state_rows.about() == 4
        self.lose_all()
        assert [one.row for one in state_rows.page(None, 10).found] == [None] * 4

    def test_single_ones_are_brought_in_the_order_asked_for_and_of_nothing_an_empty_one(
        self, state_rows: StateRows, ledger: Ledger, touches: Touches
    ) -> None:
        keep(ledger, due(1, LONG_BEFORE))
        touch, nothing = registered(touches), EventId(numbered(404))
        found = state_rows.standing([touch.id, nothing, FIRST])
        assert [one.id for one in found] == [touch.id, nothing, FIRST]
        assert [len(one.stream) for one in found] == [1, 0, 1]
        by_id = {one.id: one for one in state_rows.page(None, 10).found}
        assert [one.row for one in found] == [by_id[touch.id].row, None, by_id[FIRST].row]
        assert state_rows.standing([]) == []
        self.lose_all()
        assert [one.row for one in state_rows.standing([touch.id, FIRST])] == [None, None]

    def test_what_is_not_there_is_written_as_it_is_given(
        self, state_rows: StateRows, ledger: Ledger, touches: Touches
    ) -> None:
        example = due(1, LONG_BEFORE)
        keep(ledger, example)
        touch = registered(touches)
        plan = planned_touches(touches)
        self.lose_all()
        states: tuple[State, ...] = (example.event, *example.reminders, touch, plan)
        made = [Made(one, 1, LONG_BEFORE) for one in states]
        made[2] = attrs.evolve(made[2], caller=CALLER)
        assert state_rows.insert(made).there == {one.id for one in states}
        assert ledger.event(FIRST) is not None
        assert [row.state for row in ledger.reminders(FIRST)] == list(example.reminders)
        assert touches.listed(None, 10, caller=CALLER) == [touch]
        found = touches.plan(plan.id)
        assert found is not None
        assert (found.state, found.version) == (plan, 1)

    def test_the_reminders_of_events_are_brought_whatever_their_status(
        self, state_rows: StateRows, ledger: Ledger
    ) -> None:
        keep(ledger, due(1, LONG_BEFORE))
        keep(ledger, planned(2, MinutesBeforeStart(15), MinutesBeforeStart(30)))
        found = state_rows.reminders([SECOND])
        assert [row.state.id for row in found] == sorted(row.state.id for row in ledger.reminders(SECOND))
        assert len(found) == 2
        assert state_rows.reminders([]) == []

    def test_what_is_there_stays_as_it_is(self, state_rows: StateRows, ledger: Ledger) -> None:
        example = due(1, LONG_BEFORE)
        keep(ledger, example)
        other = attrs.evolve(example.event, client_user_id=None)
        assert state_rows.insert([Made(other, 7, LONG_BEFORE)]) == Inserted(frozenset({FIRST}), 0)
        found = ledger.event(FIRST)
        assert found is not None
        assert (found.state, found.version) == (example.event, 1)

    def test_one_that_is_refused_keeps_none_of_the_others_away(
        self, state_rows: StateRows, ledger: Ledger
    ) -> None:
        keep(ledger, planned(1, MinutesBeforeStart(15)))
        (standing,) = ledger.reminders(FIRST)
        second = attrs.evolve(standing.state, id=ReminderId(numbered(1500)))
        event = planned(2).event
        made = [Made(second, 1, LONG_BEFORE), Made(event, 1, LONG_BEFORE)]
        assert state_rows.insert(made).there == {SECOND}
        assert [row.state.id for row in ledger.reminders(FIRST)] == [standing.state.id]

    def test_a_row_is_corrected_to_what_is_decided_of_it_as_it_stands(
        self, state_rows: StateRows, ledger: Ledger
    ) -> None:
        keep(ledger, planned(1))
        seen: list[Standing] = []

        def decide(now: Standing) -> Made | None:
            seen.append(now)
            if len(seen) > 1:
                return None
            assert now.row is not None
            assert isinstance(now.row.state, CalendarEvent)
            return Made(attrs.evolve(now.row.state, client_user_id=None), 1, LONG_BEFORE)

        assert state_rows.correct(CalendarEvent, FIRST, decide)
        assert state_rows.correct(CalendarEvent, FIRST, decide)
        found = ledger.event(FIRST)
        assert found is not None
        assert (found.state.client_user_id, found.version) == (None, 1)
        assert [len(one.stream) for one in seen] == [1, 1]

    def test_what_is_not_there_is_not_corrected(self, state_rows: StateRows) -> None:
        assert not state_rows.correct(CalendarEvent, FIRST, lambda now: pytest.fail("it is not there"))

    def test_a_row_that_is_being_changed_is_waited_for(
        self, impatient: StateRows, ledger: Ledger, state_rows: StateRows
    ) -> None:
        keep(ledger, planned(1))
        with ledger.transaction(CYCLE) as transaction:
            found = transaction.event(FIRST)
            assert found is not None
            transaction.record([cancelling(found)])
            with pytest.raises(Busy):
                impatient.correct(CalendarEvent, FIRST, lambda now: None)
        seen: list[int] = []
        state_rows.correct(CalendarEvent, FIRST, lambda now: seen.append(len(now.stream)))
        assert seen == [2]

    def test_the_caller_of_a_touch_is_written_too(self, state_rows: StateRows, touches: Touches) -> None:
        touch = registered(touches)
        (standing,) = state_rows.page(None, 10).found
        assert standing.row is not None
        assert standing.row.caller == CALLER
        changed = attrs.evolve(touch, failures=2)
        made = Made(changed, 1, LONG_BEFORE, "another")
        assert state_rows.correct(DeferredTouch, touch.id, lambda now: made)
        assert touches.listed(None, 10, caller=CALLER) == []
        assert touches.listed(None, 10, caller="another") == [changed]

    def test_rows_without_a_stream_are_strays(
        self, state_rows: StateRows, ledger: Ledger, touches: Touches
    ) -> None:
        keep(ledger, due(1, LONG_BEFORE))
        planned_touches(touches)
        assert state_rows.strays(None, 10).found == []
        known = [one.id for one in state_rows.page(None, 10).found]
        event = planned(2).event
        touch = attrs.evolve(registered(touches), id=TouchId(numbered(7000)))
        state_rows.insert([Made(event, 1, LONG_BEFORE), Made(touch, 1, LONG_BEFORE)])
        seen: list[UUID] = []
        looked_at, after = 0, None
        while (page := state_rows.strays(after, 2)).last is not None:
            assert after is None or page.last > after
            seen += page.found
            looked_at, after = looked_at + 1, page.last
        assert seen == [event.id, touch.id]
        assert looked_at == (len(known) + 4) // 2
