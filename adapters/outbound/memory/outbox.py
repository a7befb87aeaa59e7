"""The outbox in memory."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from attrs import evolve, frozen

from adapters.outbound.memory.store import MemoryStore, OutboxRow
from application.ports.backlog import Backlog
from application.ports.outbox import ClaimedMessage, Parked, ParkedMessage, Standing


@frozen
class MemoryOutbox:
    store: MemoryStore

    def claim(self, relay: str, limit: int, now: datetime, lease: timedelta) -> Sequence[ClaimedMessage]:
        with self.store.changed:
            waiting = filter(_waits, self.store.outbox.values())  # in the order in which they were committed
            free = (row for row in waiting if row.lease_until is None or row.lease_until <= now)
            claimed = [
                evolve(row, claim=row.claim + 1, relay=relay, lease_until=now + lease)
                for row in islice(free, limit)
            ]
            self.store.outbox.update({row.message.id: row for row in claimed})
        return [ClaimedMessage(row.message, row.claim) for row in claimed]

    def mark_published(self, claims: Sequence[ClaimedMessage], now: datetime) -> int:
        with self.store.changed:
            return sum(self._mark(claim, published_at=now) for claim in claims)

    def release(self, claims: Sequence[ClaimedMessage]) -> int:
        with self.store.changed:
            return sum(self._mark(claim) for claim in claims)

    def park(self, claims: Sequence[tuple[ClaimedMessage, str]], now: datetime) -> int:
        with self.store.changed:
            return sum(self._mark(claim, parked_at=now, problem=reason) for claim, reason in claims)

    def parked(self, limit: int) -> Parked:
        with self.store.changed:
            parked = [
                ParkedMessage(row.message, row.parked_at, row.problem or "")
                for row in self.store.outbox.values()
                if row.parked_at is not None
            ]
        parked.sort(key=lambda one: one.at)
        return Parked(len(parked), parked[:limit])

    def unpark(self, ids: Collection[UUID]) -> Collection[UUID]:
        with self.store.changed:
            parked = [row for id_ in set(ids) if (row := self.store.outbox.get(id_)) and row.parked_at]
            for row in parked:
                self.store.outbox[row.message.id] = evolve(row, parked_at=None, problem=None)
        return [row.message.id for row in parked]

    def standing(self, id: UUID) -> Standing | None:
        with self.store.changed:
            row = self.store.outbox.get(id)
        if row is None:
            return None
        return Standing(
            row.created_at, row.relay, row.lease_until, row.published_at, row.parked_at, row.problem
        )

    def backlog(self, now: datetime) -> Backlog:
        with self.store.changed:
            waiting = [row.created_at for row in self.store.outbox.values() if _waits(row)]
        return Backlog(len(waiting), min(waiting, default=None))

    def _mark(self, claim: ClaimedMessage, **changes: Any) -> bool:
        row = self.store.outbox.get(claim.message.id)
        if row is None or row.claim != claim.claim or row.relay is None:
            return False
        self.store.outbox[row.message.id] = evolve(row, relay=None, lease_until=None, **changes)
        return True


def _waits(row: OutboxRow) -> bool:
    return row.published_at is None and row.parked_at is None
