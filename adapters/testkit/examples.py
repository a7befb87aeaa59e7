"""Examples that the contract suites keep: events with their reminders, and what is decided of them.

Times stand around NOON; ids are numbered, so that their order is known.
"""

from datetime import UTC, datetime, time, timedelta, timezone
from itertools import count
from uuid import UUID

from attrs import frozen

from application.ports.ledger import (
    Change,
    Context,
    Ledger,
    OutboxMessage,
    Settled,
    Versioned,
)
from domain import calendar_event, policies, reminder
from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder, SkipReason
from domain.triggers import (
    AtInstant,
    DaysBeforeEnd,
    DaysBeforeStart,
    MinutesBeforeEnd,
    MinutesBeforeStart,
    Trigger,
)
from domain.values import AppointmentId, EventId, Kind, ReminderId, TenantId, Timing, UserId

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LONG_BEFORE = NOON - timedelta(days=365)
TOPIC = "example.reminder-due.v1"


def numbered(number: int) -> UUID:
    """An id; a greater number sorts after a smaller one."""
    return UUID(int=(0x7000_8000 << 64) + number)


TENANT = TenantId(numbered(1))
OTHER_TENANT = TenantId(numbered(2))
OWNER = UserId(numbered(3))
CLIENT = UserId(numbered(4))
APPOINTMENT = AppointmentId(numbered(5))
RUN = numbered(6)
CYCLE = Context(RUN)


def timing(
    wall: str,
    zone: str,
    end_at: datetime | None = None,
    all_day: bool = False,
    tz_version: str = "2026a",
) -> Timing:
    """The timing of a wall time such as `2026-12-01T16:00`."""
    return Timing.of(
        datetime.fromisoformat(wall), zone, end_at=end_at, all_day=all_day, tz_version=tz_version
    )


TIMING = timing("2026-12-01T16:00", "Europe/Moscow")

TIMINGS = {
    "with microseconds": timing("2026-12-01T16:00:00.123457", "UTC"),
    "with an end": timing("2027-07-01T09:30", "America/Santiago", end_at=NOON + timedelta(days=400)),
    "of whole days": timing("2027-02-28", "Asia/Kathmandu", all_day=True, tz_version="2026b"),
    "in the hour left out": timing("2027-03-28T02:30", "Europe/Berlin"),
    "in the hour that comes twice": timing("2026-10-25T02:30", "Europe/Berlin", tz_version=""),
    "long ago": timing("1970-01-01T12:00", "UTC"),
    "far ahead": timing("2199-12-31T12:00", "UTC"),
}

TRIGGERS: tuple[Trigger, ...] = (
    MinutesBeforeStart(15),
    MinutesBeforeStart(0),
    MinutesBeforeStart(-10),
    MinutesBeforeEnd(5),
    DaysBeforeStart(1),
    DaysBeforeEnd(1, 5),
    DaysBeforeStart(2, time(9, 30), 15),
    AtInstant(datetime(2026, 11, 30, 9, 0, 0, 1, tzinfo=timezone(timedelta(hours=3)))),
)


@frozen
class Planned:
    """An event just planned and its Pending reminders; `changes` is what a ledger records of it."""

    event: CalendarEvent
    reminders: tuple[Reminder, ...]
    changes: tuple[Change, ...]


def planned(
    number: int,
    *triggers: Trigger,
    at: Timing = TIMING,
    tenant_id: TenantId = TENANT,
    client_user_id: UserId | None = CLIENT,
    appointment_id: AppointmentId | None = APPOINTMENT,
    kind: Kind = Kind.MEETING,
) -> Planned:
    """The event with the id `numbered(1000 * number)`; its reminders' ids follow upon it."""
    ids = (ReminderId(numbered(each)) for each in count(1000 * number + 1))
    plan = calendar_event.Plan(
        id=EventId(numbered(1000 * number)),
        tenant_id=tenant_id,
        owner_user_id=OWNER,
        timing=at,
        at=LONG_BEFORE,
        client_user_id=client_user_id,
        kind=kind,
        appointment_id=appointment_id,
        triggers=triggers,
    )
    (happened,) = calendar_event.decide(None, plan)
    event = calendar_event.evolve(None, happened)
    changes = [Change(event.id, 0, [happened], event)]
    reminders = []
    for trigger, reminder_id in zip(event.triggers, ids, strict=False):
        scheduled = scheduling(reminder_id, event, trigger)
        changes.append(scheduled)
        assert isinstance(scheduled.state, Reminder)
        reminders.append(scheduled.state)
    return Planned(event, tuple(reminders), tuple(changes))


def due(number: int, *instants: datetime, tenant_id: TenantId = TENANT) -> Planned:
    """An event with a reminder at each of these instants."""
    return planned(number, *(AtInstant(instant) for instant in instants), tenant_id=tenant_id)


def keep(ledger: Ledger, *examples: Planned) -> None:
    """Record them in one transaction."""
    with ledger.transaction(CYCLE) as transaction:
        transaction.record([change for example in examples for change in example.changes])


def scheduling(reminder_id: ReminderId, event: CalendarEvent, trigger: Trigger) -> Change:
    """A new Pending reminder of this event."""
    schedule = reminder.Schedule(reminder_id, event.id, event.tenant_id, trigger, event.timing, LONG_BEFORE)
    (scheduled, *_) = reminder.decide(None, schedule)
    return Change(reminder_id, 0, [scheduled], reminder.evolve(None, scheduled))


def changing(row: Versioned[CalendarEvent], command: calendar_event.Command) -> Change:
    """What a command makes of an event."""
    (happened,) = calendar_event.decide(row.state, command)
    return Change(row.state.id, row.version, [happened], calendar_event.evolve(row.state, happened))


def cancelling(row: Versioned[CalendarEvent]) -> Change:
    return changing(row, calendar_event.Cancel(NOON))


def skipping(row: Versioned[Reminder], reason: SkipReason = SkipReason.CANCELLED) -> Change:
    (happened,) = reminder.decide(row.state, reminder.Skip(reason, NOON))
    return Change(row.state.id, row.version, [happened], reminder.evolve(row.state, happened))


def sending(
    row: Versioned[Reminder], event: Versioned[CalendarEvent], as_of: datetime = NOON + MINUTE
) -> Settled:
    """The reminder sent by a cycle at `as_of`, on this version of its event."""
    send = reminder.Send(event.state.status, event.version, as_of)
    (happened,) = reminder.decide(row.state, send)
    after = reminder.evolve(row.state, happened)
    message = OutboxMessage(after.id, TOPIC, event.state.id, policies.when_reminder_sent(after, event.state))
    return Settled(after, row.version, [happened], event.version, message)


def sending_new(example: Planned, as_of: datetime = NOON + MINUTE) -> list[Settled]:
    """All reminders of an event that is as it was planned."""
    event = Versioned(example.event, 1)
    return [sending(Versioned(one, 1), event, as_of) for one in example.reminders]
