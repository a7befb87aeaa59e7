"""The schema's runner: forward only, once, whole or not at all."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.outbound.postgres import migrations
from adapters.outbound.postgres.migrations import MigrationError, migrate

FIRST = "create table tickler.a (id int primary key);"
SECOND = """
create function tickler.twice(n int) returns int language plpgsql as $$
begin
  return n * 2; -- 100 % of it; twice
end $$;
insert into tickler.a values (tickler.twice(21));
"""
# Of this database only: the other workers' tests take such locks in theirs.
ADVISORY_LOCKS = """
select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
where locktype = 'advisory' and datname = current_database()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_first.sql").write_text(FIRST)
    (tmp_path / "0002_second.sql").write_text(SECOND)
    return tmp_path


def rows(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(statement.encode()).fetchall()


def tables(url: str) -> set[object]:
    return {name for (name,) in rows(url, "select tablename from pg_tables where schemaname = 'tickler'")}


def failure(url: str, folder: Path) -> str:
    with pytest.raises(MigrationError) as caught:
        migrate(url, folder)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_applies_in_order_once_and_names_it(empty_postgres_url: str, folder: Path) -> None:
    assert migrate(empty_postgres_url, folder) == ["0001_first.sql", "0002_second.sql"]
    assert migrate(empty_postgres_url, folder) == []
    assert rows(empty_postgres_url, "select id from tickler.a") == [(42,)]
    assert rows(
        empty_postgres_url, "select name, length(sha256) from tickler.schema_migrations order by 1"
    ) == [
        ("0001_first.sql", 64),
        ("0002_second.sql", 64),
    ]


def test_later_files_follow_those_applied(empty_postgres_url: str, folder: Path) -> None:
    migrate(empty_postgres_url, folder)
    (folder / "0003_third.sql").write_text("create table tickler.c ();")
    assert migrate(empty_postgres_url, folder) == ["0003_third.sql"]


def test_four_at_once_give_one_application(empty_postgres_url: str, folder: Path) -> None:
    together = Barrier(4)

    def one() -> list[str]:
        together.wait()
        return migrate(empty_postgres_url, folder)

    with ThreadPoolExecutor(4) as pool:
        results = [future.result() for future in [pool.submit(one) for _ in range(4)]]
    assert sorted(results) == [[], [], [], ["0001_first.sql", "0002_second.sql"]]


def test_four_at_once_where_a_role_reads_repeatably(empty_postgres_url: str, folder: Path) -> None:
    strict = make_conninfo(empty_postgres_url, options="-c default_transaction_isolation=repeatable\\ read")
    with psycopg.connect(empty_postgres_url) as holder:
        holder.execute("select pg_advisory_xact_lock(hashtext('tickler.migrate'))")
        with ThreadPoolExecutor(2) as pool:
            running = [pool.submit(migrate, strict, folder) for _ in range(2)]
            wait_for_waiters(empty_postgres_url, 2)
            holder.rollback()
            assert sorted(future.result() for future in running) == [
                [],
                ["0001_first.sql", "0002_second.sql"],
            ]


def wait_for_waiters(url: str, number: int) -> None:
    deadline = time.monotonic() + 20
    while len(rows(url, ADVISORY_LOCKS + " and not granted")) != number:
        assert time.monotonic() < deadline, "nobody waits for the lock"
        time.sleep(0.01)


def test_a_failing_statement_leaves_nothing_and_names_file_and_line(
    empty_postgres_url: str, folder: Path
) -> None:
    (folder / "0003_broken.sql").write_text("create table tickler.c ();\n\nselect * from nowhere;\n")
    said = failure(empty_postgres_url, folder)
    assert "0003_broken.sql, line 3" in said
    assert "nowhere" in said
    assert tables(empty_postgres_url) == set()


def test_a_file_that_ends_the_transaction_is_refused(empty_postgres_url: str, folder: Path) -> None:
    (folder / "0003_commits.sql").write_text("create table tickler.c (); commit;")
    assert "0003_commits.sql ends the transaction itself" in failure(empty_postgres_url, folder)


def test_a_file_changed_after_it_was_applied_is_refused(empty_postgres_url: str, folder: Path) -> None:
    migrate(empty_postgres_url, folder)
    (folder / "0001_first.sql").write_text(FIRST + " -- better")
    (folder / "0003_third.sql").write_text("create table tickler.c ();")
    assert "0001_first.sql was changed after it was applied" in failure(empty_postgres_url, folder)
    assert "c" not in tables(empty_postgres_url)


def test_line_ends_of_another_system_are_no_change(empty_postgres_url: str, folder: Path) -> None:
    migrate(empty_postgres_url, folder)
    (folder / "0002_second.sql").write_bytes(SECOND.replace("\n", "\r\n").encode())
    assert migrate(empty_postgres_url, folder) == []


def test_a_newer_database_is_refused(empty_postgres_url: str, folder: Path) -> None:
    migrate(empty_postgres_url, folder)
    (folder / "0002_second.sql").unlink()
    said = failure(empty_postgres_url, folder)
    assert "newer" in said
    assert "0002_second.sql" in said


def test_a_file_before_those_applied_is_refused(empty_postgres_url: str, folder: Path) -> None:
    (folder / "0001_first.sql").rename(folder / "0003_first.sql")
    (folder / "0002_second.sql").unlink()
    migrate(empty_postgres_url, folder)
    (folder / "0002_late.sql").write_text("create table tickler.b ();")
    assert "0002_late.sql comes before 0003_first.sql" in failure(empty_postgres_url, folder)
    assert "b" not in tables(empty_postgres_url)


@pytest.mark.parametrize(
    ("name", "said"), [("two.sql", "not named like"), ("0001_other.sql", "have the same number")]
)
def test_names_are_numbered(folder: Path, name: str, said: str) -> None:
    (folder / name).write_text("")
    assert said in failure("host=nowhere", folder)


def test_an_empty_folder_is_an_incomplete_installation(tmp_path: Path) -> None:
    assert "incomplete" in failure("host=nowhere", tmp_path)


def test_a_role_that_may_only_use_the_schema_can_ask(empty_postgres_url: str, folder: Path) -> None:
    migrate(empty_postgres_url, folder)
    with psycopg.connect(empty_postgres_url) as owner:
        owner.execute("revoke create on database " + owner.info.dbname + " from public")
        owner.execute("create role plain_asker login password 'x'")
        owner.execute("grant usage on schema tickler to plain_asker")
        owner.execute("grant select on tickler.schema_migrations to plain_asker")
    try:
        plain = make_conninfo(empty_postgres_url, user="plain_asker", password="x")
        assert migrate(plain, folder) == []
    finally:
        with psycopg.connect(empty_postgres_url) as owner:
            owner.execute("drop owned by plain_asker")
            owner.execute("drop role plain_asker")


def test_a_table_in_use_is_not_waited_for_without_end(
    empty_postgres_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_postgres_url, folder)
    (folder / "0003_alter.sql").write_text("alter table tickler.a add b int;")
    monkeypatch.setattr(migrations, "TABLE_WAIT", "50ms")
    with psycopg.connect(empty_postgres_url) as user:
        user.execute("select * from tickler.a")
        assert "busy for too long" in failure(empty_postgres_url, folder)


def test_another_migration_is_not_waited_for_without_end(
    empty_postgres_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "TURN_WAIT", "50ms")
    with psycopg.connect(empty_postgres_url) as other:
        other.execute("select pg_advisory_xact_lock(hashtext('tickler.migrate'))")
        assert "busy for too long" in failure(empty_postgres_url, folder)


def test_the_lock_is_gone_with_the_transaction(empty_postgres_url: str, folder: Path) -> None:
    migrate(empty_postgres_url, folder)
    assert rows(empty_postgres_url, ADVISORY_LOCKS) == []


def test_an_old_server_is_refused(
    empty_postgres_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(empty_postgres_url) as connection:
        monkeypatch.setattr(migrations, "OLDEST_SERVER", connection.info.server_version + 1)
    assert "or newer is needed" in failure(empty_postgres_url, folder)
    assert tables(empty_postgres_url) == set()


SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda url: make_conninfo(url, password=SECRET),
        lambda url: make_conninfo(url, host="/nowhere", password=SECRET),
        lambda url: make_conninfo(url, dbname="nowhere", password=SECRET),
        lambda _: f"postgresql://u:{SECRET}@127.0.0.1:1/db",
        lambda _: f"postgresql://u:p@{SECRET}@127.0.0.1:1/db",
        lambda _: f"postgresql://u:p/{SECRET}@127.0.0.1:1/db",
        lambda _: f"postgresql://u:{SECRET}/p@127.0.0.1:1/db",
        lambda _: f"postgresql://u:p?{SECRET}@127.0.0.1:1/db",
        lambda _: f"postgresql://u:p#{SECRET}@127.0.0.1:1/db",
        lambda _: f"postgresql://u:p:{SECRET}@127.0.0.1:1/db",
        lambda _: f"postgresql://u:p%zz{SECRET}@127.0.0.1:1/db",
        lambda _: f"postgresql://127.0.0.1:{SECRET}/db",
        lambda _: f"host=127.0.0.1 port=1 password=a {SECRET}",
        lambda _: f"host=127.0.0.1 connect_timeout={SECRET}",
    ],
)
def test_a_missing_server_is_one_line_without_the_password(
    postgres_server: str, folder: Path, wrong: Callable[[str], str]
) -> None:
    said = failure(wrong(postgres_server), folder)
    assert SECRET not in said
    assert str(conninfo_to_dict(postgres_server)["password"]) not in said


def test_the_schema_itself_is_migrated(postgres_url: str) -> None:
    assert migrate(postgres_url) == []
    assert "schema_migrations" in tables(postgres_url)
