"""Connections and transactions: what they set, how long they wait, and what they say when it goes wrong."""

import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import MOST_WAITING, Database, Patience
from adapters.outbound.postgres.errors import DatabaseRefused
from application.ports.errors import Busy, Conflict, Unavailable
from tests.adapters.silence import SilentProxy

SETTINGS = "select " + ", ".join(
    f"current_setting('{name}')"
    for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "timezone")
)
WAITING = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
)
LOCK_TITLE = "select from tickler.texts where event_id = '00000000-0000-0000-0000-000000000001' for update"


@pytest.fixture
def opened(postgres_url: str) -> Iterator[Callable[..., Database]]:
    with ExitStack() as stack:

        def open_one(conninfo: str = postgres_url, **options: Any) -> Database:
            return stack.enter_context(closing(Database(conninfo, **options)))

        yield open_one


@pytest.fixture
def outsider(postgres_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def in_background() -> Iterator[Callable[..., Future[Any]]]:
    with ThreadPoolExecutor(2) as threads:
        yield threads.submit


def test_whoever_slept_while_the_server_let_go_of_its_transaction_is_told_to_try_again(
    opened: Callable[..., Database], outsider: psycopg.Connection
) -> None:
    database = opened(patience=Patience(idle=timedelta(milliseconds=20)))

    def oversleep() -> None:
        with database.transaction() as session:
            (pid,) = session.row("select pg_backend_pid()") or (0,)
            end = monotonic() + 30
            while outsider.execute("select from pg_stat_activity where pid = %s", (pid,)).rowcount:
                assert monotonic() < end
            session.row("select 1")

    with pytest.raises(Unavailable, match="idle-in-transaction"):
        oversleep()


def test_every_transaction_has_its_time_outs_and_its_zone(opened: Callable[..., Database]) -> None:
    database = opened()
    for _ in range(2):
        with database.transaction() as session:
            assert session.row(SETTINGS) == ("15s", "20s", "10s", "UTC")


def test_nothing_of_a_transaction_is_kept_in_the_session(
    opened: Callable[..., Database], outsider: psycopg.Connection
) -> None:
    database = opened(connections=1)
    with database.transaction() as session:
        session.row("select 1")
    left = database.ask("select array_agg(name) from pg_settings where source = 'session'")
    assert left == (None,)
    assert database.ask("select count(*) from pg_locks where locktype = 'advisory'") == (0,)


def test_a_transaction_is_read_committed_whatever_the_default(
    opened: Callable[..., Database], outsider: psycopg.Connection
) -> None:
    name = outsider.info.dbname
    outsider.execute(f"alter database {name} set default_transaction_isolation = 'serializable'")
    outsider.execute(f"alter database {name} set default_transaction_read_only = on")
    with opened().transaction() as session:
        assert session.row("select current_setting('transaction_isolation')") == ("read committed",)
        assert session.row("select current_setting('transaction_read_only')") == ("off",)


def test_what_raises_is_rolled_back_whole(opened: Callable[..., Database]) -> None:
    database = opened()

    def write_and_raise() -> None:
        with database.transaction() as session:
            _write_title(session, "gone")
            raise KeyError

    with pytest.raises(KeyError):
        write_and_raise()
    with database.transaction() as session:
        assert session.rows("select title from tickler.texts") == []


def test_a_failure_that_was_swallowed_is_not_taken_for_a_commit(opened: Callable[..., Database]) -> None:
    database = opened()

    def fail_and_go_on() -> None:
        with database.transaction() as session, suppress(psycopg.Error):
            session.row("select 1 / 0")

    with pytest.raises(DatabaseRefused):
        fail_and_go_on()


def test_a_lock_that_is_not_had_in_time_is_busy(
    opened: Callable[..., Database], postgres_url: str, outsider: psycopg.Connection
) -> None:
    _keep_title(outsider)
    with psycopg.connect(postgres_url) as holder:
        holder.execute(LOCK_TITLE)
        database = opened(patience=Patience(lock=timedelta(milliseconds=50)))
        with pytest.raises(Busy), database.transaction() as session:
            session.row(LOCK_TITLE)


def test_a_deadlock_is_a_conflict(
    opened: Callable[..., Database], in_background: Callable[..., Future[Any]]
) -> None:
    database = opened()
    both_hold = threading.Barrier(2, timeout=20)

    def cross(mine: int, other: int) -> None:
        with database.transaction() as session:
            session.row("select pg_advisory_xact_lock(%s)", (mine,))
            both_hold.wait()
            session.row("select pg_advisory_xact_lock(%s)", (other,))

    ends = [future.exception(30) for future in (in_background(cross, 1, 2), in_background(cross, 2, 1))]
    assert [type(end) for end in ends if end] == [Conflict]


def test_an_interrupt_ends_a_statement_that_waits_for_a_lock(
    opened: Callable[..., Database],
    postgres_url: str,
    outsider: psycopg.Connection,
    in_background: Callable[..., Future[Any]],
) -> None:
    _keep_title(outsider)
    database = opened()

    def wait_for_the_lock() -> None:
        with database.transaction() as session:
            session.row(LOCK_TITLE)

    with psycopg.connect(postgres_url) as holder:
        holder.execute(LOCK_TITLE)
        waiting = in_background(wait_for_the_lock)
        _until(lambda: outsider.execute(WAITING).fetchone() == (1,))
        began = monotonic()
        database.interrupt()
        assert isinstance(waiting.exception(5), Unavailable)
        assert monotonic() - began < 2
    with database.transaction() as session:
        assert session.rows(LOCK_TITLE) == [()]


def test_an_interrupt_ends_a_statement_though_the_server_is_silent(
    opened: Callable[..., Database], postgres_url: str, in_background: Callable[..., Future[Any]]
) -> None:
    with SilentProxy(postgres_url) as proxy:
        database = opened(proxy.conninfo)
        asked = threading.Event()

        def ask_in_vain() -> None:
            with database.transaction() as session:
                proxy.fall_silent()
                asked.set()
                session.row("select 1")

        asking = in_background(ask_in_vain)
        assert asked.wait(10)
        _until(lambda: any(connection.waits for connection in database._busy))
        began = monotonic()
        database.interrupt()
        assert monotonic() - began < 3
        assert isinstance(asking.exception(5), Unavailable)
        assert monotonic() - began < 4


def test_an_interrupt_ends_the_wait_for_a_connection_that_is_not_made(
    opened: Callable[..., Database], postgres_url: str, in_background: Callable[..., Future[Any]]
) -> None:
    with SilentProxy(postgres_url) as proxy:
        proxy.fall_silent()
        database = opened(proxy.conninfo)
        asking = in_background(lambda: PostgresClock(database).now())
        _until(lambda: proxy.accepted > 0)
        began = monotonic()
        database.interrupt()
        assert isinstance(asking.exception(5), Unavailable)
        assert monotonic() - began < 2


def test_a_server_that_falls_silent_is_unavailable_in_bounded_time(
    opened: Callable[..., Database], postgres_url: str
) -> None:
    with SilentProxy(postgres_url) as proxy:
        database = opened(proxy.conninfo, patience=Patience(silence=timedelta(milliseconds=200)))

        def ask_in_vain() -> None:
            with database.transaction() as session:
                proxy.fall_silent()
                session.row("select 1")

        with pytest.raises(Unavailable, match="no answer in time"):
            ask_in_vain()


def test_a_connection_lost_in_the_middle_is_unavailable_and_the_next_transaction_works(
    opened: Callable[..., Database], outsider: psycopg.Connection
) -> None:
    database = opened(connections=1)

    def write_half() -> None:
        with database.transaction() as session:
            _write_title(session, "half")
            _terminate(outsider)
            session.row("select 1")

    with pytest.raises(Unavailable):
        write_half()
    with database.transaction() as session:
        assert session.rows("select title from tickler.texts") == []


def test_after_a_long_outage_the_first_question_is_answered_again(
    postgres_url: str, opened: Callable[..., Database], tmp_path: Path
) -> None:
    """Longer than the pool tries by itself, with more requests meanwhile than it keeps."""
    folder = tmp_path / "s"
    patience = Patience(checkout=timedelta(milliseconds=1), reconnect=timedelta(milliseconds=100))
    database = opened(make_conninfo(postgres_url, host=str(folder)), patience=patience)

    def ask() -> None:
        with suppress(Unavailable):
            database.ask("select 1")

    with ThreadPoolExecutor(10) as askers:
        for _ in range(3 * MOST_WAITING):
            askers.submit(ask)
    folder.symlink_to(str(conninfo_to_dict(postgres_url)["host"]))

    until = monotonic() + 10
    while True:
        try:
            assert database.ask("select 1") == (1,)
            return
        except Unavailable:
            assert monotonic() < until


def test_a_statement_that_runs_out_of_time_waiting_is_busy(
    opened: Callable[..., Database], outsider: psycopg.Connection
) -> None:
    database = opened(patience=Patience(statement=timedelta(milliseconds=50)))
    _keep_title(outsider)
    with outsider.transaction():
        outsider.execute(LOCK_TITLE)
        with pytest.raises(Busy), database.transaction() as session:
            session.row(LOCK_TITLE)


def test_a_connection_that_ended_in_the_pool_is_not_handed_out(
    opened: Callable[..., Database], outsider: psycopg.Connection
) -> None:
    database = opened(connections=1)
    with database.transaction() as session:
        session.row("select 1")
    _terminate(outsider)
    with database.transaction() as session:
        assert session.row("select 1") == (1,)


@pytest.mark.parametrize(("prepared", "kept"), [(True, True), (False, False)])
def test_statements_are_prepared_only_where_that_is_wanted(
    opened: Callable[..., Database], prepared: bool, kept: bool
) -> None:
    with opened(prepared=prepared, connections=1).transaction() as session:
        for number in range(8):
            session.row("select %s::int8", (number,))
        found = session.row("select count(*) from pg_prepared_statements where statement like '%int8%'")
    assert (found != (0,)) is kept


def test_an_unreachable_server_is_told_at_once_and_without_the_password(
    opened: Callable[..., Database],
) -> None:
    database = opened("host=127.0.0.1 port=1 user=app password=s3cret-word dbname=tickler")
    began = monotonic()
    with pytest.raises(Unavailable) as raised, database.transaction():
        pass
    assert monotonic() - began < 5
    assert "refused" in str(raised.value)
    _assert_silent_about("s3cret-word", raised.value)


def test_a_wrong_password_is_not_told(postgres_url: str, opened: Callable[..., Database]) -> None:
    mistaken = make_conninfo(postgres_url, password="s3cret-word", user="s3cret-word")
    with pytest.raises(Unavailable) as raised, opened(mistaken).transaction():
        pass
    _assert_silent_about("s3cret-word", raised.value)


def test_a_connection_string_that_cannot_be_read_is_not_quoted() -> None:
    with pytest.raises(Unavailable) as raised:
        Database("postgresql://app:s3cret-word@[broken/tickler")
    _assert_silent_about("s3cret-word", raised.value)


@pytest.mark.parametrize(
    "statement",
    [
        "insert into tickler.texts (event_id, title) values (null, 'private')",
        "insert into tickler.texts (event_id, title) select '00000000-0000-0000-0000-000000000001', 'private'"
        " from generate_series(1, 2)",
        "select 'private'::uuid",
        "select 1 / length(title) from (values ('private'), ('')) t (title)",
    ],
)
def test_the_data_of_a_row_is_in_no_exception(opened: Callable[..., Database], statement: str) -> None:
    with pytest.raises((DatabaseRefused, Conflict)) as raised, opened().transaction() as session:
        session.change(statement)
    _assert_silent_about("private", raised.value)


def test_a_database_without_the_schema_says_what_to_do(
    opened: Callable[..., Database], empty_postgres_url: str
) -> None:
    database = opened(empty_postgres_url)
    with pytest.raises(Unavailable, match="tickler migrate"), database.transaction() as session:
        session.row("select title from tickler.texts")


def test_the_clock_is_the_database_s_and_in_utc(
    opened: Callable[..., Database], outsider: psycopg.Connection
) -> None:
    outsider.execute(f"alter database {outsider.info.dbname} set timezone = 'Asia/Kathmandu'")
    before = outsider.execute("select clock_timestamp()").fetchone()
    now = PostgresClock(opened()).now()
    after = outsider.execute("select clock_timestamp()").fetchone()
    assert before is not None
    assert after is not None
    assert before[0] <= now <= after[0]
    assert now.utcoffset() == timedelta(0)


def _keep_title(outsider: psycopg.Connection) -> None:
    outsider.execute("insert into tickler.texts values ('00000000-0000-0000-0000-000000000001', 'kept')")


def _write_title(session: Any, title: str) -> None:
    session.change("insert into tickler.texts (event_id, title) values (gen_random_uuid(), %s)", (title,))


def _terminate(outsider: psycopg.Connection) -> None:
    outsider.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        " where pid <> pg_backend_pid() and datname = current_database() and backend_type = 'client backend'"
    )


def _assert_silent_about(secret: str, raised: BaseException) -> None:
    said = "".join(traceback.TracebackException.from_exception(raised).format_exception_only())
    chain = raised.__cause__ or (None if raised.__suppress_context__ else raised.__context__)
    assert secret not in said
    assert chain is None


def _until(came_true: Callable[[], bool]) -> None:
    end = monotonic() + 20
    while not came_true():
        assert monotonic() < end, "it did not come true in 20 s"


def test_a_connection_notices_a_peer_that_has_gone_in_time(postgres_url: str) -> None:
    with closing(Database(postgres_url)) as database, database.transaction() as session:
        given = session.cursor.connection.info.get_parameters()
    wanted = {
        "connect_timeout": "5",
        "keepalives_idle": "5",
        "keepalives_interval": "2",
        "keepalives_count": "3",
        "tcp_user_timeout": "10000",
    }
    assert {name: given.get(name) for name in wanted} == wanted
