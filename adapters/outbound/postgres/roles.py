"""Roles of least privilege: an owner, a worker, an API and a reader. Source: `study/reliability.md` 4.

The worker does all that Tickler does, for every tenant. The API sees the tenant that its transaction speaks
for, by the database's own policies. The reader sees ids and times of everything, and no address, text or
secret. History can be added to and read; nobody but the owner may truncate, drop or alter anything.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import psycopg
from attrs import frozen
from psycopg.sql import SQL, Composed, Identifier

from adapters.outbound.postgres.code import Function
from adapters.outbound.postgres.rights import API, FUNCTIONS, POLICIES, READONLY, WORKER

Connection = psycopg.Connection[tuple[object, ...]]

# Also where somebody sets the session to be a replica's, in which no other trigger works.
GUARD = "history_is_append_only"
GUARDED = (
    f"create or replace trigger {GUARD} before delete or update or truncate on tickler.domain_events"
    " for each statement execute function tickler.refuse_to_change_history()"
)

# What only a superuser or an administrator of roles needs to have; and which groups may be joined, to watch.
ATTRIBUTES = ("superuser", "createrole", "createdb", "bypassrls", "replication")
WATCHING = ("pg_monitor", "pg_read_all_stats")
GROUPS: Mapping[str, Collection[str]] = {"owner": (), "worker": WATCHING, "api": (), "readonly": WATCHING}

# Of whatever is said under a role's name; Tickler's own transactions say theirs. Source: reliability.md 0.4.
USUAL = {
    "search_path": "pg_catalog",
    "lock_timeout": "2s",
    "statement_timeout": "10s",
    "idle_in_transaction_session_timeout": "10s",
}
TIMEOUTS: Mapping[str, Mapping[str, str]] = {
    "worker": USUAL,
    "api": USUAL | {"statement_timeout": "5s", "idle_in_transaction_session_timeout": "5s"},
    "readonly": USUAL | {"statement_timeout": "30s", "default_transaction_read_only": "on"},
}
# A transaction as a whole can be bounded since version 17. A dispatch cycle may last 30 s by its own bound.
WHOLE = {"worker": "60s", "api": "30s", "readonly": "60s"}
SINCE = 170000
GRANTORS_SINCE = 160000


@frozen
class Roles:
    """The names, as a prefix gives them."""

    prefix: str

    @property
    def owner(self) -> str:
        return f"{self.prefix}_owner"

    @property
    def worker(self) -> str:
        return f"{self.prefix}_worker"

    @property
    def api(self) -> str:
        return f"{self.prefix}_api"

    @property
    def readonly(self) -> str:
        return f"{self.prefix}_readonly"

    @property
    def logins(self) -> Mapping[str, str]:
        return {"worker": self.worker, "api": self.api, "readonly": self.readonly}

    @property
    def all(self) -> Mapping[str, str]:
        return {"owner": self.owner, **self.logins}


@frozen
class Policy:
    """What rows of a table a role sees (`using`) and writes (`check`) by a command, in words of SQL."""

    table: str
    role: str
    command: str
    using: str | None
    check: str | None

    @property
    def name(self) -> str:
        return f"{self.role} {self.command}"


def make_roles(connection: Connection, roles: Roles, functions: Iterable[Function]) -> None:
    """Make what is missing of them, give the schema to the owner, and to each what is its own.

    The roles can then do no more than that, whatever was given to them before; functions and the guard of
    the history are as they were made. Within the caller's transaction; done again it changes nothing.
    """
    there = {row[0] for row in connection.execute("select rolname from pg_roles")}
    if roles.owner not in there:
        _say(connection, "create role {} nologin", roles.owner)
    for name in roles.logins.values():
        if name not in there:
            _say(connection, "create role {} login", name)
    ((is_superuser,),) = connection.execute(
        "select rolsuper from pg_roles where rolname = current_user"
    ).fetchall()
    if not is_superuser:
        _say(connection, "grant {} to current_user", roles.owner)
    _take_attributes(connection, roles)
    _take_memberships(connection, roles)
    _give_database(connection, roles)
    _give_to_owner(connection, roles)
    _say(connection, "set local role {}", roles.owner)
    for function in functions:
        connection.execute(function.text.encode())
    connection.execute(GUARDED.encode())
    _say(connection, "alter table tickler.domain_events enable always trigger {}", GUARD)
    give_rights(connection, roles)


def give_rights(connection: Connection, roles: Roles) -> None:
    """What each may do with the schema's tables and functions, and no more; said by their owner."""
    names = SQL(", ").join(map(Identifier, roles.logins.values()))
    connection.execute(SQL("revoke all on schema tickler from public, {} cascade").format(names))
    connection.execute(SQL("grant usage on schema tickler to {}").format(names))
    for all_of in ("tables", "sequences", "routines"):
        gone = SQL("revoke all on all {} in schema tickler from public, {} cascade")
        connection.execute(gone.format(_raw(all_of), names))
    tables = {"worker": WORKER, "api": API, "readonly": READONLY}
    for kind, name in roles.logins.items():
        for table, rights in tables[kind].items():
            connection.execute(_grant(rights, SQL("table tickler.{}").format(Identifier(table)), name))
        for function in FUNCTIONS[kind]:
            connection.execute(_grant("execute", SQL("function tickler.{}").format(_raw(function)), name))
    _set_policies(connection, roles)


