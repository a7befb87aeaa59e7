"""Who may make the roles: a superuser, or who has what is named; nothing is half made."""

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copy

import psycopg
import pytest
from attrs import frozen
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from adapters.outbound.postgres.migrations import MIGRATIONS, MigrationError, migrate
from adapters.outbound.postgres.role_faults import role_faults
from adapters.outbound.postgres.roles import GRANTORS_SINCE, Roles
from tests.two_tenants import tried


@frozen
class Desk:
    """An empty database and a login of which nothing is made yet, as seen by a superuser."""

    url: str
    admin: str
    roles: Roles
    superuser: psycopg.Connection

    @property
    def as_admin(self) -> str:
        return make_conninfo(self.url, user=self.admin, password="x")

    def let(self, *statements: str) -> None:
        names = {"admin": self.admin, "database": self.superuser.info.dbname, **self.roles.all}
        for statement in statements:
            self.superuser.execute(statement.format(**names).encode())

    def there(self) -> Sequence[object]:
        """The roles of the desk, and who owns what."""
        made = "select rolname from pg_roles where rolname = any(%s) order by 1"
        owned = "select nspname, nspowner from pg_namespace union all select relname, relowner from pg_class"
        roles = self.superuser.execute(made, (list(self.roles.all.values()),)).fetchall()
        return [*roles, *self.superuser.execute(f"{owned} order by 1, 2").fetchall()]


@pytest.fixture
def desk(empty_postgres_url: str) -> Iterator[Desk]:
    with psycopg.connect(empty_postgres_url, autocommit=True) as superuser:
        suffix = secrets.token_hex(6)
        made = Desk(empty_postgres_url, f"a{suffix}", Roles(f"t{suffix}"), superuser)
        made.let("create role {admin} login password 'x'")
        try:
            yield made
        finally:
            made.let("alter database {database} owner to current_user")
            there = [
                name
                for name in (*made.roles.all.values(), made.admin)
                if superuser.execute("select 1 from pg_roles where rolname = %s", (name,)).fetchone()
            ]
            names = SQL(", ").join(map(Identifier, there))
            superuser.execute(SQL("drop owned by {} cascade").format(names))
            superuser.execute(SQL("drop role {}").format(names))


MAY_CREATE, OWNS = "alter role {admin} createrole", "alter database {database} owner to {admin}"


def test_who_has_createrole_and_the_database_can_make_them_and_make_them_again(desk: Desk) -> None:
    desk.let(MAY_CREATE, OWNS)
    migrate(desk.as_admin)
    migrate(desk.as_admin, roles=desk.roles)
    assert migrate(desk.as_admin, roles=desk.roles) == []
    owned = tried(desk.url, "select distinct tableowner from pg_tables where schemaname = 'tickler'")
    assert owned == [(desk.roles.owner,)]


@pytest.mark.parametrize(
    ("let", "needs"),
    [
        ((OWNS,), "CREATEROLE"),
        ((MAY_CREATE,), "to own the database {database}"),
        ((), "CREATEROLE, and to own the database {database}"),
    ],
)
def test_who_lacks_something_is_told_what_and_nothing_is_made(
    desk: Desk, let: Sequence[str], needs: str
) -> None:
    desk.let(*let)
    before = desk.there()
    with pytest.raises(MigrationError) as refused:
        migrate(desk.as_admin, roles=desk.roles)
    named = needs.format(database=desk.superuser.info.dbname)
    assert str(refused.value) == (
        f"the roles cannot be made, nothing was changed: {desk.admin} needs {named}; or be a superuser"
    )
    assert desk.there() == before


def test_a_schema_of_somebody_elses_is_not_given_away(desk: Desk) -> None:
    migrate(desk.url)
    desk.let(MAY_CREATE, OWNS)
    before = desk.there()
    with pytest.raises(
        MigrationError, match=f"{desk.admin} needs to be a member of tickler, whose the schema"
    ):
        migrate(desk.as_admin, roles=desk.roles)
    assert desk.there() == before


def test_roles_that_a_superuser_made_are_set_right_by_who_has_the_admin_option_on_them(desk: Desk) -> None:
    migrate(desk.url, roles=desk.roles)
    desk.let(MAY_CREATE, OWNS)
    if desk.superuser.info.server_version >= GRANTORS_SINCE:
        names = ", ".join(sorted(desk.roles.all.values()))
        with pytest.raises(MigrationError, match=f"{desk.admin} needs the admin option on {names}; or be"):
            migrate(desk.as_admin, roles=desk.roles)
    desk.let(*(f"grant {{{kind}}} to {{admin}} with admin option" for kind in desk.roles.all))
    desk.let("grant update on tickler.domain_events to {worker}")
    migrate(desk.as_admin, roles=desk.roles)
    may = "select has_table_privilege(%s, 'tickler.domain_events', 'update')"
    assert desk.superuser.execute(may, (desk.roles.worker,)).fetchone() == (False,)


def test_what_only_a_superuser_can_take_away_is_said_and_nothing_is_changed(desk: Desk) -> None:
    desk.let(MAY_CREATE, OWNS)
    migrate(desk.as_admin, roles=desk.roles)
    desk.let("alter role {api} superuser")
    with pytest.raises(MigrationError, match=r"; a superuser can set it right$"):
        migrate(desk.as_admin, roles=desk.roles)


def test_roles_that_are_there_are_given_their_rights_on_a_new_table_by_a_plain_migration(
    desk: Desk, tmp_path: Path
) -> None:
    migrate(desk.url, roles=desk.roles)
    for file in MIGRATIONS.glob("*.sql"):
        copy(file, tmp_path)
    (tmp_path / "9999_new.sql").write_text(
        "drop table tickler.pruning_marks;"
        " create table tickler.pruning_marks (what text primary key, pruned_before timestamptz not null);\n"
    )
    assert migrate(desk.url, tmp_path) == ["9999_new.sql"]
    assert role_faults(desk.superuser, desk.roles) == []


def test_roles_of_another_prefix_take_no_schema_from_those_that_have_it(desk: Desk) -> None:
    migrate(desk.url, roles=desk.roles)
    before = desk.there()
    with pytest.raises(MigrationError, match=f"{desk.roles.owner} .* add --role-prefix {desk.roles.prefix}$"):
        migrate(desk.url, roles=Roles(f"{desk.roles.prefix}_other"))
    assert desk.there() == before


def test_a_login_of_the_work_cannot_make_them(desk: Desk) -> None:
    migrate(desk.url, roles=desk.roles)
    desk.let("alter role {worker} password 'x'")
    worker = make_conninfo(desk.url, user=desk.roles.worker, password="x")
    with pytest.raises(MigrationError, match=f"{desk.roles.worker} needs CREATEROLE"):
        migrate(worker, roles=desk.roles)
