"""How reminders follow their event; INV-REM-4 to INV-REM-6, and all of them over random histories."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import reduce
from itertools import count
from uuid import UUID

import attrs
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from domain import calendar_event, policies, reminder
from domain.calendar_event import (
    CalendarEvent,
    CalendarEventCancelled,
    CalendarEventChanged,
    CalendarEventCompleted,
    CalendarEventMoved,
    CalendarEventStarted,
    Change,
)
from domain.errors import Refused
from domain.policies import Ask
from domain.reminder import Reminder, Schedule, Send, Skip, SkipReason, Status
from domain.triggers import (
    AtInstant,
    DaysBeforeStart,
    MinutesBeforeEnd,
    MinutesBeforeStart,
    Trigger,
    due_at,
    offset_minutes,
)
from domain.values import EventStatus, ReminderId, Timing
from tests.domain.examples import (
    APPOINTMENT,
    CLIENT,
    EVENT,
    HOUR,
    LATER,
    NOW,
    OTHER_TIMING,
    OWNER,
    QUARTER,
    TENANT,
    TIMING,
    event_in,
    pending,
    plan,
    planned,
    utc,
    wall,
)


@attrs.define
class Drawer:
    """One event and its reminders, moved as the calendar's use case and the job move them."""

    event: CalendarEvent | None = None
    version: int = 0
    reminders: dict[ReminderId, Reminder] = attrs.field(factory=dict)
    outbox: list[policies.ReminderDueEvent] = attrs.field(factory=list)
    ids: Iterator[ReminderId] = attrs.field(factory=lambda: (ReminderId(UUID(int=n)) for n in count(100)))

    def tell(self, command: calendar_event.Command) -> list[Ask]:
        asked: list[Ask] = []
        for happened in calendar_event.decide(self.event, command):
            before, self.event = self.event, calendar_event.evolve(self.event, happened)
            self.version += 1
            asks = policies.when_event_happened(happened, before, self.event, self.pending(), self.ids)
            for ask in asks:
                self.ask(ask)
            asked += asks
        return asked

    def ask(self, ask: Ask) -> None:
        before = self.reminders.get(ask.reminder_id)
        after = reduce(reminder.evolve, reminder.decide(before, ask.command), before)
        assert after is not None
        self.reminders[ask.reminder_id] = after

    def cycle(self, as_of: datetime) -> None:
        assert self.event is not None
        for one in [one for one in self.pending() if one.due_at < as_of]:
            self.ask(Ask(one.id, policies.when_reminder_due(one, self.event, self.version, as_of, None)))
            if self.reminders[one.id].status is Status.SENT:
                self.outbox.append(policies.when_reminder_sent(self.reminders[one.id], self.event))

    def pending(self) -> list[Reminder]:
        return [one for one in self.reminders.values() if one.status is Status.PENDING]

    def became(self) -> Counter[tuple[str, SkipReason | None, int]]:
        return Counter((one.status.value, one.reason, one.offset_minutes) for one in self.reminders.values())


def drawer(timing: Timing = TIMING, triggers: tuple[Trigger, ...] = (QUARTER,)) -> Drawer:
    one = Drawer()
    one.tell(plan(timing, triggers))
    return one


def change(
    triggers: tuple[Trigger, ...] = (QUARTER,), time_zone: str = "Europe/Berlin", at: datetime = LATER
) -> Change:
    return Change(OWNER, CLIENT, triggers, time_zone, "2026a", at)


def test_a_planned_event_gets_a_reminder_for_each_trigger() -> None:
    assert drawer(triggers=(QUARTER, HOUR)).became() == Counter(
        [("Pending", None, 15), ("Pending", None, 60)]
    )


def test_a_time_that_has_passed_when_the_event_is_planned_is_skipped_beside_one_that_has_not() -> None:
    tomorrow = Timing.of(wall("2026-06-02T10:00"), "UTC")
    one = drawer(tomorrow, (MinutesBeforeStart(4320), MinutesBeforeStart(60)))
    assert one.became() == Counter([("Skipped", SkipReason.PAST, 4320), ("Pending", None, 60)])
    assert [row.due_at for row in one.pending()] == [utc("2026-06-02T09:00")]


@pytest.mark.parametrize(
    ("happened", "reason"),
    [
        (CalendarEventCancelled(LATER), SkipReason.CANCELLED),
        (CalendarEventCompleted(LATER), SkipReason.COMPLETED),
    ],
)
def test_inv_rem_4_the_end_of_an_event_skips_its_pending_reminders(
    happened: calendar_event.Event, reason: SkipReason
) -> None:
    after = calendar_event.evolve(planned(), happened)
    asks = policies.when_event_happened(happened, planned(), after, [pending()], iter(()))
    assert asks == [Ask(pending().id, Skip(reason, LATER))]


def test_the_start_of_an_event_leaves_its_reminders_alone() -> None:
    happened = CalendarEventStarted(LATER)
    after = calendar_event.evolve(planned(), happened)
    assert policies.when_event_happened(happened, planned(), after, [pending()], iter(())) == []


def test_inv_rem_6_a_move_skips_the_old_reminder_and_makes_a_new_one_under_a_new_id() -> None:
    happened = CalendarEventMoved(OTHER_TIMING, LATER)
    after = calendar_event.evolve(planned(), happened)
    new = ReminderId(UUID(int=99))
    assert policies.when_event_happened(happened, planned(), after, [pending()], iter([new])) == [
        Ask(pending().id, Skip(SkipReason.MOVED, LATER)),
        Ask(new, Schedule(new, EVENT, TENANT, QUARTER, OTHER_TIMING, LATER)),
    ]


def test_inv_rem_6_a_move_and_a_move_back_leave_one_pending_reminder_at_the_final_time() -> None:
    one = drawer()
    one.tell(calendar_event.Move(OTHER_TIMING, LATER))
    one.tell(calendar_event.Move(TIMING, LATER))
    assert one.became() == Counter({("Pending", None, 15): 1, ("Skipped", SkipReason.MOVED, 15): 2})
    assert [row.due_at for row in one.pending()] == [TIMING.start_at - timedelta(minutes=15)]


def test_a_move_into_the_past_leaves_nothing_pending() -> None:
    one = drawer()
    one.tell(calendar_event.Move(Timing.of(wall("2026-05-01T14:00"), "Europe/Berlin"), LATER))
    assert {row.reason for row in one.reminders.values()} == {SkipReason.MOVED, SkipReason.PAST}
    assert one.pending() == []


def test_a_move_after_the_reminder_was_sent_promises_one_for_the_new_time() -> None:
    one = drawer()
    one.cycle(TIMING.start_at)
    one.tell(calendar_event.Move(OTHER_TIMING, TIMING.start_at))
    assert one.became() == Counter([("Sent", None, 15), ("Pending", None, 15)])


def test_another_trigger_withdraws_the_old_reminder_and_makes_one_for_the_new_trigger() -> None:
    one = drawer(triggers=(HOUR,))
    one.tell(change(triggers=(MinutesBeforeStart(30),)))
    assert one.became() == Counter([("Skipped", SkipReason.WITHDRAWN, 60), ("Pending", None, 30)])


def test_a_trigger_that_stays_keeps_its_reminder() -> None:
    one = drawer(triggers=(HOUR,))
    (kept,) = one.pending()
    one.tell(change(triggers=(QUARTER, HOUR)))
    assert kept in one.pending()
    assert len(one.reminders) == 2


def test_a_trigger_taken_off_and_put_on_again_gets_a_new_reminder() -> None:
    one = drawer()
    one.tell(change(triggers=()))
    one.tell(change())
    assert one.became() == Counter([("Skipped", SkipReason.WITHDRAWN, 15), ("Pending", None, 15)])


def test_another_owner_leaves_the_reminders_alone() -> None:
    one = drawer()
    assert one.tell(attrs.evolve(change(), owner_user_id=CLIENT)) == []
    assert one.tell(attrs.evolve(change(), owner_user_id=OWNER)) == []


def test_another_zone_moves_the_reminders_with_the_wall_clock() -> None:
    one = drawer(Timing.of(wall("2026-06-03T10:00"), "Europe/Madrid"), (QUARTER, DaysBeforeStart(1)))
    one.tell(change((QUARTER, DaysBeforeStart(1)), "America/Bogota"))
    assert sorted(row.due_at for row in one.pending()) == [utc("2026-06-02T15:00"), utc("2026-06-03T14:45")]
    assert [row.reason for row in one.reminders.values() if row not in one.pending()] == [
        SkipReason.MOVED
    ] * 2


def test_another_zone_with_the_same_start_still_moves_what_the_clock_change_lies_before() -> None:
    days = DaysBeforeStart(10)
    one = drawer(Timing.of(wall("2027-04-05T10:00"), "Europe/London"), (QUARTER, days))
    start_at = one.event.timing.start_at if one.event else None
    (due,) = (row.due_at for row in one.pending() if row.trigger == days)
    one.tell(change((QUARTER, days), "Africa/Algiers"))
    assert one.event is not None
    assert one.event.timing.start_at == start_at
    (moved,) = (row.due_at for row in one.pending() if row.trigger == days)
    assert (due, moved) == (utc("2027-03-26T10:00"), utc("2027-03-26T09:00"))


