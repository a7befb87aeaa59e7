"""People as far as requests over the wire need them: whose a place is, and nobody's address or secret."""

from collections.abc import Sequence

from attrs import frozen

from adapters.outbound.postgres.people import PostgresPeople
from application.ports.people import AgentPlatform, ContactPoint, Tenant
from domain.values import ContactPointId, TenantId, UserId

POINTS = (
    "select id, user_id, channel, '', position, opted_out or exists (select from"
    " tickler.channel_opt_outs o where o.user_id = p.user_id and o.channel = p.channel), null::text"
    " from tickler.contact_points p"
)
TENANT = "select id, handle, time_zone, language, agent_url from tickler.tenants where id = %s"


@frozen
class PostgresPlaces(PostgresPeople):
    """What may not be seen is left empty: the role that reads here need not have the right to see it."""

    def tenant(self, key: TenantId | str) -> Tenant | None:
        with self.database.transaction() as session:
            found = session.row(TENANT, (key,))
        if found is None:
            return None
        id_, handle, time_zone, language, url = found
        agent = None if url is None else AgentPlatform(url, "")
        return Tenant(id_, handle, time_zone, language, agent=agent)

    def contact_points(self, user_id: UserId) -> Sequence[ContactPoint]:
        with self.database.transaction() as session:
            rows = session.rows(POINTS + " where user_id = %s order by position, id", (user_id,))
        return [ContactPoint(*row) for row in rows]

    def contact_point(self, id: ContactPointId) -> ContactPoint | None:
        with self.database.transaction() as session:
            found = session.row(POINTS + " where id = %s", (id,))
        return ContactPoint(*found) if found else None
