"""Worker and owner, of the roles of `tickler migrate --roles`, rebuild; the others are told why not."""

import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.settings import Settings
from tests.adapters.offices import Commands
from tests.auditing.office import HOUR, NOON, audited, clocked, found, live_a_little, opened
from tests.auditing.test_rebuild import TRUNCATE, execute, rebuilt, rows
from tests.roles import RolesOfTest, roles_in


def as_(kind: str, made: RolesOfTest) -> str:
    """The owner as whoever migrates is it: nobody logs in as it."""
    return (
        make_conninfo(made.url, options=f"-c role={made.roles.owner}") if kind == "owner" else made.as_(kind)
    )


@pytest.mark.parametrize("kind", ["worker", "owner"])
def test_a_role_that_works_makes_the_rows_again_and_audits_them(postgres_url: str, kind: str) -> None:
    with opened("postgres", postgres_url) as container:
        known = live_a_little(container, clocked(container))
    before = rows(postgres_url)
    execute(postgres_url, TRUNCATE)
    with roles_in(postgres_url) as made, opened("postgres", as_(kind, made)) as container:
        clocked(container, NOON + HOUR)
        assert rebuilt(container).failed == 0
        execute(postgres_url, f"update tickler.touch_plans set next_at = null where id = '{known.plan}'")
        assert rebuilt(container).corrected == 1
        assert found(audited(container)) == {}
    assert rows(postgres_url) == before


@pytest.mark.parametrize("kind", ["api", "readonly"])
def test_a_role_that_may_not_says_what_in_one_line(
    postgres_url: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened("postgres", postgres_url) as container:
        live_a_little(container, clocked(container))
    execute(postgres_url, TRUNCATE)
    before = rows(postgres_url)
    capsys.readouterr()
    with roles_in(postgres_url) as made:
        said = Commands(PostgresOffice(Settings(database_url=SecretStr(made.as_(kind)))), capsys)("rebuild")
    assert said.code == 3
    (line,) = said.err.splitlines()
    assert line.startswith("tickler: the database cannot be used: ")
    assert "calendar_events" in line
    assert "as tickler_worker" in line
    assert line.endswith("`tickler doctor` says what this login lacks")
    assert rows(postgres_url) == before
