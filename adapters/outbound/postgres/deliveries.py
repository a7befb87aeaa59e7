"""The consumer's inbox and the messages that come of it, in PostgreSQL."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime

import attrs
from attrs import frozen

from adapters.outbound.postgres import binary, erasing
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.delivery_rows import (
    FIRST_PLACE,
    SELECT,
    WAITING,
    all_values,
    changed_values,
    new_columns,
    read_delivery,
    storable,
)
from adapters.outbound.postgres.notices import keep_matter, read_matters
from adapters.outbound.postgres.session import Session
from application.ports.backlog import Backlog
from application.ports.deliveries import Attempt, Received
from application.ports.notices import Matters, Notice
from domain import delivery
from domain.delivery import (
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
from domain.errors import ClaimIsLost
from domain.values import DeliveryId, NoticeId, ReminderId, TenantId, UserId

CONSUMER = "notifications"

TAKE_IN = (
    "insert into tickler.inbox (consumer, reminder_id, received_at)"
    " select %s, id, %s from unnest(%b::uuid[]) as b (id) order by id"
    " on conflict do nothing returning reminder_id"
)
INSERT = (
    "insert into tickler.deliveries (id, tenant_id, about_id, event_id, user_id, channel,"
    " contact_point_id, address_key, template, due_at, not_before, status, attempts, claim, lease_until,"
    " reason, provider_id, in_doubt)"
    " values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
    " on conflict on constraint one_message_an_address do nothing"
)
# New ones, as many as there are in one statement. Of two for one address the first stays.
KEEP_NEW = (
    "insert into tickler.deliveries (id, tenant_id, about_id, event_id, user_id, channel,"
    " contact_point_id, address_key, template, due_at, not_before, traceparent, status, attempts, claim)"
    " select id, tenant_id, about_id, event_id, user_id, channel, contact_point_id, address_key, template,"
    " due_at, not_before, traceparent, 'Pending', 0, 0 from unnest(%b::uuid[], %b::uuid[], %b::uuid[],"
    " %b::uuid[], %b::uuid[], %b::text[], %b::uuid[], %b::text[], %b::text[], %b::timestamptz[],"
    " %b::timestamptz[], %b::text[])"
    " with ordinality as b (id, tenant_id, about_id, event_id, user_id, channel, contact_point_id,"
    " address_key, template, due_at, not_before, traceparent, place) order by place"
    " on conflict on constraint one_message_an_address do nothing"
)
# What has arrived is not sent again, whatever the row says. Asked row by row, by an index.
HAS_NOT_ARRIVED = (
    " and (select true from tickler.delivery_attempts a where a.delivery_id = deliveries.id"
    " and a.outcome in ('accepted', 'confirmed') limit 1) is null"
)
DUE = (
    SELECT + " where channel = %s and status = 'Pending' and not_before <= %s"
    " and tenant_id <> all(%b::uuid[]) and id <> all(%b::uuid[])"
    + HAS_NOT_ARRIVED
    + " order by due_at, id limit %s for update skip locked"
)
OVERDUE = (
    SELECT + " where channel = %s and status = 'Sending' and lease_until <= %s order by due_at, id limit %s"
)
# The hash of an address gives way to the id when its person is erased.
LOCK = "select address_key = id::text from tickler.deliveries where id = %s for update"
UPDATE = (
    "update tickler.deliveries set status = %s, attempts = %s, claim = %s, not_before = %s, lease_until = %s,"
    " reason = %s, provider_id = %s, in_doubt = %s, updated_at = now()"
    " where id = %s and status = %s and attempts = %s and claim = %s and not_before = %s"
    " and lease_until is not distinct from %s"
)
BEGIN_ATTEMPT = "insert into tickler.delivery_attempts (delivery_id, claim, started_at) values (%s, %s, %s)"
END_ATTEMPT = (
    "update tickler.delivery_attempts set ended_at = %s, outcome = %s, reason = %s, provider_id = %s"
    " where delivery_id = %s and claim = %s"
)
RECEIVED_AT = "select received_at from tickler.inbox where consumer = %s and reminder_id = %s"
# A delivery that followed another, to the next address, is about the same and has none of its own.
TRACEPARENTS = (
    "select mine.id, min(kept.traceparent) from tickler.deliveries mine"
    " join tickler.deliveries kept on kept.about_id = mine.about_id and kept.traceparent is not null"
    " where mine.id = any(%b::uuid[]) group by mine.id"
)
ATTEMPTS = (
    "select claim, started_at, ended_at, outcome, reason from tickler.delivery_attempts"
    " where delivery_id = %s order by claim"
)
LATEST = (
    SELECT + " where status = any(%s::text[]) and (%s::uuid is null or tenant_id = %s)"
    " order by due_at desc, id limit %s"
)
BACKLOG = "select count(*), min(due_at) from tickler.deliveries where status = 'Pending' and not_before <= %s"

OUTCOMES: Mapping[type[delivery.Event], str] = {
    DeliveryAccepted: "accepted",
    DeliveryRefused: "refused",
    DeliveryPostponed: "postponed",
    DeliveryGivenBack: "given_back",
    DeliverySkipped: "skipped",
    DeliveryLost: "lost",
    DeliveryConfirmed: "confirmed",
}


@frozen
class PostgresDeliveries:
    database: Database

    def receive(self, received: Sequence[Received], now: datetime) -> Sequence[bool]:
        with self.database.transaction() as session:
            ids = binary.uuids(list({one.reminder_id.bytes for one in received}))
            new = {row[0] for row in session.rows(TAKE_IN, (CONSUMER, now, ids))}
            answers: list[bool] = []
            made: list[Delivery] = []
            traceparents: list[str | None] = []
            for one in received:
                answers.append(one.reminder_id in new)
                if one.reminder_id in new:
                    new.remove(one.reminder_id)
                    made += one.deliveries
                    traceparents += [one.traceparent] * len(one.deliveries)
            if made:
                gone = _gone(session, made)
                columns = new_columns([_without_hash(one, gone) for one in made])
                session.change(KEEP_NEW, (*columns, binary.texts(traceparents)))
        return answers

    def waiting(
        self, served: Collection[str], now: datetime, limit: int, after: Delivery | None = None
    ) -> Sequence[Delivery]:
        place = FIRST_PLACE if after is None else (after.channel, after.due_at, after.id)
        with self.database.transaction() as session:
            rows = session.rows(WAITING, (*place, now, limit, binary.texts(list(served)), limit))
        return [read_delivery(row) for row in rows]

    def claim(
        self,
        channel: str,
        limit: int,
        now: datetime,
        lease_until: datetime,
        per_tenant: int | None = None,
        in_hand: Collection[TenantId] = (),
    ) -> Sequence[Delivery]:
        with self.database.transaction() as session:
            waiting = _due(session, channel, limit, now, per_tenant, Counter(in_hand))
            claimed = [_claimed(one, now, lease_until) for one in waiting]
            if claimed:
                pairs = zip(waiting, claimed, strict=True)
                session.change_each(UPDATE, [changed_values(before, after) for before, after in pairs])
                session.change_each(BEGIN_ATTEMPT, [(one.id, one.claim, now) for one in claimed])
        return claimed

    def settle(
        self,
        before: Delivery,
        happened: Sequence[delivery.Event],
        after: Delivery,
        then: Sequence[Delivery] = (),
        notice: Notice | None = None,
    ) -> None:
        with self.database.transaction() as session:
            # Before the row, as an erasure does.
            gone = _gone(session, [*then, *(notice.deliveries if notice else ())])
            (is_erased,) = session.row(LOCK, (before.id,)) or (False,)
            if is_erased:
                after, then = _erased(after), [one for one in then if one.user_id != before.user_id]
            if session.change(UPDATE, changed_values(before, after)) != 1:
                raise ClaimIsLost
            for one in happened:
                _note_attempt(session, one, after)
            keep_deliveries(session, [*then, *(notice.deliveries if notice else ())], gone)
            if notice is not None:
                keep_matter(session, notice)

    def overdue(self, channel: str, now: datetime, limit: int) -> Sequence[Delivery]:
        with self.database.transaction() as session:
            return [read_delivery(row) for row in session.rows(OVERDUE, (channel, now, limit))]

    def of_reminder(self, reminder_id: ReminderId) -> Sequence[Delivery]:
        with self.database.transaction() as session:
            rows = session.rows(SELECT + " where about_id = %s order by id", (reminder_id,))
        return [read_delivery(row) for row in rows]

    def by_id(self, id: DeliveryId) -> Delivery | None:
        with self.database.transaction() as session:
            found = session.row(SELECT + " where id = %s", (id,))
        return read_delivery(found) if found else None

    def received_at(self, reminder_id: ReminderId) -> datetime | None:
        with self.database.transaction() as session:
            found = session.row(RECEIVED_AT, (CONSUMER, reminder_id))
        return found[0] if found else None

    def traceparents(self, ids: Collection[DeliveryId]) -> Mapping[DeliveryId, str]:
        with self.database.transaction() as session:
            wanted = binary.uuids([one.bytes for one in ids])
            return dict(session.rows(TRACEPARENTS, (wanted,)))

    def attempts(self, id: DeliveryId) -> Sequence[Attempt]:
        with self.database.transaction() as session:
            return [Attempt(*row) for row in session.rows(ATTEMPTS, (id,))]

    def latest(
        self, statuses: Collection[Status], limit: int, tenant_id: TenantId | None = None
    ) -> Sequence[Delivery]:
        named = [status.value for status in statuses]
        with self.database.transaction() as session:
            rows = session.rows(LATEST, (named, tenant_id, tenant_id, limit))
        return [read_delivery(row) for row in rows]

    def matters(self, notice_id: NoticeId, limit: int) -> Matters:
        with self.database.transaction() as session:
            return read_matters(session, notice_id, limit)

    def backlog(self, now: datetime) -> Backlog:
        with self.database.transaction() as session:
            found = session.row(BACKLOG, (now,))
        assert found is not None
        return Backlog(*found)


def keep_deliveries(
    session: Session, made: Sequence[Delivery], gone: AbstractSet[UserId] = frozenset()
) -> None:
    """Keep those whose (about_id, channel, address_key) is not there yet; without a hash of who is `gone`."""
    if made:
        session.change_each(INSERT, [all_values(_without_hash(one, gone)) for one in made])


def _due(
    session: Session,
    channel: str,
    limit: int,
    now: datetime,
    per_tenant: int | None,
    busy: Counter[TenantId],
) -> list[Delivery]:
    """The oldest that wait, and of one tenant no more than the caller may hold."""
    taken: list[Delivery] = []
    passed_over = True
    while passed_over and len(taken) < limit:
        full = [tenant for tenant, count in busy.items() if per_tenant is not None and count >= per_tenant]
        mine = [one.id for one in taken]
        passed_over = False
        for one in map(read_delivery, session.rows(DUE, (channel, now, full, mine, limit - len(taken)))):
            if per_tenant is not None and busy[one.tenant_id] >= per_tenant:
                passed_over = True
            else:
                busy[one.tenant_id] += 1
                taken.append(one)
    return taken


def _claimed(one: Delivery, now: datetime, lease_until: datetime) -> Delivery:
    (claimed,) = delivery.decide(one, delivery.Claim(lease_until, now))
    return delivery.evolve(one, claimed)


def _gone(session: Session, made: Sequence[Delivery]) -> AbstractSet[UserId]:
    """Whom of those they are for is erased; the others are held against it, as `Transaction.erased` does."""
    return erasing.erased(session, {one.user_id for one in made}) if made else frozenset()


def _without_hash(one: Delivery, gone: AbstractSet[UserId]) -> Delivery:
    return attrs.evolve(one, address_key=str(one.id)) if one.user_id in gone else one


def _erased(one: Delivery) -> Delivery:
    """Without a channel's words and its name for the message; why it was skipped is one of a closed list."""
    return attrs.evolve(one, reason=one.reason if one.status is Status.SKIPPED else None, provider_id=None)


def _note_attempt(session: Session, happened: delivery.Event, after: Delivery) -> None:
    match happened:
        case DeliveryClaimed(at=at):
            session.change(BEGIN_ATTEMPT, (after.id, after.claim, at))
        case (
            DeliveryAccepted(at=at)
            | DeliveryRefused(at=at)
            | DeliveryPostponed(at=at)
            | DeliveryGivenBack(at=at)
            | DeliverySkipped(at=at)
            | DeliveryLost(at=at)
            | DeliveryConfirmed(at=at)
        ):
            outcome = OUTCOMES[type(happened)]
            said = (storable(after.reason), storable(after.provider_id))
            session.change(END_ATTEMPT, (at, outcome, *said, after.id, after.claim))
