"""A run of pytest keeps what came of its scenarios, with and without workers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.living_report.results import Outcome, Result, Run, kept, kept_at
from tests.specification import ROOT

FEATURE = """\
Feature: Made up
  Background:
    Given a step

  Scenario: All is well
    Then a step

  Scenario: It breaks
    Then it is wrong
    And a step

  Scenario: Nobody wrote it
    Then nobody wrote this

  Scenario Outline: Examples
    Then it is <what>

    Examples:
      | what  |
      | right |
      | wrong |
    Examples:
      | what  |
      | right |

  Scenario: It waits
    Then it is skipped
"""
WELL, BREAKS, NOBODY, EXAMPLES, WAITS = 5, 8, 12, 15, 26
STEPS = """\
import pytest
from pytest_bdd import given, scenarios, then

scenarios(".")

@pytest.fixture(autouse=True, params=["memory", "postgres"])
def store(request):
    return request.param

@given("a step")
@then("a step")
@then("it is right")
def step(): pass

@then("it is wrong")
def wrong(store): assert store == "memory", f"{__file__} says no"

@then("it is skipped")
def skipped(): pytest.skip("not today")
"""


@pytest.fixture(scope="module", params=["no workers", "two workers"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("project")
    made_up_project(folder)
    workers = ["-n", "2"] if request.param == "two workers" else []
    return run_of(folder, *workers)


def test_what_passed_has_each_step_in_its_order(run: Run) -> None:
    result = of(run, WELL, "postgres")
    assert result.outcome is Outcome.PASSED
    assert [(step.line, step.outcome) for step in result.steps] == [(3, Outcome.PASSED), (6, Outcome.PASSED)]
    assert 0 < sum(step.seconds for step in result.steps) < result.seconds


def test_what_broke_says_so_in_a_line_without_a_path_and_where_it_stopped(run: Run) -> None:
    assert of(run, BREAKS, "memory").outcome is Outcome.PASSED
    result = of(run, BREAKS, "postgres")
    assert result.outcome is Outcome.FAILED
    assert [(step.line, step.outcome) for step in result.steps] == [(3, Outcome.PASSED), (9, Outcome.FAILED)]
    assert result.failure == "AssertionError: …/test_features.py says no"


def test_a_step_that_nobody_wrote_is_undefined_and_no_failure(run: Run) -> None:
    result = of(run, NOBODY, "memory")
    assert result.outcome is Outcome.UNDEFINED
    assert [step.outcome for step in result.steps] == [Outcome.PASSED, Outcome.UNDEFINED]
    assert result.failure == "no step is defined for: Then nobody wrote this"


def test_what_was_skipped_says_why(run: Run) -> None:
    result = of(run, WAITS, "memory")
    assert (result.outcome, result.failure) == (Outcome.SKIPPED, "not today")


@pytest.mark.parametrize("store", ["memory", "postgres"])
def test_each_row_of_the_examples_has_a_result_of_its_own_on_each_store_even_where_two_are_alike(
    run: Run, store: str
) -> None:
    outcomes = {
        result.example: result.outcome
        for result in run.results
        if (result.line, result.store) == (EXAMPLES, store)
    }
    wrong = Outcome.PASSED if store == "memory" else Outcome.FAILED
    assert outcomes == {0: Outcome.PASSED, 1: wrong, 2: Outcome.PASSED}


def test_what_fails_before_its_first_step_failed(tmp_path: Path) -> None:
    made_up_project(tmp_path, STEPS.replace("return request.param", "raise OSError('no server')"))
    result = of(run_of(tmp_path), WELL, "memory")
    assert (result.outcome, result.failure, result.steps) == (Outcome.FAILED, "OSError: no server", ())


def test_what_fails_in_clearing_up_failed(tmp_path: Path) -> None:
    made_up_project(
        tmp_path, STEPS.replace("return request.param", "yield request.param; raise OSError('left')")
    )
    result = of(run_of(tmp_path), WELL, "memory")
    assert (result.outcome, result.failure) == (Outcome.FAILED, "OSError: left")


def test_a_selection_keeps_the_number_of_the_example(tmp_path: Path) -> None:
    made_up_project(tmp_path)
    run = run_of(tmp_path, "-k", "test_examples and wrong and memory")
    assert [(result.line, result.example) for result in run.results] == [(EXAMPLES, 1)]


def test_a_run_without_scenarios_leaves_what_is_kept(tmp_path: Path) -> None:
    made_up_project(tmp_path)
    (tmp_path / "test_else.py").write_text("def test_else(): pass\n", "utf-8")
    before = run_of(tmp_path)
    assert run_of(tmp_path, "test_else.py") == before


def made_up_project(folder: Path, steps: str = STEPS) -> None:
    (folder / "features").mkdir()
    (folder / "features/made_up.feature").write_text(FEATURE, "utf-8")
    (folder / "test_features.py").write_text(steps, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nbdd_features_base_dir = features\n", "utf-8")
    (folder / "conftest.py").write_text(
        "from tests.living_report.recording import keep_results as pytest_configure\n", "utf-8"
    )


def run_of(folder: Path, *arguments: str) -> Run:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=surroundings | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    run = kept(kept_at(folder))
    assert run is not None, ran.stdout + ran.stderr
    return run


def of(run: Run, line: int, store: str) -> Result:
    [result] = [one for one in run.results if (one.line, one.store) == (line, store)]
    assert result.file == "features/made_up.feature"
    return result
