"""What whoever makes the roles must be allowed to, asked before anything is made."""

from collections.abc import Iterator

from adapters.outbound.postgres.roles import GRANTORS_SINCE, Connection, Roles

LOGIN = """
select current_user::text, r.rolsuper, r.rolcreaterole, d.datname,
       pg_has_role(d.datdba, 'usage')
       or coalesce(has_database_privilege(to_regrole(%s)::oid, d.oid, 'create'), false)
  from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()
"""
# The owner's own are had by becoming a member of it.
OWNERS = """
with owned as (
    select nspowner as owner from pg_namespace where nspname = 'tickler'
    union select relowner from pg_class
           where relnamespace = to_regnamespace('tickler') and relkind in ('r', 'p')
    union select proowner from pg_proc where pronamespace = to_regnamespace('tickler')
)
select r.rolname from owned join pg_roles r on r.oid = owner
 where r.rolname <> %s and not pg_has_role(owner, 'usage') order by 1
"""
NOT_OURS_TO_GIVE = """
select rolname from pg_roles
 where rolname = any(%s) and not pg_has_role(oid, 'member with admin option') order by 1
"""


def lacks_as_administrator(connection: Connection, roles: Roles) -> str | None:
    """Whom we are and what we lack to make `roles`, in words; None where it is nothing."""
    ((name, is_superuser, may_create, database, may_give),) = connection.execute(
        LOGIN.encode(), (roles.owner,)
    ).fetchall()
    if is_superuser:
        return None
    needs = [] if may_create else ["CREATEROLE"]
    if not may_give:
        needs.append(f"to own the database {database}")
    needs += [f"to be a member of {owner}, whose the schema is" for owner in _owners(connection, roles)]
    if others := list(_others(connection, roles)):
        needs.append(f"the admin option on {', '.join(others)}")
    return f"{name} needs {', and '.join(needs)}" if needs else None


def _owners(connection: Connection, roles: Roles) -> Iterator[str]:
    for (owner,) in connection.execute(OWNERS.encode(), (roles.owner,)).fetchall():
        yield str(owner)


def _others(connection: Connection, roles: Roles) -> Iterator[str]:
    """Roles that are there already; before version 16 CREATEROLE was enough for all of them."""
    if connection.info.server_version >= GRANTORS_SINCE:
        for (role,) in connection.execute(NOT_OURS_TO_GIVE.encode(), (list(roles.all.values()),)).fetchall():
            yield str(role)
