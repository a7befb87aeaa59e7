"""What the API's login learns of another tenant's rows, or does to them, by ways beside a plain select."""

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from psycopg import errors

from adapters.outbound.postgres.rights import POLICIES
from adapters.testkit.examples import NOON, OTHER_TENANT, OWNER, TENANT, numbered
from tests.roles import RolesOfTest
from tests.two_tenants import OTHERS_OWNER, tried, two_tenants

MINE = str(TENANT)
# Made by `two_tenants` for the second tenant.
OTHERS_TOUCH = numbered(21)
A_TOUCH = (
    "insert into tickler.deferred_touches (id, tenant_id, kind, user_id, channel, due_at, depth,"
    " when_client_writes, status, version, updated_at, plan_id, plan_revision, plan_slot)"
    f" values ('{numbered(99)}', '{TENANT}', 'message', '{OWNER}', 'console', '{NOON}', 0, 'keep', 'Pending',"
    f" 1, '{NOON}', "
)
TERMS = f"jsonb_build_object('target', jsonb_build_object('userId', '{OWNER}'))"
A_PLAN = (
    "insert into tickler.touch_plans (id, tenant_id, revision, status, terms, handled_until, version,"
    f" updated_at) values ('{numbered(98)}', '{TENANT}', 1, 'Paused', {TERMS}, '{NOON}', 1, '{NOON}')"
)
A_PLAN_EDIT = f"update tickler.touch_plans set terms = {TERMS}"
A_TOKEN = "insert into tickler.tokens (id, digest, tenant_id, name, scopes, made_at) values ("
DIGEST = f"sha256('{OTHER_TENANT}'::text::bytea)"


@pytest.fixture
def roles(postgres_url: str) -> Iterator[RolesOfTest]:
    with two_tenants(postgres_url) as made:
        yield made


def test_a_value_that_another_tenant_has_is_refused_without_a_word_about_its_row(roles: RolesOfTest) -> None:
    """The keys are ids and digests that nobody guesses; a tenant's names and request keys are its own."""
    statements = [
        f"{A_TOKEN}gen_random_uuid(), {DIGEST}, '{TENANT}', 'x', '{{touches}}', now())",
        f"{A_TOKEN}'{OTHER_TENANT}', sha256(''), '{TENANT}', 'x', '{{touches}}', now())",
        A_TOUCH.replace(str(numbered(99)), str(OTHERS_TOUCH)) + "null, null, null)",
    ]
    for statement in statements:
        with pytest.raises(errors.UniqueViolation) as refused:
            tried(roles.as_("api"), statement, tenant=MINE)
        assert refused.value.diag.message_detail is None
        assert str(OTHER_TENANT) not in str(refused.value)


def test_a_request_key_that_another_tenant_used_is_free(roles: RolesOfTest) -> None:
    for table, its in (("touch_requests", ""), ("plan_requests", f" '{OWNER}',")):
        free = (
            f"insert into tickler.{table} values ('{TENANT}', 'agents', 'free', 'b', '{TENANT}',{its} now())"
        )
        with psycopg.connect(roles.url, autocommit=True) as admin:
            admin.execute(free.replace(MINE, str(OTHER_TENANT)).encode())
        assert tried(roles.as_("api"), free + " returning key", tenant=MINE) == [("free",)]


def test_a_touch_takes_no_occurrence_of_another_tenants_plan(roles: RolesOfTest) -> None:
    api = roles.as_("api")
    assert tried(api, A_TOUCH + "null, null, null) returning id", tenant=MINE) == [(numbered(99),)]
    with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
        tried(api, A_TOUCH + f"'{OTHER_TENANT}', 1, '2026-12-01')", tenant=MINE)


@pytest.mark.parametrize("whose", [OTHERS_OWNER, numbered(404)])
def test_nothing_is_put_off_for_a_person_of_another_tenant_or_for_nobody(
    roles: RolesOfTest, whose: UUID
) -> None:
    api, mine, theirs = roles.as_("api"), str(OWNER), str(whose)
    touch, edit = A_TOUCH + "null, null, null) returning user_id", A_PLAN_EDIT + " returning id"
    plan = A_PLAN + " returning tenant_id"
    assert tried(api, touch, tenant=MINE) == [(OWNER,)]
    for statement in (plan, edit):
        assert tried(api, statement, tenant=MINE) == [(TENANT,)]
    for statement in (touch, plan, edit):
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            tried(api, statement.replace(mine, theirs), tenant=MINE)


@pytest.mark.parametrize(
    "change",
    [f"user_id = '{OTHERS_OWNER}'", f"plan_id = '{OTHER_TENANT}'", "contact_point_id = null", "id = id"],
)
def test_where_a_touch_goes_back_to_is_said_once(roles: RolesOfTest, change: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege, match="permission denied"):
        tried(roles.as_("api"), f"update tickler.deferred_touches set {change}", tenant=MINE)


def test_an_expression_that_fails_is_not_asked_of_another_tenants_rows(roles: RolesOfTest) -> None:
    for table, column in (("deferred_touches", "kind"), ("touch_texts", "text"), ("tokens", "name")):
        told = f"select from tickler.{table} where {column}::int = 0"
        assert tried(roles.as_("api"), told, tenant=str(numbered(404))) == []
        with pytest.raises(errors.InvalidTextRepresentation):
            tried(roles.as_("api"), told, tenant=MINE)


def test_to_turn_the_policies_off_is_to_see_nothing(roles: RolesOfTest) -> None:
    for table in POLICIES:
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            tried(roles.as_("api"), f"set row_security = off; select from tickler.{table}", tenant=MINE)


def test_no_sample_of_a_tenants_rows_is_shown(roles: RolesOfTest) -> None:
    samples = (
        "select tablename, most_common_vals, histogram_bounds from pg_stats where schemaname = 'tickler'"
    )
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute("analyze")
    assert {row[0] for row in tried(roles.url, samples)} > {"tokens", "deferred_touches"}
    assert {row[0] for row in tried(roles.as_("api"), samples, tenant=MINE)} <= {"schema_migrations"}


def test_a_change_or_a_copy_meets_the_rows_of_ones_own_tenant_alone(roles: RolesOfTest) -> None:
    api = roles.as_("api")
    mine = {
        "update tickler.deferred_touches set reason = 'x' returning tenant_id",
        "update tickler.touch_plans set end_reason = 'x' returning tenant_id",
        "update tickler.tokens set revoked_at = now() returning tenant_id",
        "delete from tickler.tokens returning tenant_id",
        "select tenant_id from tickler.tokens tablesample system (100)",
    }
    for statement in mine:
        assert tried(api, statement, tenant=MINE) == [(TENANT,)], statement
    with psycopg.connect(api) as connection:
        connection.execute("select set_config('tickler.tenant', %s, true)", (MINE,))
        with connection.cursor().copy("copy tickler.touch_requests (tenant_id) to stdout") as copy:
            assert {bytes(row) for row in copy} == {f"{TENANT}\n".encode()}
