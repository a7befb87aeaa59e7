"""People and how to reach them in PostgreSQL."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from attrs import frozen

from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.erasing import erase
from adapters.outbound.postgres.session import Session
from application.ports.errors import PersonIsErased
from application.ports.people import AgentPlatform, ContactPoint, Erased, Person, Recipient, Tenant
from domain.triggers import Trigger, trigger
from domain.values import ContactPointId, TenantId, UserId

ADD_TENANT = (
    "insert into tickler.tenants (handle, time_zone, language, default_triggers, all_day_triggers,"
    " operator_id, agent_url, agent_secret, id)"
    " values (%s, %s, %s, %s::text[], %s::text[], %s, %s, %s, %s)"
)
SET_TENANT = (
    "update tickler.tenants set handle = %s, time_zone = %s, language = %s, default_triggers = %s::text[],"
    " all_day_triggers = %s::text[], operator_id = %s, agent_url = %s, agent_secret = %s where id = %s"
)
SELECT_TENANT = (
    "select id, handle, time_zone, language, default_triggers, all_day_triggers, operator_id,"
    " agent_url, agent_secret"
    " from tickler.tenants"
)
ADD_PERSON = (
    "insert into tickler.people (handle, language, time_zone, is_member, id, tenant_id)"
    " values (%s, %s, %s, %s, %s, %s)"
)
SET_PERSON = (
    "update tickler.people set handle = %s, language = %s, time_zone = %s, is_member = %s"
    " where id = %s and tenant_id = %s"
)
SELECT_PERSON = "select id, tenant_id, handle, language, time_zone, is_member, is_erased from tickler.people"
# Several that are added to one person at once wait for each other, so that each has a place of its own.
LOCK_PERSON = "select tenant_id, is_erased from tickler.people where id = %s for update"
ADD_CONTACT_POINT = (
    "insert into tickler.contact_points (id, user_id, channel, address, opted_out, secret, position)"
    " select %s, %s, %s, %s, %s, %s, coalesce(max(position) + 1, 0)"
    " from tickler.contact_points where user_id = %s"
)
SELECT_CONTACT_POINT = (
    "select id, user_id, channel, address, position, opted_out or exists (select from"
    " tickler.channel_opt_outs o where o.user_id = p.user_id and o.channel = p.channel),"
    " secret from tickler.contact_points p"
)
CONTACT_POINTS = SELECT_CONTACT_POINT + " where user_id = any(%b::uuid[]) order by user_id, position, id"
LOCK_PERSON_OF = (
    "select from tickler.people where id = (select user_id from tickler.contact_points where id = %s)"
    " for update"
)
PREFER = (
    "update tickler.contact_points p set position = (select min(position) - 1 from tickler.contact_points"
    " where user_id = p.user_id) where id = %s"
)
REMOVE_CONTACT_POINT = "delete from tickler.contact_points where id = %s"
OPT_OUT = "update tickler.contact_points set opted_out = %s where id = %s"
OPT_OUT_OF = "insert into tickler.channel_opt_outs (user_id, channel) values (%s, %s) on conflict do nothing"
OPT_IN_TO = "delete from tickler.channel_opt_outs where user_id = %s and channel = %s"
OPT_IN_POINTS = (
    "update tickler.contact_points set opted_out = false where user_id = %s and channel = %s and opted_out"
)
OPTED_OUT = "select user_id, channel from tickler.channel_opt_outs where user_id = any(%b::uuid[])"


@frozen
class PostgresPeople:
    database: Database

    def add_tenant(self, tenant: Tenant) -> None:
        with self.database.transaction() as session:
            _hold(session, tenant.operator_id)
            session.change(ADD_TENANT, _tenant_values(tenant))

    def tenant(self, key: TenantId | str) -> Tenant | None:
        by = "id = %s" if isinstance(key, UUID) else "handle = %s"
        with self.database.transaction() as session:
            found = session.row(f"{SELECT_TENANT} where {by}", (key,))
        return _tenant(found) if found else None

    def tenants(self) -> Sequence[Tenant]:
        with self.database.transaction() as session:
            return [_tenant(row) for row in session.rows(SELECT_TENANT + ' order by handle collate "C"')]

    def set_tenant(self, tenant: Tenant) -> bool:
        with self.database.transaction() as session:
            _hold(session, tenant.operator_id)
            return session.change(SET_TENANT, _tenant_values(tenant)) == 1

    def add_person(self, person: Person) -> None:
        with self.database.transaction() as session:
            _hold(session, person.id)
            session.change(ADD_PERSON, _person_values(person))

    def person(self, tenant_id: TenantId, key: UserId | str) -> Person | None:
        by = "id = %s" if isinstance(key, UUID) else "handle = %s"
        with self.database.transaction() as session:
            found = session.row(f"{SELECT_PERSON} where tenant_id = %s and {by}", (tenant_id, key))
        return Person(*found) if found else None

    def by_id(self, id: UserId) -> Person | None:
        with self.database.transaction() as session:
            found = session.row(f"{SELECT_PERSON} where id = %s", (id,))
        return Person(*found) if found else None

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Person]:
        with self.database.transaction() as session:
            rows = session.rows(
                SELECT_PERSON + ' where tenant_id = %s order by handle collate "C"', (tenant_id,)
            )
        return [Person(*row) for row in rows]

    def set_person(self, person: Person) -> bool:
        with self.database.transaction() as session:
            if _hold(session, person.id) != person.tenant_id:
                return False
            return session.change(SET_PERSON, _person_values(person)) == 1

    def add_contact_point(self, contact_point: ContactPoint) -> None:
        point = contact_point
        kept = (point.id, point.user_id, point.channel, point.address, point.opted_out, point.secret)
        with self.database.transaction() as session:
            _hold(session, point.user_id)
            session.change(ADD_CONTACT_POINT, (*kept, point.user_id))

    def contact_points(self, user_id: UserId) -> Sequence[ContactPoint]:
        with self.database.transaction() as session:
            return _points(session.rows(CONTACT_POINTS, ([user_id],)))

    def contact_point(self, id: ContactPointId) -> ContactPoint | None:
        with self.database.transaction() as session:
            found = session.row(SELECT_CONTACT_POINT + " where id = %s", (id,))
        return ContactPoint(*found) if found else None

    def remove_contact_point(self, id: ContactPointId) -> bool:
        with self.database.transaction() as session:
            return session.change(REMOVE_CONTACT_POINT, (id,)) == 1

    def prefer(self, id: ContactPointId) -> bool:
        with self.database.transaction() as session:
            session.row(LOCK_PERSON_OF, (id,))
            return session.change(PREFER, (id,)) == 1

    def opt_out(self, id: ContactPointId, out: bool) -> bool:
        with self.database.transaction() as session:
            return session.change(OPT_OUT, (out, id)) == 1

    def opt_out_of(self, user_id: UserId, channel: str, out: bool) -> bool:
        with self.database.transaction() as session:
            if _hold(session, user_id) is None:
                return False
            if out:
                session.change(OPT_OUT_OF, (user_id, channel))
            else:
                session.change(OPT_IN_TO, (user_id, channel))
                session.change(OPT_IN_POINTS, (user_id, channel))
        return True

    def recipients(self, wanted: Collection[tuple[TenantId, UserId]]) -> Mapping[UserId, Recipient]:
        asked = set(wanted)
        ids = [user_id for _, user_id in asked]
        with self.database.transaction() as session:
            people = [
                Person(*row) for row in session.rows(SELECT_PERSON + " where id = any(%b::uuid[])", (ids,))
            ]
            points: dict[UserId, list[ContactPoint]] = defaultdict(list)
            for point in _points(session.rows(CONTACT_POINTS, (ids,))):
                points[point.user_id].append(point)
            opted_out: dict[UserId, set[str]] = defaultdict(set)
            for user_id, channel in session.rows(OPTED_OUT, (ids,)):
                opted_out[user_id].add(channel)
        return {
            person.id: Recipient(person, points[person.id], frozenset(opted_out[person.id]))
            for person in people
            if (person.tenant_id, person.id) in asked
        }

    def erase(self, tenant_id: TenantId, user_id: UserId) -> Erased | None:
        with self.database.transaction() as session:
            return erase(session, tenant_id, user_id)


def _hold(session: Session, user_id: UserId | None) -> TenantId | None:
    """The tenant of a person whose row is locked from now on; None for nobody, PersonIsErased as it says."""
    found = None if user_id is None else session.row(LOCK_PERSON, (user_id,))
    if user_id is None or found is None:
        return None
    tenant_id, is_erased = found
    if is_erased:
        raise PersonIsErased(user_id)
    return TenantId(tenant_id)


def _tenant_values(one: Tenant) -> Sequence[Any]:
    texts = [
        None if triggers is None else [str(trigger) for trigger in triggers]
        for triggers in (one.default_triggers, one.all_day_triggers)
    ]
    agent = (one.agent.url, one.agent.secret) if one.agent else (None, None)
    return one.handle, one.time_zone, one.language, *texts, one.operator_id, *agent, one.id


def _tenant(row: Row) -> Tenant:
    id_, handle, time_zone, language, default, all_day, operator_id, url, secret = row
    return Tenant(
        id_,
        handle,
        time_zone,
        language,
        _triggers(default),
        _triggers(all_day),
        operator_id,
        None if url is None else AgentPlatform(url, secret),
    )


def _triggers(texts: Sequence[str] | None) -> tuple[Trigger, ...] | None:
    return None if texts is None else tuple(trigger(text) for text in texts)


def _person_values(one: Person) -> Sequence[Any]:
    return one.handle, one.language, one.time_zone, one.is_member, one.id, one.tenant_id


def _points(rows: Iterable[Row]) -> list[ContactPoint]:
    return [ContactPoint(*row) for row in rows]
