from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest

from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.store import MemoryStore
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.testkit.outbox import OutboxContract
from application.ports.outbox import Outbox
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Outbox], ...] = (MemoryOutbox, PostgresOutbox)  # mypy holds them against the port


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


class TestPostgresOutbox(OutboxContract):
    @pytest.fixture(autouse=True)
    def _outsider(self, outsider: psycopg.Connection[tuple[UUID, Any]]) -> None:
        self.outsider = outsider

    @pytest.fixture
    def ledger(self, open_database: OpenDatabase) -> PostgresLedger:
        return PostgresLedger(open_database())

    @pytest.fixture
    def outbox(self, open_database: OpenDatabase) -> PostgresOutbox:
        return PostgresOutbox(open_database())

    def parked(self) -> Mapping[UUID, str]:
        return self._by_id("select message_id, parked_reason from tickler.outbox where parked_at is not null")

    def published(self) -> Mapping[UUID, datetime]:
        return self._by_id(
            "select message_id, published_at from tickler.outbox where published_at is not null"
        )

    def _by_id(self, query: str) -> dict[UUID, Any]:
        return dict(self.outsider.execute(query).fetchall())
