"""How it stands with all that waits and all that went wrong, for whoever watches over it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from application.ports.backlog import Backlog

STUCK_AFTER = timedelta(seconds=15)
MOST_COUNTED = 100_000


class ClaimKind(StrEnum):
    TOUCH = "touch"
    DELIVERY = "delivery"
    OUTBOX = "outbox"


class Watched(Protocol):
    """A store that can say how it stands, with all tenants together.

    Each figure is read apart from the others, every few seconds, however much is kept; where one takes too
    long to find out it raises Unavailable or Busy, and the others are not held up. No more than MOST_COUNTED
    and one are counted of anything (of deliveries, in a channel), and the oldest is then that of those.
    """

    def reminders(self, now: datetime) -> Backlog:
        """Pending and due."""

    def outbox(self) -> Backlog:
        """Neither published nor parked."""

    def outbox_parked(self) -> int:
        """For a person to look at."""

    def deliveries(self, now: datetime) -> Mapping[str, Backlog]:
        """By channel, those that may be tried now; the oldest has waited longest for that.

        Channels of which nothing waits are left out.
        """

    def deliveries_unknown(self) -> int:
        """Those that stand so, for a person to look at."""

    def deliveries_failed(self) -> int:
        """Those that stand so, for a person to look at."""

    def touches(self, now: datetime) -> Backlog:
        """Pending and due; the oldest is that of all."""

    def touches_overdue(self, now: datetime) -> int:
        """InProgress though their lease is over."""

    def touches_failed(self) -> int:
        """Those that stand so, for a person to look at."""

    def stuck(self, kind: ClaimKind, now: datetime) -> int:
        """Claims whose lease was over STUCK_AFTER ago."""
