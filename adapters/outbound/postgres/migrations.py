"""The schema, moved forward: plain SQL files, each applied once and never changed afterwards."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
from attrs import frozen
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from adapters.outbound.postgres.administering import lacks_as_administrator
from adapters.outbound.postgres.code import functions_of
from adapters.outbound.postgres.roles import Connection, Roles, give_rights, make_roles, roles_of

MIGRATIONS = Path(__file__).with_name("migrations")
OLDEST_SERVER = 150000
CONNECT_SECONDS = 10
# The first is how long one waits for another who migrates, the second for those who use the tables.
TURN_WAIT = "60s"
TABLE_WAIT = "10s"
FILE_NAME = re.compile(r"(\d{4})_\w+\.sql", re.ASCII)
URL = re.compile(r"\w+://([^:@/?#\s]*(:[^:@/?#\s]*)?@)?[^@]*")


class MigrationError(Exception):
    """The schema cannot be brought up to date; the text is one line, and no password is in it."""


@frozen
class Migration:
    name: str
    text: str
    sha256: str

    @classmethod
    def read(cls, file: Path) -> "Migration":
        text = file.read_text("utf-8")
        return cls(file.name, text, hashlib.sha256(text.encode()).hexdigest())


def migrate(conninfo: str, folder: Path = MIGRATIONS, roles: Roles | None = None) -> list[str]:
    """Apply what is pending, all of it in one transaction, and name it; safe to call from many at once.

    With `roles` these are made, or set right, in the same transaction. What is new belongs to whoever has the
    schema, where we may act for them, and the roles have their rights on it.
    Raises MigrationError: no server or one older than 15, a file that was changed after it was applied, a
    database that is newer than these files, a statement that fails, a login that may not make roles. Nothing
    is applied then.
    """
    migrations = read_migrations(folder)
    with connect(conninfo) as connection:
        try:
            with connection.transaction():
                return _apply_pending(connection, migrations, roles)
        except errors.LockNotAvailable as error:
            raise MigrationError(
                f"the database was busy for too long: {_first_line(error)}; nothing was applied, try again"
                " when no other migration or long transaction runs"
            ) from error
        except psycopg.Error as error:
            raise MigrationError(
                f"the migration failed, nothing was applied: {_first_line(error)}"
            ) from error


def missing(conninfo: str, folder: Path = MIGRATIONS) -> list[str]:
    """Name what `migrate` would apply, and change nothing; raises MigrationError as it does."""
    migrations = read_migrations(folder)
    with connect(conninfo) as connection:
        try:
            applied = _applied(connection) if _has_table(connection) else {}
        except psycopg.Error as error:
            raise MigrationError(f"the schema cannot be looked at: {_first_line(error)}") from error
    return [migration.name for migration in pending(migrations, applied)]


def read_migrations(folder: Path) -> list[Migration]:
    files = sorted(folder.glob("*.sql"))
    if not files:
        raise MigrationError(f"no migrations are in {folder}: the installation is incomplete")
    numbers: dict[str, str] = {}
    for file in files:
        named = FILE_NAME.fullmatch(file.name)
        if named is None:
            raise MigrationError(f"{file.name} is not named like 0001_what_it_does.sql")
        if (other := numbers.setdefault(named[1], file.name)) != file.name:
            raise MigrationError(f"{other} and {file.name} have the same number")
    return [Migration.read(file) for file in files]


def pending(migrations: Sequence[Migration], applied: Mapping[str, str]) -> list[Migration]:
    """Those to apply now; `applied` is name to sha256, as the database has it."""
    known = {migration.name for migration in migrations}
    if unknown := sorted(applied.keys() - known):
        raise MigrationError(
            f"the database is newer than this tickler: it has {unknown[0]}, which is not known here;"
            " upgrade tickler"
        )
    newest = max(applied, default="")
    for migration in migrations:
        if migration.name in applied and applied[migration.name] != migration.sha256:
            raise MigrationError(
                f"{migration.name} was changed after it was applied: restore it, and put the change into"
                " a new file"
            )
        if migration.name not in applied and migration.name < newest:
            raise MigrationError(
                f"{migration.name} comes before {newest}, which is applied: give it a new number"
            )
    return [migration for migration in migrations if migration.name not in applied]


def connect(conninfo: str) -> Connection:
    """A connection of its own, in READ COMMITTED and without prepared statements; raises MigrationError."""
    given = _understood(conninfo)
    try:
        connection = psycopg.connect(
            conninfo,
            connect_timeout=int(given.get("connect_timeout") or CONNECT_SECONDS),
            prepare_threshold=None,
            autocommit=True,
        )
    except psycopg.Error as error:
        said = _first_line(error)
        if password := str(given.get("password") or ""):
            said = said.replace(password, "***")
        raise MigrationError(
            f"no PostgreSQL server can be used there: {said}; check that it runs, and the database's settings"
        ) from None
    if connection.info.server_version < OLDEST_SERVER:
        version = connection.info.server_version // 10000
        connection.close()
        raise MigrationError(f"the server is PostgreSQL {version}: 15 or newer is needed")
    # The snapshot must be taken after the lock, whatever the role's own default is.
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    return connection


def _understood(conninfo: str) -> Mapping[str, str | int | None]:
    # libpq quotes what it cannot read, and that may be a piece of a password: say nothing of it.
    mistaken = MigrationError(
        "the database's connection string cannot be read: in a URL, percent-encode the special characters"
        " of the user and the password"
    )
    if "://" in conninfo and not URL.fullmatch(conninfo):
        raise mistaken
    try:
        given = conninfo_to_dict(conninfo)
        int(given.get("connect_timeout") or CONNECT_SECONDS)
        all_numbers = all(port.isdigit() for port in str(given.get("port") or "0").split(","))
    except (psycopg.ProgrammingError, ValueError):
        raise mistaken from None
    if not all_numbers:
        raise mistaken
    return given


def _apply_pending(connection: Connection, migrations: Sequence[Migration], roles: Roles | None) -> list[str]:
    # A role may have a short statement time-out, and an index over much takes its time.
    connection.execute("set local statement_timeout = 0")
    _wait_at_most(connection, TURN_WAIT)
    # Of the transaction, not of the session: it also holds through a transaction pooler.
    connection.execute("select pg_advisory_xact_lock(hashtext('tickler.migrate'))")
    _wait_at_most(connection, TABLE_WAIT)
    if roles is not None:
        _require_administrator(connection, roles)
    _act_for_owner(connection)
    todo = pending(migrations, _applied(connection))
    for migration in todo:
        _apply(connection, migration)
    if roles is not None:
        connection.execute("set local role none")
        made = functions_of(migration.text for migration in migrations)
        try:
            make_roles(connection, roles, made.values())
        except errors.InsufficientPrivilege as error:
            raise MigrationError(
                f"the roles cannot be made, nothing was changed: {_first_line(error)}; a superuser can set it"
                " right"
            ) from error
    elif todo and (there := roles_of(connection)):
        give_rights(connection, there)
    return [migration.name for migration in todo]


def _require_administrator(connection: Connection, roles: Roles) -> None:
    there = roles_of(connection)
    if there not in (None, roles):
        raise MigrationError(
            f"the schema has roles, {there.owner} and its like: add --role-prefix {there.prefix}"
        )
    if lacking := lacks_as_administrator(connection, roles):
        raise MigrationError(f"the roles cannot be made, nothing was changed: {lacking}; or be a superuser")


def _act_for_owner(connection: Connection) -> None:
    """Else what an administrator adds would belong to them."""
    found = connection.execute(
        "select set_config('role', o.rolname, true) from pg_namespace n join pg_roles o on o.oid = n.nspowner"
        " join pg_class c on c.oid = to_regclass('tickler.schema_migrations') and c.relowner = n.nspowner"
        " where n.nspname = 'tickler' and o.rolname <> current_user and pg_has_role(o.oid, 'member')"
    )
    found.fetchall()


def _applied(connection: Connection) -> dict[str, str]:
    # Asked first: `create schema if not exists` wants a right that a role in production need not have.
    if not _has_table(connection):
        connection.execute("create schema if not exists tickler")
        connection.execute(
            "create table tickler.schema_migrations (name text primary key, sha256 text not null,"
            " applied_at timestamptz not null default now())"
        )
    rows = connection.execute("select name, sha256 from tickler.schema_migrations").fetchall()
    return {str(name): str(sha256) for name, sha256 in rows}


def _has_table(connection: Connection) -> bool:
    there = connection.execute("select to_regclass('tickler.schema_migrations') is not null").fetchone()
    return there == (True,)


def _apply(connection: Connection, migration: Migration) -> None:
    try:
        connection.execute(migration.text.encode())
    except errors.LockNotAvailable:
        raise
    except psycopg.Error as error:
        position = int(error.diag.statement_position or 0)
        line = f", line {migration.text.count(chr(10), 0, position) + 1}" if position else ""
        raise MigrationError(f"{migration.name}{line}: {_first_line(error)}; nothing was applied") from error
    if connection.info.transaction_status != TransactionStatus.INTRANS:
        raise MigrationError(f"{migration.name} ends the transaction itself: take its commit or rollback out")
    connection.execute(
        "insert into tickler.schema_migrations (name, sha256) values (%s, %s)",
        (migration.name, migration.sha256),
    )


def _wait_at_most(connection: Connection, bound: str) -> None:
    connection.execute("select set_config('lock_timeout', %s, true)", (bound,))


def _first_line(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
