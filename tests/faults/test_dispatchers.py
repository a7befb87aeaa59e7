"""Dispatchers killed, and dispatchers beside each other: no reminder lost, none twice in the outbox."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.faults.audit import breaches
from tests.faults.dispatcher import POINTS
from tests.faults.planting import plant
from tests.faults.proxy import CommitProxy

KILLS = 10
BATCH = 40


@contextmanager
def dispatcher(conninfo: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A dispatcher process that is ready to go."""
    command = [sys.executable, "-m", "tests.faults.dispatcher", conninfo, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def moved(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    return int(process.stdout.readline().removeprefix("moved "))


def sent_and_pending(conninfo: str) -> tuple[int, int]:
    with psycopg.connect(conninfo) as connection:
        row = connection.execute(
            "select count(*) filter (where status = 'Sent'), count(*) filter (where status = 'Pending')"
            " from tickler.event_reminders"
        ).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize("point", POINTS)
def test_whatever_a_killed_dispatcher_left_the_next_one_finishes(postgres_url: str, point: str) -> None:
    total = BATCH * (KILLS + 2)
    plant(postgres_url, total, cancelled_every=4)

    for kill in range(KILLS):
        _, pending_before = sent_and_pending(postgres_url)
        with dispatcher(postgres_url, "--die-at", point, "--batch", str(BATCH)) as process:
            go(process)
            assert process.wait(60) == -signal.SIGKILL
        _, pending = sent_and_pending(postgres_url)
        assert pending == pending_before - (BATCH if point == "committed" else 0), f"kill {kill + 1}"

    _, pending = sent_and_pending(postgres_url)
    with dispatcher(postgres_url, "--batch", str(BATCH)) as process:
        go(process)
        assert moved(process) == pending > 0
    assert breaches(postgres_url) == {}


def test_a_dispatcher_killed_while_it_commits_leaves_a_whole_batch_or_none(postgres_url: str) -> None:
    plant(postgres_url, BATCH * (KILLS + 2), cancelled_every=4)

    for kill in range(KILLS):
        _, pending_before = sent_and_pending(postgres_url)
        with tempfile.TemporaryDirectory(prefix="tickler-") as folder:
            victims: list[int] = []
            proxy = CommitProxy(postgres_url, Path(folder), kill_the_first_of(victims))
            with dispatcher(proxy.conninfo, "--batch", str(BATCH)) as process:
                victims.append(process.pid)
                proxy.arm()
                go(process)
                assert process.wait(60) == -signal.SIGKILL
            proxy.close()
        wait_until_alone(postgres_url)
        _, pending = sent_and_pending(postgres_url)
        assert pending in (pending_before, pending_before - BATCH), f"kill {kill + 1}"

    with dispatcher(postgres_url, "--batch", str(BATCH)) as process:
        go(process)
        assert moved(process) > 0
    assert breaches(postgres_url) == {}


def test_two_dispatchers_share_2000_due_rows_and_each_row_moves_once(postgres_url: str) -> None:
    plant(postgres_url, 2000)

    with (
        dispatcher(postgres_url, "--batch", "20") as one,
        dispatcher(postgres_url, "--batch", "20") as other,
    ):
        go(one)
        go(other)
        by_one, by_other = moved(one), moved(other)

    assert by_one + by_other == 2000
    assert by_one > 0
    assert by_other > 0
    assert sent_and_pending(postgres_url) == (2000, 0)
    assert breaches(postgres_url) == {}


def kill_the_first_of(victims: list[int]) -> Callable[[], None]:
    return lambda: os.kill(victims[0], signal.SIGKILL)


def wait_until_alone(conninfo: str) -> None:
    """Until the server has let go of its killed client: by then the commit has happened, or never will."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for _ in range(1000):
            row = connection.execute(
                "select count(*) from pg_stat_activity"
                " where datname = current_database() and backend_type = 'client backend'"
                " and pid <> pg_backend_pid() and pg_sleep(0.01) is not null"
            ).fetchone()
            if row == (0,):
                return
    raise AssertionError("a killed dispatcher's connection stayed")
