"""Migrations, roles, doctor and the suites of the stores on PostgreSQL 15, of Debian's package."""

import os
import subprocess
import sys

import pytest

from tests.debian.programs import DebianProgram
from tests.specification import ROOT

BOUND_SECONDS = 600.0
SUITES = [
    "adapters/test_migrations.py",
    "adapters/test_postgres_roles.py",
    "adapters/test_postgres_role_makers.py",
    "adapters/test_postgres_rights.py",
    "adapters/test_postgres_isolation.py",
    "adapters/test_postgres_tables.py",
    "adapters/test_cli_doctor.py",
    "adapters/test_cli_by_role.py",
    "adapters/test_postgres_plan.py",
    "contracts/test_ledger.py",
    "contracts/test_touches.py",
]


@pytest.mark.prove
@pytest.mark.parametrize("suite", SUITES)
def test_it_passes_on_the_oldest_server_that_is_promised(suite: str, postgresql_15: DebianProgram) -> None:
    mine = ("PYTEST_", "TICKLER_")
    clean = {k: v for k, v in postgresql_15.environment().items() if not k.startswith(mine)}
    pytest_here = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not prove"]
    done = subprocess.run(
        [*pytest_here, "tests/oldest_server/witness.py", f"tests/{suite}"],
        cwd=ROOT,
        env=clean | {"PG_BIN": str(postgresql_15.path.parent), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout
