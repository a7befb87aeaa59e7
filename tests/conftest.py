"""What every test can ask for: a fresh PostgreSQL database, and Kafka, of one server each for the whole run.

Each run has servers of its own in a folder of its own, so runs side by side do not meet, and nothing is kept
from one to the next. The workers of pytest-xdist share them: the first to ask starts one, and it ends with
the last that uses it, or with the run.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

# Before anything imports them: else assertions of the contract suites do not say what they saw.
pytest.register_assert_rewrite("adapters.testkit")

from adapters.outbound.postgres.embedded import EmbeddedPostgres  # noqa: E402
from adapters.outbound.postgres.migrations import migrate  # noqa: E402
from tests.debian.fetching import find_program  # noqa: E402
from tests.debian.programs import DebianMissing, DebianProgram, DebianUnusable  # noqa: E402
from tests.kafka.broker import KafkaBroker  # noqa: E402
from tests.kafka.cluster import Kafka  # noqa: E402
from tests.kafka.fetching import find_programs  # noqa: E402
from tests.kafka.mock import MockCluster  # noqa: E402
from tests.kafka.programs import KafkaMissing, KafkaPrograms  # noqa: E402
from tests.kafka.shared import end_run, hold_run, join_run  # noqa: E402
from tests.lacking import lacks  # noqa: E402
from tests.living_report.recording import keep_results  # noqa: E402

RUN_FOLDER = "TICKLER_TEST_RUN_FOLDER"
RUN_PREFIX = "tickler-tests-"
TEMPLATE = "tickler_template"
_run_locks: list[int] = []
_kafka_lifelines: list[int] = []


def pytest_configure(config: pytest.Config) -> None:
    keep_results(config)
    if hasattr(config, "workerinput"):
        return
    _sweep_runs_that_were_killed()
    run = Path(tempfile.mkdtemp(prefix=RUN_PREFIX))
    # Locked before it can be seen under its name: another run's sweep must not take it for abandoned.
    made = os.open(run / "lock.new", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(made, fcntl.LOCK_EX)
    (run / "lock.new").rename(run / "lock")
    _run_locks.append(made)
    # The server's account passes through; what is in it is closed on its own.
    run.chmod(0o711)
    _kafka_lifelines.append(hold_run(run))
    os.environ[RUN_FOLDER] = str(run)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _run_locks:
        end_run(Path(os.environ[RUN_FOLDER]), _kafka_lifelines.pop())
        _remove_run(Path(os.environ.pop(RUN_FOLDER)))
        os.close(_run_locks.pop())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Where the run's server is reached: as its superuser, in a database that no test should change."""
    with EmbeddedPostgres(_home(Path(os.environ[RUN_FOLDER])), throwaway=True) as server:
        yield server.conninfo


@pytest.fixture(scope="session")
def new_database(
    postgres_server: str, worker_name: str
) -> Iterator[Callable[[str], tuple[str, Callable[[], None]]]]:
    """Clone a database: the conninfo of the copy, and what drops it."""
    numbers = count(1)
    with psycopg.connect(postgres_server, autocommit=True) as admin:

        def clone(template: str) -> tuple[str, Callable[[], None]]:
            name = f"test_{worker_name}_{next(numbers)}"
            made = sql.SQL("create database {} template {} strategy file_copy")
            admin.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
            drop = sql.SQL("drop database {} with (force)").format(sql.Identifier(name))
            return make_conninfo(postgres_server, dbname=name), lambda: _execute(admin, drop)

        yield clone


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """The name of a database with the whole schema, migrated once a run."""
    with (
        open(Path(os.environ[RUN_FOLDER]) / "template.lock", "w") as turn,
        psycopg.connect(postgres_server, autocommit=True) as admin,
    ):
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not admin.execute("select 1 from pg_database where datname = %s", (TEMPLATE,)).fetchone():
            # Renamed when it is whole, so that a worker which was killed leaves no half of it.
            admin.execute("drop database if exists half_made with (force)")
            admin.execute("create database half_made")
            migrate(make_conninfo(postgres_server, dbname="half_made"))
            admin.execute(f"alter database half_made rename to {TEMPLATE}")
    return TEMPLATE


