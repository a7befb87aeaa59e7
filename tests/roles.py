"""The roles of `tickler migrate --roles` in one test's database: with names and passwords of their own."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from attrs import frozen
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from adapters.outbound.postgres.migrations import migrate
from adapters.outbound.postgres.roles import Roles

LOGINS = ("worker", "api", "readonly")


@frozen
class RolesOfTest:
    url: str
    roles: Roles
    password: str

    def as_(self, kind: str) -> str:
        """The conninfo of a login."""
        return make_conninfo(self.url, user=self.roles.logins[kind], password=self.password)


@contextmanager
def roles_in(url: str) -> Iterator[RolesOfTest]:
    made = RolesOfTest(url, Roles(f"t{secrets.token_hex(6)}"), secrets.token_hex(8))
    migrate(url, roles=made.roles)
    with psycopg.connect(url, autocommit=True) as admin:
        for name in made.roles.logins.values():
            admin.execute(SQL("alter role {} password {}").format(Identifier(name), made.password))
    try:
        yield made
    finally:
        with psycopg.connect(url, autocommit=True) as admin:
            names = SQL(", ").join(map(Identifier, [made.roles.owner, *made.roles.logins.values()]))
            admin.execute(SQL("reassign owned by {} to current_user").format(Identifier(made.roles.owner)))
            admin.execute(SQL("drop owned by {}").format(names))
            admin.execute(SQL("drop role {}").format(names))
