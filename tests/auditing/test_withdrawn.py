"""What an event wants no more stays away, though its rows were lost when it changed."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from attrs import frozen

from adapters.container import Container
from adapters.testkit.clock import SettableClock
from application.auditing.rules import Rule
from application.calendar import Draft
from application.ports.errors import RemindersAreLost
from application.ports.state_rows import Made, Standing
from domain import reminder
from domain.reminder import Reminder, ReminderScheduled, ReminderSkipped, SkipReason, Status
from domain.triggers import MinutesBeforeStart, Trigger
from domain.values import EventId, ReminderId, Timing
from tests.auditing.office import (
    ACME,
    ANNA,
    CLARA,
    DAY,
    HOUR,
    NOON,
    ZONE_DATA,
    audited,
    clocked,
    found,
    opened,
)
from tests.auditing.test_rebuild import execute, rebuilt

QUARTER, HALF = MinutesBeforeStart(15), MinutesBeforeStart(30)
LATER = (NOON + 3 * DAY).replace(tzinfo=None)


@frozen
class Desk:
    """An office with one event at one o'clock that reminds twice."""

    container: Container
    clock: SettableClock
    event_id: EventId
    url: str | None

    def change(self, *triggers: Trigger) -> None:
        self.container.calendar().change(self.event_id, tz_version=ZONE_DATA, triggers=triggers)

    def move(self) -> None:
        self.container.calendar().move(self.event_id, LATER, tz_version=ZONE_DATA)

    def lose_rows(self) -> None:
        if self.url is None:
            self.container.memory().reminders.clear()
        else:
            execute(self.url, "truncate tickler.event_reminders")

    def forget_skips(self) -> None:
        """As it was when a change still went past the reminders whose rows were lost."""
        if self.url is not None:
            execute(
                self.url,
                "set session_replication_role = replica",
                "delete from tickler.domain_events where type = 'reminder.skipped.v1'",
            )
            return
        history = self.container.memory().history
        for id_, stream in history.items():
            history[id_] = tuple(one for one in stream if not isinstance(one.event, ReminderSkipped))

    def bring_back(self, *ids: ReminderId) -> None:
        """The rows of these as they were when they were made."""
        store = self.container.state_rows()
        for one in store.standing(ids):
            if self.url is None:
                self.container.memory().reminders.pop(one.id, None)
            else:
                execute(self.url, f"delete from tickler.event_reminders where id = '{one.id}'")
        self.container.state_rows().insert([_first(one) for one in store.standing(ids)])

    def reminders(self) -> list[Reminder]:
        return [row.state for row in self.container.ledger().reminders(self.event_id)]

    def pending(self) -> dict[ReminderId, Trigger]:
        return {one.id: one.trigger for one in self.reminders() if one.status is Status.PENDING}

    def skipped(self) -> dict[ReminderId, SkipReason | None]:
        return {one.id: one.reason for one in self.reminders() if one.status is Status.SKIPPED}

    def work(self) -> int:
        return sum(one.sent_count for one in self.container.dispatch_job().tick())


def _first(standing: Standing) -> Made:
    happened = standing.stream[0]
    assert isinstance(happened.event, ReminderScheduled)
    return Made(reminder.evolve(None, happened.event), 1, happened.occurred_at)


@pytest.fixture(params=["memory", "postgres"])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    with opened(request.param, url) as container:
        clock = clocked(container)
        timing = Timing.of((NOON + HOUR).replace(tzinfo=None), "UTC", tz_version=ZONE_DATA)
        draft = Draft(ACME, ANNA, timing, triggers=(QUARTER, HALF))
        yield Desk(container, clock, container.calendar().plan(draft).event.id, url)


def of(desk: Desk, trigger: MinutesBeforeStart) -> ReminderId:
    (id_,) = [id_ for id_, each in desk.pending().items() if each == trigger]
    return id_


def test_what_was_taken_off_is_skipped_and_its_history_tells_who_did_it(desk: Desk) -> None:
    quarter, half = of(desk, QUARTER), of(desk, HALF)
    desk.change(QUARTER)
    desk.forget_skips()
    desk.lose_rows()
    report = rebuilt(desk.container)
    assert (report.inserted, report.withdrawn, report.failed) == (1, 1, 0)
    assert desk.pending() == {quarter: QUARTER}
    assert desk.skipped() == {half: SkipReason.WITHDRAWN}
    last = desk.container.ledger().history(half)[-1]
    assert (last.version, last.actor, last.event) == (
        2,
        "rebuild",
        ReminderSkipped(SkipReason.WITHDRAWN, NOON),
    )
    assert found(audited(desk.container)) == {}
    again = rebuilt(desk.container)
    assert (again.inserted, again.corrected, again.withdrawn, again.failed) == (0, 0, 0, 0)


