"""Each right of each login on each column, function and sequence: all tried, none but its own passes."""

from collections.abc import Iterator, Mapping, Sequence

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.outbound.postgres.rights import API, FUNCTIONS, READONLY, WORKER, singly
from tests.roles import RolesOfTest, roles_in
from tests.two_tenants import tried

RIGHTS = {"worker": WORKER, "api": API, "readonly": READONLY}
COLUMNS = """
select c.relname::text, array_agg(quote_ident(a.attname) order by a.attnum)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relnamespace = 'tickler'::regnamespace and c.relkind in ('r', 'p') group by 1
"""
SEQUENCES = (
    "select relname::text from pg_class where relnamespace = 'tickler'::regnamespace and relkind = 'S'"
)
SIGNATURES = """
select replace(p.oid::regprocedure::text, 'tickler.', ''), p.proname || '(' || (select
       coalesce(string_agg('null::' || format_type(t, null), ', '), '') from unnest(p.proargtypes) t) || ')'
  from pg_proc p where pronamespace = 'tickler'::regnamespace
"""
# Each is taken back, whatever came of it; what failed otherwise was not kept from it.
TRIED = """
create function pg_temp.passing(statements text[]) returns setof text language plpgsql as $$
declare said text;
begin
    foreach said in array statements loop
        begin
            execute said;
            raise sqlstate 'TRIED';
        exception
            when insufficient_privilege or read_only_sql_transaction then null;
            when others then return next said;
        end;
    end loop;
end $$
"""
OF_A_COLUMN = {
    "select": "select {column} from tickler.{table} limit 0",
    "insert": "insert into tickler.{table} ({column}) overriding system value select null where false",
    "update": "update tickler.{table} set {column} = default where false",
}
DELETE = "delete from tickler.{table} where false"
OF_NOBODY = [
    "truncate tickler.{table}",
    "drop table tickler.{table} cascade",
    "alter table tickler.{table} add column mine int",
    "alter table tickler.{table} disable row level security",
    "alter table tickler.{table} disable trigger all",
    "alter table tickler.{table} owner to current_user",
    "alter table tickler.{table} set schema pg_temp",
    "create policy mine on tickler.{table}",
    "create index on tickler.{table} ((1))",
    "create rule mine as on delete to tickler.{table} do nothing",
    "create trigger mine before update on tickler.{table} for each row"
    " execute function suppress_redundant_updates_trigger()",
    "create temp table mine () inherits (tickler.{table})",
    "comment on table tickler.{table} is 'mine'",
    "reindex table tickler.{table}",
    "copy tickler.{table} to program 'cat'",
    "copy tickler.{table} from '/etc/passwd'",
]
OF_A_SEQUENCE = [
    "select last_value from tickler.{sequence}",
    "select nextval('tickler.{sequence}')",
    "select setval('tickler.{sequence}', 1)",
    "drop sequence tickler.{sequence} cascade",
    "alter sequence tickler.{sequence} restart",
]
# Of the schema, the database and the server.
BEYOND = [
    "create table tickler.mine ()",
    "create view tickler.mine as select 1",
    "create sequence tickler.mine",
    "create type tickler.mine as (one int)",
    "create function tickler.mine() returns int language sql return 1",
    "alter schema tickler rename to mine",
    "alter schema tickler owner to current_user",
    "drop schema tickler cascade",
    "create schema mine",
    "create table public.mine ()",
    "create foreign data wrapper mine",
    "drop extension plpgsql cascade",
    "create publication mine for all tables",
    "create event trigger mine on ddl_command_start execute function suppress_redundant_updates_trigger()",
    "create role mine",
    "create cast (text as uuid) with inout",
    "drop role {owner}",
    "drop role {api}",
    "drop owned by {owner} cascade",
    "reassign owned by {owner} to current_user",
    "grant {owner} to current_user",
    "set role {owner}",
    "set session authorization {owner}",
    "alter role {owner} login password 'mine'",
    "alter role {owner} set search_path = public",
    "alter role current_user superuser",
    "alter role current_user createrole",
    "alter role current_user createdb",
    "alter role current_user replication",
    "alter role current_user bypassrls",
    "alter role all set statement_timeout = 0",
    "alter default privileges for role {owner} grant all on tables to current_user",
    "set session_replication_role = replica",
    "set log_statement = 'all'",
    "load 'auto_explain'",
    "select pg_read_file('/etc/passwd')",
    "select pg_read_binary_file('/etc/passwd')",
    "select pg_stat_file('/etc/passwd')",
    "select pg_ls_dir('/')",
    "select pg_ls_waldir()",
    "select lo_import('/etc/passwd')",
    "select lo_export(lo_create(0), '/tmp/mine')",
    "select pg_reload_conf()",
    "select pg_rotate_logfile()",
    "select pg_switch_wal()",
    "select pg_create_restore_point('mine')",
    "select pg_create_physical_replication_slot('mine')",
    "select pg_stat_reset()",
    "select from pg_authid",
    "select from pg_shadow",
    "select from pg_statistic",
    "select from pg_statistic_ext_data",
    "select from pg_largeobject",
    "select from pg_hba_file_rules",
    "select umoptions from pg_user_mapping",
    "select subconninfo from pg_subscription",
]
# Not to be said within a function.
ALONE = [
    "alter system set fsync = off",
    "create database mine",
    "create tablespace mine location '/tmp'",
    "drop database {database}",
    "create subscription mine connection '' publication mine",
]