def policies_of(roles: Roles) -> Iterator[Policy]:
    """All that there are to be, and for no other table or role."""
    for table, rules in POLICIES.items():
        yield Policy(table, roles.worker, "all", "true", "true")
        yield Policy(table, roles.readonly, "select", "true", None)
        for command, using, check in rules:
            yield Policy(table, roles.api, command, using, check)


def roles_of(connection: Connection) -> Roles | None:
    """Those of a schema that `make_roles` gave away; None where it did not."""
    found = connection.execute(
        "select r.rolname from pg_namespace n join pg_roles r on r.oid = n.nspowner"
        " where n.nspname = 'tickler' and r.rolname like '%\\_owner'"
    ).fetchone()
    if found is None:
        return None
    roles = Roles(str(found[0]).removesuffix("_owner"))
    counted = connection.execute(
        "select count(*) from pg_roles where rolname = any(%s)", (list(roles.logins.values()),)
    ).fetchone()
    return roles if counted == (len(roles.logins),) else None


def excess_attributes(connection: Connection, roles: Roles) -> Mapping[str, Sequence[str]]:
    """What to say in `alter role` to each role that is not as it is to be."""
    found = connection.execute(
        "select rolname, rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication"
        " from pg_roles where rolname = any(%s) order by rolname",
        (list(roles.all.values()),),
    )
    said: dict[str, Sequence[str]] = {}
    for name, can_login, *has in found.fetchall():
        words = [f"no{word}" for word, is_so in zip(ATTRIBUTES, has, strict=True) if is_so]
        if can_login == (name == roles.owner):
            words.append("nologin" if can_login else "login")
        if words:
            said[str(name)] = words
    return said


def excess_memberships(connection: Connection, roles: Roles) -> Sequence[tuple[str, str, str]]:
    """Of what one of the roles is a member and should not be: group, role, who made it so."""
    found = connection.execute(
        "select g.rolname, m.rolname, coalesce(b.rolname, '') from pg_auth_members a"
        " join pg_roles g on g.oid = a.roleid join pg_roles m on m.oid = a.member"
        " left join pg_roles b on b.oid = a.grantor where m.rolname = any(%s) order by 1, 2, 3",
        (list(roles.all.values()),),
    )
    allowed = {(group, roles.all[kind]) for kind, groups in GROUPS.items() for group in groups}
    rows = [(str(group), str(role), str(by)) for group, role, by in found.fetchall()]
    return [row for row in rows if row[:2] not in allowed]


def _take_attributes(connection: Connection, roles: Roles) -> None:
    for name, words in excess_attributes(connection, roles).items():
        connection.execute(SQL("alter role {} {}").format(Identifier(name), _raw(" ".join(words))))


