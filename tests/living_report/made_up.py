"""A feature and results that never were, for the tests of the page."""

from datetime import UTC, datetime
from pathlib import Path

from attrs import evolve

from tests.coverage_page import Line
from tests.features.stores import STORES
from tests.living_report.features import Feature, read_feature
from tests.living_report.page import feature_views, spec_view
from tests.living_report.reading import Element, read
from tests.living_report.rendering import Page, render
from tests.living_report.results import Outcome, Result, StepResult
from tests.living_report.tree import Commit
from tests.specification import Row

FEATURE = """\
Feature: Parcels
  What is sent arrives.

  Background:
    Given it is morning

  Scenario: A parcel arrives
    When a parcel is sent
      | to   | weight |
      | Olga | 2 kg   |
    Then it arrives with the note
      \"\"\"
      Пишите письма
      \"\"\"

  Scenario: Two share a name
    When the first is sent

  Scenario: Two share a name
    When the second is sent

  Rule: some things are left behind
    Scenario Outline: A parcel that is <heavy> waits
      When a parcel that is <heavy> is sent

      Examples:
        | heavy  |
        | 30 kg  |
        | 300 kg |
"""
ARRIVES, FIRST, SECOND, HEAVY = 7, 16, 19, 23
FILE = "features/parcels.feature"


def feature(folder: Path, text: str = FEATURE) -> Feature:
    file = folder / FILE
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")
    return read_feature(file, folder)


def passed(told: Feature) -> dict[tuple[int, int, str], Result]:
    """Every scenario of it on every store, by line, example and store."""
    return {
        (one.line, example, store): Result(
            FILE,
            one.line,
            example,
            store,
            Outcome.PASSED,
            0.25,
            tuple(StepResult(step.line, Outcome.PASSED, 0.1) for step in one.background + one.steps),
            "",
        )
        for one in told.scenarios
        for example in range(one.cases)
        for store in STORES
    }


def page(told: Feature, results: dict[tuple[int, int, str], Result], *shown_by: str) -> Page:
    """Its specification has a row for each of what is named; the text of a row is that name too."""
    views = feature_views([told], results.values(), STORES)
    rows = [
        (Row("Посылки", f"Строка {number}", named), Line("Посылки", f"Строка {number}", "", named))
        for number, named in enumerate(shown_by, 1)
    ]
    spec = spec_view("PCL", "Почта", "", rows, views)
    when = datetime(2026, 11, 29, 19, 40, tzinfo=UTC)
    return Page(Commit("0123456789ab", True), when, STORES, (spec,), tuple(views))


def fails(
    results: dict[tuple[int, int, str], Result], case: tuple[int, int, str], at: int, saying: str
) -> None:
    """Make it fail at a step, after which none was reached."""
    result = results[case]
    steps = (*result.steps[:at], StepResult(result.steps[at].line, Outcome.FAILED, 0.1))
    results[case] = evolve(result, outcome=Outcome.FAILED, steps=steps, failure=saying)


def shown(made: Page) -> Element:
    return read(render(made))
