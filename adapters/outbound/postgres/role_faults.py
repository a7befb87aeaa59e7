"""Where the roles, the policies and the guard of the history are not what `make_roles` makes of them."""

import re
from collections.abc import Iterator, Mapping, Sequence

from adapters.outbound.postgres.code import Function, functions_of
from adapters.outbound.postgres.grants import grant_faults
from adapters.outbound.postgres.migrations import MIGRATIONS, read_migrations
from adapters.outbound.postgres.rights import POLICIES
from adapters.outbound.postgres.roles import (
    GRANTORS_SINCE,
    GUARD,
    GUARDED,
    Connection,
    Policy,
    Roles,
    excess_attributes,
    excess_memberships,
    policies_of,
)

COMMANDS = {"*": "all", "r": "select", "a": "insert", "w": "update", "d": "delete"}
# In what the server makes of an expression: casts, names of unnamed columns, which table a column is of.
ADDED = re.compile(r"::\w+| as \"\w+\"|(?<!')\b\w+\.")
POLICIES_THERE = """
select c.relname, p.polname, p.polcmd::text, p.polroles::regrole[]::text[], p.polpermissive,
       pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)
  from pg_policy p join pg_class c on c.oid = p.polrelid where c.relnamespace = 'tickler'::regnamespace
"""
HELD = """
select relname from pg_class
 where relnamespace = 'tickler'::regnamespace and relkind in ('r', 'p') and relrowsecurity
"""
OF_OTHERS = """
select relname from pg_class
 where relnamespace = 'tickler'::regnamespace and relkind in ('r', 'p') and relowner <> to_regrole(%(owner)s)
union all select proname from pg_proc
 where pronamespace = 'tickler'::regnamespace and proowner <> to_regrole(%(owner)s)
 order by 1
"""
FUNCTIONS_THERE = """
select proname, prosrc, prosecdef, coalesce(proconfig, '{}') from pg_proc
 where pronamespace = 'tickler'::regnamespace
"""
GUARD_THERE = """
select tgenabled::text, pg_get_triggerdef(oid) from pg_trigger
 where tgrelid = to_regclass('tickler.domain_events') and tgname = %s
"""
RIGHTS = """
with given as (
    select 1 as place, c.relname as name, a.* from pg_class c, aclexplode(c.relacl) a
     where c.relnamespace = 'tickler'::regnamespace
    union all
    select 1, c.relname, a.* from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
     where c.relnamespace = 'tickler'::regnamespace
    union all
    select 2, p.proname, a.* from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
     where p.pronamespace = 'tickler'::regnamespace
    union all
    select 3, n.nspname, a.* from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'tickler'
)
select coalesce(r.rolname, 'everybody') || ' ' || string_agg(distinct lower(g.privilege_type), ', ')
       || ' on ' || g.name
  from given g left join pg_roles r on r.oid = g.grantee
 where r.rolname is null or r.rolname <> all(%s)
 group by g.place, g.name, r.rolname order by g.place, g.name, r.rolname
"""
# Who administers the roles can make themselves a member at any time, and need not be one to use them.
MEMBERS = """
select m.rolname || ' is a member of ' || r.rolname
  from pg_roles r join pg_roles m on m.rolname <> all(%(ours)s) and not m.rolsuper
 where r.rolname = any(%(ours)s) and pg_has_role(m.oid, r.oid, 'member')
   and not (m.rolcreaterole and (%(any_may)s or pg_has_role(m.oid, r.oid, 'member with admin option')))
 order by m.rolname, r.rolname
"""


def role_faults(connection: Connection, roles: Roles | None) -> Sequence[str]:
    """What is not as it is meant, in a schema that is up to date; `tickler migrate --roles` sets it right.

    Without roles there are the guard of the history and the functions alone.
    """
    with connection.transaction():
        # The server leaves out the schema's name where that is in the path, as it is for a login `tickler`.
        connection.execute("set local search_path = pg_catalog")
        if roles is None:
            return [*_of_guard(connection, "AO"), *_of_functions(connection)]
        return [
            *_of_roles(connection, roles),
            *grant_faults(connection, roles),
            *_of_policies(connection, roles),
            *_of_guard(connection, "A"),
            *_of_functions(connection),
        ]


def strangers(connection: Connection, roles: Roles) -> Sequence[str]:
    """What others may do with the schema, as `joe select on contact_points`, or by way of which role, as
    `joe is a member of tickler_worker`; they keep it until somebody revokes it.
    """
    ours = list(roles.all.values())
    rights = connection.execute(RIGHTS.encode(), (ours,)).fetchall()
    # Before version 16 whoever has CREATEROLE may join any role.
    any_may = connection.info.server_version < GRANTORS_SINCE
    members = connection.execute(MEMBERS.encode(), {"ours": ours, "any_may": any_may}).fetchall()
    return [str(row[0]) for row in (*rights, *members)]


def _of_roles(connection: Connection, roles: Roles) -> Iterator[str]:
    for name, words in excess_attributes(connection, roles).items():
        yield f"{name} should be {' '.join(words)}"
    for group, role, _ in excess_memberships(connection, roles):
        yield f"{role} is a member of {group}"
    for (thing,) in connection.execute(OF_OTHERS.encode(), {"owner": roles.owner}).fetchall():
        yield f"{thing} does not belong to {roles.owner}"


def _of_policies(connection: Connection, roles: Roles) -> Iterator[str]:
    meant = {(one.table, one.name): _said(one) for one in policies_of(roles)}
    there = {
        (str(table), str(name)): (COMMANDS[str(command)], to, permits, _plain(using), _plain(check))
        for table, name, command, to, permits, using, check in connection.execute(POLICIES_THERE.encode())
    }
    for key in sorted(meant.keys() | there.keys()):
        if key not in meant:
            yield f"the policy {key[1]} on {key[0]} is not ours"
        elif meant[key] != there.get(key):
            yield f"the policy {key[1]} on {key[0]} is {'another' if key in there else 'missing'}"
    held = {str(row[0]) for row in connection.execute(HELD.encode())}
    for other in sorted(held ^ POLICIES.keys()):
        yield f"row level security of {other} is {'on' if other in held else 'off'}"


def _said(policy: Policy) -> object:
    return (policy.command, [policy.role], True, _plain(policy.using), _plain(policy.check))


def _plain(expression: object) -> str | None:
    """The same for our words and for what any version of the server makes of them."""
    if expression is None:
        return None
    words = re.sub(r"\s+", " ", str(expression)).lower()
    return re.sub(r"[\s()]+", " ", ADDED.sub("", words)).strip()


def _of_guard(connection: Connection, states: str) -> Iterator[str]:
    """`states` are those of `tgenabled` that will do."""
    found = connection.execute(GUARD_THERE.encode(), (GUARD,)).fetchall()
    meant = GUARDED.replace(" or replace", "", 1)
    if not any(str(state) in states and str(text).lower() == meant for state, text in found):
        yield f"the trigger {GUARD} of domain_events is off, not always on, or another"


def _of_functions(connection: Connection) -> Iterator[str]:
    meant = _functions()
    there = {str(name): said for name, *said in connection.execute(FUNCTIONS_THERE.encode())}
    for name in sorted(meant.keys() | there.keys()):
        if name not in meant:
            yield f"the function {name} is not ours"
        elif there.get(name) != [meant[name].body, meant[name].is_definer, meant[name].settings]:
            yield f"the function {name} is {'another' if name in there else 'missing'}"


def _functions() -> Mapping[str, Function]:
    return functions_of(migration.text for migration in read_migrations(MIGRATIONS))
