"""Each command of the runbooks exists and does what it is there for, on a store with something to mend."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.outbound.postgres.embedded import EmbeddedPostgres
from adapters.outbound.postgres.embedded.programs import find_programs
from adapters.settings import LogLevel, Settings
from tests.adapters.offices import Commands, Said
from tests.kafka.mock import MockCluster
from tests.watching.processes import Tickler, Watched
from tests.watching.runbooks import RUNBOOKS, Command, commands, in_passing
from tests.watching.trouble import Trouble, make_trouble
from tests.watching.waiting import until

CALLS = "curl -s http://127.0.0.1:9464"
OF_TICKLER = [one for one in commands() if one.line.startswith("tickler ")]
RUNS = [one for one in OF_TICKLER if one.line.startswith("tickler run")]
AT_ONCE = [one for one in OF_TICKLER if one not in RUNS]
PAGES = [one for one in commands() if one.line.startswith(CALLS)]
(PSQL,) = (one for one in commands() if " psql " in one.line)
# What these find is told by their exit code as well, and there is something to be found.
FIND = {("kafka", "check"): 3, ("doctor",): 1, ("audit",): 1}


def name(one: Command) -> str:
    return f"{one.page.stem}-{one.section}-{' '.join(shlex.split(one.line, comments=True)[1:])}"


def path_of(page: Command) -> str:
    (where,) = (word for word in page.arguments({}) if word.startswith("http"))
    return urlsplit(where).path


@pytest.fixture
def trouble(postgres_url: str) -> Trouble:
    return make_trouble(postgres_url)


@pytest.fixture
def tickler(
    trouble: Trouble, postgres_url: str, mock_kafka: MockCluster, capsys: pytest.CaptureFixture[str]
) -> Commands:
    settings = Settings(
        database_url=SecretStr(postgres_url),
        kafka_bootstrap_servers=mock_kafka.bootstrap,
        log_level=LogLevel.ERROR,
    )
    return Commands(PostgresOffice(settings), capsys)


def test_each_line_is_a_command_that_one_of_these_tests_runs() -> None:
    assert [one for one in commands() if one not in (*AT_ONCE, *RUNS, *PAGES, PSQL)] == []
    assert {one.page for one in commands()} == set(RUNBOOKS.glob("*.md"))


@pytest.mark.parametrize("command", AT_ONCE, ids=name)
def test_a_command_does_what_it_is_there_for(command: Command, trouble: Trouble, tickler: Commands) -> None:
    arguments = command.arguments(trouble.meant(command.section))[1:]
    said = tickler(*arguments)
    finds = {code for found, code in FIND.items() if tuple(arguments[: len(found)]) == found}
    assert said.code in {0, *finds}, said.err
    assert said.out.strip()
    assert "usage" not in said.err.lower()


def test_what_a_section_mends_is_mended(trouble: Trouble, tickler: Commands) -> None:
    def listed(*arguments: str) -> list[str]:
        return [one[f"{arguments[0]}Id"] for one in tickler.document(*arguments)]

    assert listed("delivery", "list", "--status", "Unknown") == [trouble.unknown]
    assert listed("delivery", "list", "--status", "Failed") == [trouble.failed]
    assert listed("touch", "list", "--status", "Failed") == [trouble.touch]
    assert tickler.document("outbox", "parked")["count"] == 1

    follow(tickler, trouble, "deliveries", "messages-are-unknown")
    follow(tickler, trouble, "deliveries", "messages-have-failed")
    follow(tickler, trouble, "touches", "touches-have-failed")
    follow(tickler, trouble, "outbox-backlog", "messages-are-parked")

    assert listed("delivery", "list") == []
    assert listed("touch", "list", "--status", "Failed") == []
    assert tickler.document("outbox", "parked")["count"] == 0


def test_a_poison_row_is_mended_by_its_section(
    trouble: Trouble, tickler: Commands, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as outsider:
        poison = b"update tickler.event_reminders set trigger = 'nonsense' where id = %s"
        outsider.execute(poison, (trouble.reminder,))
    assert tickler.document("dispatch", "--once")["failedCount"] == 1

    section = [one for one in AT_ONCE if one.section == "a-poison-row-is-not-dispatched"]
    lines = [one.line for one in section]
    *looking, audit, rebuild = section[: lines.index("tickler rebuild") + 1]
    for one in looking:
        assert tickler(*one.arguments(trouble.meant(one.section))[1:]).out.strip()
    found = tickler(*audit.arguments({})[1:])
    assert found.code == 1
    assert trouble.reminder in found.out
    assert tickler(*rebuild.arguments({})[1:]).code == 0

    assert tickler.document("dispatch", "--once")["sentCount"] == 1


def test_the_embedded_server_lets_in_whoever_types_the_line_for_a_session() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as home, EmbeddedPostgres(Path(home), throwaway=True):
        said = subprocess.run(
            ["sh", "-c", f"{PSQL.line} -Atc 'select current_user || 1'"],
            env={"TICKLER_HOME": home, "PATH": f"{find_programs().folder}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
    assert (said.returncode, said.stdout) == (0, "tickler1\n"), said.stderr


def follow(tickler: Commands, trouble: Trouble, page: str, section: str) -> list[Said]:
    return [
        tickler(*one.arguments(trouble.meant(section))[1:])
        for one in AT_ONCE
        if (one.page.stem, one.section) == (page, section)
    ]


def test_the_pages_that_are_looked_at_are_there_and_each_loop_that_is_started_turns(
    postgres_url: str, mock_kafka: MockCluster, tmp_path: Path
) -> None:
    for line in sorted({one.line for one in RUNS}):
        reads_topic = "consume" in line
        settings = {"kafka_bootstrap_servers": mock_kafka.bootstrap} if reads_topic else {}
        with Tickler.at(postgres_url, tmp_path, **settings) as tickler:
            process = tickler.run(*shlex.split(line, comments=True)[2:])
            turning = process.page("/health/live").json()
            assert turning["live"] is True
            assert turning["loops"]
            # The mock's cluster has no answer to whoever asks whether it is there.
            for path in () if reads_topic else sorted(map(path_of, PAGES)):
                until_shown(process, path)
    assert len({one.line for one in RUNS}) >= 5


def until_shown(process: Watched, path: str) -> None:
    until(lambda: process.page(path).status_code == 200, lambda: process.page(path).text)


@pytest.mark.parametrize("line", in_passing())
def test_a_command_that_is_named_in_passing_is_there(line: str, tickler: Commands) -> None:
    said = tickler(*shlex.split(line.removesuffix(" --help"))[1:], "--help")
    assert (said.code, said.err) == (0, "")
