"""Two tenants with a little of everything that the API sees, and the roles over them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.touches.store import PostgresTouches
from adapters.testkit.examples import OTHER_TENANT, OWNER, TENANT, numbered
from adapters.testkit.touches.examples import registered
from application.ports.people import ContactPoint, Person, Tenant
from domain.values import ContactPointId, UserId
from tests.roles import RolesOfTest, roles_in

OTHERS_OWNER = UserId(numbered(13))
TENANTS = {TENANT: OWNER, OTHER_TENANT: OTHERS_OWNER}
CANARY = "canary-7f3a"


@contextmanager
def two_tenants(url: str) -> Iterator[RolesOfTest]:
    """The roles, over a store with a touch, a token and a person with an address for each of two tenants."""
    with roles_in(url) as made, closing(Database(url)) as database:
        people, touches = PostgresPeople(database), PostgresTouches(database)
        for number, (tenant_id, user_id) in enumerate(TENANTS.items()):
            people.add_tenant(Tenant(tenant_id, f"tenant-{number}"))
            people.add_person(Person(user_id, tenant_id, f"{CANARY}-handle"))
            people.add_contact_point(
                ContactPoint(ContactPointId(numbered(70 + number)), user_id, "email", f"{CANARY}@b.example")
            )
            registered(touches, 20 + number, tenant_id=tenant_id, text=f"{CANARY} text")
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(
                "insert into tickler.tokens (id, digest, tenant_id, name, scopes, made_at)"
                " select id, sha256(id::text::bytea), id, 'agents', '{touches}', now() from tickler.tenants"
            )
            admin.execute(
                "insert into tickler.touch_plans (id, tenant_id, revision, status, terms, handled_until,"
                " version, updated_at) select tenant_id, tenant_id, 1, 'Paused', jsonb_build_object('target',"
                " jsonb_build_object('userId', id)), now(), 1, now() from tickler.people"
            )
            admin.execute(
                "insert into tickler.plan_requests select id, 'agents', 'k', 'b', id, id, now()"
                " from tickler.tenants"
            )
            admin.execute("insert into tickler.plan_texts select id, 'renew' from tickler.tenants")
            admin.execute("insert into tickler.channel_opt_outs select id, 'sms' from tickler.people")
        yield made


def tried(url: str, statement: str, **settings: str) -> list[tuple[object, ...]]:
    """The rows of a statement in a transaction of its own, which is rolled back."""
    with psycopg.connect(url) as connection:
        for name, value in settings.items():
            connection.execute("select set_config(%s, %s, true)", (f"tickler.{name}", value))
        cursor = connection.execute(statement.encode())
        rows: list[tuple[object, ...]] = cursor.fetchall() if cursor.description else []
        connection.rollback()
    return rows
