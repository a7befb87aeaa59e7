"""What is over and was kept long enough, so that it can go."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from attrs import frozen


class What(StrEnum):
    """In the order in which one makes room for the next: a reminder goes after its deliveries.

    Everything else stays: history and events, and what waits for anybody, such as a parked message, a
    delivery that is Unknown or Failed, or a touch that is Failed.
    """

    DELIVERIES = "deliveries"  # Delivered or Skipped, by due_at; with their attempts and a notice's matters
    REMINDERS = "reminders"  # Sent or Skipped, by their last change; none of whose deliveries waits
    TOUCHES = "touches"  # Delivered, Closed or Cancelled; likewise, with texts and idempotency keys
    OUTBOX = "outbox"  # published, by when
    INBOX = "inbox"  # by when they were taken in; never while their message is unpublished
    SESSIONS = "sessions"  # ended or revoked; they last a day at most
    TOKENS = "tokens"  # ended or revoked, by when
    QUARANTINE = "quarantine"  # by when they were kept


Place = Sequence[object]
"""How far a walk through the rows has come; a store's own business."""


@frozen
class Batch:
    """`pruned` of `seen` rows; `then` is where to go on, None at the end."""

    pruned: int
    seen: int
    then: Place | None


class Marks(Protocol):
    """What is known of all that was pruned."""

    def marks(self) -> Mapping[What, datetime]:
        """The latest `before` with which anything of a kind was removed; kinds of which nothing was are not
        in it. Whoever misses a row and asks afterwards has the mark of its removal.
        """


class Prunable(Marks, Protocol):
    """The rows of a store. Any number may prune at once, beside all other work: nothing waits for a row."""

    def prune(
        self,
        what: What,
        before: datetime,
        start: Place | None = None,
        *,
        limit: int = 1_000,
        only_count: bool = False,
    ) -> Batch:
        """Look at up to `limit` rows from `start` on, and remove those that were over before `before`.

        One short commit with its mark, whole or not at all; what somebody else holds stays for another time.
        With `only_count` nothing is removed, nor marked.
        """

    def rows(self, what: What) -> int:
        """About how many rows there are to look at."""
