"""The publisher that needs no broker keeps what the port promises."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from threading import Event

import pytest
from attrs import field, frozen

from adapters.outbound.direct import DirectPublisher
from adapters.outbound.memory.deliveries import MemoryDeliveries
from adapters.outbound.memory.people import MemoryPeople
from adapters.outbound.memory.store import MemoryStore
from adapters.testkit.clock import SettableClock
from adapters.testkit.ids import CountedIds
from adapters.testkit.publisher import Arrived, HalfWay, Mend, PublisherContract, due, message
from application.notifying import Notifying
from application.ports.deliveries import Deliveries, Received
from application.ports.errors import Unavailable
from application.ports.outbox import Message
from application.ports.publisher import Publisher
from application.receiving import Receiving
from domain.policies import ReminderDueEvent

_: type[Publisher] = DirectPublisher  # mypy holds it against the port


@frozen
class Listening(Notifying):
    """The notifications, and what they took in."""

    heard: list[ReminderDueEvent] = field(factory=list)

    def receive(self, due: Sequence[ReminderDueEvent]) -> Sequence[bool]:
        taken = super().receive(due)
        self.heard.extend(due)
        return taken


@frozen
class Troubled(MemoryDeliveries):
    """A store that first does what `trouble` does with the size of a batch, such as to raise."""

    trouble: Callable[[int], None]

    def receive(self, received: Sequence[Received], now: datetime) -> Sequence[bool]:
        self.trouble(len(received))
        return super().receive(received, now)


def goes_away_after(count: int) -> Callable[[int], None]:
    """Takes no batch, so that each message comes by itself, and none after so many of them."""
    left = iter(range(count))

    def trouble(size: int) -> None:
        if size > 1:
            raise RuntimeError
        if next(left, None) is None:
            raise Unavailable("connection to 10.0.0.1 refused")

    return trouble


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
        return DirectPublisher(Receiving(listening))

    @pytest.fixture
    def arrived(self, listening: Listening) -> Arrived:
        return lambda: listening.heard

    @pytest.fixture
    def away(self) -> Event:
        """Set while the store of `cut_off` is away."""
        away = Event()
        away.set()
        return away

    @pytest.fixture
    def unheard(self, away: Event) -> Listening:
        def trouble(_: int) -> None:
            if away.is_set():
                raise Unavailable("connection to 10.0.0.1 refused")

        store = MemoryStore()
        return notifying(Troubled(store, trouble), store)

    @pytest.fixture
    def cut_off(self, unheard: Listening) -> DirectPublisher:
        return DirectPublisher(Receiving(unheard))

    @pytest.fixture
    def mend(self, away: Event, unheard: Listening) -> Mend:
        def come_back() -> Arrived:
            away.clear()
            return lambda: unheard.heard

        return come_back

    @pytest.fixture
    def half_way(self) -> HalfWay:
        store = MemoryStore()
        listening = notifying(Troubled(store, goes_away_after(7)), store)
        return HalfWay(DirectPublisher(Receiving(listening)), lambda: listening.heard)

    def refused(self, number: int) -> Message:
        return message(due(number), b"it makes no sense")
