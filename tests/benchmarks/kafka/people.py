"""The people of the dispatched calendar: most have two contact points, and some have none."""

import psycopg

FILL = """
insert into tickler.tenants (id, handle, time_zone, language)
select md5('tenant' || n % 20)::uuid, 'tenant-' || n, 'Europe/Moscow', 'ru' from generate_series(0, 19) n;

insert into tickler.people (id, tenant_id, handle, time_zone, language)
select md5(kind || n)::uuid, md5('tenant' || n % 20)::uuid, kind || '-' || n, 'Europe/Moscow', 'ru'
  from (values ('owner', 2000), ('client', 9000)) k (kind, people), generate_series(0, people - 1) n;

insert into tickler.contact_points (id, user_id, channel, address, position)
select md5(channel || p.id)::uuid, p.id, channel, p.handle || '@example.com', position
  from tickler.people p, (values ('email', 0), ('console', 1)) c (channel, position)
 where substr(p.handle, length(p.handle)) <> '7';

vacuum (freeze, analyze) tickler.tenants, tickler.people, tickler.contact_points
"""


def fill_people(conninfo: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for statement in FILL.split(";"):
            connection.execute(statement)
