from datetime import timedelta

import pytest

from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.store import MemoryStore, Spoilt
from adapters.testkit.ledger.contract import LedgerContract
from domain.values import EventId, ReminderId


class TestMemoryLedger(LedgerContract):
    @pytest.fixture(autouse=True)
    def _store(self) -> None:
        self.store = MemoryStore()

    @pytest.fixture
    def ledger(self) -> MemoryLedger:
        return MemoryLedger(self.store)

    @pytest.fixture
    def impatient(self) -> MemoryLedger:
        return MemoryLedger(self.store, timedelta(seconds=0.1))

    @pytest.fixture
    def outbox(self) -> MemoryOutbox:
        return MemoryOutbox(self.store)

    def spoil_reminder(self, reminder_id: ReminderId) -> None:
        self.store.spoil(reminder_id, Spoilt.UNREADABLE)

    def spoil_event(self, event_id: EventId) -> None:
        self.store.spoil(event_id, Spoilt.UNREADABLE)

    def refuse(self, reminder_id: ReminderId) -> None:
        self.store.spoil(reminder_id, Spoilt.REFUSED)

    def change_event_alone(self, event_id: EventId) -> None:
        self.store.change_event_alone(event_id)
