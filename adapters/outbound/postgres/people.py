"""People and how to reach them in PostgreSQL."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from attrs import frozen

from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from application.ports.people import ContactPoint, Person, Recipient, Tenant
from domain.values import TenantId, UserId

ADD_TENANT = "insert into tickler.tenants (id, handle, time_zone, language) values (%s, %s, %s, %s)"
TENANT = "select id, handle, time_zone, language from tickler.tenants where "
ADD_PERSON = (
    "insert into tickler.people (id, tenant_id, handle, language, time_zone) values (%s, %s, %s, %s, %s)"
)
SELECT_PERSON = "select id, tenant_id, handle, language, time_zone from tickler.people"
PEOPLE = SELECT_PERSON + " where id = any(%b::uuid[])"
# Several that are added to one person at once wait for each other, so that each has a place of its own.
LOCK_PERSON = "select from tickler.people where id = %s for update"
ADD_CONTACT_POINT = (
    "insert into tickler.contact_points (id, user_id, channel, address, opted_out, secret, position)"
    " select %s, %s, %s, %s, %s, %s, coalesce(max(position) + 1, 0)"
    " from tickler.contact_points where user_id = %s"
)
CONTACT_POINTS = (
    "select id, user_id, channel, address, position, opted_out, secret from tickler.contact_points"
    " where user_id = any(%b::uuid[]) order by user_id, position, id"
)


@frozen
class PostgresPeople:
    database: Database

    def add_tenant(self, tenant: Tenant) -> None:
        with self.database.transaction() as session:
            values = (tenant.id, tenant.handle, tenant.time_zone, tenant.language)
            session.change(ADD_TENANT, values)

    def tenant(self, key: TenantId | str) -> Tenant | None:
        by = "id = %s" if isinstance(key, UUID) else "handle = %s"
        with self.database.transaction() as session:
            found = session.row(TENANT + by, (key,))
        return Tenant(*found) if found else None

    def add_person(self, person: Person) -> None:
        values = (person.id, person.tenant_id, person.handle, person.language, person.time_zone)
        with self.database.transaction() as session:
            session.change(ADD_PERSON, values)

    def person(self, tenant_id: TenantId, key: UserId | str) -> Person | None:
        by = "id = %s" if isinstance(key, UUID) else "handle = %s"
        with self.database.transaction() as session:
            found = session.row(f"{SELECT_PERSON} where tenant_id = %s and {by}", (tenant_id, key))
        return Person(*found) if found else None

    def of_tenant(self, tenant_id: TenantId) -> Sequence[Person]:
        with self.database.transaction() as session:
            rows = session.rows(
                SELECT_PERSON + ' where tenant_id = %s order by handle collate "C"', (tenant_id,)
            )
        return [Person(*row) for row in rows]

    def add_contact_point(self, contact_point: ContactPoint) -> None:
        point = contact_point
        kept = (point.id, point.user_id, point.channel, point.address, point.opted_out, point.secret)
        with self.database.transaction() as session:
            session.row(LOCK_PERSON, (point.user_id,))
            session.change(ADD_CONTACT_POINT, (*kept, point.user_id))

    def contact_points(self, user_id: UserId) -> Sequence[ContactPoint]:
        with self.database.transaction() as session:
            return _points(session.rows(CONTACT_POINTS, ([user_id],)))

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
        return {
            person.id: Recipient(person, points[person.id])
            for person in people
            if (person.tenant_id, person.id) in asked
        }


def _points(rows: Iterable[Row]) -> list[ContactPoint]:
    return [ContactPoint(*row) for row in rows]