@pytest.fixture
def roles(postgres_url: str) -> Iterator[RolesOfTest]:
    with roles_in(postgres_url) as made:
        yield made


def passing(url: str, statements: Sequence[str]) -> set[str]:
    """Those of the statements that the login is not refused."""
    # What anybody can set for themselves is not what keeps them from it.
    with psycopg.connect(make_conninfo(url, options="-c default_transaction_read_only=off")) as connection:
        connection.execute(TRIED)
        found = connection.execute("select pg_temp.passing(%s)", (list(statements),)).fetchall()
        connection.rollback()
    return {str(row[0]) for row in found}


def columns_of(url: str) -> Mapping[str, Sequence[str]]:
    with psycopg.connect(url) as connection:
        return dict(connection.execute(COLUMNS).fetchall())


def each(table: str, columns: Sequence[str]) -> Iterator[str]:
    for statement in OF_A_COLUMN.values():
        yield from (statement.format(table=table, column=column) for column in columns)
    yield from (statement.format(table=table) for statement in (DELETE, *OF_NOBODY))


def meant(table: str, columns: Sequence[str], rights: str) -> Iterator[str]:
    for right, column in singly(rights):
        if right == "delete":
            yield DELETE.format(table=table)
            continue
        named = [one for one in columns if column in (None, one.strip('"'))]
        assert named, f"{table} has no column {column}"
        yield from (OF_A_COLUMN[right].format(table=table, column=one) for one in named)


def test_each_login_has_its_rights_on_each_column_and_no_other(roles: RolesOfTest) -> None:
    there = columns_of(roles.url)
    assert len(there) > 20
    everything = [statement for table, columns in there.items() for statement in each(table, columns)]
    for kind, tables in RIGHTS.items():
        own = {
            one for table, columns in there.items() for one in meant(table, columns, tables.get(table, ""))
        }
        assert passing(roles.as_(kind), everything) == own, kind


def test_no_login_may_do_what_is_the_owners_or_the_servers(roles: RolesOfTest) -> None:
    sequences = [str(row[0]) for row in tried(roles.url, SEQUENCES)]
    assert sequences
    names = {**roles.roles.all, "database": conninfo_to_dict(roles.url)["dbname"]}
    within = [one.format(**names) for one in BEYOND]
    within += [one.format(sequence=name) for name in sequences for one in OF_A_SEQUENCE]
    for kind in RIGHTS:
        assert passing(roles.as_(kind), within) == set(), kind
        with psycopg.connect(roles.as_(kind), autocommit=True) as connection:
            connection.execute("set default_transaction_read_only = off")
            for statement in ALONE:
                with pytest.raises(errors.InsufficientPrivilege):
                    connection.execute(statement.format(**names).encode())


def test_each_login_may_call_its_functions_and_no_other(roles: RolesOfTest) -> None:
    calls = {str(signature): f"select tickler.{call}" for signature, call in tried(roles.url, SIGNATURES)}
    for kind, own in FUNCTIONS.items():
        assert calls.keys() > set(own)
        assert passing(roles.as_(kind), list(calls.values())) == {calls[one] for one in own}, kind


def test_what_is_tried_passes_where_only_the_history_is_guarded(roles: RolesOfTest) -> None:
    said = {one for table, columns in columns_of(roles.url).items() for one in each(table, columns[-1:])}
    refused = said - passing(roles.url, sorted(said))
    assert {one.partition("tickler.domain_events")[0] for one in refused} == {
        "truncate ",
        "delete from ",
        "update ",
    }
