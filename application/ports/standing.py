"""How it stands with all that waits and all that went wrong, for whoever watches over it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from attrs import frozen

from application.ports.backlog import Backlog

STUCK_AFTER = timedelta(seconds=15)


class ClaimKind(StrEnum):
    TOUCH = "touch"
    DELIVERY = "delivery"
    OUTBOX = "outbox"


@frozen
class Standing:
    """Of all tenants, at one instant.

    `reminders` and `touches` are those that are Pending and due; `outbox` what is neither published nor
    parked; `deliveries`, by channel, those that may be tried now, the oldest being the one that has waited
    longest for that. Channels of which nothing waits are left out. `deliveries_unknown`, `deliveries_failed`
    and `touches_failed` are those that stand so for a person to look at; `touches_overdue` are InProgress
    though their lease is over; `stuck_claims` are claims whose lease was over STUCK_AFTER ago.
    """

    reminders: Backlog
    outbox: Backlog
    outbox_parked: int
    deliveries: Mapping[str, Backlog]
    deliveries_unknown: int
    deliveries_failed: int
    touches: Backlog
    touches_overdue: int
    touches_failed: int
    stuck_claims: Mapping[ClaimKind, int]


class Watched(Protocol):
    """A store that can say how it stands. It is asked every few seconds, however much is kept in it."""

    def standing(self, now: datetime) -> Standing:
        """How it stands; raises Unavailable or Busy where that takes too long to find out."""
