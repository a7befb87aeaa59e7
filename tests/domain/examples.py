"""Values for the domain's tests: whole, plain, and the same every time."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from domain import calendar_event, delivery, reminder
from domain.calendar_event import CalendarEvent
from domain.triggers import MinutesBeforeStart, Trigger
from domain.values import (
    AppointmentId,
    ContactPointId,
    DeliveryId,
    EventId,
    EventStatus,
    Kind,
    ReminderId,
    TenantId,
    Timing,
    UserId,
)

TENANT = TenantId(UUID(int=1))
OWNER = UserId(UUID(int=2))
CLIENT = UserId(UUID(int=3))
EVENT = EventId(UUID(int=4))
APPOINTMENT = AppointmentId(UUID(int=5))
REMINDER = ReminderId(UUID(int=6))
DELIVERY = DeliveryId(UUID(int=7))

NOW = datetime(2026, 6, 1, 10, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
QUARTER = MinutesBeforeStart(15)
HOUR = MinutesBeforeStart(60)


def wall(text: str) -> datetime:
    """A wall time, such as 2026-06-01T14:00: without an offset."""
    return datetime.fromisoformat(text)


def utc(text: str) -> datetime:
    """An instant in UTC, such as 2026-06-01T14:00."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


TIMING = Timing.of(wall("2026-06-01T14:00"), "Europe/Berlin", tz_version="2026a")
OTHER_TIMING = Timing.of(wall("2026-06-02T14:00"), "Europe/Berlin", tz_version="2026a")


def plan(timing: Timing = TIMING, triggers: tuple[Trigger, ...] = (QUARTER,)) -> calendar_event.Plan:
    return calendar_event.Plan(
        id=EVENT,
        tenant_id=TENANT,
        owner_user_id=OWNER,
        timing=timing,
        at=NOW,
        client_user_id=CLIENT,
        kind=Kind.MEETING,
        appointment_id=APPOINTMENT,
        triggers=triggers,
    )


def planned(timing: Timing = TIMING, triggers: tuple[Trigger, ...] = (QUARTER,)) -> CalendarEvent:
    (happened,) = calendar_event.decide(None, plan(timing, triggers))
    return calendar_event.evolve(None, happened)


def event_in(status: EventStatus) -> CalendarEvent:
    happened: calendar_event.Event
    match status:
        case EventStatus.PLANNED:
            return planned()
        case EventStatus.IN_PROGRESS:
            happened = calendar_event.CalendarEventStarted(NOW)
        case EventStatus.COMPLETED:
            happened = calendar_event.CalendarEventCompleted(NOW)
        case EventStatus.CANCELLED:
            happened = calendar_event.CalendarEventCancelled(NOW)
    return calendar_event.evolve(planned(), happened)


def schedule(at: datetime = NOW, trigger: Trigger = QUARTER, timing: Timing = TIMING) -> reminder.Schedule:
    return reminder.Schedule(REMINDER, EVENT, TENANT, trigger, timing, at)


def pending() -> reminder.Reminder:
    (happened,) = reminder.decide(None, schedule())
    return reminder.evolve(None, happened)


def create() -> delivery.Create:
    return delivery.Create(
        id=DELIVERY,
        tenant_id=TENANT,
        about_id=REMINDER,
        event_id=EVENT,
        user_id=OWNER,
        channel="email",
        contact_point_id=ContactPointId(UUID(int=8)),
        address_key="0" * 64,
        template=delivery.Template.CALENDAR_REMINDER,
        due_at=NOW,
        at=NOW,
    )
