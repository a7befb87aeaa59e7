"""What keeps a Tickler busy: reminders that fall due and touches that are put off, some each second."""

import threading
from datetime import UTC, datetime, timedelta
from itertools import count
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


class Load:
    """`reminders` and `touches` a second, for two people: one with a mailbox, one with none."""

    def __init__(self, conninfo: str, reminders: int = 10, touches: int = 3) -> None:
        self._container = Container(settings=Settings(), conninfo=conninfo)
        self._each_second = (reminders, touches)
        self._tenant = TenantId(uuid4())
        self._people = [UserId(uuid4()), UserId(uuid4())]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self.planned = 0

    def __enter__(self) -> Self:
        people = self._container.people()
        people.add_tenant(Tenant(self._tenant, "acme"))
        for handle, id_ in zip(("anna", "boris"), self._people, strict=True):
            people.add_person(Person(id_, self._tenant, handle))
        mailbox = ContactPoint(ContactPointId(uuid4()), self._people[0], "email", "anna@b.example")
        people.add_contact_point(mailbox)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(30.0)
        self._container.database().close()

    def _go_on(self) -> None:
        reminders, touches = self._each_second
        for _ in count():
            for number in range(reminders):
                self.plan(self._people[number % 2])
            for number in range(touches):
                self._defer(self._people[number % 2])
            if self._over.wait(1.0):
                return

    def plan(self, owner: UserId | None = None, lead: timedelta = LEAD) -> None:
        """An event whose one reminder is due in `lead`."""
        start = (datetime.now(UTC) + lead + timedelta(minutes=AN_HOUR)).replace(tzinfo=None)
        timing = Timing.of(start, "UTC")
        triggers = (MinutesBeforeStart(AN_HOUR),)
        self._container.calendar().plan(
            Draft(self._tenant, owner or self._people[0], timing, triggers=triggers)
        )
        self.planned += 1

    def _defer(self, for_whom: UserId) -> None:
        caller = Caller(self._tenant, "test", Origin(for_whom, "console"))
        wish = Wish(MESSAGE, datetime.now(UTC) + LEAD, "Shall we go on?", str(uuid4()))
        self._container.deferring().defer(caller, wish)
