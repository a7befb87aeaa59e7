"""Part of every run of pytest: keeps what came of the scenarios in build/report/results.json.

A worker of pytest-xdist notes each step in the test's user_properties, which travel to the process that
started the workers; there they are put together and written.
"""

import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from pytest_bdd.parser import Step
from pytest_bdd.scenario import scenario_wrapper_template_registry

from adapters.outbound.system import SystemClock
from tests.living_report.masking import one_line
from tests.living_report.results import Outcome, Run, keep, kept_at, read_result
from tests.living_report.tree import fingerprint

PROPERTY = "scenario"
EXAMPLE = "_pytest_bdd_example"


def keep_results(config: pytest.Config) -> None:
    config.pluginmanager.register(Noting(config.rootpath))
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Keeping(config.rootpath))


class Noting:
    """In the process that runs the test: where the scenario stands, and how each step went."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._began = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        # Ahead of any selection: two rows of examples that are alike are told apart by their order.
        alike: Counter[tuple[object, ...]] = Counter()
        for item in items:
            if not isinstance(item, pytest.Function):
                continue
            template = scenario_wrapper_template_registry.get(item.obj)
            if template is None:
                continue
            store = item.callspec.params.get("store", "")
            row = item.callspec.params.get(EXAMPLE)
            rows = [one for examples in template.examples for one in examples.as_contexts()]
            places = [place for place, one in enumerate(rows) if one == row] or [0]
            same = (template, store, places[0])
            record = {
                "file": Path(template.feature.filename).relative_to(self._root).as_posix(),
                "line": template.line_number,
                "example": places[alike[same]],
                "store": store,
                "outcome": Outcome.PASSED.value,
                "seconds": 0.0,
                "steps": [],
                "failure": "",
            }
            alike[same] += 1
            item.user_properties.append((PROPERTY, record))

    def pytest_bdd_before_step(self) -> None:
        self._began = monotonic()

    def pytest_bdd_after_step(self, request: pytest.FixtureRequest, step: Step) -> None:
        self._note(request.node, step, Outcome.PASSED)

    def pytest_bdd_step_error(self, request: pytest.FixtureRequest, step: Step, exception: Exception) -> None:
        skipped = isinstance(exception, pytest.skip.Exception)
        self._note(request.node, step, Outcome.SKIPPED if skipped else Outcome.FAILED)

    def pytest_bdd_step_func_lookup_error(self, request: pytest.FixtureRequest, step: Step) -> None:
        self._began = monotonic()
        self._note(request.node, step, Outcome.UNDEFINED)
        record = _record_of(request.node.user_properties)
        record["outcome"] = Outcome.UNDEFINED.value
        record["failure"] = one_line(f"no step is defined for: {step.keyword} {step.name}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        record = _record_of(item.user_properties)
        if record:
            record["seconds"] += call.duration
            if call.excinfo is not None and record["outcome"] == Outcome.PASSED.value:
                skipped = report.skipped
                record["outcome"] = (Outcome.SKIPPED if skipped else Outcome.FAILED).value
                said = str(call.excinfo.value) if skipped else call.excinfo.exconly(tryshort=True)
                record["failure"] = one_line(said)
        return report

    def _note(self, item: pytest.Item, step: Step, outcome: Outcome) -> None:
        taken = monotonic() - self._began
        noted = {"line": step.line_number, "outcome": outcome.value, "seconds": taken}
        _record_of(item.user_properties)["steps"].append(noted)


class Keeping:
    """In the process that hears of every test."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # As they are when the run begins: what is changed while it runs was not run.
        self._sources = fingerprint(root)
        self._records: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if record := _record_of(report.user_properties):
            self._records[report.nodeid] = record

    def pytest_sessionfinish(self) -> None:
        if not self._records:
            return
        results = tuple(map(read_result, self._records.values()))
        run = Run(self._sources, SystemClock().now(), results)
        try:
            keep(run, kept_at(self._root))
        except OSError as problem:
            print(f"the results of features/ are not kept: {problem.strerror}", file=sys.stderr)


def _record_of(properties: list[tuple[str, Any]]) -> dict[str, Any]:
    return next((record for name, record in properties if name == PROPERTY), {})
