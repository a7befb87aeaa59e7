"""The stores that every scenario runs over, and what a scenario does to them behind Tickler's back."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from time import monotonic
from typing import Any, Protocol
from uuid import UUID

import psycopg
from attrs import evolve
from dependency_injector import providers

from adapters.container import Container
from adapters.outbound.memory.store import MemoryStore, Spoilt, TouchRow
from adapters.outbound.postgres.auditing.state_rows import TABLES
from adapters.settings import Settings
from adapters.testkit.threads import PATIENCE
from application.ports.errors import Unavailable
from application.ports.ledger import Versioned
from application.ports.state_rows import State
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch
from domain.reminder import Reminder
from domain.touch_plan import TouchPlan
from domain.values import EventId, EventStatus, PlanId, ReminderId

STORES = ("memory", "postgres")
Interrupted = Callable[[Callable[[], None]], None]


class Store(Protocol):
    """One store of its own for each scenario; a container is a Tickler that was just started over it."""

    def container(self) -> Container: ...

    def spoil_reminder(self, reminder_id: ReminderId) -> None: ...

    def spoil_event(self, event_id: EventId) -> None: ...

    def spoil_plan(self, plan_id: PlanId) -> None: ...

    def lose(self, state: type[State], id_: UUID) -> None:
        """Take a row away; its history stays, and what belongs to it."""

    def forget(self, event_id: EventId) -> None:
        """Take the rows of the event and of its reminders away; their history stays."""

    def refuse(self, reminder_id: ReminderId) -> None: ...

    def mend(self) -> None: ...

    def change_event_alone(self, event_id: EventId, status: EventStatus, versions: int = 1) -> None:
        """Change the event's row, and raise its version by so many; its reminders and its history stay."""

    def change_alone(self, state: type[State], id_: UUID, **values: Any) -> None:
        """Change a row, its version apart; nothing happened, and its history stays."""

    def somebody_waits_with(self, event_id: EventId) -> bool:
        """Whether somebody who holds the event waits for another lock."""

    def cut_short(self, container: Container, cycle: Interrupted) -> Exception | None:
        """Run a cycle and end it by a stop while it writes; what it raised.

        The cycle is given what it has to do before its commit.
        """


class MemoryBehind:
    def __init__(self) -> None:
        self._store = MemoryStore()
        self._spoilt: list[UUID] = []

    def container(self) -> Container:
        return Container(settings=Settings(), store="memory", memory=providers.Object(self._store))

    def spoil_reminder(self, reminder_id: ReminderId) -> None:
        self._spoil(reminder_id, Spoilt.UNREADABLE)

    def spoil_event(self, event_id: EventId) -> None:
        self._spoil(event_id, Spoilt.UNREADABLE)

    def spoil_plan(self, plan_id: PlanId) -> None:
        self._spoil(plan_id, Spoilt.UNREADABLE)

    def lose(self, state: type[State], id_: UUID) -> None:
        with self._store.changed:
            del self._rows(state)[id_]

    def forget(self, event_id: EventId) -> None:
        self.lose(CalendarEvent, event_id)
        with self._store.changed:
            rows = [row.state for row in self._store.reminders.values() if row.state.event_id == event_id]
            for one in rows:
                del self._store.reminders[one.id]

    def refuse(self, reminder_id: ReminderId) -> None:
        self._spoil(reminder_id, Spoilt.REFUSED)

    def mend(self) -> None:
        for row in self._spoilt:
            self._store.mend(row)

    def change_event_alone(self, event_id: EventId, status: EventStatus, versions: int = 1) -> None:
        with self._store.changed:
            row = self._store.events[event_id]
            self._store.events[event_id] = Versioned(evolve(row.state, status=status), row.version + versions)

    def change_alone(self, state: type[State], id_: UUID, **values: Any) -> None:
        with self._store.changed:
            rows = self._rows(state)
            row = rows[id_]
            if isinstance(row, TouchRow):
                touch = evolve(row.touch.state, **values)
                rows[id_] = evolve(row, touch=evolve(row.touch, state=touch))
            else:
                rows[id_] = evolve(row, state=evolve(row.state, **values))

    def _rows(self, state: type[State]) -> dict[Any, Any]:
        store = self._store
        every: Mapping[type[State], dict[Any, Any]] = {
            CalendarEvent: store.events,
            Reminder: store.reminders,
            DeferredTouch: store.touches,
            TouchPlan: store.plans,
        }
        return every[state]

    def somebody_waits_with(self, event_id: EventId) -> bool:
        with self._store.changed:
            return not self._store.locks.is_free_for(event_id, self)

    def cut_short(self, container: Container, cycle: Interrupted) -> Exception | None:
        def stop() -> None:
            raise Unavailable("interrupted")

        try:
            cycle(stop)
        except Unavailable as problem:
            return problem
        return None

    def _spoil(self, row: UUID, how: Spoilt) -> None:
        self._spoilt.append(row)
        self._store.spoil(row, how)


