"""A database is looked at for faults: nothing is written, and no schema is taken for granted."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from adapters.outbound.postgres.migrations import MIGRATIONS, connect, missing
from adapters.outbound.postgres.rights import API, READONLY, WORKER, singly
from adapters.outbound.postgres.role_faults import role_faults, strangers
from adapters.outbound.postgres.roles import Connection, Roles, roles_of
from adapters.outbound.postgres.tables import table_faults
from adapters.outbound.system import SystemClock
from application.ports.facts import DatabaseFacts, LoginFacts, Role

INDEXES_MEANT = Path(__file__).with_name("indexes.sql")
NAME = re.compile(r"CREATE (?:UNIQUE )?INDEX (\w+) ON ")
CREATED = re.compile(r"create (?:unique )?index (\w+)\s+on\s+tickler\.")
DROPPED = re.compile(r"drop index (?:if exists )?tickler\.(\w+)")
SETTINGS = [
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
    "transaction_timeout",
    "fsync",
    "full_page_writes",
    "synchronous_commit",
    "autovacuum",
    "default_transaction_read_only",
    "in_hot_standby",
    "max_connections",
]
LOGIN = """
select current_user::text, r.rolsuper, r.rolbypassrls,
       coalesce((select pg_has_role(c.relowner, 'usage') and not r.rolsuper from pg_class c
                  where c.oid = to_regclass('tickler.domain_events')), false),
       case when to_regclass('tickler.tokens') is null then false
            else row_security_active('tickler.tokens') end
  from pg_roles r where r.rolname = current_user
"""
# As whom we are there by name, or else by membership; a superuser is all of them and none.
ROLE = """
select kind from unnest(%s::text[], %s::text[]) with ordinality as a (kind, role, place)
  join pg_roles r on r.rolname = current_user and not r.rolsuper
 where pg_has_role(current_user, role, 'usage') order by role <> current_user, place limit 1
"""
# What each is made for; the owner has all.
NEEDS = {Role.WORKER: WORKER, Role.API: API, Role.READONLY: READONLY}
OLDEST = """
select coalesce(max(clock_timestamp() - xact_start), interval '0'),
       pg_has_role('pg_read_all_stats', 'usage')
  from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
"""
INDEXES = """
select c.relname, i.indisvalid,
       pg_get_indexdef(c.oid) || ';' || coalesce(' -- ' || pg_get_constraintdef(k.oid), '')
  from pg_index i join pg_class c on c.oid = i.indexrelid
  left join pg_constraint k on k.conindid = c.oid and k.contype in ('p', 'u', 'x')
 where c.relnamespace = (select oid from pg_namespace where nspname = 'tickler')
