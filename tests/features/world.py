"""What a scenario knows: a Tickler over a store, a clock that it sets, and what came of its last steps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID

import attrs
from attrs import define, field
from dependency_injector import providers
from structlog.testing import capture_logs

from adapters.container import Container
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.calendar import Calendar, Done, Draft
from application.dispatching import CycleResult, ReminderDispatchJob, ReminderDispatchOptions
from application.ports.ledger import Context, Ledger, Recorded
from application.ports.outbox import Message
from domain.errors import Refused
from domain.reminder import Reminder, Status
from domain.values import AppointmentId, EventId, Kind, ReminderId, TenantId, Timing, UserId
from tests.features.interposed import Interposed, Moments
from tests.features.reading import Wish, instant, known_as
from tests.features.stores import Store

LONG_AFTER = instant("00:00 on 2199-01-01")
ALL = 100_000
AS_IT_IS = Moments()


@define
class World:
    store: Store
    clock: SettableClock = field(factory=lambda: SettableClock(instant("09:00")))
    options: ReminderDispatchOptions = field(factory=ReminderDispatchOptions)
    cycle_takes: timedelta = timedelta(0)
    channel: RecordingChannel = field(factory=RecordingChannel)
    wishes: dict[str, Wish] = field(factory=dict)
    reminder_ids: dict[str, list[ReminderId]] = field(factory=dict)
    results: list[CycleResult] = field(factory=list)
    windows: list[tuple[datetime, datetime]] = field(factory=list)
    logs: list[Mapping[str, object]] = field(factory=list)
    before: object = None
    problem: Exception | None = None
    done: Done | None = None
    remembered: Reminder | None = None
    left: dict[ReminderId, datetime] = field(factory=dict)
    elsewhere: CycleResult | None = None
    seen: tuple[int, int] | None = None
    _running: Container | None = None
    _containers: list[Container] = field(factory=list)

    @property
    def tickler(self) -> Container:
        return self._running or self.restart()

    def restart(self) -> Container:
        """A Tickler that was just started: new adapters over the same store."""
        self._running = self.beside()
        return self._running

    def beside(self) -> Container:
        """Another Tickler over the same store, beside the scenario's own."""
        container = self.store.container()
        container.clock.override(providers.Object(self.clock))
        self._containers.append(container)
        return container

    def close(self) -> None:
        for container in self._containers:
            if container.store() == "postgres":
                container.database().close()

    @property
    def ledger(self) -> Ledger:
        ledger: Ledger = self.tickler.ledger()
        return ledger

    def calendar(self, moments: Moments | None = None, container: Container | None = None) -> Calendar:
        calendar: Calendar = (container or self.tickler).calendar()
        return (
            calendar
            if moments is None
            else attrs.evolve(calendar, ledger=Interposed(calendar.ledger, moments))
        )

    def job(self, moments: Moments = AS_IT_IS, container: Container | None = None) -> ReminderDispatchJob:
        """The job, whose cycles take as long as the scenario says."""
        job: ReminderDispatchJob = (container or self.tickler).dispatch_job()
        began: list[datetime] = []

        def end() -> None:
            moments.before_commit()
            self.clock.advance(self.cycle_takes)
            self.windows.append((began.pop(), self.clock.now()))

        def begin() -> None:
            moments.at_the_beginning()
            began.append(self.clock.now())

        timed = attrs.evolve(moments, at_the_beginning=begin, before_commit=end)
        return attrs.evolve(job, ledger=Interposed(job.ledger, timed), options=self.options)

    # Events and their reminders, by the names that scenarios give them.

    def plan(self, wish: Wish) -> None:
        self.wishes[wish.name] = wish
        done = self.calendar().plan(self.draft(wish), event_id(wish.name))
        self.note(wish.name, done)

    def draft(self, wish: Wish) -> Draft:
        appointment_id = AppointmentId(known_as(f"appointment {wish.name}"))
        return Draft(
            tenant_id=TenantId(known_as(wish.tenant)),
            owner_user_id=user_id(wish.owner),
            timing=Timing.of(wish.start, wish.zone, end_at=wish.end, tz_version="2026a"),
            title=wish.title,
            client_user_id=None if wish.client is None else user_id(wish.client),
            kind=Kind.APPOINTMENT if wish.with_appointment else Kind.MEETING,
            appointment_id=appointment_id if wish.with_appointment else None,
            triggers=tuple(wish.triggers),
        )

    def note(self, name: str, done: Done) -> None:
        self.done = done
        known = self.reminder_ids.setdefault(name, [])
        known += [one.id for one in done.reminders if one.id not in known]

    def attempt(self, name: str, change: Callable[[EventId], Done]) -> None:
        """Do it, and keep what came of it: a refusal is one of the things that may."""
        self.done, self.problem = None, None
        try:
            self.note(name, change(event_id(name)))
        except Refused as refusal:
            self.problem = refusal

    def reminders(self, name: str) -> list[Reminder]:
        return [row.state for row in self.ledger.reminders(event_id(name))]

    def reminder(self, name: str) -> Reminder:
        (one,) = self.reminders(name)
        return one

    def all_reminders(self) -> list[Reminder]:
        return [one for name in self.wishes for one in self.reminders(name)]

    # The job.

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Keep what was there before and what is logged; a failure of the surroundings ends no scenario."""
        self.before, self.problem, self.results = self.snapshot(), None, []
        with capture_logs() as logs:
            try:
                yield
            except Exception as problem:
                self.problem = problem
        self.logs = list(logs)

    def cycle(self, moments: Moments = AS_IT_IS) -> None:
        with self.watched():
            job = self.job(moments)
            self.results.append(job.cycle(self.tickler.ids().new(), self.clock.now()))

    @property
    def result(self) -> CycleResult:
        if self.problem is not None:
            raise self.problem
        return self.results[-1]

    def snapshot(self) -> tuple[Sequence[Recorded], ...]:
        """The history of all that the scenario knows of, without which no row changes, and the outbox."""
        streams = [event_id(name) for name in self.wishes]
        known = [one for ids in self.reminder_ids.values() for one in ids]
        return (*(tuple(self.ledger.history(one)) for one in [*streams, *known]), tuple(self.messages()))  # type: ignore[arg-type]

    def messages(self) -> list[Message]:
        """What is in the outbox and was not published, oldest first; they are given back at once."""
        outbox = self.tickler.outbox()
        claims = outbox.claim("onlooker", ALL, self.clock.now(), timedelta(minutes=1))
        outbox.release(claims)
        return [claim.message for claim in claims]

    def rows_under_lock(self) -> int:
        """How many Pending reminders, whenever due, somebody holds."""
        with self.ledger.transaction(Context(UUID(int=0))) as transaction:
            claimed = transaction.claim_due(LONG_AFTER, ALL)
            return transaction.count_passed_over(LONG_AFTER, {row.state.id for row in claimed.due}, None)

    def note_who_left(self) -> None:
        for one in self.all_reminders():
            if one.status is Status.SENT:
                self.left.setdefault(one.id, self.clock.now())


def event_id(name: str) -> EventId:
    return EventId(known_as(f"event {name}"))


def user_id(name: str) -> UserId:
    return UserId(known_as(f"person {name}"))
