"""What was refused for good on its way out, and how an operator who has mended the reason gives it back."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from attrs import frozen

from application.ports.outbox import Outbox, Parked


@frozen
class Retried:
    """How many were given back, and the ids asked for that were not parked."""

    count: int
    unknown: Collection[UUID] = ()


@frozen
class Parking:
    outbox: Outbox
    page: int = 1_000

    def parked(self, limit: int) -> Parked:
        """How many are parked, and up to `limit` of them, those first that have been so the longest."""
        return self.outbox.parked(limit)

    def retry(self, ids: Collection[UUID]) -> Retried:
        """Give these back, in one commit."""
        given_back = set(self.outbox.unpark(ids))
        return Retried(len(given_back), [id_ for id_ in dict.fromkeys(ids) if id_ not in given_back])

    def retry_all(self, now: datetime) -> Retried:
        """Give all back that are parked by `now`, a page a commit; those parked again meanwhile stay."""
        count = 0
        while ids := [one.message.id for one in self.outbox.parked(self.page).oldest if one.at <= now]:
            count += len(self.outbox.unpark(ids))
        return Retried(count)
