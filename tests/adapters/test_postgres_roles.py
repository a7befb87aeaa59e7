"""What each role of `tickler migrate --roles` may do with rows, and that what was changed is set right."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from shutil import copy

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.migrations import MIGRATIONS, MigrationError, migrate
from adapters.outbound.postgres.people import PostgresPeople
from adapters.outbound.postgres.rights import POLICIES, READONLY, WORKER
from adapters.outbound.postgres.role_faults import role_faults, strangers
from adapters.outbound.postgres.touches.claiming import OF_TENANT
from adapters.outbound.postgres.touches.claiming import TENANTS as WAITING
from adapters.testkit.examples import NOON, OTHER_TENANT, TENANT, numbered
from tests.roles import RolesOfTest
from tests.two_tenants import TENANTS, tried, two_tenants


@pytest.fixture
def roles(postgres_url: str) -> Iterator[RolesOfTest]:
    with two_tenants(postgres_url) as made:
        yield made


HISTORY = "tickler.domain_events"
FORBIDDEN_TO_ALL = [
    f"update {HISTORY} set data = null",
    f"delete from {HISTORY}",
    *(f"truncate {table}" for table in (HISTORY, "tickler.outbox", "tickler.inbox", "tickler.tokens")),
    *(f"drop table {table}" for table in (HISTORY, "tickler.outbox")),
    "alter table tickler.tokens disable row level security",
    f"alter table {HISTORY} disable trigger all",
    'drop policy "{api} all" on tickler.tokens',
    "create table tickler.mine ()",
    "create function tickler.mine() returns int language sql return 1",
    "drop schema tickler cascade",
    "update tickler.schema_migrations set sha256 = ''",
    "insert into tickler.schema_migrations values ('9999_x.sql', '')",
    "delete from tickler.schema_migrations",
    "alter role current_user bypassrls",
    "alter role current_user superuser",
    "create role another",
    "set role {owner}",
    "set session_replication_role = replica",
    "copy tickler.tenants to program 'cat'",
    "select pg_read_file('/etc/passwd')",
    "delete from tickler.calendar_events",
    "delete from tickler.people",
    "delete from tickler.tenants",
    "update tickler.tokens set digest = sha256('')",
    "update tickler.tokens set tenant_id = id",
    "update tickler.outbox set payload = '{}'",
    "update tickler.inbox set reminder_id = reminder_id",
]
FORBIDDEN = {
    "worker": [],
    "api": [
        f"select data from {HISTORY}",
        *(
            f"select from tickler.{table}"
            for table in (
                "calendar_events",
                "event_reminders",
                "outbox",
                "inbox",
                "deliveries",
                "delivery_attempts",
                "texts",
                "imports",
                "quarantine",
                "notice_matters",
            )
        ),
        "insert into tickler.outbox (message_id, topic, key, payload, headers) values"
        " (gen_random_uuid(), '', gen_random_uuid(), '{}', '{}')",
        "select digest from tickler.tokens",
        "select agent_secret from tickler.tenants",
        "select address from tickler.contact_points",
        "select secret from tickler.contact_points",
        "update tickler.contact_points set opted_out = true",
        "update tickler.people set handle = ''",
        "update tickler.people set is_member = true",
        "update tickler.people set language = 'xx'",
        "insert into tickler.people (id, tenant_id, handle, time_zone, language)"
        f" values (gen_random_uuid(), '{TENANT}', 'x', 'UTC', 'en')",
        "update tickler.tenants set agent_url = ''",
        "delete from tickler.deferred_touches",
        "delete from tickler.touch_texts",
        "delete from tickler.touch_plans",
        "insert into tickler.tokens (id, digest, tenant_id, name, scopes, made_at)"
        f" values (gen_random_uuid(), sha256(''), '{OTHER_TENANT}', 'x', array['touches'], now())",
        f"update tickler.deferred_touches set tenant_id = '{OTHER_TENANT}'",
        f"insert into tickler.touch_texts values ('{numbered(21)}', 'x')"
        " on conflict (touch_id) do update set text = 'x'",
        f"insert into tickler.plan_texts values ('{OTHER_TENANT}', 'x')"
        " on conflict (plan_id) do update set text = 'x'",
    ],
    "readonly": [
        f"insert into {HISTORY} (stream_id, version, type, data, correlation_id, actor, occurred_at)"
        " values (gen_random_uuid(), 1, '', '{}', gen_random_uuid(), '', now())",
        *(f"select * from tickler.{table}" for table in ("texts", "touch_texts", "plan_texts", "tokens")),
        "select address from tickler.contact_points",
        "select secret from tickler.contact_points",
        "select handle from tickler.people",
        "select agent_url from tickler.tenants",
        "select agent_secret from tickler.tenants",
        "select digest from tickler.tokens",
        "select address_key from tickler.deliveries",
        "select reason from tickler.deliveries",
        "select provider_id from tickler.delivery_attempts",
        "select value from tickler.quarantine",
        "select header_values from tickler.quarantine",
        "select key from tickler.touch_requests",
        "select body from tickler.touch_requests",
        *(f"update tickler.{table} set updated_at = now()" for table in ("event_reminders", "deliveries")),
        "delete from tickler.outbox",
        "select from tickler.event_reminders for update",
        "select tickler.token_of('')",
        "select tickler.tenant_of_touch(gen_random_uuid())",
    ],
}
REFUSALS = (
    errors.InsufficientPrivilege,  # a policy's refusal of a row too
    errors.ReadOnlySqlTransaction,
)


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_each_forbidden_statement_is_refused(roles: RolesOfTest, kind: str) -> None:
    # What anybody can set for themselves is not what keeps them from it.
    free = make_conninfo(roles.as_(kind), options="-c default_transaction_read_only=off")
    may: list[str] = []
    for statement in FORBIDDEN_TO_ALL + FORBIDDEN[kind]:
        said = statement.replace("{owner}", roles.roles.owner).replace("{api}", roles.roles.api)
        try:
            tried(free, said, tenant=str(TENANT))
        except REFUSALS:
            continue
        except psycopg.Error as error:
            may.append(f"{said}: {error}")
        else:
            may.append(said)
    assert may == []


def test_history_is_append_only_for_its_owner_too(roles: RolesOfTest) -> None:
    for statement in (f"delete from {HISTORY}", f"update {HISTORY} set actor = ''", f"truncate {HISTORY}"):
        with pytest.raises(errors.InsufficientPrivilege, match="append-only"):
            tried(roles.url, f"set local role {roles.roles.owner}; {statement}")


def counts(url: str, **settings: str) -> Mapping[str, object]:
    return {
        table: tried(url, f"select count(*) from tickler.{table}", **settings)[0][0] for table in POLICIES
    }


def test_the_worker_and_the_reader_see_every_tenant(roles: RolesOfTest) -> None:
    for kind in ("worker", "readonly"):
        assert counts(roles.as_(kind)) == dict.fromkeys(POLICIES, 2)


@pytest.mark.parametrize("tenant_id", TENANTS)
def test_the_api_sees_the_tenant_that_it_speaks_for_and_no_other(
    roles: RolesOfTest, tenant_id: object
) -> None:
    url = roles.as_("api")
    assert counts(url, tenant=str(tenant_id)) == dict.fromkeys(POLICIES, 1)
    for table, column in (("tenants", "id"), ("tokens", "tenant_id"), ("deferred_touches", "tenant_id")):
        assert tried(url, f"select {column} from tickler.{table}", tenant=str(tenant_id)) == [(tenant_id,)]


@pytest.mark.parametrize("settings", [{}, {"tenant": ""}, {"tenant": str(numbered(404))}])
def test_the_api_sees_nothing_where_it_speaks_for_nobody(
    roles: RolesOfTest, settings: dict[str, str]
) -> None:
    assert counts(roles.as_("api"), **settings) == dict.fromkeys(POLICIES, 0)


def test_the_api_is_refused_where_the_tenant_is_no_id(roles: RolesOfTest) -> None:
    with pytest.raises(errors.InvalidTextRepresentation):
        counts(roles.as_("api"), tenant="everybody")


def test_the_tenant_of_a_transaction_does_not_outlive_it(roles: RolesOfTest) -> None:
    tenants = iter([TENANT, None])
    with closing(Database(roles.as_("api"), connections=1, tenant=lambda: next(tenants))) as database:
        seen = []
        for _ in range(2):
            with database.transaction() as session:
                seen.append(len(session.rows("select from tickler.deferred_touches")))
    assert seen == [1, 0]


def test_the_rights_name_each_table_that_there_is(postgres_url: str) -> None:
    there = {
        str(name)
        for (name,) in tried(postgres_url, "select tablename from pg_tables where schemaname = 'tickler'")
    }
    assert set(WORKER) == there
    assert set(READONLY) == there


# Not to be seen by whoever only watches: addresses and their likes, texts, names, secrets, others' bytes.
PERSONAL = {
    *(("contact_points", name) for name in ("address", "secret")),
    *(("tenants", name) for name in ("agent_url", "agent_secret")),
    *(("deliveries", name) for name in ("address_key", "reason", "provider_id")),
    *(("delivery_attempts", name) for name in ("reason", "provider_id")),
    *(("quarantine", name) for name in ("key", "value", "header_names", "header_values", "fingerprint")),
    *(("touch_requests", name) for name in ("key", "body")),
    *(("plan_requests", name) for name in ("key", "body", "user_id")),
    *(("touch_texts", name) for name in ("text", "answer")),
    ("people", "handle"),
    ("plan_texts", "text"),
    ("texts", "title"),
    ("tokens", "digest"),
}
SEEN = """
select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
 where c.relnamespace = 'tickler'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
   and not has_column_privilege(current_user, c.oid, a.attnum, 'select')
