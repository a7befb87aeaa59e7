"""What commands and `tickler doctor` say as each of the roles, and as who is only a member of one."""

import secrets

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.outbound.postgres.facts import examine
from adapters.settings import Settings
from adapters.testkit.examples import numbered
from application.ports.facts import Role
from tests.adapters.offices import Commands
from tests.adapters.test_cli_doctor import QUICK, examined, levels, of_roles
from tests.roles import roles_in


@pytest.mark.parametrize(
    ("kind", "says"), [("readonly", "reads ids and times alone"), ("api", "sees one tenant at a time")]
)
def test_a_role_that_is_made_for_less_is_judged_by_that(
    postgres_url: str, capsys: pytest.CaptureFixture[str], kind: str, says: str
) -> None:
    with roles_in(postgres_url) as roles:
        url = SecretStr(roles.as_(kind))
        said = examined(capsys, database_url=url)
        (rights,) = [one for one in said.document["checks"] if one["about"] == "rights"]
        assert rights["level"] == "warning"
        assert rights["text"].startswith(f"{roles.roles.all[kind]} {says}, as it is meant to")
        assert "tickler_worker" in rights["do"]
        assert "failed" not in {level for about, level in levels(said).items() if about not in QUICK}
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(f"revoke select on tickler.touch_plans from {roles.roles.all[kind]}".encode())
        (rights,) = [
            one for one in examined(capsys, database_url=url).document["checks"] if one["about"] == "rights"
        ]
    assert (rights["level"], rights["text"]) == (
        "failed",
        f"{roles.roles.all[kind]} may not select on touch_plans",
    )


@pytest.mark.parametrize("kind", ["worker", "readonly"])
def test_a_login_that_sees_all_tenants_is_none_for_requests(
    postgres_url: str, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    with roles_in(postgres_url) as roles:
        wrong = of_roles(roles) | {"api_database_url": SecretStr(roles.as_(kind))}
        said = examined(capsys, **wrong)
    (api,) = [one for one in said.document["checks"] if one["about"] == "api"]
    assert api["level"] == "failed"
    assert api["text"].startswith(f"{roles.roles.all[kind]} is the {kind}")


@pytest.mark.parametrize("kind", ["owner", "worker", "api", "readonly"])
def test_a_member_of_a_role_is_judged_as_that_role(postgres_url: str, kind: str) -> None:
    joe = f"t{secrets.token_hex(6)}"
    with roles_in(postgres_url) as roles, psycopg.connect(postgres_url, autocommit=True) as admin:
        assert examine(roles.url, "x").login.role is None
        admin.execute(f"create role {joe} login password 'x' in role {roles.roles.all[kind]}".encode())
        try:
            login = examine(make_conninfo(roles.url, user=joe, password="x"), "x").login
        finally:
            admin.execute(f"drop role {joe}".encode())
    assert (login.name, login.role, login.lacks) == (joe, Role(kind), [])


COMMANDS = ["upcoming", f"why {numbered(1)}", "delivery list", f"history {numbered(1)}", "tenant list"]


@pytest.mark.parametrize("kind", ["readonly", "api"])
def test_a_command_says_in_one_line_which_role_it_wants(
    postgres_url: str, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    with roles_in(postgres_url) as roles:
        tickler = Commands(PostgresOffice(Settings(database_url=SecretStr(roles.as_(kind)))), capsys)
        for command in COMMANDS:
            said = tickler(*command.split())
            assert said.code == 3
            (line,) = said.err.splitlines()
            assert "permission denied for table " in line, command
            assert "as tickler_worker" in line, command
