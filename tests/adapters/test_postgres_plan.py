"""What keeps a cycle quick: statements do not grow with the batch, and rows are reached by an index."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.embedded import EmbeddedPostgres
from adapters.outbound.postgres.ledger import LAST_ID, STARTING_OF_ALL
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
