"""What a command says when the world around it fails: one line, exit code 3, no password."""

import socket
import time

import psycopg
import pytest
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.inbound.cli.app import main
from adapters.settings import Settings
from tests.adapters.offices import Commands

PASSWORD = "hunter2"


def commands(url: str, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(PostgresOffice(Settings(database_url=SecretStr(url))), capsys)


def test_over_a_real_server_an_event_is_planned_shown_and_dispatched(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tickler = commands(postgres_url, capsys)
    tickler.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    event = tickler.document(
        "event",
        "plan",
        "--tenant",
        "acme",
        "--owner",
        "anna",
        "--start",
        "2099-12-01 10:00",
        "--zone",
        "Europe/Moscow",
        "--title",
        "Far",
    )
    assert tickler.document("event", "show", event["eventId"]) == event
    assert [one["handle"] for one in tickler.document("person", "list", "--tenant", "acme")] == ["anna"]
    assert tickler.document("dispatch", "--once")["sentCount"] == 0
    assert tickler.document("migrate") == {"applied": []}


def test_a_schema_that_is_missing_is_said_and_migrate_makes_it(
    empty_postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tickler = commands(empty_postgres_url, capsys)
    before = tickler("upcoming")
    assert (before.code, len(before.err.splitlines())) == (3, 1)
    assert "tickler migrate" in before.err
    with psycopg.connect(empty_postgres_url) as connection:
        assert connection.execute("select to_regnamespace('tickler')").fetchone() == (None,)
    assert tickler.document("migrate")["applied"][0].startswith("0001_")
    assert tickler("upcoming").code == 0


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://desk:{PASSWORD}@127.0.0.1:1/tickler",
        f"postgresql://desk:{PASSWORD}@no-such-host.invalid/tickler",
        f"postgresql://desk:{PASSWORD}@127.0.0.1:notaport/tickler",
        f"host=/nowhere user=desk password={PASSWORD}",
        f"not a connection string {PASSWORD}",
        f"postgresql://desk:{PASSWORD}@[::1/tickler",
        f"mysql://desk:{PASSWORD}@127.0.0.1/tickler",
    ],
)
@pytest.mark.parametrize("command", [("upcoming",), ("migrate",), ("run",), ("dispatch", "--once")])
def test_an_unreachable_database_is_one_line_without_the_password(
    url: str, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    answer = commands(url, capsys)(*command)
    assert (answer.code, len(answer.err.splitlines()), answer.out) == (3, 1, "")
    assert PASSWORD not in answer.err


def test_a_url_of_another_database_is_told_what_a_url_looks_like(capsys: pytest.CaptureFixture[str]) -> None:
    answer = commands(f"mysql://desk:{PASSWORD}@127.0.0.1/tickler", capsys)("upcoming")
    assert answer.err == (
        "tickler: TICKLER_DATABASE_URL: it begins with mysql:// and is no PostgreSQL server's;"
        " write postgresql://USER:PASSWORD@HOST:PORT/DATABASE\n"
    )


def test_a_database_that_never_answers_is_given_up_within_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        began = time.monotonic()
        answer = commands(f"postgresql://desk:{PASSWORD}@127.0.0.1:{port}/tickler", capsys)("upcoming")
        took = time.monotonic() - began
    assert (answer.code, len(answer.err.splitlines())) == (3, 1)
    assert took < 8


@pytest.mark.parametrize("command", [("upcoming",), ("run",), ("migrate",), ("demo",)])
def test_a_wrong_setting_is_one_line_and_exit_code_3(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICKLER_DISPATCH_BATCH_SIZE", "0")
    answer = Commands(PostgresOffice(), capsys)(*command)
    assert (answer.code, answer.out) == (3, "")
    assert answer.err == (
        "tickler: TICKLER_DISPATCH_BATCH_SIZE: '0' will not do; allowed: a whole number from 1 to 10000\n"
    )


def test_a_bug_is_one_line_and_a_traceback_only_when_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        @property
        def settings(self) -> Settings:
            raise ZeroDivisionError("of the office")

    assert main(["run"], Broken()) == 3  # type: ignore[arg-type]
    assert capsys.readouterr().err == (
        "tickler: an unexpected ZeroDivisionError: run it again as `tickler --debug …`\n"
    )
    assert main(["--debug", "run"], Broken()) == 3  # type: ignore[arg-type]
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_in_a_command_is_exit_code_130() -> None:
    class Interrupted:
        def open(self, *_: object, **__: object) -> None:
            raise KeyboardInterrupt

    assert main(["upcoming"], Interrupted()) == 130  # type: ignore[arg-type]
