"""After `person erase` nothing that was ever said about a person is in any column of any table."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copy

import psycopg
import pytest
from dependency_injector import providers
from psycopg import sql
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.container import Container
from adapters.outbound.postgres.migrations import MIGRATIONS, migrate
from adapters.settings import LogFormat, LogLevel, Settings
from adapters.testkit.channels import RecordingChannel
from adapters.testkit.clock import SettableClock
from application.ports.channel import Accepted, OutcomeUnknown, RefusedForGood
from tests.adapters.offices import Commands

TENANT = ("--tenant", "acme")
CSV = "handle;language;zone;email;console\nkoala;zu;Antarctica/Troll;koala@kiwi.example;kakapo\n"
ICS = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:a\r\n"
    "DTSTAMP:20261101T000000Z\r\nDTSTART:{start}\r\nSUMMARY:quokka\r\nDESCRIPTION:numbat\r\n"
    "ATTENDEE;CN=bilby:mailto:bilby@kiwi.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
SECRET = "whsec_bnVtYmF0bnVtYmF0bnVtYmF0bnVtYmF0"
PLANTED = {
    "the secret": SECRET,
    "the address of a webhook": "quoll",
    "the handle": "koala",
    "the language": "zu",
    "the zone": "Antarctica/Troll",
    "the address for mail": "kiwi.example",
    "the address at the console": "kakapo",
    "an address added by hand": "wombat",
    "the title of an own event": "platypus",
    "the title of an event as a client": "echidna",
    "the title of an imported event": "quokka",
    "the channel's name for a message": "wallaby",
    "what a channel said": "dingo",
    "what a channel lost": "possum",
    "the hash of the address": hashlib.sha256(b"email\nkoala@kiwi.example").hexdigest(),
}
NEVER_KEPT = ("numbat", "bilby")
KEPT = ("kookaburra", "cassowary", "emu@b.example")


@pytest.fixture
def tickler(postgres_url: str, capsys: pytest.CaptureFixture[str]) -> Commands:
    settings = Settings(
        database_url=SecretStr(postgres_url), log_level=LogLevel.DEBUG, log_format=LogFormat.JSON
    )
    return Commands(PostgresOffice(settings), capsys)


@pytest.fixture
def columns(postgres_url: str) -> Iterator[Callable[[], dict[str, str]]]:
    """Every column of every table there is, as text; beside them what the planner has noted of them."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:

        def read() -> dict[str, str]:
            named = connection.execute(
                "select table_schema, table_name, column_name from information_schema.columns"
                " where table_schema not in ('pg_catalog', 'information_schema')"
            ).fetchall()
            found = {}
            for schema, table, column in named:
                query = sql.SQL("select coalesce(string_agg({}::text, ' '), '') from {}.{}").format(
                    sql.Identifier(column), sql.Identifier(schema), sql.Identifier(table)
                )
                row = connection.execute(query).fetchone()
                assert row is not None
                found[f"{schema}.{table}.{column}"] = str(row[0])
            samples = connection.execute("select pg_stats::text from pg_stats where schemaname = 'tickler'")
            found["pg_stats"] = " ".join(str(row[0]) for row in samples.fetchall())
            return found

        yield read


def holding(columns: dict[str, str], text: str) -> list[str]:
    return [name for name, held in columns.items() if text in held]


def plant(tickler: Commands, folder: Path, start: datetime) -> Sequence[str]:
    """All that can be said about a person, by every way in; what was logged of it."""
    (folder / "people.csv").write_text(CSV)
    (folder / "team.ics").write_text(ICS.format(start=f"{start:%Y%m%dT%H%M%SZ}"), newline="")
    wall = f"{start:%Y-%m-%d %H:%M}"
    plan = ("event", "plan", *TENANT, "--start", wall, "--zone", "UTC", "--remind", "5")
    said = [
        tickler(*arguments)
        for arguments in (
            ("tenant", "add", "acme", "--zone", "UTC"),
            ("person", "import", str(folder / "people.csv"), *TENANT),
            ("person", "add", "kookaburra", *TENANT),
            ("person", "add", "third", *TENANT),
            ("contact", "add", *TENANT, "--person", "koala", "--channel", "console", "--address", "wombat"),
            ("contact", "add", *TENANT, "--person", "kookaburra", "--channel", "email",
             "--address", "emu@b.example"),
            ("contact", "add", *TENANT, "--person", "koala", "--channel", "webhook",
             "--address", "https://8.8.8.8/quoll", "--secret", SECRET),
            ("contact", "opt-out", *TENANT, "--person", "koala", "--channel", "webhook"),
            ("tenant", "set", "acme", "--operator", "koala"),
            (*plan, "--owner", "koala", "--title", "platypus one"),
            (*plan, "--owner", "koala", "--title", "platypus two"),
            (*plan, "--owner", "kookaburra", "--client", "koala", "--title", "echidna"),
            (*plan, "--owner", "kookaburra", "--title", "cassowary"),
            ("import", str(folder / "team.ics"), *TENANT, "--owner", "koala", "--zone", "UTC"),
        )
    ]  # fmt: skip
    assert [one.err for one in said if one.code] == []
    return [one.err for one in said]


