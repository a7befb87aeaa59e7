"""The outbox, from the relay's side."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from attrs import field, frozen

from application.ports.backlog import Backlog


@frozen
class Message:
    """An outbox message as bytes for the wire: `payload` is JSON, `headers` are text."""

    id: UUID
    topic: str
    key: UUID
    payload: bytes = field(repr=False)
    headers: Mapping[str, str] = field(factory=dict)


@frozen
class ClaimedMessage:
    """A message in this relay's hands; `claim` is the number that later marks must name."""

    message: Message
    claim: int


@frozen
class ParkedMessage:
    """A message that was refused for good: since when, and why."""

    message: Message
    at: datetime
    reason: str


@frozen
class Standing:
    """Where one message stands. `relay` took it until `lease_until`, and has said nothing of it yet; once
    that has passed, any relay takes it. `reason` is why it was parked.
    """

    created_at: datetime
    relay: str | None = None
    lease_until: datetime | None = None
    published_at: datetime | None = None
    parked_at: datetime | None = None
    reason: str | None = None


@frozen
class Parked:
    """How many messages are parked, and some of them."""

    count: int
    oldest: Sequence[ParkedMessage]


class Outbox(Protocol):
    """Messages that were committed and wait to be published."""

    def claim(self, relay: str, limit: int, now: datetime, lease: timedelta) -> Sequence[ClaimedMessage]:
        """Take up to `limit` unpublished messages, oldest first, for `lease` from `now`, in one commit.

        A message that another relay holds by an unfinished lease, or that was parked, is not taken.
        """

    def mark_published(self, claims: Sequence[ClaimedMessage], now: datetime) -> int:
        """Mark those whose claim is still the current one as published; how many they were."""

    def release(self, claims: Sequence[ClaimedMessage]) -> int:
        """Give back those whose claim is still the current one, to be taken again at once."""

    def park(self, claims: Sequence[tuple[ClaimedMessage, str]], now: datetime) -> int:
        """Put aside, with a reason, those that can never be published; they stop nobody and stay visible."""

    def parked(self, limit: int) -> Parked:
        """Up to `limit` of the parked messages, those first that have been so the longest."""

    def unpark(self, ids: Collection[UUID]) -> Collection[UUID]:
        """Make parked messages of these ids like any that wait; the ids of those that it did.

        They come in the order in which they were committed, as if they had never been parked. Those that are
        not parked are passed over.
        """

    def standing(self, id: UUID) -> Standing | None:
        """Where the message of this id stands as committed now; None where it is not there, or no more."""

    def backlog(self, now: datetime) -> Backlog:
        """The messages that are neither published nor parked."""
