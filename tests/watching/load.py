"""What keeps a Tickler busy: reminders that fall due and touches that are put off, some each second."""

import threading
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Self
from uuid import uuid4

from adapters.container import Container
from adapters.settings import Settings
from application.calendar import Draft
from application.ports.people import ContactPoint, Person, Tenant
from application.touching.deferring import MESSAGE, Caller, Wish
from domain.triggers import MinutesBeforeStart
from domain.values import ContactPointId, Origin, TenantId, Timing, UserId

LEAD = timedelta(seconds=3)
AN_HOUR = 60
# No more than two messages of one tenant are sent at once on a channel.
TENANTS = 5


class Load:
    """`reminders` and `touches` a second, of several tenants with two people each: one has a mailbox."""

    def __init__(self, conninfo: str, reminders: int = 10, touches: int = 3) -> None:
        self._container = Container(settings=Settings(), conninfo=conninfo)
        self._each_second = (reminders, touches)
        self._people = [
            (tenant, UserId(uuid4()))
            for tenant in [TenantId(uuid4()) for _ in range(TENANTS)]
            for _ in range(2)
        ]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)

    def __enter__(self) -> Self:
        people = self._container.people()
        for number, (tenant, id_) in enumerate(self._people):
            if number % 2 == 0:
                people.add_tenant(Tenant(tenant, f"tenant-{number}"))
            people.add_person(Person(id_, tenant, f"person-{number}"))
            if number % 2 == 0:
                mailbox = ContactPoint(ContactPointId(uuid4()), id_, "email", f"person-{number}@b.example")
                people.add_contact_point(mailbox)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(30.0)
        self._container.database().close()

    def _go_on(self) -> None:
        reminders, touches = self._each_second
        whom = cycle(self._people)
        while not self._over.wait(1.0):
            for _ in range(reminders):
                self._plan(*next(whom))
            for _ in range(touches):
                self._defer(*next(whom))

    def plan(self) -> None:
        """One event more, of somebody with a mailbox, whose reminder is due in LEAD."""
        self._plan(*self._people[0])

    def _plan(self, tenant: TenantId, owner: UserId) -> None:
        start = (datetime.now(UTC) + LEAD + timedelta(minutes=AN_HOUR)).replace(tzinfo=None)
        timing = Timing.of(start, "UTC")
        triggers = (MinutesBeforeStart(AN_HOUR),)
        self._container.calendar().plan(Draft(tenant, owner, timing, triggers=triggers))

    def _defer(self, tenant: TenantId, for_whom: UserId) -> None:
        caller = Caller(tenant, "test", Origin(for_whom, "console"))
        wish = Wish(MESSAGE, datetime.now(UTC) + LEAD, "Shall we go on?", str(uuid4()))
        self._container.deferring().defer(caller, wish)