"""


def examine(conninfo: str, tz_version: str) -> DatabaseFacts:
    """How the database stands. Raises MigrationError where it cannot be reached or looked at."""
    pending = missing(conninfo)
    clock = SystemClock()
    with connect(conninfo) as connection:
        asked = clock.now()
        ((clock_there,),) = _rows(connection, "select clock_timestamp()")
        answered = clock.now()
        assert isinstance(clock_there, datetime)
        ((oldest, sees_all),) = _rows(connection, OLDEST)
        assert isinstance(oldest, timedelta)
        indexes = _rows(connection, INDEXES)
        there = {str(name): str(definition) for name, _, definition in indexes}
        # What it should be is known of the newest schema alone, and then of the constraints' indexes, too.
        meant = {} if pending else indexes_meant()
        names = _expected(MIGRATIONS, pending) | meant.keys()
        ((connections,),) = _rows(
            connection, "select count(*) from pg_stat_activity where datname is not null"
        )
        ((slots,),) = _rows(connection, "select count(*) from pg_replication_slots where not active")
        settings = {
            str(name): str(value)
            for name, value in _rows(
                connection,
                "select name, current_setting(name) from pg_settings where name = any(%s)",
                (SETTINGS,),
            )
        }
        host = connection.info.host
        roles = roles_of(connection)
        return DatabaseFacts(
            version=str(connection.info.parameter_status("server_version")),
            is_encrypted=connection.pgconn.ssl_in_use,
            is_local=host.startswith("/") or host in ("localhost", "127.0.0.1", "::1", ""),
            pending=pending,
            login=_login(connection, roles),
            role_faults=[] if pending else role_faults(connection, roles),
            strangers=[] if roles is None else strangers(connection, roles),
            settings=settings,
            asked=asked,
            clock=clock_there,
            answered=answered,
            missing_indexes=sorted(names - there.keys()),
            invalid_indexes=sorted(str(name) for name, is_valid, _ in indexes if not is_valid),
            other_indexes=sorted(name for name in meant.keys() & there.keys() if there[name] != meant[name]),
            table_faults=[] if pending else table_faults(connection),
            oldest_transaction=oldest,
            sees_all_transactions=bool(sees_all),
            connections=int(str(connections)),
            most_connections=int(settings.get("max_connections", "0")),
            idle_slots=int(str(slots)),
            otherwise_reckoned=_otherwise_reckoned(connection, tz_version),
        )


def faults_of_roles(conninfo: str) -> Sequence[str]:
    """What `tickler migrate --roles` would set right, where there are roles. Raises MigrationError."""
    with connect(conninfo) as connection:
        roles = roles_of(connection)
        return [] if roles is None else role_faults(connection, roles)


def indexes_meant() -> Mapping[str, str]:
    """Each index of the newest schema by its name, as `INDEXES` tells it."""
    lines = INDEXES_MEANT.read_text("utf-8").splitlines()
    return {named[1]: line for line in lines if (named := NAME.match(line))}


def examine_api(conninfo: str) -> LoginFacts:
    """As whom the requests over the wire are there. Raises MigrationError."""
    with connect(conninfo) as connection:
        return _login(connection, roles_of(connection), Role.API)


def _login(connection: Connection, roles: Roles | None, wanted: Role | None = None) -> LoginFacts:
    """Without `wanted` we need what our role is made for."""
    role = None if roles is None else _role(connection, roles)
    ((name, is_superuser, bypasses, owns, is_held),) = _rows(connection, LOGIN)
    return LoginFacts(
        name=str(name),
        is_superuser=bool(is_superuser),
        owns_schema=bool(owns),
        bypasses_policies=bool(bypasses),
        is_held=bool(is_held),
        lacks=_lacks(connection, NEEDS.get(wanted or role or Role.WORKER, WORKER)),
        role=role,
    )


def _role(connection: Connection, roles: Roles) -> Role | None:
    names = [list(roles.all.keys()), list(roles.all.values())]
    return next((Role(str(kind)) for (kind,) in _rows(connection, ROLE, names)), None)


def _lacks(connection: Connection, wanted: Mapping[str, str]) -> Sequence[str]:
    there = {
        str(row[0])
        for row in _rows(connection, "select tablename from pg_tables where schemaname = 'tickler'")
    }
    asked = [
        (f"tickler.{table}", right, column)
        for table, rights in wanted.items()
        if table in there
        for right, column in singly(rights)
    ]
    found = _rows(
        connection,
        "select t, r, c from unnest(%s::text[], %s::text[], %s::text[]) as a (t, r, c)"
        " where not case when not has_schema_privilege('tickler', 'usage') then false"
        " when c is null then has_table_privilege(t, r) else has_column_privilege(t, c, r) end",
        ([one[0] for one in asked], [one[1] for one in asked], [one[2] for one in asked]),
    )
    return sorted({f"{right} on {str(table).removeprefix('tickler.')}" for table, right, _ in found})


def _expected(folder: Path, pending: Sequence[str]) -> set[str]:
    """The indexes of the migrations that were applied."""
    names: set[str] = set()
    for file in sorted(folder.glob("*.sql")):
        if file.name not in pending:
            text = file.read_text("utf-8")
            names |= set(CREATED.findall(text))
            names -= set(DROPPED.findall(text))
    return names


def _otherwise_reckoned(connection: Connection, tz_version: str) -> int:
    allowed = _rows(
        connection,
        "select coalesce(has_table_privilege(to_regclass('tickler.calendar_events'), 'select'), false)",
    )
    if allowed != [(True,)]:
        return 0
    ((count,),) = _rows(
        connection,
        "select count(*) from tickler.calendar_events"
        " where status in ('Planned', 'InProgress') and tz_version <> %s",
        (tz_version,),
    )
    return int(str(count))


def _rows(
    connection: Connection, statement: str, parameters: Sequence[object] = ()
) -> list[tuple[object, ...]]:
    return connection.execute(statement.encode(), parameters).fetchall()