def test_what_was_moved_is_skipped_and_the_ones_that_stand_for_it_win(desk: Desk) -> None:
    old = desk.pending()
    desk.move()
    new = desk.pending()
    desk.forget_skips()
    desk.lose_rows()
    report = rebuilt(desk.container)
    assert (report.inserted, report.withdrawn, report.failed) == (2, 2, 0)
    assert desk.pending() == new
    assert desk.skipped() == dict.fromkeys(old, SkipReason.MOVED)
    desk.clock.set(NOON + HOUR)
    assert desk.work() == 0
    assert found(audited(desk.container)) == {}


def test_rows_of_old_ones_that_are_back_already_make_room(desk: Desk) -> None:
    old = desk.pending()
    desk.move()
    new = desk.pending()
    desk.forget_skips()
    desk.lose_rows()
    desk.bring_back(*old)
    assert set(found(audited(desk.container))[Rule.STREAM_HAS_ROW]) == set(new)
    assert rebuilt(desk.container).withdrawn == 2
    assert desk.pending() == new
    assert desk.skipped() == dict.fromkeys(old, SkipReason.MOVED)
    assert found(audited(desk.container)) == {}


def test_what_is_pending_for_a_trigger_that_was_taken_off_is_named_and_mended(desk: Desk) -> None:
    half = of(desk, HALF)
    desk.change(QUARTER)
    desk.forget_skips()
    desk.bring_back(half)
    assert found(audited(desk.container)) == {Rule.REMINDER_IS_WANTED: [half]}
    assert rebuilt(desk.container).withdrawn == 1
    assert desk.skipped() == {half: SkipReason.WITHDRAWN}
    assert found(audited(desk.container)) == {}


def test_an_old_one_does_not_leave_after_the_one_that_stands_for_it(desk: Desk) -> None:
    half = of(desk, HALF)
    desk.change(QUARTER)
    desk.change(QUARTER, HALF)
    desk.forget_skips()
    desk.lose_rows()
    rebuilt(desk.container)
    assert desk.skipped() == {half: SkipReason.WITHDRAWN}
    desk.clock.set(NOON + HOUR - timedelta(minutes=29))
    assert desk.work() == 1
    desk.lose_rows()
    rebuilt(desk.container)
    desk.clock.advance(timedelta(seconds=1))
    assert desk.work() == 0


def test_an_event_that_is_over_keeps_what_is_pending_for_the_cycle_to_skip(desk: Desk) -> None:
    before = desk.pending()
    desk.lose_rows()
    desk.container.calendar().cancel(desk.event_id)
    assert rebuilt(desk.container).withdrawn == 0
    assert desk.pending() == before
    desk.clock.set(NOON + HOUR)
    assert desk.work() == 0
    assert set(desk.skipped().values()) == {SkipReason.CANCELLED}


def test_only_one_of_two_rebuilds_says_that_it_made_a_row(desk: Desk) -> None:
    desk.lose_rows()
    made = [rebuilt(desk.container).inserted, rebuilt(desk.container).inserted]
    assert made == [2, 0]


WITH_LOST_ROWS: dict[str, Callable[[Desk], None]] = {
    "takes a trigger off": lambda desk: desk.change(QUARTER),
    "takes all triggers off": lambda desk: desk.change(),
    "moves it": lambda desk: desk.move(),
}


@pytest.mark.parametrize("what", WITH_LOST_ROWS)
def test_a_change_is_refused_while_rows_are_lost_that_it_would_skip(desk: Desk, what: str) -> None:
    change = WITH_LOST_ROWS[what]
    before = desk.container.ledger().event(desk.event_id)
    desk.lose_rows()
    with pytest.raises(RemindersAreLost, match="run `tickler rebuild` first"):
        change(desk)
    assert desk.container.ledger().event(desk.event_id) == before
    rebuilt(desk.container)
    change(desk)
    assert found(audited(desk.container)) == {}


def test_a_change_that_skips_none_of_them_is_not_held_up_by_lost_rows(desk: Desk) -> None:
    desk.lose_rows()
    calendar = desk.container.calendar()
    done = calendar.change(desk.event_id, tz_version=ZONE_DATA, owner_user_id=CLARA)
    assert done.event.owner_user_id == CLARA
    desk.change(QUARTER, HALF, MinutesBeforeStart(5))
    rebuilt(desk.container)
    assert set(desk.pending().values()) == {QUARTER, HALF, MinutesBeforeStart(5)}
    assert found(audited(desk.container)) == {}


def test_what_has_left_or_was_too_late_is_not_missed_by_a_change(desk: Desk) -> None:
    desk.clock.set(NOON + HOUR - timedelta(minutes=20))
    assert desk.work() == 1
    desk.change(QUARTER, HALF, MinutesBeforeStart(50))
    desk.move()
    assert found(audited(desk.container, except_stuck=True)) == {}
