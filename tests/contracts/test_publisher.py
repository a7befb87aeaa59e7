"""The publisher that needs no broker keeps what the port promises."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NoReturn

import pytest
from attrs import field, frozen

from adapters.outbound.direct import DirectPublisher
from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from adapters.testkit.publisher import Arrived, PublisherContract
from application.notifying import Notifying
from application.ports.deliveries import Deliveries, Received
from application.ports.errors import Unavailable
from domain.policies import ReminderDueEvent


@frozen
class Listening(Notifying):
    """The notifications, and what they took in."""

    heard: list[ReminderDueEvent] = field(factory=list)

    def receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[bool]:
        taken = super().receive(due)
        self.heard.extend(due)
        return taken


class StoreIsAway(MemoryDeliveries):
    def receive(self, received: Sequence[Received], now: datetime) -> NoReturn:
        raise Unavailable("connection to 10.0.0.1 refused")


def notifying(deliveries: Deliveries, store: MemoryStore) -> Listening:
    clock = SettableClock(datetime(2026, 11, 29, 12, 0, tzinfo=UTC))
    return Listening(deliveries, MemoryPeople(store), clock, CountedIds())


class TestDirect(PublisherContract):
    @pytest.fixture
    def listening(self) -> Listening:
        store = MemoryStore()
        return notifying(MemoryDeliveries(store), store)

    @pytest.fixture
    def publisher(self, listening: Listening) -> DirectPublisher:
        return DirectPublisher(listening)

    @pytest.fixture
    def arrived(self, listening: Listening) -> Arrived:
        return lambda: listening.heard

    @pytest.fixture
    def cut_off(self) -> DirectPublisher:
        store = MemoryStore()
        return DirectPublisher(notifying(StoreIsAway(store), store))
