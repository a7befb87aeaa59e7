from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import pytest

from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.store import MemoryStore
from adapters.testkit.outbox import OutboxContract


class TestMemoryOutbox(OutboxContract):
    @pytest.fixture(autouse=True)
    def _store(self) -> None:
        self.store = MemoryStore()

    @pytest.fixture
    def ledger(self) -> MemoryLedger:
        return MemoryLedger(self.store)

    @pytest.fixture
    def outbox(self) -> MemoryOutbox:
        return MemoryOutbox(self.store)

    def parked(self) -> Mapping[UUID, str]:
        return {id_: row.problem for id_, row in self.store.outbox.items() if row.problem is not None}

    def published(self) -> Mapping[UUID, datetime]:
        rows = self.store.outbox.items()
        return {id_: row.published_at for id_, row in rows if row.published_at is not None}