"""


def test_the_reader_sees_all_columns_but_the_personal_ones(roles: RolesOfTest) -> None:
    assert set(tried(roles.as_("readonly"), SEEN)) == PERSONAL


def test_the_planner_samples_no_personal_column(postgres_url: str) -> None:
    unsampled = {
        (str(table), str(column))
        for table, column in tried(
            postgres_url,
            "select attrelid::regclass::text, attname from pg_attribute"
            " where attstattarget = 0 and attnum > 0 and attrelid in"
            " (select oid from pg_class where relnamespace = 'tickler'::regnamespace"
            " and relkind = 'r')",
        )
    }
    assert {(table.removeprefix("tickler."), column) for table, column in unsampled} == PERSONAL | {
        # Seen by who watches, but no longer when the person is erased.
        ("people", "time_zone"),
        ("people", "language"),
    }


def test_nothing_is_open_to_everybody(roles: RolesOfTest) -> None:
    stranger = f"t{secrets.token_hex(6)}"
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute(SQL("create role {} login password 'x'").format(Identifier(stranger)))
    try:
        for statement in ("select from tickler.tenants", "select tickler.token_of('')"):
            with pytest.raises(errors.InsufficientPrivilege):
                tried(make_conninfo(roles.url, user=stranger, password="x"), statement)
    finally:
        with psycopg.connect(roles.url, autocommit=True) as admin:
            admin.execute(SQL("drop role {}").format(Identifier(stranger)))


RIGHTS = """
select c.relname::text, array(select i::text from unnest(c.relacl) i order by 1)::text, a.attname::text,
       array(select i::text from unnest(a.attacl) i order by 1)::text, c.relrowsecurity::text,
       c.relowner::regrole::text
  from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
 where c.relnamespace = 'tickler'::regnamespace and c.relkind in ('r', 'S')