def test_a_later_end_alone_keeps_a_reminder_that_is_due_this_very_minute() -> None:
    one = drawer(attrs.evolve(TIMING, end_at=TIMING.start_at + timedelta(hours=1)), (QUARTER,))
    longer = attrs.evolve(TIMING, end_at=TIMING.start_at + timedelta(hours=2))
    one.tell(calendar_event.Move(longer, TIMING.start_at - timedelta(minutes=14)))
    one.cycle(TIMING.start_at - timedelta(minutes=14))
    assert one.became() == Counter([("Sent", None, 15)])


def test_a_later_end_moves_the_reminder_before_the_end_and_no_other() -> None:
    one = drawer(
        attrs.evolve(TIMING, end_at=TIMING.start_at + timedelta(hours=1)), (QUARTER, MinutesBeforeEnd(5))
    )
    one.tell(calendar_event.Move(attrs.evolve(TIMING, end_at=TIMING.start_at + timedelta(hours=2)), LATER))
    assert one.became() == Counter(
        [("Pending", None, 15), ("Skipped", SkipReason.MOVED, -55), ("Pending", None, -115)]
    )


def test_a_reminder_that_was_sent_is_not_promised_again_when_its_time_stays() -> None:
    one = drawer()
    one.cycle(TIMING.start_at)
    one.tell(calendar_event.Move(attrs.evolve(TIMING, end_at=TIMING.start_at + timedelta(hours=2)), NOW))
    one.tell(change((QUARTER, HOUR)))
    assert one.became() == Counter([("Sent", None, 15), ("Pending", None, 60)])


@pytest.mark.parametrize("status", EventStatus)
def test_inv_rem_4_a_due_reminder_is_sent_on_an_open_event_alone(status: EventStatus) -> None:
    as_of = TIMING.start_at
    wanted = {
        EventStatus.PLANNED: Send(EventStatus.PLANNED, 7, as_of),
        EventStatus.IN_PROGRESS: Send(EventStatus.IN_PROGRESS, 7, as_of),
        EventStatus.COMPLETED: Skip(SkipReason.COMPLETED, as_of),
        EventStatus.CANCELLED: Skip(SkipReason.CANCELLED, as_of),
    }
    assert policies.when_reminder_due(pending(), event_in(status), 7, as_of, None) == wanted[status]


def test_what_is_found_too_late_is_skipped_as_stale_only_where_that_is_wished() -> None:
    grace = timedelta(hours=6)
    due, edge = pending(), pending().due_at + grace
    late = edge + timedelta(microseconds=1)
    assert policies.when_reminder_due(due, planned(), 1, edge, grace) == Send(EventStatus.PLANNED, 1, edge)
    assert policies.when_reminder_due(due, planned(), 1, late, grace) == Skip(SkipReason.STALE, late)
    assert policies.when_reminder_due(due, planned(), 1, late, None) == Send(EventStatus.PLANNED, 1, late)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (EventStatus.CANCELLED, SkipReason.CANCELLED),
        (EventStatus.COMPLETED, SkipReason.COMPLETED),
    ],
)
def test_a_late_reminder_of_an_event_that_is_over_is_skipped_for_that_and_not_as_stale(
    status: EventStatus, reason: SkipReason
) -> None:
    late = NOW + timedelta(days=9)
    asked = policies.when_reminder_due(pending(), event_in(status), 1, late, timedelta(hours=6))
    assert asked == Skip(reason, late)


def test_what_a_sent_reminder_tells_is_ids_times_and_closed_lists_from_its_event() -> None:
    said = policies.when_reminder_sent(pending(), planned())
    assert attrs.asdict(said) == {
        "reminder_id": pending().id,
        "event_id": EVENT,
        "tenant_id": TENANT,
        "owner_user_id": OWNER,
        "client_user_id": CLIENT,
        "kind": planned().kind,
        "start_at": TIMING.start_at,
        "time_zone": "Europe/Berlin",
        "offset_minutes": 15,
        "appointment_id": APPOINTMENT,
    }


def test_a_change_that_changes_nothing_asks_for_nothing() -> None:
    happened = CalendarEventChanged(OWNER, CLIENT, (QUARTER,), TIMING, LATER)
    assert policies.when_event_happened(happened, planned(), planned(), [pending()], iter(())) == []


WALLS = st.integers(0, 96).map(lambda quarters: wall("2026-03-28T12:00") + timedelta(minutes=15 * quarters))
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "Europe/London", "Africa/Algiers", "America/Bogota"])
TRIGGERS = st.lists(
    st.sampled_from(
        [
            MinutesBeforeStart(0),
            MinutesBeforeStart(15),
            MinutesBeforeStart(720),
            MinutesBeforeEnd(5),
            DaysBeforeStart(1),
            DaysBeforeStart(0, wall("2026-03-28T02:30").time()),
            AtInstant(utc("2026-03-29T01:00")),
        ]
    ),
    max_size=5,
).map(tuple)
ENDS = st.none() | st.integers(0, 180)


