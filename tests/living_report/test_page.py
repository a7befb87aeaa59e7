"""The page says what the run came to, and never more."""

from collections import Counter
from pathlib import Path

import pytest
from attrs import evolve

from tests.coverage_page import NAMED, lines
from tests.features.stores import STORES
from tests.living_report.made_up import (
    ARRIVES,
    FILE,
    FIRST,
    HEAVY,
    SECOND,
    fails,
    feature,
    page,
    passed,
    shown,
)
from tests.living_report.reading import Element
from tests.living_report.rendering import language, seconds
from tests.living_report.results import Outcome
from tests.living_report.standing import Standing
from tests.scenarios import feature_files, scenarios_of

ROW = f"`{FILE}::A parcel arrives`"


# What it says of a run


def test_what_passed_on_each_store_is_green_with_its_duration(tmp_path: Path) -> None:
    told = feature(tmp_path)
    [row] = shown(page(told, passed(told), ROW)).all("article")
    assert badges(row.all("header")[0]) == ["✓ Memory passed", "✓ Postgres passed"]
    assert badges(row.all("details")[0]) == ["✓ Memory passed 250 ms", "✓ Postgres passed 250 ms"]
    assert row.all(class_="failed") == row.all(class_="not_run") == []


def test_a_scenario_that_failed_on_one_store_is_red_there_and_open_with_its_one_line(tmp_path: Path) -> None:
    told = feature(tmp_path)
    results = passed(told)
    fails(results, (ARRIVES, 0, "postgres"), at=1, saying="assert 1 == 2")
    made = shown(page(told, results, ROW))
    [row] = made.all("article")
    [scenario] = row.all("details")
    assert badges(row.all("header")[0]) == ["✓ Memory passed", "✗ Postgres failed"]
    assert "open" in scenario.attributes
    assert [one.text for one in scenario.all("p", class_="failure")] == ["Postgres: assert 1 == 2"]
    assert steps_of(scenario) == [
        ("Given it is morning", "✓passed", "✓passed"),
        ("When a parcel is sent to weight Olga 2 kg", "✓passed", "✗failed"),
        ("Then it arrives with the note Пишите письма", "✓passed", "–not reached"),
    ]
    assert made.all("p", class_="verdict")[0].has("class", "failed")


def test_a_scenario_with_a_step_that_nobody_wrote_says_not_run_and_is_not_green(tmp_path: Path) -> None:
    told = feature(tmp_path)
    results = passed(told)
    lacks = (ARRIVES, 0, "memory")
    steps = (results[lacks].steps[0], evolve(results[lacks].steps[1], outcome=Outcome.UNDEFINED))
    said = "no step is defined for: When a parcel is sent"
    results[lacks] = evolve(results[lacks], outcome=Outcome.UNDEFINED, steps=steps, failure=said)
    [row] = shown(page(told, results, ROW)).all("article")
    assert badges(row.all("header")[0]) == ["? Memory not run", "✓ Postgres passed"]
    assert [one.text for one in row.all("p", class_="failure")] == [f"Memory: {said}"]
    assert [step[1] for step in steps_of(row)] == ["✓passed", "?not run", "–not reached"]


@pytest.mark.parametrize("left_out", [{"memory"}, {"postgres"}, {"memory", "postgres"}])
def test_a_scenario_that_no_result_is_of_says_not_run(tmp_path: Path, left_out: set[str]) -> None:
    told = feature(tmp_path)
    results = passed(told)
    for store in left_out:
        del results[ARRIVES, 0, store]
    made = page(told, results, ROW)
    [row] = made.specs[0].rows
    for store in STORES:
        assert row.on(store) is (Standing.NOT_RUN if store in left_out else Standing.PASSED)
    assert shown(made).all("p", class_="verdict")[0].has("class", "not_run")


def test_a_run_of_nothing_leaves_nothing_green(tmp_path: Path) -> None:
    made = shown(page(feature(tmp_path), {}, ROW, f"`{FILE}`"))
    assert made.all(class_="passed") == []
    assert len(made.all("span", class_="badge")) > 0


def test_a_skipped_scenario_is_not_run(tmp_path: Path) -> None:
    told = feature(tmp_path)
    results = passed(told)
    results[FIRST, 0, "memory"] = evolve(results[FIRST, 0, "memory"], outcome=Outcome.SKIPPED)
    [view] = [one for one in page(told, results).scenarios if one.scenario.line == FIRST]
    assert view.standing is Standing.NOT_RUN


def test_one_example_that_fails_is_red_and_the_others_stay_as_they_were(tmp_path: Path) -> None:
    told = feature(tmp_path)
    results = passed(told)
    fails(results, (HEAVY, 1, "memory"), at=1, saying="too heavy")
    made = shown(page(told, results))
    [scenario] = [one for one in made.all("details") if one.text.startswith("A parcel that is heavy waits")]
    assert [one.text for one in scenario.all("p", class_="failure")] == ["Memory, example 2: too heavy"]
    [table] = scenario.all("table", class_="examples")
    assert [one.text for one in table.all("tbody")[0].all("tr")] == [
        "1 30 kg ✓passed ✓passed",
        "2 300 kg ✗failed ✓passed",
    ]


