"""How it stands, in memory."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from attrs import frozen

from adapters.outbound.memory.store import MemoryStore
from application.ports.backlog import Backlog
from application.ports.standing import STUCK_AFTER, ClaimKind, Standing
from domain import deferred_touch, delivery, reminder


@frozen
class MemoryStanding:
    store: MemoryStore

    def standing(self, now: datetime) -> Standing:
        long_ago = now - STUCK_AFTER
        with self.store.changed:
            reminders = [row.state for row in self.store.reminders.values()]
            messages = [row for row in self.store.outbox.values() if row.published_at is None]
            deliveries = list(self.store.deliveries.values())
            touches = [row.touch.state for row in self.store.touches.values()]
        unparked = [row for row in messages if row.parked_at is None]
        ready: dict[str, list[datetime]] = defaultdict(list)
        for one in deliveries:
            if one.status is delivery.Status.PENDING and one.not_before <= now:
                ready[one.channel].append(one.not_before)
        touch_leases = [one.lease_until for one in touches if one.lease_until is not None]
        delivery_leases = [one.lease_until for one in deliveries if one.lease_until is not None]
        outbox_leases = [row.lease_until for row in unparked if row.lease_until is not None]
        return Standing(
            reminders=_backlog(
                one.due_at for one in reminders if one.status is reminder.Status.PENDING and one.due_at < now
            ),
            outbox=_backlog(row.created_at for row in unparked),
            outbox_parked=len(messages) - len(unparked),
            deliveries={channel: _backlog(since) for channel, since in ready.items()},
            deliveries_unknown=sum(one.status is delivery.Status.UNKNOWN for one in deliveries),
            deliveries_failed=sum(one.status is delivery.Status.FAILED for one in deliveries),
            touches=_backlog(
                one.due_at
                for one in touches
                if one.status is deferred_touch.Status.PENDING and one.due_at < now
            ),
            touches_overdue=sum(lease < now for lease in touch_leases),
            touches_failed=sum(one.status is deferred_touch.Status.FAILED for one in touches),
            stuck_claims={
                ClaimKind.TOUCH: sum(lease < long_ago for lease in touch_leases),
                ClaimKind.DELIVERY: sum(lease < long_ago for lease in delivery_leases),
                ClaimKind.OUTBOX: sum(lease < long_ago for lease in outbox_leases),
            },
        )


def _backlog(since: Iterable[datetime]) -> Backlog:
    waiting = list(since)
    return Backlog(len(waiting), min(waiting, default=None))
