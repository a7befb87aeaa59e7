"""What a ledger's contract suite is given, and what it asks of the store behind its back."""

from collections.abc import Sequence

import pytest

from application.ports.ledger import Ledger, Versioned
from application.ports.outbox import Outbox
from domain.reminder import Reminder
from domain.values import EventId, ReminderId


class Surroundings:
    """Each test has a store of its own, without any rows; the fixtures are adapters over that one store."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        raise NotImplementedError

    @pytest.fixture
    def impatient(self) -> Ledger:
        """Another ledger, which waits for a lock for some tenths of a second at most."""
        raise NotImplementedError

    @pytest.fixture
    def outbox(self) -> Outbox:
        raise NotImplementedError

    def spoil_reminder(self, reminder_id: ReminderId) -> None:
        """Make a reminder's row unreadable."""
        raise NotImplementedError

    def spoil_event(self, event_id: EventId) -> None:
        """Make an event's row unreadable."""
        raise NotImplementedError

    def lose_reminder(self, reminder_id: ReminderId) -> None:
        """Take a reminder's row away, and leave its history."""
        raise NotImplementedError

    def refuse(self, reminder_id: ReminderId) -> None:
        """Make the store refuse every write of a reminder's row."""
        raise NotImplementedError

    def put_message(self, reminder_id: ReminderId) -> None:
        """Put a message of this id into the outbox."""
        raise NotImplementedError

    def cancel_event_alone(self, event_id: EventId, raise_version: bool) -> None:
        """Cancel the event in its row alone, from outside; history and reminders stay."""
        raise NotImplementedError


def ids_of(rows: Sequence[Reminder] | Sequence[Versioned[Reminder]]) -> list[ReminderId]:
    return [row.state.id if isinstance(row, Versioned) else row.id for row in rows]
