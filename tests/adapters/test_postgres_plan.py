"""What keeps a cycle quick: statements do not grow with the batch, and rows are reached by an index."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.outbound.postgres.embedded import EmbeddedPostgres
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
