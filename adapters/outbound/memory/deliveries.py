"""The consumer's inbox and the deliveries in memory."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import nsmallest

import attrs
from attrs import frozen

from adapters.outbound.memory.store import MemoryStore
from application.ports.backlog import Backlog
from application.ports.deliveries import ARRIVED, Attempt, Received
from application.ports.notices import Matters, Notice
from domain import delivery
from domain.delivery import (
    AboutId,
    Delivery,
    DeliveryAccepted,
    DeliveryClaimed,
    DeliveryConfirmed,
    DeliveryGivenBack,
    DeliveryLost,
    DeliveryPostponed,
    DeliveryRefused,
    DeliverySkipped,
    Status,
)
from domain.delivery import Event as DeliveryEvent
from domain.errors import ClaimIsLost
from domain.values import DeliveryId, NoticeId, ReminderId, TenantId

OUTCOMES: Mapping[type[DeliveryEvent], str] = {
    DeliveryAccepted: "accepted",
    DeliveryRefused: "refused",
    DeliveryPostponed: "postponed",
    DeliveryGivenBack: "given_back",
    DeliverySkipped: "skipped",
    DeliveryLost: "lost",
    DeliveryConfirmed: "confirmed",
}


@frozen
class MemoryDeliveries:
    store: MemoryStore

    def receive(self, received: Sequence[Received], now: datetime) -> Sequence[bool]:
        with self.store.changed:
            kept = {_about(one) for one in self.store.deliveries.values()}
            return [self._receive(one, kept, now) for one in received]

    def claim(
        self,
        channel: str,
        limit: int,
        now: datetime,
        lease_until: datetime,
        per_tenant: int | None = None,
        in_hand: Collection[TenantId] = (),
    ) -> Sequence[Delivery]:
        with self.store.changed:
            waiting = (one for one in self._ready(now) if one.channel == channel)
            ready = sorted((one for one in waiting if not self._has_arrived(one)), key=_age)
            busy = Counter(in_hand)
            fair: list[Delivery] = []
            for one in ready:
                busy[one.tenant_id] += 1
                if per_tenant is None or busy[one.tenant_id] <= per_tenant:
                    fair.append(one)
            claimed = [_claimed(one, now, lease_until) for one in fair[:limit]]
            self.store.deliveries.update({one.id: one for one in claimed})
            for one in claimed:
                self._begin_attempt(one, now)
        return claimed

    def waiting(
        self, served: Collection[str], now: datetime, limit: int, after: Delivery | None = None
    ) -> Sequence[Delivery]:
        with self.store.changed:
            found = [one for one in self._ready(now) if one.channel not in served]
        behind = [one for one in found if after is None or _place(one) > _place(after)]
        return nsmallest(limit, behind, _place)

    def settle(
        self,
        before: Delivery,
        happened: Sequence[DeliveryEvent],
        after: Delivery,
        then: Sequence[Delivery] = (),
        notice: Notice | None = None,
    ) -> None:
        with self.store.changed:
            kept = self.store.deliveries.get(before.id)
            if kept is None or _stand(kept) != _stand(before):
                raise ClaimIsLost
            if is_erased(kept):
                after, then = erased(after), [one for one in then if one.user_id != kept.user_id]
            self.store.deliveries[before.id] = after
            for event in happened:
                self._note_attempt(event, after)
            made = [*then, *(notice.deliveries if notice else ())]
            known = {_about(one) for one in self.store.deliveries.values()} if made else set()
            self._keep(made, known)
            if notice is not None:
                matters = self.store.matters.setdefault(notice.id, {})
                matters.setdefault((notice.matter.kind, notice.matter.id), notice.matter)

    def overdue(self, channel: str, now: datetime, limit: int) -> Sequence[Delivery]:
        with self.store.changed:
            late = (one for one in self._sending(channel) if _has_run_out(one, now))
            return nsmallest(limit, late, key=_age)

    def of_reminder(self, reminder_id: ReminderId) -> Sequence[Delivery]:
        with self.store.changed:
            about = [one for one in self.store.deliveries.values() if one.about_id == reminder_id]
        return sorted(about, key=lambda one: one.id)

    def by_id(self, id: DeliveryId) -> Delivery | None:
        with self.store.changed:
            return self.store.deliveries.get(id)

    def received_at(self, reminder_id: ReminderId) -> datetime | None:
        with self.store.changed:
            return self.store.inbox.get(reminder_id)

    def traceparents(self, ids: Collection[DeliveryId]) -> Mapping[DeliveryId, str]:
        with self.store.changed:
            rows, kept = self.store.deliveries, self.store.traceparents
            known = {rows[id_].about_id: traceparent for id_, traceparent in kept.items()}
            found = [self.store.deliveries[id_] for id_ in ids if id_ in self.store.deliveries]
            return {one.id: known[one.about_id] for one in found if one.about_id in known}

    def attempts(self, id: DeliveryId) -> Sequence[Attempt]:
        with self.store.changed:
            return self.store.attempts.get(id, ())

    def latest(
        self, statuses: Collection[Status], limit: int, tenant_id: TenantId | None = None
    ) -> Sequence[Delivery]:
        with self.store.changed:
            found = [
                one
                for one in self.store.deliveries.values()
                if one.status in statuses and tenant_id in (None, one.tenant_id)
            ]
        by_id = sorted(found, key=lambda one: one.id)
        return sorted(by_id, key=lambda one: one.due_at, reverse=True)[:limit]

    def matters(self, notice_id: NoticeId, limit: int) -> Matters:
        with self.store.changed:
            found = sorted(self.store.matters.get(notice_id, {}).items())
        return Matters(len(found), [matter for _, matter in found[:limit]])

    def backlog(self, now: datetime) -> Backlog:
        with self.store.changed:
            waiting = [one.due_at for one in self._ready(now)]
        return Backlog(len(waiting), min(waiting, default=None))

    def _receive(self, received: Received, kept: set[tuple[AboutId, str, str]], now: datetime) -> bool:
        if received.reminder_id in self.store.inbox:
            return False
        self.store.inbox[received.reminder_id] = now
        self._keep(received.deliveries, kept, received.traceparent)
        return True

    def _keep(
        self, made: Sequence[Delivery], kept: set[tuple[AboutId, str, str]], traceparent: str | None = None
    ) -> None:
        for one in (self._without_hash(one) for one in made):
            if _about(one) not in kept:
                kept.add(_about(one))
                self.store.deliveries[one.id] = one
                if traceparent is not None:
                    self.store.traceparents[one.id] = traceparent

    def _note_attempt(self, happened: DeliveryEvent, after: Delivery) -> None:
        match happened:
            case DeliveryClaimed(at=at):
                self._begin_attempt(after, at)
            case (
                DeliveryAccepted(at=at)
                | DeliveryRefused(at=at)
                | DeliveryPostponed(at=at)
                | DeliveryGivenBack(at=at)
                | DeliverySkipped(at=at)
                | DeliveryLost(at=at)
                | DeliveryConfirmed(at=at)
            ):
                said = {"ended_at": at, "outcome": OUTCOMES[type(happened)], "reason": after.reason}
                self.store.attempts[after.id] = tuple(
                    attrs.evolve(one, **said) if one.claim == after.claim else one  # type: ignore[arg-type]
                    for one in self.store.attempts.get(after.id, ())
                )

    def _begin_attempt(self, claimed: Delivery, at: datetime) -> None:
        before = self.store.attempts.get(claimed.id, ())
        self.store.attempts[claimed.id] = (*before, Attempt(claimed.claim, at))

    def _without_hash(self, one: Delivery) -> Delivery:
        is_gone = self.store.is_erased(one.user_id)
        return attrs.evolve(one, address_key=str(one.id)) if is_gone else one

    def _has_arrived(self, one: Delivery) -> bool:
        return any(each.outcome in ARRIVED for each in self.store.attempts.get(one.id, ()))

    def _sending(self, channel: str) -> Iterator[Delivery]:
        rows = self.store.deliveries.values()
        return (one for one in rows if one.channel == channel and one.status is Status.SENDING)

    def _ready(self, now: datetime) -> Iterator[Delivery]:
        rows = self.store.deliveries.values()
        return (one for one in rows if one.status is Status.PENDING and one.not_before <= now)


def _claimed(one: Delivery, now: datetime, lease_until: datetime) -> Delivery:
    (claimed,) = delivery.decide(one, delivery.Claim(lease_until, now))
    return delivery.evolve(one, claimed)


def _has_run_out(one: Delivery, now: datetime) -> bool:
    return one.lease_until is not None and one.lease_until <= now


def _stand(one: Delivery) -> tuple[object, ...]:
    return one.status, one.attempts, one.claim, one.not_before, one.lease_until


def erased(one: Delivery) -> Delivery:
    """Without hash, words and name; why it was skipped is one of a closed list, other reasons are words."""
    reason = one.reason if one.status is Status.SKIPPED else None
    return attrs.evolve(one, address_key=str(one.id), reason=reason, provider_id=None)


def without_words(attempts: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """The attempts at a message to one who is erased."""
    return tuple(one if one.outcome == "skipped" else attrs.evolve(one, reason=None) for one in attempts)


def is_erased(one: Delivery) -> bool:
    return one.address_key == str(one.id)


def _about(one: Delivery) -> tuple[AboutId, str, str]:
    return one.about_id, one.channel, one.address_key


def _age(one: Delivery) -> tuple[datetime, DeliveryId]:
    return one.due_at, one.id


def _place(one: Delivery) -> tuple[str, datetime, DeliveryId]:
    return one.channel, one.due_at, one.id
