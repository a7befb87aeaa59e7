"""What keeps a cycle quick: statements do not grow with the batch, and rows are reached by an index."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from adapters.outbound.postgres.binary import texts
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.deliveries import DUE
from adapters.outbound.postgres.delivery_rows import FIRST_PLACE, WAITING
from adapters.outbound.postgres.embedded import EmbeddedPostgres
from adapters.outbound.postgres.ledger import LAST_ID, STARTING_OF_ALL
from adapters.outbound.postgres.standing import DELIVERIES, TOUCHES
from tests.benchmarks.dispatch.counting import INDEX, add_future, claim_plan, statements_of_one_batch
from tests.benchmarks.dispatch.databases import copy_of_template, prepare


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedPostgres]:
    """A server with 2,000 due reminders, whose log is its own."""
    with tempfile.TemporaryDirectory(prefix="tickler-plan-") as folder:
        Path(folder).chmod(0o711)
        with EmbeddedPostgres(Path(folder) / "home", throwaway=True) as running:
            prepare(running.conninfo, 2_000)
            yield running


def test_a_batch_of_1000_costs_as_many_statements_as_one_of_10(server: EmbeddedPostgres) -> None:
    counts = {}
    for batch in (10, 200, 1_000):
        with copy_of_template(server.conninfo, "counted") as conninfo:
            counts[batch] = statements_of_one_batch(conninfo, server.log, batch)
    assert counts == {10: 10, 200: 10, 1_000: 10}


@pytest.mark.parametrize("future", [0, 50_000, pytest.param(1_000_000, marks=pytest.mark.prove)])
@pytest.mark.parametrize("batch", [10, 200, 1_000])
def test_the_claim_walks_its_index_however_many_reminders_are_to_come(
    server: EmbeddedPostgres, batch: int, future: int
) -> None:
    with copy_of_template(server.conninfo, "planned") as conninfo:
        add_future(conninfo, future)
        plan = claim_plan(conninfo, batch)
    assert f"Index Scan using {INDEX}" in plan
    assert "Sort" not in plan


EVENTS = """
insert into tickler.calendar_events
select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), null, 'other',
       timestamp '2030-01-01' + interval '5 minutes' * (n * 7919 % 20000), 'UTC', '',
       timestamptz '2030-01-01Z' + interval '5 minutes' * (n * 7919 % 20000), null, false, null, '{}',
       'Planned', 1, now()
  from generate_series(1, 20000) n
"""


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
def test_a_list_of_all_tenants_events_walks_an_index_and_sorts_nothing(
    server: EmbeddedPostgres, mode: str
) -> None:
    since = datetime(2030, 1, 5, tzinfo=UTC)
    wanted = (since + timedelta(days=60), since, LAST_ID, False, 100)
    with copy_of_template(server.conninfo, "listed") as conninfo:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            connection.execute(EVENTS)
            connection.execute("analyze tickler.calendar_events")
        with closing(Database(conninfo)) as database, database.transaction() as session:
            session.rows("select set_config('plan_cache_mode', %s, true)", (mode,))
            rows = session.rows("explain (costs off) " + STARTING_OF_ALL, wanted)
    plan = "\n".join(row[0] for row in rows)
    assert "Index Scan using ix_calendar_events_start" in plan
    assert "Sort" not in plan


POSTPONED = """
insert into tickler.deliveries (id, tenant_id, about_id, event_id, user_id, channel, address_key, template,
                                due_at, not_before, status, attempts, claim)
select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'email',
       '', 'CalendarReminder', now() - interval '1 hour', now() + interval '1 hour', 'Pending', 1, 1
  from generate_series(1, 5000) n
"""
# Of 5 tenants.
TOUCHES_TO_COME = """
insert into tickler.deferred_touches (id, tenant_id, kind, user_id, channel, due_at, depth,
                                      when_client_writes, status, version, updated_at)
select gen_random_uuid(), ('00000000-0000-4000-8000-00000000000' || n % 5)::uuid, 'message',
       gen_random_uuid(), 'console', now() + interval '1 hour', 0, 'keep', 'Pending', 1, now()
  from generate_series(1, 5000) n
"""


def pages_read(conninfo: str, fill: str, statement: str, values: tuple[object, ...], mode: str) -> int:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(fill)
        connection.execute("analyze")
    with closing(Database(conninfo)) as database, database.transaction() as session:
        session.rows("select set_config('plan_cache_mode', %s, true)", (mode,))
        rows = session.rows("explain (analyze, buffers, costs off, timing off) " + statement, values)
    whole = next(row[0] for row in rows if "Buffers:" in row[0])
    return sum(int(number) for number in re.findall(r"(?:hit|read)=(\d+)", whole))


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
def test_neither_a_claim_nor_a_figure_nor_a_look_at_what_waits_reads_the_messages_that_are_put_off(
    server: EmbeddedPostgres, mode: str
) -> None:
    now = datetime.now(UTC)
    waiting = (*FIRST_PLACE, now, 100, texts(["console"]), 100)
    for statement, values in (
        (DUE, ("email", now, [], [], 20)),
        (DELIVERIES, (now, 100)),
        (WAITING, waiting),
    ):
        with copy_of_template(server.conninfo, "postponed") as conninfo:
            assert 0 < pages_read(conninfo, POSTPONED, statement, values, mode) < 200


WAITING_NOWHERE = POSTPONED.replace("now() + interval '1 hour'", "now() - interval '1 hour'").replace(
    "'email'", "case when n % 2 = 0 then 'email' else 'fax' end"
)


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
def test_a_batch_of_what_waits_is_found_behind_the_last_and_reads_nothing_else(
    server: EmbeddedPostgres, mode: str
) -> None:
    now = datetime.now(UTC)
    behind = ("fax", now - timedelta(hours=2), LAST_ID)
    with copy_of_template(server.conninfo, "waiting") as conninfo:
        for place, served in ((FIRST_PLACE, ["email"]), (behind, ["console"])):
            values = (*place, now, 10, texts(served), 10)
            assert 0 < pages_read(conninfo, WAITING_NOWHERE, WAITING, values, mode) < 100


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("from_now", [timedelta(0), timedelta(days=1)])
def test_the_figure_of_touches_reads_each_tenants_oldest_and_counts_no_more_than_it_may(
    server: EmbeddedPostgres, mode: str, from_now: timedelta
) -> None:
    then = datetime.now(UTC) + from_now
    with copy_of_template(server.conninfo, "touches") as conninfo:
        assert 0 < pages_read(conninfo, TOUCHES_TO_COME, TOUCHES, (then, then, 11), mode) < 150