class HistoriesOfOneEvent(RuleBasedStateMachine):
    """Any commands in any order while the time goes on and cycles run: the invariants hold throughout."""

    @initialize(local=WALLS, zone=ZONES, end=ENDS, triggers=TRIGGERS)
    def plan(self, local: datetime, zone: str, end: int | None, triggers: tuple[Trigger, ...]) -> None:
        self.now = utc("2026-03-28T08:00")
        self.drawer = Drawer()
        self.over: dict[ReminderId, Reminder] = {}
        self.drawer.tell(attrs.evolve(plan(_timing(local, zone, end), triggers), at=self.now))

    @rule(local=WALLS, zone=ZONES, end=ENDS)
    def move(self, local: datetime, zone: str, end: int | None) -> None:
        self._tell(calendar_event.Move(_timing(local, zone, end), self.now))

    @rule(triggers=TRIGGERS, zone=ZONES)
    def change(self, triggers: tuple[Trigger, ...], zone: str) -> None:
        self._tell(change(triggers, zone, self.now))

    @rule()
    def start(self) -> None:
        self._tell(calendar_event.Start(self.now))

    @precondition(lambda self: self.now > utc("2026-03-29T02:00"))
    @rule(command=st.sampled_from([calendar_event.Complete, calendar_event.Cancel]))
    def end(self, command: type[calendar_event.Complete | calendar_event.Cancel]) -> None:
        self._tell(command(self.now))

    @rule(minutes=st.integers(0, 600))
    def time_goes_on(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    def cycle(self) -> None:
        open_before = self.drawer.event is not None and self.drawer.event.status.is_open
        sent_before = len(self.drawer.outbox)
        self.drawer.cycle(self.now)
        assert open_before or len(self.drawer.outbox) == sent_before  # INV-REM-4
        assert not [one for one in self.drawer.pending() if one.due_at < self.now]

    def _tell(self, command: calendar_event.Command) -> None:
        was_open = self.drawer.event is not None and self.drawer.event.status.is_open
        try:
            self.drawer.tell(command)
        except Refused:
            assert not was_open

    @invariant()
    def inv_rem_1_what_is_pending_follows_from_trigger_and_timing(self) -> None:
        for one in self.drawer.pending():
            assert self.drawer.event is not None
            assert one.due_at == due_at(one.trigger, self.drawer.event.timing)
            assert one.offset_minutes == offset_minutes(one.due_at, self.drawer.event.timing)

    @invariant()
    def inv_rem_2_what_was_sent_or_skipped_is_as_it_was(self) -> None:
        for id_, one in self.over.items():
            assert self.drawer.reminders[id_] == one
        self.over = {
            id_: one for id_, one in self.drawer.reminders.items() if one.status is not Status.PENDING
        }

    @invariant()
    def inv_rem_3_sent_at_is_set_if_and_only_if_sent(self) -> None:
        for one in self.drawer.reminders.values():
            assert (one.status is Status.SENT) == (one.sent_at is not None)
            assert one.sent_at is None or one.sent_at > one.due_at

    @invariant()
    def inv_rem_4_nothing_is_pending_when_the_event_is_over(self) -> None:
        assert self.drawer.event is not None
        assert self.drawer.event.status.is_open or not self.drawer.pending()

    @invariant()
    def inv_rem_5_each_sent_one_told_once(self) -> None:
        sent = [one.id for one in self.drawer.reminders.values() if one.status is Status.SENT]
        assert sorted(sent) == sorted(said.reminder_id for said in self.drawer.outbox)

    @invariant()
    def inv_rem_6_at_most_one_is_pending_for_a_trigger_and_only_for_triggers_of_the_event(self) -> None:
        assert self.drawer.event is not None
        waiting = Counter(one.trigger for one in self.drawer.pending())
        assert set(waiting) <= set(self.drawer.event.triggers)
        assert all(many == 1 for many in waiting.values())

    @invariant()
    def no_trigger_of_an_open_event_whose_time_is_to_come_is_without_a_reminder(self) -> None:
        event = self.drawer.event
        assert event is not None
        waiting = {one.trigger for one in self.drawer.pending()}
        if event.status.is_open:
            assert {one for one in event.triggers if due_at(one, event.timing) > self.now} <= waiting


def _timing(local: datetime, zone: str, end: int | None) -> Timing:
    timing = Timing.of(local, zone)
    return timing if end is None else attrs.evolve(timing, end_at=timing.start_at + timedelta(minutes=end))


HistoriesOfOneEvent.TestCase.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
TestHistoriesOfOneEvent = HistoriesOfOneEvent.TestCase
