"""`tickler run` as the worker and the API, each with a login of its own, past no pooler and through one."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.__main__ import PostgresOffice
from adapters.outbound.postgres.migrations import migrate
from tests.adapters.offices import Commands
from tests.adapters.test_run import PATIENCE_S, Home, ends
from tests.debian.programs import DebianProgram
from tests.pooler.pooler import example, pooler_before
from tests.roles import RolesOfTest, roles_in


@pytest.fixture
def roles(postgres_url: str) -> Iterator[RolesOfTest]:
    with roles_in(postgres_url) as made:
        yield made


@contextmanager
def through(roles: RolesOfTest, request: pytest.FixtureRequest, way: str) -> Iterator[dict[str, str]]:
    """The variables that make Tickler the worker and the API over this database."""
    if way == "straight":
        yield _variables(roles.as_("worker"), roles.as_("api"))
        return
    program: DebianProgram = request.getfixturevalue("pgbouncer")
    known = [(roles.roles.logins[kind], roles.password) for kind in ("worker", "api")]
    with pooler_before(roles.url, program, users=known) as pooler:
        to = {key: conninfo_to_dict(pooler.url)[key] for key in ("host", "port", "sslmode")}
        urls = [make_conninfo(roles.as_(kind), **to) for kind in ("worker", "api")]
        yield _variables(*urls) | {"TICKLER_DATABASE_PREPARED": "false"}


def _variables(worker: str, api: str) -> dict[str, str]:
    return {"TICKLER_DATABASE_URL": worker, "TICKLER_API_DATABASE_URL": api}


@pytest.mark.parametrize("way", ["straight", "pooled"])
def test_reminders_leave_and_touches_come_back_with_the_rights_of_worker_and_api(
    roles: RolesOfTest,
    request: pytest.FixtureRequest,
    way: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TICKLER_")}
    with through(roles, request, way) as variables:
        environment = (
            clean
            | variables
            | {
                "TICKLER_HOME": str(tmp_path / "home"),
                "TICKLER_DISPATCH_INTERVAL": "0.5",
                "TICKLER_TOUCH_INTERVAL": "0.3",
                "TICKLER_HTTP_PORT": "0",
                "PYTHONPATH": os.pathsep.join(sys.path),
            }
        )
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        home = Home(tmp_path / "home", environment, tmp_path / "stderr")
        process = home.start("run", "--json")
        # What never comes ends the wait for it.
        late = threading.Timer(2 * PATIENCE_S, process.kill)
        late.start()
        try:
            _round(Commands(PostgresOffice(), capsys), process, roles)
        finally:
            late.cancel()
            stopped = ends(process)
    assert stopped == (0, True), home.stderr.read_text()
    said = [json.loads(line) for line in home.stderr.read_text().splitlines() if line.startswith("{")]
    assert [line for line in said if line.get("level") in ("error", "warning")] == []


def _round(tickler: Commands, process: "subprocess.Popen[str]", roles: RolesOfTest) -> None:
    assert process.stdout is not None
    ready = process.stdout.readline()
    url = json.loads(ready)["http"]
    tickler.document("tenant", "add", "acme", "--zone", "UTC")
    tickler.document("person", "add", "anna", "--tenant", "acme")
    plan = ("event", "plan", "--tenant", "acme", "--owner", "anna", "--zone", "UTC", "--title", "Talk")
    event = tickler.document(*plan, "--start", "2099-12-01 10:00", "--remind", "at 2099-12-01T09:00Z")
    with psycopg.connect(roles.url, autocommit=True) as admin:
        admin.execute("update tickler.event_reminders set due_at = now()")
    assert json.loads(process.stdout.readline())["subject"] == "Reminder: Talk"
    tickler.document("event", "cancel", str(event["eventId"]))
    token = tickler.document("token", "add", "agents", "--tenant", "acme", "--scope", "sessions")
    with httpx.Client(base_url=f"{url}/api/v1", trust_env=False) as client:
        client.headers["Authorization"] = f"Bearer {token['token']}"
        session = client.post("/sessions", json={"person": "anna"}).json()["token"]
        client.headers["Authorization"] = f"Bearer {session}"
        asked = {"when": "in six weeks", "text": "the kettle"}
        made = client.post("/touches", json=asked, headers={"Idempotency-Key": "1"})
        assert made.status_code == 201, made.text
        with psycopg.connect(roles.url, autocommit=True) as admin:
            admin.execute("update tickler.deferred_touches set due_at = now()")
        assert "the kettle" in process.stdout.readline()
        touch_id = made.json()["touchId"]
        assert client.get(f"/touches/{touch_id}").json()["status"] in ("Answered", "Delivered")
    tickler.document("prune")
    tickler.document("person", "erase", "anna", "--tenant", "acme", "--yes")


def test_a_migration_works_through_a_pooler(empty_postgres_url: str, pgbouncer: DebianProgram) -> None:
    with pooler_before(empty_postgres_url, pgbouncer) as pooler:
        assert migrate(pooler.url)[0] == "0001_ledger.sql"
        assert migrate(pooler.url) == []


def test_the_guides_settings_are_those_that_the_pooler_has(
    postgres_url: str, pgbouncer: DebianProgram
) -> None:
    with pooler_before(postgres_url, pgbouncer) as pooler:
        shown = {str(row[0]): str(row[1]) for row in pooler.shown("config")}
    assert shown["pool_mode"] == "transaction"
    assert shown["query_wait_timeout"] == "10"
    assert shown["idle_transaction_timeout"] == "30"
    assert shown["query_timeout"] == "60"
    assert shown["tcp_user_timeout"] == "10000"
    # No certificate is made for a test, so of this line only the page is looked at.
    assert "\nserver_tls_sslmode = verify-full\n" in example()