def test_a_step_that_one_example_did_not_reach_is_not_called_passed(tmp_path: Path) -> None:
    told = feature(tmp_path)
    results = passed(told)
    case = (HEAVY, 0, "memory")
    results[case] = evolve(results[case], outcome=Outcome.FAILED, steps=(), failure="no server")
    [view] = [one for one in page(told, results).scenarios if one.scenario.line == HEAVY]
    assert set(view.stores[0].steps.values()) == {Standing.NOT_RUN}


def test_two_scenarios_of_one_name_are_both_there_each_with_its_own_result(tmp_path: Path) -> None:
    told = feature(tmp_path)
    results = passed(told)
    fails(results, (SECOND, 0, "memory"), at=1, saying="lost")
    made = page(told, results, f"`{FILE}::Two share a name`")
    [row] = made.specs[0].rows
    assert [view.standing for view in row.scenarios] == [Standing.PASSED, Standing.FAILED]
    assert len({view.anchor for view in made.scenarios}) == len(made.scenarios) == 4


def test_a_row_that_names_a_whole_feature_stands_as_the_worst_of_its_scenarios(tmp_path: Path) -> None:
    told = feature(tmp_path)
    results = passed(told)
    fails(results, (SECOND, 0, "memory"), at=1, saying="lost")
    [row] = shown(page(told, results, f"`{FILE}`")).all("article")
    assert badges(row) == ["✗ Memory failed", "✓ Postgres passed"]
    assert row.attributes["data-standing"] == "FAILED"
    assert "All 4 scenarios of Parcels" in row.text


def test_a_row_whose_scenario_is_in_no_feature_is_not_run(tmp_path: Path) -> None:
    told = feature(tmp_path)
    made = page(told, passed(told), f"{ROW}, `{FILE}::It was renamed`")
    [row] = shown(made).all("article")
    assert badges(row.all("header")[0]) == ["? Memory not run", "? Postgres not run"]
    assert f"{FILE}::It was renamed is in no feature" in row.text


def test_a_row_without_scenarios_has_no_result_and_says_why(tmp_path: Path) -> None:
    told = feature(tmp_path)
    row, later = shown(page(told, passed(told), "`tests/test_x.py`", "–")).all("article")
    assert badges(row) == badges(later) == []
    assert row.text.endswith("No scenario; shown by tests that are not of this run: tests/test_x.py")
    assert later.text.endswith("About the document itself; nothing to run")


# What it shows of features and specifications


def test_every_scenario_of_the_files_is_on_the_page_once_in_full_and_none_is_dropped(whole: Element) -> None:
    written = [scenario.name for file in feature_files() for scenario in scenarios_of(file)]
    anchored = [one for one in whole.all("details", class_="scenario") if "id" in one.attributes]
    told = [one.all("span", class_="name")[0].text for one in anchored]
    assert Counter(told) == Counter(name.replace("<", "").replace(">", "") for name in written)


def test_every_case_of_the_examples_has_its_line(whole: Element) -> None:
    cases = sum(one.cases for file in feature_files() for one in scenarios_of(file) if one.cases > 1)
    tables = [
        table
        for one in whole.all("details", class_="scenario")
        if "id" in one.attributes
        for table in one.all("table", class_="examples")
    ]
    assert sum(len(table.all("tbody")[0].all("tr")) for table in tables) == cases > 0


def test_every_row_of_both_specifications_is_there_in_its_order_with_the_scenarios_it_names(
    whole: Element,
) -> None:
    rows = whole.all("article", class_="row")
    assert [row.all("h4")[0].all("span")[0].text for row in rows] == [line.name for line in lines()]
    for row, line in zip(rows, lines(), strict=True):
        named = [one.partition("::")[2] for one in NAMED.findall(line.shown_by) if ".feature::" in one]
        shown_there = [one.all("span", class_="name")[0].text for one in row.all("details")]
        assert shown_there == [name.replace("<", "").replace(">", "") for name in named]


def test_the_specifications_are_marked_as_russian_and_the_page_as_english(whole: Element) -> None:
    assert whole.all("html")[0].attributes["lang"] == "en"
    for row in whole.all("article", class_="row"):
        said = [*row.all("h4")[0].all("span"), *row.all("p", class_="rule"), *row.all("dl")]
        assert {one.attributes.get("lang") for one in said} == {"ru"}


@pytest.mark.parametrize(
    ("said", "tongue"),
    [("Пишите письма", "ru"), ("write", "en"), ("Тест: Empty batch run", "en"), ("12", "en")],
)
def test_a_text_is_of_the_language_of_most_of_its_letters(said: str, tongue: str) -> None:
    assert language(said) == tongue


@pytest.mark.parametrize(
    ("taken", "said"), [(0.0, "under 1 ms"), (0.0123, "12 ms"), (0.9994, "999 ms"), (12.34, "12.3 s")]
)
def test_a_duration_is_said_in_few_letters(taken: float, said: str) -> None:
    assert seconds(taken) == said


def badges(within: Element) -> list[str]:
    return [one.text for one in within.all("span", class_="badge")]


def steps_of(within: Element) -> list[tuple[str, ...]]:
    """Each step as it reads, and what came of it on each store."""
    [table] = within.all("table", class_="steps")
    [body, *_] = table.all("tbody")
    rows = [one for one in body.inside if isinstance(one, Element)]
    return [tuple(cell.text for cell in row.inside if isinstance(cell, Element)) for row in rows]
