"""What is granted to the roles' logins, right by right, and where that is not what `rights` says."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from adapters.outbound.postgres.rights import API, FUNCTIONS, READONLY, WORKER, singly
from adapters.outbound.postgres.roles import Connection, Roles

# Of a whole table, or of some of its columns; that a right may be passed on is one right more.
GIVEN = """
with given as (
    select c.relname::text as thing, '' as of_column, a.* from pg_class c, aclexplode(c.relacl) a
     where c.relnamespace = 'tickler'::regnamespace
    union all
    select c.relname, ' (' || t.attname || ')', a.*
      from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
     where c.relnamespace = 'tickler'::regnamespace
    union all
    select replace(p.oid::regprocedure::text, 'tickler.', ''), '', a.* from pg_proc p, aclexplode(p.proacl) a
     where p.pronamespace = 'tickler'::regnamespace
    union all
    select 'the schema', '', a.* from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'tickler'
    union all
    select 'the database', '', a.* from pg_database d, aclexplode(d.datacl) a
     where d.datname = current_database()
)
select r.rolname, g.thing, lower(g.privilege_type) || g.of_column || option
  from given g join pg_roles r on r.oid = g.grantee
  join (values ('', false), (' with grant option', true)) o (option, is_one) on g.is_grantable or not is_one
 where r.rolname = any(%s)
"""
Right = tuple[str, str, str]


def grant_faults(connection: Connection, roles: Roles) -> Iterator[str]:
    """Rights that a login has beside its own, and those that it lacks."""
    meant = set(rights_meant(roles))
    found = connection.execute(GIVEN.encode(), (list(roles.logins.values()),)).fetchall()
    there = {(str(role), str(thing), str(right)) for role, thing, right in found}
    yield from _told("may also", there - meant)
    yield from _told("may not", meant - there)


def rights_meant(roles: Roles) -> Iterator[Right]:
    """Whose, on what, which."""
    tables = {"worker": WORKER, "api": API, "readonly": READONLY}
    for kind, login in roles.logins.items():
        yield (login, "the schema", "usage")
        yield (login, "the database", "connect")
        for function in FUNCTIONS[kind]:
            yield (login, function, "execute")
        for table, rights in tables[kind].items():
            for right, column in singly(rights):
                yield (login, table, f"{right} ({column})" if column else right)


def _told(what: str, rights: set[Right]) -> Sequence[str]:
    by_thing = defaultdict(list)
    for role, thing, right in sorted(rights):
        by_thing[role, thing].append(right)
    return [f"{role} {what} {', '.join(found)} on {thing}" for (role, thing), found in by_thing.items()]
