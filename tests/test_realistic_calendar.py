"""A realistic calendar is imported; each reminder of the next hour reaches owner and client once, on time."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from attrs import frozen

from adapters.inbound.ics.importing import import_file
from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.report import Report
from adapters.outbound.direct import DirectPublisher
from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.imports import MemoryImports
from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.memory.touches import MemoryTouches
from adapters.outbound.postgres.database import Database, Patience
from adapters.outbound.postgres.deliveries import PostgresDeliveries
from adapters.outbound.postgres.imports import PostgresImports
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.outbound.templates.jinja import JinjaTemplates
from adapters.testkit.calendars import EVENTS, RealisticCalendar, realistic_calendar
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from adapters.testkit.written_zones import HOME
from application.calendar import Calendar
from application.delivering.senders import Delivering
from application.dispatching import ReminderDispatchJob
from application.notifying import Notifying
from application.ports.deliveries import Deliveries
from application.ports.imports import Imports
from application.ports.ledger import Ledger
from application.ports.outbox import Outbox
from application.ports.people import ContactPoint, People, Person, Tenant
from application.ports.touches import Touches
from application.receiving import Receiving
from application.relaying import Relay
from domain.values import ContactPointId, TenantId, UserId

TENANT = TenantId(UUID(int=1))
OWNER = UserId(UUID(int=2))
CLIENT = UserId(UUID(int=3))
TICK = timedelta(seconds=60)
HOUR = timedelta(hours=1)
# The last is the night in which Europe's clocks go back.
NOWS = [
    datetime(2026, 12, 1, 9, 0, 17, tzinfo=UTC),
    datetime(2026, 10, 25, 0, 20, tzinfo=UTC),
]


@frozen
class Stores:
    ledger: Ledger
    outbox: Outbox
    deliveries: Deliveries
    people: People
    imports: Imports
    touches: Touches


@pytest.fixture(params=["memory", "postgres"])
def stores(request: pytest.FixtureRequest) -> Iterator[Stores]:
    if request.param == "memory":
        store = MemoryStore()
        yield Stores(
            MemoryLedger(store),
            MemoryOutbox(store),
            MemoryDeliveries(store),
            MemoryPeople(store),
            MemoryImports(store),
            MemoryTouches(store),
        )
        return
    with closing(Database(request.getfixturevalue("postgres_url"), patience=Patience())) as database:
        yield Stores(
            PostgresLedger(database),
            PostgresOutbox(database),
            PostgresDeliveries(database),
            PostgresPeople(database),
            PostgresImports(database),
            PostgresTouches(database),
        )


def people(stores: Stores) -> None:
    stores.people.add_tenant(Tenant(TENANT, "acme", HOME))
    for number, (user_id, handle, zone) in enumerate(
        ((OWNER, "owner", HOME), (CLIENT, "client", "America/New_York"))
    ):
        stores.people.add_person(Person(user_id, TENANT, handle, "en", zone))
        point = ContactPointId(UUID(int=10 + number))
        stores.people.add_contact_point(ContactPoint(point, user_id, "recording", f"to-{handle}"))


@frozen
class Hour:
    """One hour of the whole way from calendar to channel, a minute a tick."""

    stores: Stores
    clock: SettableClock
    channel: RecordingChannel
    ids: CountedIds

    def calendar(self) -> Calendar:
        return Calendar(self.stores.ledger, self.clock, self.ids)

    def pass_by(self) -> dict[tuple[str, str], list[datetime]]:
        """When which address got which subject."""
        stores, clock = self.stores, self.clock
        job = ReminderDispatchJob(stores.ledger, clock, self.ids)
        notifying = Notifying(stores.deliveries, stores.people, clock, self.ids)
        relay = Relay(stores.outbox, DirectPublisher(Receiving(notifying)), clock, "relay")
        delivering = Delivering(
            stores.deliveries,
            stores.people,
            stores.ledger,
            self.channel,
            clock,
            JinjaTemplates(),
            stores.touches,
            self.ids,
        )
        got: dict[tuple[str, str], list[datetime]] = {}
        for _ in range(HOUR // TICK):
            clock.advance(TICK)
            for cycle in job.tick():
                assert not cycle.failed
            while relay.batch().claimed:
                pass
            before = len(self.channel.accepted)
            list(delivering.tick())
            for message in self.channel.accepted[before:]:
                got.setdefault((message.address, message.subject), []).append(clock.now())
        return got


def imported(hour: Hour, made: RealisticCalendar, folder: Path) -> Report:
    file = folder / "realistic.ics"
    file.write_bytes(made.data)
    options = ImportOptions(
        tenant_id=TENANT,
        owner_user_id=OWNER,
        client_user_id=CLIENT,
        now=hour.clock.now(),
        default_zone=HOME,
        tz_version="2026.6",
    )
    return import_file(file, hour.calendar(), hour.stores.imports, options)


@pytest.mark.parametrize("now", NOWS, ids=["an ordinary morning", "the night of the long hour"])
def test_each_reminder_due_in_the_next_hour_reaches_owner_and_client_once_and_on_time(
    stores: Stores, now: datetime, tmp_path: Path
) -> None:
    made = realistic_calendar(now, seed=7)
    hour = Hour(stores, SettableClock(now), RecordingChannel(), CountedIds())
    people(stores)
    report = imported(hour, made, tmp_path)
    assert not report.refused
    assert report.counts.alarms_collapsed > 0

    got = hour.pass_by()

    # What is due at the hour's last instant is the next tick's: DueAt < AsOf.
    wanted = Counter((one.title, one.at) for one in made.due if one.at < now + HOUR)
    assert len(wanted) > 80
    assert max(wanted.values()) == 1
    expected: dict[tuple[str, str], list[datetime]] = {}
    for title, at in sorted(wanted, key=lambda one: one[1]):
        for address in ("to-owner", "to-client"):
            expected.setdefault((address, f"Reminder: {' '.join(title.split())}"), []).append(at)
    assert {what: len(times) for what, times in got.items()} == {
        what: len(times) for what, times in expected.items()
    }
    for what, times in got.items():
        for at, sent in zip(expected[what], times, strict=True):
            assert timedelta(0) < sent - at <= TICK, what


def test_the_same_realistic_calendar_again_makes_nothing_new(stores: Stores, tmp_path: Path) -> None:
    made = realistic_calendar(NOWS[0], seed=7)
    hour = Hour(stores, SettableClock(NOWS[0]), RecordingChannel(), CountedIds())
    first = imported(hour, made, tmp_path)
    second = imported(hour, made, tmp_path)
    assert first.counts.events_new == first.counts.events_taken > 300
    assert second.counts.events_unchanged == first.counts.events_new
    assert second.counts.events_taken == second.counts.events_unchanged
    assert (second.counts.reminders_made, second.counts.events_cancelled) == (0, 0)


def test_a_realistic_calendar_is_the_same_for_a_seed_and_has_300_events_of_every_kind() -> None:
    made = realistic_calendar(NOWS[0], seed=7)
    assert made == realistic_calendar(NOWS[0], seed=7)
    assert made.data != realistic_calendar(NOWS[0], seed=8).data
    text = made.data.replace(b"\r\n ", b"").decode()
    assert text.count("BEGIN:VEVENT") == EVENTS
    for part in (
        *("EXDATE", "RDATE", "RECURRENCE-ID", "STATUS:CANCELLED", "VALUE=DATE:", "BEGIN:VTIMEZONE"),
        *("TZID=Europe/Berlin", "TZID=Russian Standard Time", "TZID=/vendor", "TZID=Customized"),
        *("RELATED=END", "VALUE=DATE-TIME", "TRIGGER:-P1D\r", "TRIGGER:-P1W", "TRIGGER:PT10M", "REPEAT:2"),
    ):
        assert part in text, part
