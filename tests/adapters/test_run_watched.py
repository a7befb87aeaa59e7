"""`tickler run` with a watch port, as a real process beside a database that goes away."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from attrs import frozen

from tests.adapters.test_run import Home, ends, home, until

__all__ = ["home"]


@frozen
class Watched:
    process: "subprocess.Popen[str]"
    url: str

    def page(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=20, trust_env=False)

    def status(self, path: str) -> int:
        return self.page(path).status_code


@pytest.fixture
def watched(home: Home) -> Iterator[Watched]:
    home.environment["TICKLER_WATCH_PORT"] = "0"
    process = home.start("run", "--json")
    assert process.stdout is not None
    try:
        yield Watched(process, json.loads(process.stdout.readline())["watch"])
    finally:
        process.kill()


@contextmanager
def stopped(pids: list[int]) -> Iterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def test_it_shows_metrics_and_health_where_it_says_and_ends_in_time_whoever_listens(
    watched: Watched,
) -> None:
    assert watched.page("/health/live").json()["live"] is True
    assert watched.page("/health/ready").json() == {"ready": True, "database": "answers"}
    loops = set(watched.page("/health/live").json()["loops"])
    assert {"dispatch", "relay", "deliver console", "skip", "touch work", "touch heartbeat", "prune"} <= loops
    cycles = 'calendar_reminder_dispatch_items_total{result="sent"} 0.0'
    assert cycles in watched.page("/metrics").text.splitlines()
    with socket.create_connection(("127.0.0.1", int(watched.url.rsplit(":", 1)[1]))) as idle:
        idle.sendall(b"GET /metr")
        assert ends(watched.process) == (0, True)


def test_a_watch_port_that_is_taken_is_told_in_one_line(home: Home, watched: Watched) -> None:
    home.environment["TICKLER_WATCH_PORT"] = watched.url.rpartition(":")[2]
    second = home.tickler("run")
    assert second.returncode == 3
    assert second.stderr.splitlines()[-1].startswith(
        "tickler: TICKLER_WATCH_PORT: cannot listen at 127.0.0.1"
    )
    assert ends(watched.process) == (0, True)


def test_while_the_database_is_frozen_it_says_so_soon_and_is_ready_again_afterwards(
    home: Home, watched: Watched
) -> None:
    with stopped(home.server()):
        until(lambda: watched.status("/health/ready") == 503)
        assert watched.page("/health/ready").json() == {"ready": False, "database": "no answer"}
        # Figures that were read before are given out for some seconds.
        until(lambda: "\ntickler_database_up 0.0\n" in watched.page("/metrics").text)
        began = time.monotonic()
        said = watched.page("/metrics").text
        assert time.monotonic() - began < 8
        assert "calendar_reminder_dispatch_backlog" not in said
        assert "calendar_reminder_dispatch_last_success_timestamp_seconds" in said
        assert watched.status("/health/live") == 200
    until(lambda: watched.status("/health/ready") == 200)
    until(lambda: "\ncalendar_reminder_dispatch_backlog 0.0\n" in watched.page("/metrics").text)
    assert ends(watched.process) == (0, True)
