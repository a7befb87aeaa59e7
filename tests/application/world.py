"""A small office over the memory adapters: people with addresses, events, and what becomes of reminders."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from attrs import evolve

from adapters.outbound.direct import DirectPublisher
from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from application.calendar import Calendar, Draft
from application.delivering.handled import Handled
from application.delivering.senders import Delivering
from application.dispatching import ReminderDispatchJob
from application.notifying import Notifying
from application.ports.deliveries import Deliveries
from application.ports.ledger import Ledger
from application.ports.outbox import Outbox
from application.ports.people import ContactPoint, People, Person, Tenant
from application.ports.touches import Touches
from application.receiving import Receiving
from application.relaying import Relay
from domain.calendar_event import CalendarEvent
from domain.delivery import Delivery
from domain.triggers import MinutesBeforeStart
from domain.values import AppointmentId, ContactPointId, TenantId, Timing, UserId

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
TENANT = TenantId(UUID(int=0xA))
OLGA = UserId(UUID(int=0xB))
CLARA = UserId(UUID(int=0xC))
TEMPLATES = JinjaTemplates()


class World:
    """It is noon; an event begins at one, with a reminder 15 minutes before, unless said otherwise."""

    def __init__(self, channel: RecordingChannel | None = None) -> None:
        self.store = MemoryStore()
        self.clock = SettableClock(NOON)
        self.ids = CountedIds()
        self.channel = channel or RecordingChannel()
        self.ledger: Ledger = MemoryLedger(self.store)
        self.outbox: Outbox = MemoryOutbox(self.store)
        self.deliveries: Deliveries = MemoryDeliveries(self.store)
        self.people: People = MemoryPeople(self.store)
        self.touches: Touches = MemoryTouches(self.store)
        self.calendar = Calendar(self.ledger, self.clock, self.ids)
        self.notifying = Notifying(self.deliveries, self.people, self.clock, self.ids)
        self.people.add_tenant(Tenant(TENANT, "office"))

    def person(self, id_: UserId, address: str | None, **more: Any) -> None:
        self.people.add_person(Person(id_, TENANT, f"person{id_.int}", **more))
        if address is not None:
            self.point(id_, address)

    def point(self, id_: UserId, address: str, opted_out: bool = False) -> ContactPoint:
        point = ContactPoint(
            ContactPointId(self.ids.new()), id_, self.channel.name, address, opted_out=opted_out
        )
        self.people.add_contact_point(point)
        return point

    def opt_out(self, id_: UserId) -> None:
        for point in self.people.contact_points(id_):
            self.store.contact_points[point.id] = evolve(point, opted_out=True)

    def plan(
        self,
        title: str | None = "call",
        client: UserId | None = CLARA,
        appointment: AppointmentId | None = None,
        lasts: timedelta | None = timedelta(hours=1),
        minutes_before: int = 15,
        tenant: TenantId = TENANT,
        owner: UserId = OLGA,
    ) -> CalendarEvent:
        start = NOON + timedelta(hours=1)
        timing = Timing.of(start.replace(tzinfo=None), "UTC", end_at=start + lasts if lasts else None)
        triggers = (MinutesBeforeStart(minutes_before),)
        draft = Draft(tenant, owner, timing, title, client, appointment_id=appointment, triggers=triggers)
        return self.calendar.plan(draft).event

    def dispatch(self) -> None:
        """Cycles run a minute after the reminder of such an event was due."""
        self.clock.set(max(self.clock.now(), NOON + timedelta(minutes=46)))
        job = ReminderDispatchJob(self.ledger, self.clock, self.ids)
        for result in job.tick():
            assert not result.failed

    def relay(self, name: str = "relay", **more: Any) -> Relay:
        return Relay(self.outbox, DirectPublisher(Receiving(self.notifying)), self.clock, name, **more)

    def remind(self) -> None:
        """From due reminders to deliveries."""
        self.dispatch()
        result = self.relay().batch()
        assert result.published == result.claimed

    def delivering(self, **more: Any) -> Delivering:
        parts: dict[str, Any] = {
            "deliveries": self.deliveries,
            "people": self.people,
            "ledger": self.ledger,
            "channel": self.channel,
            "clock": self.clock,
            "templates": TEMPLATES,
            "touches": self.touches,
            "ids": self.ids,
            "pause": lambda seconds: self.clock.advance(timedelta(seconds=seconds)),
        }
        return Delivering(**(parts | more))

    def deliver(self, **more: Any) -> Sequence[Handled]:
        return list(self.delivering(**more).tick())

    def all_deliveries(self) -> list[Delivery]:
        return sorted(self.store.deliveries.values(), key=lambda one: one.id)

    def delivery_to(self, user_id: UserId) -> Delivery:
        (found,) = [one for one in self.all_deliveries() if one.user_id == user_id]
        return found