union all select polname::text, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid),
       polcmd::text, polroles::regrole[]::text, polrelid::regclass::text from pg_policy
union all select proname::text, array(select i::text from unnest(proacl) i order by 1)::text,
       proowner::regrole::text, proconfig::text, prosecdef::text,
       prosrc from pg_proc where pronamespace = 'tickler'::regnamespace
union all select tgname::text, tgenabled::text, pg_get_triggerdef(oid), '', '', ''
  from pg_trigger where not tgisinternal
union all select nspname::text, array(select a::text from unnest(nspacl) a order by 1)::text, '', '', '', ''
  from pg_namespace where nspname = 'tickler'
union all select 'the database', array(select a::text from unnest(datacl) a order by 1)::text, '', '', '', ''
  from pg_database where datname = current_database()
union all select rolname::text, rolcanlogin::text,
       array[rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication]::text,
       coalesce((select string_agg(a.roleid::regrole::text, ' ') from pg_auth_members a
         where a.member = r.oid), ''), '', ''
  from pg_roles r where starts_with(rolname, (select replace(nspowner::regrole::text, '_owner', '_')
         from pg_namespace where nspname = 'tickler'))
 order by 1, 2, 3, 4, 5, 6
"""


def test_to_make_the_roles_again_changes_nothing_and_mends_what_was_changed(roles: RolesOfTest) -> None:
    before = tried(roles.url, RIGHTS)
    migrate(roles.url, roles=roles.roles)
    assert tried(roles.url, RIGHTS) == before
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute(
            SQL("grant all on all tables in schema tickler to {}").format(Identifier(roles.roles.api))
        )
        admin.execute(SQL("drop policy {} on tickler.tokens").format(Identifier(f"{roles.roles.api} all")))
    migrate(roles.url, roles=roles.roles)
    assert tried(roles.url, RIGHTS) == before


# What isolates the tenants and keeps the history, as somebody may have left it; {t} is the prefix.
LOOSENED = [
    "create policy open on tickler.deferred_touches for all to {t}_api using (true)",
    "create policy open on tickler.deliveries for all to {t}_api using (true)",
    'alter policy "{t}_api select" on tickler.people using (true)',
    'alter policy "{t}_api select" on tickler.people to public',
    "alter table tickler.tokens disable row level security",
    "alter table tickler.outbox enable row level security",
    "alter role {t}_api superuser bypassrls",
    "alter role {t}_worker createrole createdb replication",
    "grant {t}_owner to {t}_worker",
    "grant pg_write_all_data to {t}_api with admin option",
    "alter role {t}_worker nologin",
    "alter role {t}_owner login",
    "alter table tickler.domain_events disable trigger history_is_append_only",
    "alter table tickler.domain_events enable trigger history_is_append_only",
    "drop trigger history_is_append_only on tickler.domain_events",
    "alter function tickler.token_of(bytea) set search_path = public",
    "alter function tickler.tenant_of_touch(uuid) reset all",
    "alter function tickler.token_of(bytea) security invoker",
    "create or replace function tickler.refuse_to_change_history() returns trigger language plpgsql"
    " as 'begin return null; end'",
]


@pytest.mark.parametrize("statement", LOOSENED)
def test_what_was_loosened_is_found_and_mended(roles: RolesOfTest, statement: str) -> None:
    before = tried(roles.url, RIGHTS)
    assert faults_of_test(roles) == []
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute(statement.replace("{t}", roles.roles.prefix).encode())
    assert tried(roles.url, RIGHTS) != before
    assert len(faults_of_test(roles)) == 1
    migrate(roles.url, roles=roles.roles)
    assert tried(roles.url, RIGHTS) == before
    assert faults_of_test(roles) == []


GRANTED = {
    "grant update on tickler.domain_events to {t}_worker": "{t}_worker may also update on domain_events",
    "grant truncate, delete on tickler.domain_events to {t}_api": (
        "{t}_api may also delete, truncate on domain_events"
    ),
    "grant select (address) on tickler.contact_points to {t}_api": (
        "{t}_api may also select (address) on contact_points"
    ),
    "grant select on tickler.tokens to {t}_worker with grant option": (
        "{t}_worker may also select with grant option on tokens"
    ),
    "grant usage on sequence tickler.domain_events_position_seq to {t}_api": (
        "{t}_api may also usage on domain_events_position_seq"
    ),
    "grant execute on function tickler.tenant_of_touch(uuid) to {t}_readonly": (
        "{t}_readonly may also execute on tenant_of_touch(uuid)"
    ),
    "grant create on schema tickler to {t}_worker": "{t}_worker may also create on the schema",
    "grant create on database {d} to {t}_api": "{t}_api may also create on the database",
    "revoke insert on tickler.outbox from {t}_worker": "{t}_worker may not insert on outbox",
    "revoke select on tickler.inbox from {t}_readonly": "{t}_readonly may not select on inbox",
    "revoke select (opted_out) on tickler.contact_points from {t}_api": (
        "{t}_api may not select (opted_out) on contact_points"
    ),
    "revoke execute on function tickler.token_of(bytea) from {t}_api": (
        "{t}_api may not execute on token_of(bytea)"
    ),
    "revoke usage on schema tickler from {t}_api": "{t}_api may not usage on the schema",
}


def test_a_right_beside_its_own_or_one_that_is_lacking_is_named_and_mended(roles: RolesOfTest) -> None:
    before = tried(roles.url, RIGHTS)
    with psycopg.connect(roles.url) as admin:
        names = {"t": roles.roles.prefix, "d": admin.info.dbname}
        for statement, told in GRANTED.items():
            admin.execute(statement.format(**names).encode())
            assert role_faults(admin, roles.roles) == [told.format(**names)]
            admin.rollback()
        for statement in GRANTED:
            admin.execute(statement.format(**names).encode())
    assert len(faults_of_test(roles)) >= len(GRANTED)
    migrate(roles.url, roles=roles.roles)
    assert tried(roles.url, RIGHTS) == before
    assert faults_of_test(roles) == []


def test_who_watches_may_be_a_member_of_the_groups_for_it(roles: RolesOfTest) -> None:
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute(SQL("grant pg_read_all_stats to {}").format(Identifier(roles.roles.worker)))
    before = tried(roles.url, RIGHTS)
    migrate(roles.url, roles=roles.roles)
    assert tried(roles.url, RIGHTS) == before
    assert faults_of_test(roles) == []


def test_what_strangers_may_do_is_named(roles: RolesOfTest) -> None:
    stranger = f"t{secrets.token_hex(6)}"
    assert strangers_of_test(roles) == []
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute(SQL("create role {}").format(Identifier(stranger)))
        try:
            admin.execute(f"grant select on tickler.contact_points to {stranger}".encode())
            admin.execute(f"grant update (title) on tickler.texts to {stranger}".encode())
            admin.execute(b"grant execute on function tickler.token_of(bytea) to public")
            assert strangers_of_test(roles) == [
                f"{stranger} select on contact_points",
                f"{stranger} update on texts",
                "everybody execute on token_of",
            ]
        finally:
            admin.execute(f"drop owned by {stranger}; drop role {stranger}".encode())


MEMBERS = {
    "grant {t}_worker to {s}": ["{s} is a member of {t}_worker"],
    "grant {t}_owner to {s}": ["{s} is a member of {t}_owner"],
    "alter role {s} noinherit; grant {t}_worker to {s}": ["{s} is a member of {t}_worker"],
    "create role {s}_b; grant {t}_readonly to {s}; grant {s} to {s}_b": [
        "{s} is a member of {t}_readonly",
        "{s}_b is a member of {t}_readonly",
    ],
    "alter role {s} superuser; grant {t}_worker to {s}": [],
    "alter role {s} createrole; grant {t}_worker to {s} with admin option": [],
}


@pytest.mark.parametrize("statement", MEMBERS)
def test_who_else_is_a_member_of_a_role_is_named(roles: RolesOfTest, statement: str) -> None:
    names = {"t": roles.roles.prefix, "s": f"s{secrets.token_hex(6)}"}
    with psycopg.connect(roles.url) as admin:
        admin.execute(
            "create role {s} login; {what}".format(**names, what=statement.format(**names)).encode()
        )
        assert strangers(admin, roles.roles) == [told.format(**names) for told in MEMBERS[statement]]
        admin.rollback()


def faults_of_test(roles: RolesOfTest) -> Sequence[str]:
    # Whoever examines needs no rights of an administrator.
    with psycopg.connect(roles.as_("readonly")) as reader:
        return role_faults(reader, roles.roles)


def strangers_of_test(roles: RolesOfTest) -> Sequence[str]:
    with psycopg.connect(roles.as_("readonly")) as reader:
        return strangers(reader, roles.roles)


def test_a_later_migration_belongs_to_the_owner_whoever_brings_it(roles: RolesOfTest, tmp_path: Path) -> None:
    for file in MIGRATIONS.glob("*.sql"):
        copy(file, tmp_path)
    (tmp_path / "9999_later.sql").write_text("create table tickler.later (id uuid);\n")
    assert migrate(roles.url, tmp_path) == ["9999_later.sql"]
    owners = tried(
        roles.url,
        "select distinct relowner::regrole::text from pg_class where relnamespace = 'tickler'::regnamespace",
    )
    assert owners == [(roles.roles.owner,)]


@pytest.mark.parametrize("kind", ["worker", "api", "readonly"])
def test_a_role_that_may_not_migrate_finds_a_sound_schema_and_changes_no_other(
    roles: RolesOfTest, kind: str
) -> None:
    if kind == "worker":
        assert migrate(roles.as_(kind)) == []
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute(
            "delete from tickler.schema_migrations"
            " where name = (select max(name) from tickler.schema_migrations)"
        )
    with pytest.raises(MigrationError):
        migrate(roles.as_(kind))


@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        ("worker", ["10s", "2s", "10s", "pg_catalog"]),
        ("api", ["5s", "2s", "5s", "pg_catalog"]),
        ("readonly", ["30s", "2s", "10s", "pg_catalog"]),
    ],
)
def test_each_login_has_its_time_outs_and_its_search_path(
    roles: RolesOfTest, kind: str, bounds: list[str]
) -> None:
    names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "search_path")
    found = [tried(roles.as_(kind), f"select current_setting('{name}')")[0][0] for name in names]
    assert found == bounds


def test_the_workers_claim_of_touches_has_the_plan_that_it_has_without_policies(roles: RolesOfTest) -> None:
    def plans(url: str) -> Sequence[object]:
        with closing(Database(url)) as database, database.transaction() as session:
            waiting = session.rows("explain (costs off) " + WAITING, (NOON, ["message"], [TENANT], 10))
            given = (TENANT, NOON, ["message"], [TENANT], 10)
            return waiting + session.rows("explain (costs off) " + OF_TENANT, given)

    assert plans(roles.as_("worker")) == plans(roles.url)
    assert any("ix_deferred_touches_tenant_due_at" in str(line) for line in plans(roles.as_("worker")))


def test_a_worker_may_erase_somebody(roles: RolesOfTest) -> None:
    with closing(Database(roles.as_("worker"))) as database:
        for tenant_id, user_id in TENANTS.items():
            assert PostgresPeople(database).erase(tenant_id, user_id) is not None