def _take_memberships(connection: Connection, roles: Roles) -> None:
    for group, role, by in excess_memberships(connection, roles):
        # Before version 16 one membership is given by one alone, and whoever may revokes it.
        is_named = by and connection.info.server_version >= GRANTORS_SINCE
        given = SQL(" granted by {}").format(Identifier(by)) if is_named else SQL("")
        connection.execute(
            SQL("revoke {} from {}{} cascade").format(Identifier(group), Identifier(role), given)
        )


def _give_database(connection: Connection, roles: Roles) -> None:
    database = Identifier(str(connection.info.dbname))
    logins = SQL(", ").join(map(Identifier, roles.logins.values()))
    connection.execute(SQL("revoke all on database {} from {} cascade").format(database, logins))
    everybody = SQL(", ").join(map(Identifier, [roles.owner, *roles.logins.values()]))
    connection.execute(SQL("grant connect on database {} to {}").format(database, everybody))
    connection.execute(SQL("grant create on database {} to {}").format(database, Identifier(roles.owner)))
    for kind, name in roles.logins.items():
        bounds = dict(TIMEOUTS[kind])
        if connection.info.server_version >= SINCE:
            bounds["transaction_timeout"] = WHOLE[kind]
        for setting, value in bounds.items():
            connection.execute(
                SQL("alter role {} in database {} set {} = {}").format(
                    Identifier(name), database, Identifier(setting), value
                )
            )


def _give_to_owner(connection: Connection, roles: Roles) -> None:
    _say(connection, "alter schema tickler owner to {}", roles.owner)
    tables = connection.execute(
        "select c.relname from pg_class c join pg_roles r on r.oid = c.relowner"
        " where c.relnamespace = 'tickler'::regnamespace and c.relkind in ('r', 'p') and r.rolname <> %s",
        (roles.owner,),
    ).fetchall()
    for (table,) in tables:
        connection.execute(
            SQL("alter table tickler.{} owner to {}").format(Identifier(str(table)), Identifier(roles.owner))
        )
    functions = connection.execute(
        "select p.oid::regprocedure::text from pg_proc p join pg_roles r on r.oid = p.proowner"
        " where p.pronamespace = 'tickler'::regnamespace and r.rolname <> %s",
        (roles.owner,),
    ).fetchall()
    for (function,) in functions:
        connection.execute(
            SQL("alter function {} owner to {}").format(_raw(str(function)), Identifier(roles.owner))
        )


def _set_policies(connection: Connection, roles: Roles) -> None:
    found = connection.execute(
        "select polname, relname from pg_policy p join pg_class c on c.oid = p.polrelid"
        " where c.relnamespace = 'tickler'::regnamespace"
    )
    for name, table in found.fetchall():
        connection.execute(SQL("drop policy {} on {}").format(Identifier(str(name)), _table(str(table))))
    held = connection.execute(
        "select relname, relrowsecurity from pg_class"
        " where relnamespace = 'tickler'::regnamespace and relkind in ('r', 'p')"
    )
    for table, is_held in held.fetchall():
        if is_held != (table in POLICIES):
            turn = _raw("disable" if is_held else "enable")
            connection.execute(SQL("alter table {} {} row level security").format(_table(str(table)), turn))
    for policy in policies_of(roles):
        connection.execute(
            SQL("create policy {} on {} for {} to {}{}{}").format(
                Identifier(policy.name),
                _table(policy.table),
                _raw(policy.command),
                Identifier(policy.role),
                _raw(f" using ({policy.using})" if policy.using else ""),
                _raw(f" with check ({policy.check})" if policy.check else ""),
            )
        )


def _table(name: str) -> Composed:
    return SQL("tickler.{}").format(Identifier(name))


def _grant(rights: str, on: Composed, name: str) -> Composed:
    return SQL("grant {} on {} to {}").format(_raw(rights), on, Identifier(name))


def _say(connection: Connection, statement: str, role: str) -> None:
    connection.execute(SQL(statement).format(Identifier(role)))


def _raw(text: str) -> SQL:
    """Words of this module, or a name as the database itself quotes it."""
    return SQL(text)
