"""How it stands, in memory."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from attrs import frozen

from adapters.outbound.memory.store import MemoryStore, OutboxRow
from application.ports.backlog import Backlog
from application.ports.standing import MOST_COUNTED, STUCK_AFTER, ClaimKind
from domain import deferred_touch, delivery, reminder


@frozen
class MemoryStanding:
    store: MemoryStore
    most: int = MOST_COUNTED

    def reminders(self, now: datetime) -> Backlog:
        with self.store.changed:
            states = [row.state for row in self.store.reminders.values()]
        return self._backlog(
            one.due_at for one in states if one.status is reminder.Status.PENDING and one.due_at < now
        )

    def outbox(self) -> Backlog:
        return self._backlog(row.created_at for row in self._messages() if row.parked_at is None)

    def outbox_parked(self) -> int:
        return self._count(row.parked_at is not None for row in self._messages())

    def deliveries(self, now: datetime) -> Mapping[str, Backlog]:
        ready: dict[str, list[datetime]] = defaultdict(list)
        for one in self._deliveries():
            if one.status is delivery.Status.PENDING and one.not_before <= now:
                ready[one.channel].append(one.not_before)
        return {channel: self._backlog(since) for channel, since in ready.items()}

    def deliveries_unknown(self) -> int:
        return self._count(one.status is delivery.Status.UNKNOWN for one in self._deliveries())

    def deliveries_failed(self) -> int:
        return self._count(one.status is delivery.Status.FAILED for one in self._deliveries())

    def touches(self, now: datetime) -> Backlog:
        return self._backlog(
            one.due_at
            for one in self._touches()
            if one.status is deferred_touch.Status.PENDING and one.due_at < now
        )

    def touches_overdue(self, now: datetime) -> int:
        return self._count(lease < now for lease in self._leases(ClaimKind.TOUCH))

    def touches_failed(self) -> int:
        return self._count(one.status is deferred_touch.Status.FAILED for one in self._touches())

    def stuck(self, kind: ClaimKind, now: datetime) -> int:
        return self._count(lease < now - STUCK_AFTER for lease in self._leases(kind))

    def _leases(self, kind: ClaimKind) -> list[datetime]:
        match kind:
            case ClaimKind.TOUCH:
                leases = [one.lease_until for one in self._touches()]
            case ClaimKind.DELIVERY:
                leases = [one.lease_until for one in self._deliveries()]
            case ClaimKind.OUTBOX:
                leases = [row.lease_until for row in self._messages() if row.parked_at is None]
        return [lease for lease in leases if lease is not None]

    def _messages(self) -> list[OutboxRow]:
        with self.store.changed:
            return [row for row in self.store.outbox.values() if row.published_at is None]

    def _deliveries(self) -> list[delivery.Delivery]:
        with self.store.changed:
            return list(self.store.deliveries.values())

    def _touches(self) -> list[deferred_touch.DeferredTouch]:
        with self.store.changed:
            return [row.touch.state for row in self.store.touches.values()]

    def _count(self, those: Iterable[bool]) -> int:
        return min(sum(those), self.most + 1)

    def _backlog(self, since: Iterable[datetime]) -> Backlog:
        waiting = list(since)
        return Backlog(min(len(waiting), self.most + 1), min(waiting, default=None))