REFUSING = """
create table tickler.refused (id uuid primary key);
create function tickler.refuse_some() returns trigger language plpgsql as $$
begin
    if exists (select from tickler.refused where refused.id = new.id) then
        raise exception 'this row is refused';
    end if;
    return new;
end $$;
create trigger refuse_some before update on tickler.event_reminders
    for each row execute function tickler.refuse_some();
"""


class PostgresBehind:
    def __init__(self, url: str) -> None:
        self._url = url
        self._refuses = False

    def container(self) -> Container:
        return Container(settings=Settings(), store="postgres", conninfo=self._url)

    def spoil_reminder(self, reminder_id: ReminderId) -> None:
        self._execute(
            "update tickler.event_reminders set trigger = 'spoilt ' || trigger where id = %s", reminder_id
        )

    def spoil_event(self, event_id: EventId) -> None:
        self._execute("update tickler.calendar_events set kind = 'spoilt ' || kind where id = %s", event_id)

    def spoil_plan(self, plan_id: PlanId) -> None:
        self._execute("update tickler.touch_plans set terms = '{}' where id = %s", plan_id)

    def lose(self, state: type[State], id_: UUID) -> None:
        self._execute(f"delete from tickler.{TABLES[state].name} where id = %s", id_)

    def forget(self, event_id: EventId) -> None:
        self.lose(CalendarEvent, event_id)
        self._execute("delete from tickler.event_reminders where event_id = %s", event_id)

    def refuse(self, reminder_id: ReminderId) -> None:
        if not self._refuses:
            self._execute(REFUSING)
            self._refuses = True
        self._execute("insert into tickler.refused values (%s)", reminder_id)

    def mend(self) -> None:
        if self._refuses:
            self._execute("delete from tickler.refused")
        self._execute("update tickler.event_reminders set trigger = replace(trigger, 'spoilt ', '')")
        self._execute("update tickler.calendar_events set kind = replace(kind, 'spoilt ', '')")

    def change_event_alone(self, event_id: EventId, status: EventStatus, versions: int = 1) -> None:
        self._execute(
            "update tickler.calendar_events set status = %s, version = version + %s where id = %s",
            status.value,
            versions,
            event_id,
        )

    def change_alone(self, state: type[State], id_: UUID, **values: Any) -> None:
        changes = ", ".join(f"{name} = %s" for name in values)
        written = [value.value if isinstance(value, StrEnum) else value for value in values.values()]
        self._execute(f"update tickler.{TABLES[state].name} set {changes} where id = %s", *written, id_)

    def somebody_waits_with(self, event_id: EventId) -> bool:
        return self._somebody_waits()

    def _somebody_waits(self) -> bool:
        with psycopg.connect(self._url) as connection:
            found = connection.execute(
                "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
            )
            return found.fetchone() is not None

    def cut_short(self, container: Container, cycle: Interrupted) -> Exception | None:
        with psycopg.connect(self._url) as outsider, ThreadPoolExecutor(1) as pool:
            outsider.execute("lock table tickler.outbox in access exclusive mode")
            running = pool.submit(cycle, lambda: None)
            wait_until(self._somebody_waits)
            container.database().interrupt()
            problem = running.exception(PATIENCE)
        assert problem is None or isinstance(problem, Exception)
        return problem

    def _execute(self, statement: str, *parameters: object) -> None:
        with psycopg.connect(self._url) as connection:
            connection.execute(statement.encode(), parameters or None)


def wait_until(holds: Callable[[], bool]) -> None:
    """Come back as soon as it holds; fail when it does not in good time."""
    deadline = monotonic() + PATIENCE
    never = threading.Event()
    while not holds():
        assert monotonic() < deadline, "what was waited for did not come"
        never.wait(0.01)
