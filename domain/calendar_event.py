"""A calendar event: what is planned, moved, changed, and in the end completed or cancelled.

    Planned -> InProgress -> Completed
    Planned -> Completed,  Planned | InProgress -> Cancelled

Completed and Cancelled are terminal (INV-EVT-2). Titles and other free text are no part of it.
"""

from datetime import datetime

import attrs
from attrs import field, frozen

from domain.errors import BrokenHistory, EventIsOver, NoSuchEvent
from domain.triggers import Trigger, check_triggers
from domain.values import AppointmentId, EventId, EventStatus, Kind, TenantId, Timing, UserId


@frozen
class CalendarEvent:
    id: EventId
    tenant_id: TenantId
    owner_user_id: UserId
    client_user_id: UserId | None
    kind: Kind
    timing: Timing
    appointment_id: AppointmentId | None
    triggers: tuple[Trigger, ...]
    status: EventStatus = EventStatus.PLANNED


# Commands: what somebody wants. `at` is when they want it, an aware instant.


@frozen
class Plan:
    id: EventId
    tenant_id: TenantId
    owner_user_id: UserId
    timing: Timing
    at: datetime
    client_user_id: UserId | None = None
    kind: Kind = Kind.OTHER
    appointment_id: AppointmentId | None = None
    triggers: tuple[Trigger, ...] = field(default=(), converter=check_triggers)


@frozen
class Change:
    """Owner, client, triggers and zone as they shall be from now on; the wall clock stays."""

    owner_user_id: UserId
    client_user_id: UserId | None
    triggers: tuple[Trigger, ...] = field(converter=check_triggers)
    time_zone: str
    tz_version: str
    at: datetime


@frozen
class Move:
    timing: Timing
    at: datetime


@frozen
class Rezone:
    """The zone data changed: the instants are to follow from wall clock and zone by the new ones."""

    tz_version: str
    at: datetime


@frozen
class Start:
    at: datetime


@frozen
class Complete:
    at: datetime


@frozen
class Cancel:
    at: datetime


Command = Plan | Change | Move | Rezone | Start | Complete | Cancel


# Events: what came of it.


@frozen
class CalendarEventPlanned:
    id: EventId
    tenant_id: TenantId
    owner_user_id: UserId
    client_user_id: UserId | None
    kind: Kind
    timing: Timing
    appointment_id: AppointmentId | None
    triggers: tuple[Trigger, ...]
    at: datetime


@frozen
class CalendarEventChanged:
    owner_user_id: UserId
    client_user_id: UserId | None
    triggers: tuple[Trigger, ...]
    timing: Timing
    at: datetime


@frozen
class CalendarEventMoved:
    timing: Timing
    at: datetime


@frozen
class CalendarEventRezoned:
    """The same wall clock and zone, reckoned by other zone data."""

    timing: Timing
    at: datetime


@frozen
class CalendarEventStarted:
    at: datetime


@frozen
class CalendarEventCompleted:
    at: datetime


@frozen
class CalendarEventCancelled:
    at: datetime


Event = (
    CalendarEventPlanned
    | CalendarEventChanged
    | CalendarEventMoved
    | CalendarEventRezoned
    | CalendarEventStarted
    | CalendarEventCompleted
    | CalendarEventCancelled
)


def decide(event: CalendarEvent | None, command: Command) -> list[Event]:
    """What follows from a command. A repeated one gives nothing; one too late is refused."""
    match event, command:
        case None, Plan():
            return [
                CalendarEventPlanned(
                    id=command.id,
                    tenant_id=command.tenant_id,
                    owner_user_id=command.owner_user_id,
                    client_user_id=command.client_user_id,
                    kind=command.kind,
                    timing=command.timing,
                    appointment_id=command.appointment_id,
                    triggers=command.triggers,
                    at=command.at,
                )
            ]
        case None, _:
            raise NoSuchEvent
        case CalendarEvent(), Plan():
            return []
        case CalendarEvent(status=EventStatus.CANCELLED), Cancel():
            return []
        case CalendarEvent(status=EventStatus.COMPLETED), Complete():
            return []
        case CalendarEvent(status=EventStatus.CANCELLED | EventStatus.COMPLETED), _:
            raise EventIsOver
        case CalendarEvent(), Change():
            changed = CalendarEventChanged(
                owner_user_id=command.owner_user_id,
                client_user_id=command.client_user_id,
                triggers=command.triggers,
                timing=event.timing.in_zone(command.time_zone, command.tz_version),
                at=command.at,
            )
            return [] if evolve(event, changed) == event else [changed]
        case CalendarEvent(), Move(timing, at):
            return [] if timing == event.timing else [CalendarEventMoved(timing, at)]
        case CalendarEvent(), Rezone(tz_version, at):
            timing = event.timing.in_zone(event.timing.time_zone, tz_version)
            return [] if tz_version == event.timing.tz_version else [CalendarEventRezoned(timing, at)]
        case CalendarEvent(status=EventStatus.IN_PROGRESS), Start():
            return []
        case CalendarEvent(), Start(at):
            return [CalendarEventStarted(at)]
        case CalendarEvent(), Complete(at):
            return [CalendarEventCompleted(at)]
        case CalendarEvent(), Cancel(at):
            return [CalendarEventCancelled(at)]


def evolve(event: CalendarEvent | None, happened: Event) -> CalendarEvent:
    """The event after what happened; it never refuses and never reads a clock."""
    match event, happened:
        case None, CalendarEventPlanned():
            return CalendarEvent(
                id=happened.id,
                tenant_id=happened.tenant_id,
                owner_user_id=happened.owner_user_id,
                client_user_id=happened.client_user_id,
                kind=happened.kind,
                timing=happened.timing,
                appointment_id=happened.appointment_id,
                triggers=happened.triggers,
            )
        case None, _:
            raise BrokenHistory(f"{type(happened).__name__} before CalendarEventPlanned")
        case CalendarEvent(), CalendarEventPlanned():
            raise BrokenHistory("CalendarEventPlanned twice")
        case CalendarEvent(status=EventStatus.CANCELLED | EventStatus.COMPLETED), _:
            raise BrokenHistory(f"{type(happened).__name__} after {event.status}")
        case CalendarEvent(), CalendarEventChanged():
            return attrs.evolve(
                event,
                owner_user_id=happened.owner_user_id,
                client_user_id=happened.client_user_id,
                triggers=happened.triggers,
                timing=happened.timing,
            )
        case CalendarEvent(), CalendarEventMoved() | CalendarEventRezoned():
            return attrs.evolve(event, timing=happened.timing)
        case CalendarEvent(), CalendarEventStarted():
            return attrs.evolve(event, status=EventStatus.IN_PROGRESS)
        case CalendarEvent(), CalendarEventCompleted():
            return attrs.evolve(event, status=EventStatus.COMPLETED)
        case CalendarEvent(), CalendarEventCancelled():
            return attrs.evolve(event, status=EventStatus.CANCELLED)
