"""`tickler doctor` on real databases."""

import re
from collections.abc import Mapping
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.inbound.cli import doctor
from adapters.outbound.postgres.facts import INDEXES, indexes_meant
from adapters.settings import Settings
from tests.adapters.offices import Commands, MemoryOffice, Said
from tests.roles import RolesOfTest, roles_in
from tests.specification import ROOT

# The run's server is made to be quick and not to last.
QUICK = {"fsync", "full_page_writes", "synchronous_commit"}


def examined(capsys: pytest.CaptureFixture[str], **settings: object) -> Said:
    return Commands(PostgresOffice(Settings(**settings)), capsys)("doctor", "--json")  # type: ignore[arg-type]


def levels(said: Said) -> Mapping[str, str]:
    return {one["about"]: one["level"] for one in said.document["checks"]}


def of_roles(roles: RolesOfTest) -> dict[str, Any]:
    return {
        "database_url": SecretStr(roles.as_("worker")),
        "api_database_url": SecretStr(roles.as_("api")),
        "http_port": 0,
    }


def test_with_a_worker_and_an_api_all_is_well_but_what_makes_the_tests_quick_and_no_secret_is_told(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with roles_in(postgres_url) as roles:
        said = examined(capsys, **of_roles(roles))
    assert said.code == 1
    found = levels(said)
    wrong = {about for about, level in found.items() if level != "ok"}
    assert wrong == QUICK
    assert roles.password not in said.out + said.err
    assert said.document["settings"]["TICKLER_DATABASE_URL"] == "***"
    assert {"settings", "versions", "database", "rights", "api", "clock", "zones", "indexes"} <= found.keys()


def test_an_owner_an_api_that_is_not_held_and_a_lost_index_are_found(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("drop index tickler.ix_outbox_published")
    url = SecretStr(postgres_url)
    said = examined(capsys, database_url=url, api_database_url=url, http_port=0)
    assert said.code == 1
    found = levels(said)
    assert (found["rights"], found["api"], found["indexes"]) == ("warning", "failed", "failed")
    assert "ix_outbox_published" in said.out


def of_indexes(url: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    said = examined(capsys, database_url=SecretStr(url))
    return {
        one["text"].split()[0]
        for one in said.document["checks"]
        if one["about"] == "indexes" and one["level"] == "failed"
    }


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (
            "drop index tickler.ix_outbox_unpublished;"
            " create index ix_outbox_unpublished on tickler.outbox (message_id)",
            "ix_outbox_unpublished",
        ),
        (
            "drop index tickler.ux_tokens_digest; create index ux_tokens_digest on tickler.tokens (digest)",
            "ux_tokens_digest",
        ),
        ("alter table tickler.inbox drop constraint inbox_pkey", "inbox_pkey"),
        (
            "alter table tickler.deliveries drop constraint one_message_an_address, add constraint"
            " one_message_an_address unique (about_id, channel, address_key) deferrable",
            "one_message_an_address",
        ),
        (
            "alter table tickler.domain_events drop constraint domain_events_pkey;"
            " create unique index domain_events_pkey on tickler.domain_events (stream_id, version)",
            "domain_events_pkey",
        ),
    ],
)
def test_an_index_or_a_key_that_is_not_what_it_should_be_is_found_whatever_its_name(
    postgres_url: str, capsys: pytest.CaptureFixture[str], change: str, name: str
) -> None:
    assert of_indexes(postgres_url, capsys) == set()
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(change.encode())
    assert of_indexes(postgres_url, capsys) == {name}


def test_the_indexes_that_are_meant_are_those_that_the_migrations_make(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        made = {str(name): line for name, _, line in connection.execute(INDEXES)}
    assert indexes_meant() == made


def test_a_rule_that_lets_writes_vanish_is_told(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("create rule vanish as on insert to tickler.outbox do instead nothing")
    said = examined(capsys, database_url=SecretStr(postgres_url))
    assert said.code == 1
    told = [(one["level"], one["text"]) for one in said.document["checks"] if one["about"] == "tables"]
    assert told == [("failed", "the rule vanish of outbox is not ours")]


def test_a_right_that_is_lacking_is_named(postgres_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with roles_in(postgres_url) as roles:
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(f"revoke insert on tickler.outbox from {roles.roles.worker}")
        said = examined(capsys, **of_roles(roles))
    assert said.code == 1
    assert "insert on outbox" in said.out


def test_a_policy_of_somebody_elses_and_a_strangers_right_are_found(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with roles_in(postgres_url) as roles:
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(
                f"create policy open on tickler.deferred_touches to {roles.roles.api} using (true);"
                " grant select on tickler.tenants to public".encode()
            )
        said = examined(capsys, **of_roles(roles))
    told = {
        (one["level"], one["text"], one["do"]) for one in said.document["checks"] if one["about"] == "roles"
    }
    assert told == {
        ("failed", "the policy open on deferred_touches is not ours", "tickler migrate --roles"),
        (
            "warning",
            "others have rights, too: everybody select on tenants",
            "revoke it, unless it was given on purpose",
        ),
    }


def test_a_history_without_its_guard_is_found_without_roles_too(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    url = SecretStr(postgres_url)
    said = examined(capsys, database_url=url)
    assert levels(said)["roles"] == "ok", said.out
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("alter table tickler.domain_events disable trigger history_is_append_only")
    assert levels(examined(capsys, database_url=url))["roles"] == "failed"


def test_an_empty_database_lacks_all_migrations_and_is_no_crash(
    empty_postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = examined(capsys, database_url=SecretStr(empty_postgres_url))
    assert said.code == 1
    assert levels(said)["migrations"] == "failed"


def test_it_says_that_the_package_of_zones_is_not_used_where_the_system_has_some(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def versions(zones: str) -> str:
        monkeypatch.setattr(doctor, "tz_version", lambda: zones)
        said = Commands(MemoryOffice.new(), capsys)("doctor", "--json")
        (found,) = [one["text"] for one in said.document["checks"] if one["about"] == "versions"]
        return str(found)

    assert versions("system 2031a").endswith(" (not used: time zones are by system 2031a)")
    assert "not used" not in versions("2026.6")


def test_a_database_that_is_not_there_is_exit_code_3_with_the_rest_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = examined(capsys, database_url=SecretStr("postgresql://u:secret-word@127.0.0.1:9/none"))
    assert said.code == 3
    found = levels(said)
    assert (found["settings"], found["database"]) == ("ok", "failed")
    assert "secret-word" not in said.out + said.err


def test_each_check_is_on_its_page() -> None:
    page = (ROOT / "docs/doctor.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    code = "".join(
        (ROOT / file).read_text("utf-8")
        for file in ("application/examining.py", "adapters/inbound/cli/doctor.py")
    )
    asked = set(re.findall(r"(?:_ok|_warning|_failed|Check)\(\s*\"(\w+)\"", code))
    by_name = {
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "transaction_timeout",
    }
    assert listed == asked | by_name | {"fsync", "full_page_writes", "synchronous_commit"}


def test_a_right_that_one_of_our_logins_has_beside_its_own_is_named(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with roles_in(postgres_url) as roles:
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(f"grant update on tickler.domain_events to {roles.roles.worker}".encode())
        said = examined(capsys, **of_roles(roles))
    told = [(one["text"], one["do"]) for one in said.document["checks"] if one["about"] == "roles"]
    assert told == [
        (f"{roles.roles.worker} may also update on domain_events", "tickler migrate --roles"),
    ]
    assert said.code == 1


def test_to_migrate_says_that_the_roles_of_an_earlier_version_are_to_be_made_again(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with roles_in(postgres_url) as roles:
        tickler = Commands(PostgresOffice(Settings(database_url=SecretStr(postgres_url))), capsys)
        assert "roles" not in tickler("migrate").err
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(
                f"revoke select on tickler.pruning_marks from {roles.roles.worker};"
                f" grant update on tickler.deferred_touches to {roles.roles.api}".encode()
            )
        said = tickler("migrate")
        assert said.code == 0
        assert [line for line in said.err.splitlines() if "roles" in line] == [
            "the roles are not as they should be, run `tickler migrate --roles`:"
            f" {roles.roles.api} may also update on deferred_touches and 1 more"
        ]
        assert tickler("migrate", "--roles", "--role-prefix", roles.roles.prefix).code == 0
        assert "roles" not in tickler("migrate").err