@pytest.fixture
def postgres_url(
    new_database: Callable[[str], tuple[str, Callable[[], None]]], postgres_template: str
) -> Iterator[str]:
    """The conninfo of a fresh database with the schema and no rows; dropped afterwards (30 ms in all)."""
    url, drop = new_database(postgres_template)
    yield url
    drop()


@pytest.fixture
def empty_postgres_url(new_database: Callable[[str], tuple[str, Callable[[], None]]]) -> Iterator[str]:
    """The conninfo of a fresh database without any schema of ours; dropped afterwards."""
    url, drop = new_database("template0")
    yield url
    drop()


@pytest.fixture
def mock_kafka() -> Iterator[MockCluster]:
    """Three brokers of librdkafka's mock, this test's alone (60 ms)."""
    with MockCluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kafka_programs() -> KafkaPrograms:
    """Java and Apache Kafka, which Maven fetches the first time; skips where this machine lacks either."""
    try:
        return find_programs()
    except KafkaMissing as missing:
        lacks(str(missing))


@pytest.fixture(scope="session")
def kafka(kafka_programs: KafkaPrograms) -> Kafka:
    """The run's one real Apache Kafka: each test makes topics and groups of its own and leaves it be."""
    return join_run(Path(os.environ[RUN_FOLDER]), kafka_programs)


@pytest.fixture
def own_kafka(kafka_programs: KafkaPrograms) -> Iterator[KafkaBroker]:
    """A running Apache Kafka that is this test's alone, to be stopped, killed and suspended."""
    with _kafka_apart(kafka_programs) as broker:
        yield broker


@pytest.fixture(scope="module")
def guarded_kafka(kafka_programs: KafkaPrograms) -> Iterator[KafkaBroker]:
    """A running Apache Kafka with accounts (SASL PLAIN): `chief` may do all, `guest` what it is given."""
    accounts = {"chief": "chief-password", "guest": "guest-password"}
    with _kafka_apart(kafka_programs, accounts) as broker:
        yield broker


@pytest.fixture(scope="session")
def prometheus() -> DebianProgram:
    return _of_debian("prometheus", "usr/bin/prometheus")


@pytest.fixture(scope="session")
def promtool() -> DebianProgram:
    return _of_debian("prometheus", "usr/bin/promtool")


@pytest.fixture(scope="session")
def pgbouncer() -> DebianProgram:
    return _of_debian("pgbouncer", "usr/sbin/pgbouncer")


@pytest.fixture(scope="session")
def postgresql_15() -> DebianProgram:
    """Of Debian 12, and of no other of its releases."""
    folder = "usr/lib/postgresql/15/bin"
    try:
        return _of_debian("postgresql-15", f"{folder}/postgres", f"{folder}/initdb")
    except DebianUnusable as unusable:
        lacks(str(unusable))


@pytest.fixture(scope="session")
def worker_name() -> str:
    return os.environ.get("PYTEST_XDIST_WORKER", "only")


def _of_debian(package: str, program: str, *beside: str) -> DebianProgram:
    try:
        return find_program(package, program, *beside)
    except DebianMissing as missing:
        lacks(str(missing))


@contextmanager
def _kafka_apart(programs: KafkaPrograms, accounts: Mapping[str, str] | None = None) -> Iterator[KafkaBroker]:
    folder = Path(tempfile.mkdtemp(prefix="kafka-", dir=os.environ[RUN_FOLDER]))
    with KafkaBroker(folder, programs, accounts=accounts) as broker:
        yield broker
    shutil.rmtree(folder, ignore_errors=True)


def _execute(connection: psycopg.Connection[tuple[object, ...]], statement: sql.Composed) -> None:
    connection.execute(statement)


def _home(run: Path) -> Path:
    return run / "home"


def _remove_run(run: Path) -> None:
    EmbeddedPostgres(_home(run)).release()
    shutil.rmtree(run, ignore_errors=True)


def _sweep_runs_that_were_killed() -> None:
    for lock in Path(tempfile.gettempdir()).glob(f"{RUN_PREFIX}*/lock"):
        try:
            if lock.parent.lstat().st_uid != os.geteuid():
                continue
            opened = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_run(lock.parent)
        except BlockingIOError:
            continue
        finally:
            os.close(opened)