def deliver(url: str, at: datetime) -> None:
    """All that is due by then, over a channel with much to say."""
    container = Container(settings=Settings(), conninfo=url)
    container.clock.override(providers.Object(SettableClock(at)))
    channel = RecordingChannel("email")
    channel.answer_for("emu@b.example", Accepted("cassowary"))
    channel.answer(Accepted("wallaby"), RefusedForGood("dingo"), OutcomeUnknown("possum"))
    try:
        list(container.dispatch_job().tick())
        container.relay().batch()
        assert len(list(container.delivering(channel=channel).tick())) == 6
    finally:
        container.database().close()


def test_of_a_person_who_is_erased_no_column_of_any_table_holds_a_trace(
    tickler: Commands,
    postgres_url: str,
    columns: Callable[[], dict[str, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    start = (_now(postgres_url) + timedelta(hours=1)).replace(second=0, microsecond=0)
    logged = [*plant(tickler, tmp_path, start)]
    capsys.readouterr()
    deliver(postgres_url, start)
    logged.append(capsys.readouterr().err)
    _analyze(postgres_url)
    before = columns()
    assert {what: holding(before, text) for what, text in PLANTED.items() if not holding(before, text)} == {}
    assert "Planned" in before["pg_stats"]
    assert "koala" not in before["pg_stats"]

    erased = tickler("person", "erase", "koala", *TENANT, "--yes")

    assert erased.code == 0, erased.err
    logged += [erased.err, erased.out]
    after = columns()
    assert {what: holding(after, text) for what, text in PLANTED.items() if holding(after, text)} == {}
    assert [text for text in NEVER_KEPT if holding(before, text)] == []
    assert [text for text in KEPT if not holding(after, text)] == []
    assert [text for text in PLANTED.values() for said in logged if text in said] == []


def test_who_was_erased_before_it_was_noted_is_known_to_be(empty_postgres_url: str, tmp_path: Path) -> None:
    earlier = [file for file in MIGRATIONS.glob("*.sql") if file.name < "0015"]
    for file in earlier:
        copy(file, tmp_path)
    migrate(empty_postgres_url, tmp_path)
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        connection.execute(
            "with a as (insert into tickler.tenants (id, handle, time_zone, language)"
            " values (gen_random_uuid(), 'acme', 'UTC', 'en') returning id),"
            " b (id, handle, is_member) as (select id, coalesce(handle, id::text), is_member from ("
            " values (gen_random_uuid(), null, false), (gen_random_uuid(), 'left', false),"
            " (gen_random_uuid(), 'here', true)) as c (id, handle, is_member))"
            " insert into tickler.people (id, tenant_id, handle, time_zone, language, is_member)"
            " select b.id, a.id, b.handle, 'UTC', 'en', b.is_member from a, b"
        )
        migrate(empty_postgres_url)
        found = connection.execute("select handle = id::text, is_erased from tickler.people").fetchall()
    assert sorted(found) == [(False, False), (False, False), (True, True)]


def test_samples_that_the_planner_took_before_are_dropped(empty_postgres_url: str, tmp_path: Path) -> None:
    for file in [file for file in MIGRATIONS.glob("*.sql") if file.name < "0027"]:
        copy(file, tmp_path)
    migrate(empty_postgres_url, tmp_path)
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        connection.execute(
            "with a as (insert into tickler.tenants (id, handle, time_zone, language)"
            " values (gen_random_uuid(), 'acme', 'UTC', 'en') returning id)"
            " insert into tickler.people (id, tenant_id, handle, time_zone, language)"
            " select gen_random_uuid(), a.id, handle, 'UTC', 'en'"
            " from a, unnest(array['koala', 'dingo']) as handle"
        )
        connection.execute("analyze")
        assert _is_sampled(connection, "koala")
        migrate(empty_postgres_url)
        connection.execute("delete from tickler.people")
        connection.execute("analyze")
        assert not _is_sampled(connection, "koala")


def _is_sampled(connection: psycopg.Connection[tuple[object, ...]], text: str) -> bool:
    found = connection.execute(
        "select from pg_stats where schemaname = 'tickler'"
        " and strpos(concat(most_common_vals, histogram_bounds), %s) > 0",
        (text,),
    )
    return found.rowcount > 0


def _analyze(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("analyze")


def _now(url: str) -> datetime:
    with psycopg.connect(url) as connection:
        row = connection.execute("select now()").fetchone()
    assert row is not None
    now: datetime = row[0]
    return now
