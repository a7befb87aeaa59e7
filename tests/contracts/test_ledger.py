from datetime import timedelta

import psycopg
import pytest

from adapters.outbound.memory.ledger import MemoryLedger
from adapters.outbound.memory.outbox import MemoryOutbox
from adapters.outbound.memory.store import MemoryStore, OutboxRow, Spoilt
from adapters.outbound.postgres.database import Patience
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.postgres.outbox import PostgresOutbox
from adapters.testkit.examples import NOON
from adapters.testkit.ledger.contract import LedgerContract
from application.ports.ledger import Ledger
from application.ports.outbox import Message
from domain.values import EventId, ReminderId
from tests.contracts.conftest import OpenDatabase

_: tuple[type[Ledger], ...] = (MemoryLedger, PostgresLedger)  # mypy holds them against the port

IMPATIENCE = timedelta(seconds=0.2)


class TestMemoryLedger(LedgerContract):
    @pytest.fixture(autouse=True)
    def _store(self) -> None:
        self.store = MemoryStore()

    @pytest.fixture
    def ledger(self) -> MemoryLedger:
        return MemoryLedger(self.store)

    @pytest.fixture
    def impatient(self) -> MemoryLedger:
        return MemoryLedger(self.store, IMPATIENCE)

    @pytest.fixture
    def outbox(self) -> MemoryOutbox:
        return MemoryOutbox(self.store)

    def spoil_reminder(self, reminder_id: ReminderId) -> None:
        self.store.spoil(reminder_id, Spoilt.UNREADABLE)

    def spoil_event(self, event_id: EventId) -> None:
        self.store.spoil(event_id, Spoilt.UNREADABLE)

    def lose_reminder(self, reminder_id: ReminderId) -> None:
        del self.store.reminders[reminder_id]

    def refuse(self, reminder_id: ReminderId) -> None:
        self.store.spoil(reminder_id, Spoilt.REFUSED)

    def put_message(self, reminder_id: ReminderId) -> None:
        self.store.outbox[reminder_id] = OutboxRow(
            Message(reminder_id, "elsewhere", reminder_id, b"{}"), NOON
        )

    def cancel_event_alone(self, event_id: EventId, raise_version: bool) -> None:
        self.store.change_event_alone(event_id, raise_version=raise_version)


class TestPostgresLedger(LedgerContract):
    @pytest.fixture(autouse=True)
    def _outsider(self, outsider: psycopg.Connection) -> None:
        self.outsider = outsider

    @pytest.fixture
    def ledger(self, open_database: OpenDatabase) -> PostgresLedger:
        return PostgresLedger(open_database())

    @pytest.fixture
    def impatient(self, open_database: OpenDatabase) -> PostgresLedger:
        return PostgresLedger(open_database(Patience(lock=IMPATIENCE)))

    @pytest.fixture
    def outbox(self, open_database: OpenDatabase) -> PostgresOutbox:
        return PostgresOutbox(open_database())

    def spoil_reminder(self, reminder_id: ReminderId) -> None:
        self.outsider.execute(
            "update tickler.event_reminders set trigger = 'whenever' where id = %s", (reminder_id,)
        )

    def spoil_event(self, event_id: EventId) -> None:
        self.outsider.execute("update tickler.calendar_events set kind = 'party' where id = %s", (event_id,))

    def lose_reminder(self, reminder_id: ReminderId) -> None:
        self.outsider.execute("delete from tickler.event_reminders where id = %s", (reminder_id,))

    def refuse(self, reminder_id: ReminderId) -> None:
        self.outsider.execute(
            f"alter table tickler.event_reminders add constraint refused_{reminder_id.hex}"
            f" check (id <> '{reminder_id}' or status = 'Pending')"
        )

    def put_message(self, reminder_id: ReminderId) -> None:
        self.outsider.execute(
            "insert into tickler.outbox (message_id, topic, key, payload, headers)"
            " values (%(id)s, 'elsewhere', %(id)s, '{}', '{}')",
            {"id": reminder_id},
        )

    def cancel_event_alone(self, event_id: EventId, raise_version: bool) -> None:
        self.outsider.execute(
            "update tickler.calendar_events set status = 'Cancelled', version = version + %s where id = %s",
            (int(raise_version), event_id),
        )
