"""The page of signals lists every line of the log and every metric; promtool has nothing to say of these."""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest

from adapters.inbound.cli.running import KINDS
from adapters.observability.figures import DatabaseFigures, DatabaseGauges, TableFigures
from adapters.outbound.postgres.database import PoolUse
from tests.adapters.test_metrics_of_messages import Desk
from tests.debian.programs import DebianProgram
from tests.specification import ROOT

PAGE = ROOT / "docs/observability/README.md"
LEVELS = {"info", "warning", "error"}
ROW = re.compile(r"^\| `(?P<name>[^`]+)` \|(?P<second>[^|]*)\|(?P<third>[^|]*)\|", re.MULTILINE)
# Said with each line of a kind, or with some of an event.
BOUND = {"loop", "runId", "worker", "failures", "again_in_s", "currentClaim"}


def rows(heading: str) -> dict[str, tuple[str, str]]:
    text = PAGE.read_text("utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return {row["name"]: (row["second"].strip(), row["third"].strip()) for row in ROW.finditer(text)}


@cache
def said() -> Mapping[str, set[str]]:
    """Each event that code logs, and the fields that it says of it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "adapters").rglob("*.py")):
        if "testkit" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                for event in _events(node):
                    assert isinstance(node, ast.Call)
                    found[event] |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    return found


def _events(node: ast.AST) -> Iterator[str]:
    if not isinstance(node, ast.Call) or not node.args:
        return
    is_level = isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS
    if is_level or (isinstance(node.func, ast.Name) and node.func.id == "tell"):
        first = node.args[0]
        for one in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield one.value


def registry() -> CollectorRegistry:
    """Of a process that does everything, with a database beside it."""
    found: CollectorRegistry = Desk.new(*KINDS).container.metrics().registry
    found.register(
        DatabaseGauges(
            lambda: True,
            lambda: DatabaseFigures(1.0, [TableFigures("outbox", 2, 3)]),
            lambda: PoolUse(1, 1, 0, 10),
        )
    )
    return found


def test_the_page_lists_every_event_of_the_log_and_no_other() -> None:
    assert set(rows("Log")) == set(said())


@pytest.mark.parametrize("event", sorted(said()))
def test_the_page_lists_every_field_of_an_event_and_no_other(event: str) -> None:
    fields = set(re.findall(r"`([^`]+)`", rows("Log")[event][1]))
    assert said()[event] <= fields
    assert fields - said()[event] <= BOUND


def test_the_page_lists_every_metric_with_its_type_and_labels_and_no_other() -> None:
    told = {}
    for family in registry().collect():
        if not family.name.startswith("process_"):
            name = family.name + ("_total" if family.type == "counter" else "")
            labels = {label for sample in family.samples for label in sample.labels} - {"le"}
            told[name] = (family.type, labels)
    listed = {
        name: (kind.split(",")[0], set(re.findall(r"`([^`]+)`", labels)))
        for name, (kind, labels) in rows("Metrics").items()
    }
    assert listed == told


def test_the_page_lists_the_values_of_a_label_that_are_closed_words() -> None:
    values: dict[str, set[str]] = defaultdict(set)
    for family in registry().collect():
        for sample in family.samples:
            for label in {"result", "outcome"} & sample.labels.keys():
                name = family.name + ("_total" if family.type == "counter" else "")
                values[name].add(sample.labels[label])
    for name, words in values.items():
        assert set(rows("Metrics")[name][1].split(": ")[-1].split(", ")) == words


def test_metrics_marked_as_the_stores_are_those_that_go_with_it() -> None:
    marked = {name for name, (kind, _) in rows("Metrics").items() if kind == "gauge, store"}
    found = registry()
    with_store = {family.name for family in found.collect()}
    for collector in list(found._collector_to_names):
        if hasattr(collector, "watched"):
            found.unregister(collector)
        if isinstance(collector, DatabaseGauges):
            found.unregister(collector)
            found.register(DatabaseGauges(lambda: False, collector.figures, collector.pool))
    assert with_store - {family.name for family in found.collect()} == marked


def test_promtool_has_nothing_to_say_of_the_metrics(promtool: DebianProgram) -> None:
    done = subprocess.run(
        [promtool.path, "check", "metrics"],
        input=generate_latest(registry()),
        capture_output=True,
        env=promtool.environment(),
        timeout=60,
    )
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (0, "", "")
