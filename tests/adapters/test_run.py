"""`tickler run` and `tickler demo` as real processes with a home of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import psycopg
import pytest
from attrs import frozen

from adapters.__main__ import PostgresOffice
from adapters.inbound.cli.stopping import StopSignals
from adapters.outbound.postgres.embedded import EmbeddedPostgres
from adapters.settings import Settings
from application.dispatching import ReminderDispatchOptions

WITHIN_S = 5.0
PATIENCE_S = 60.0


@frozen
class Home:
    """A TICKLER_HOME and the commands run in it; `stderr` gathers what they say."""

    folder: Path
    environment: dict[str, str]
    stderr: Path

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        with self.stderr.open("a") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "adapters", *arguments],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def run(self, *arguments: str) -> "subprocess.Popen[str]":
        """`tickler run`, once it is ready."""
        process = self.start("run", *arguments)
        assert process.stdout is not None
        # A process that ends closes its output: this ends either way.
        for line in process.stdout:
            if line.strip() == "ready":
                return process
        raise AssertionError(f"never ready:\n{self.stderr.read_text()}")

    def tickler(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "adapters", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    def document(self, *arguments: str) -> object:
        done = self.tickler(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def server(self) -> list[int]:
        """The processes of the embedded server: the postmaster and its children."""
        (pid_file,) = self.folder.glob("postgres/cluster/**/postmaster.pid")
        postmaster = int(pid_file.read_text().splitlines()[0])
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True
        )
        return [postmaster, *map(int, children.stdout.split())]


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("home")
    # As root the server runs under another account, which has to pass through.
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o711)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TICKLER_")}
    environment |= {
        "TICKLER_HOME": str(folder / "tickler"),
        "TICKLER_DISPATCH_INTERVAL": "0.5",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    home = Home(folder / "tickler", environment, folder / "stderr")
    yield home
    EmbeddedPostgres(home.folder).release(timeout=10)


def ends(process: "subprocess.Popen[str]", number: signal.Signals = signal.SIGINT) -> tuple[int, bool]:
    """Its exit code after this signal, and whether it ended in time."""
    began = time.monotonic()
    process.send_signal(number)
    try:
        code = process.wait(PATIENCE_S)
    finally:
        process.kill()
    assert process.stdout is not None
    process.stdout.close()
    return code, time.monotonic() - began < WITHIN_S


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_it_comes_to_ready_from_nothing_keeps_its_data_and_serves_commands_beside_it(home: Home) -> None:
    process = home.run()
    home.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    plan = ("event", "plan", "--tenant", "acme", "--owner", "anna", "--start", "2099-12-01 10:00")
    home.document(*plan, "--zone", "Europe/Moscow")
    beside = home.document("upcoming", "--days", "3660")
    assert ends(process) == (0, True)
    assert home.document("person", "list", "--tenant", "acme") != []
    process = home.run()
    assert home.document("upcoming", "--days", "3660") == beside
    assert ends(process, signal.SIGTERM) == (0, True)


def test_as_json_every_line_on_stdout_is_json_and_the_console_names_people_by_handle(home: Home) -> None:
    process = home.start("run", "--json")
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    assert ready["ready"] is True
    assert ready["email"] == "off (TICKLER_SMTP_HOST is not set)"
    home.document("person", "add", "anna", "--tenant", "acme", "--zone", "UTC")
    home.document(
        "touch", "add", "--tenant", "acme", "--for", "anna", "--when", "in 1 second", "--text", "Shall we?"
    )
    message = json.loads(process.stdout.readline())
    assert (message["to"], message["text"].strip()) == ("anna", "Shall we?")
    assert ends(process) == (0, True)


def test_where_a_port_is_set_it_answers_there_who_has_a_token_and_nobody_else(home: Home) -> None:
    home.environment["TICKLER_HTTP_PORT"] = "0"
    process = home.start("run", "--json")
    assert process.stdout is not None
    url = json.loads(process.stdout.readline())["http"]
    home.document("tenant", "add", "acme", "--zone", "UTC")
    home.document("person", "add", "anna", "--tenant", "acme")
    token = home.document("token", "add", "agents", "--tenant", "acme", "--scope", "sessions")
    assert isinstance(token, dict)
    with httpx.Client(base_url=f"{url}/api/v1", trust_env=False) as client:
        assert client.post("/sessions", json={"person": "anna"}).status_code == 401
        client.headers["Authorization"] = f"Bearer {token['token']}"
        session = client.post("/sessions", json={"person": "anna"}).json()["token"]
        client.headers["Authorization"] = f"Bearer {session}"
        asked = {"when": "in six weeks", "text": "the renewal"}
        assert client.post("/touches", json=asked, headers={"Idempotency-Key": "1"}).status_code == 201
        assert [one["text"] for one in client.get("/touches").json()["touches"]] == ["the renewal"]
    home.environment["TICKLER_HTTP_PORT"] = url.rpartition(":")[2]
    second = home.tickler("run")
    assert second.returncode == 3
    assert "TICKLER_HTTP_PORT" in second.stderr.splitlines()[-1]
    assert ends(process) == (0, True)


def test_a_signal_at_the_very_moment_of_ready_ends_it(home: Home) -> None:
    for _ in range(3):
        assert ends(home.run()) == (0, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_starts_ends_it_with_exit_code_0(home: Home, number: signal.Signals) -> None:
    ends(home.run())
    with EmbeddedPostgres(home.folder) as server, psycopg.connect(server.conninfo) as holder:
        holder.execute("select pg_advisory_xact_lock(hashtext('tickler.migrate'))")
        process = home.start("run")
        until(lambda: waiting_for_locks(server.conninfo) == 1)
        assert ends(process, number) == (0, True)


def waiting_for_locks(conninfo: str) -> int:
    with psycopg.connect(conninfo) as connection:
        found = connection.execute("select count(*) from pg_locks where not granted").fetchone()
    assert found is not None
    return int(found[0])


def test_it_ends_in_time_while_statements_wait_for_locks(home: Home) -> None:
    process = home.run()
    with EmbeddedPostgres(home.folder) as server, psycopg.connect(server.conninfo) as holder:
        holder.execute("lock table tickler.event_reminders, tickler.outbox, tickler.deliveries")
        # Dispatch, relay, and two delivery loops.
        until(lambda: waiting_for_locks(server.conninfo) >= 4)
        assert ends(process) == (0, True)
        assert waiting_for_locks(server.conninfo) == 0


def test_it_ends_in_time_while_the_database_is_silent(home: Home) -> None:
    process = home.run()
    stopped = home.server()
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert ends(process) == (0, True)
    finally:
        for pid in stopped:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                continue
    assert ends(home.run()) == (0, True)


def loops(home: Home, event: str) -> set[str]:
    """The loops that said so. The last line may be half written."""
    whole, _, _ = home.stderr.read_text().rpartition("\n")
    said = [json.loads(line) for line in whole.splitlines() if line.startswith("{")]
    return {one["loop"] for one in said if one["event"] == event}


def test_it_starts_its_database_again_that_was_killed_and_goes_on(home: Home) -> None:
    process = home.run()
    home.document("person", "add", "anna", "--tenant", "acme", "--zone", "UTC")
    os.kill(home.server()[0], signal.SIGKILL)
    until(lambda: "database started again" in home.stderr.read_text())
    # Only the loops that met the outage: it may be over before the others turn.
    until(lambda: loops(home, "loop recovered") == loops(home, "loop hindered"))
    assert home.document("person", "list", "--tenant", "acme") != []
    assert ends(process) == (0, True)


def test_only_the_loops_that_were_asked_for_run(home: Home) -> None:
    process = home.run("--only", "relay,deliver")
    with EmbeddedPostgres(home.folder) as server, psycopg.connect(server.conninfo) as holder:
        holder.execute("lock table tickler.outbox, tickler.deliveries")
        # The relay and two delivery loops; all loops begin together, so that dispatch would have too.
        until(lambda: waiting_for_locks(server.conninfo) >= 3)
        assert ends(process) == (0, True)
    assert "cycle started" not in home.stderr.read_text()
    refused = home.tickler("run", "--only", "sleep")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)


def test_the_demo_shows_reminders_leaving_and_checks_itself(home: Home) -> None:
    done = home.tickler("demo", "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    shown = json.loads(done.stdout)
    assert shown["problems"] == []
    assert sorted((row["status"], row["reason"], len(row["deliveredAt"])) for row in shown["reminders"]) == [
        ("Sent", None, 1),
        ("Sent", None, 1),
        ("Sent", None, 2),
        ("Skipped", "cancelled", 0),
        ("Skipped", "moved", 0),
    ]
    assert not home.folder.exists()


def test_the_demo_goes_by_the_usual_rules_and_a_short_cadence_whatever_is_set(tmp_path: Path) -> None:
    mine = Settings(dispatch_stale_after=1.0, dispatch_batch_size=1, dispatch_catch_up=False)
    desk = PostgresOffice(mine).throwaway(tmp_path, sys.stdout)
    assert desk.settings.dispatch_options() == ReminderDispatchOptions(interval=timedelta(seconds=1))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_demo_with_exit_code_0_and_leaves_nothing(
    home: Home, number: signal.Signals
) -> None:
    temporary = home.folder.parent / "t"
    temporary.mkdir(mode=0o711)
    home.environment["TMPDIR"] = str(temporary)
    process = home.start("demo")
    until(lambda: bool(list(temporary.glob("tickler-demo-*/home/postgres/cluster/**/postmaster.pid"))))
    assert ends(process, number) == (0, True)
    assert list(temporary.glob("tickler-demo-*")) == []


def test_a_closed_terminal_ends_it_and_its_server(home: Home) -> None:
    process = home.run()
    assert home.server()
    assert ends(process, signal.SIGHUP) == (0, True)
    # A server that was ended takes its file along; one that was left behind or killed does not.
    assert list(home.folder.glob("postgres/cluster/**/postmaster.pid")) == []


def test_a_hang_up_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with StopSignals():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
