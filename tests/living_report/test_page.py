"""The page says what the run came to, never more, and asks nothing of anybody."""

import base64
import hashlib
import re
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from attrs import evolve

from tests.coverage_page import NAMED, lines
from tests.features.stores import STORES
from tests.living_report.__main__ import page_of
from tests.living_report.features import features
from tests.living_report.made_up import ARRIVES, FEATURE, FILE, FIRST, HEAVY, SECOND, feature, page, passed
from tests.living_report.page import Standing
from tests.living_report.reading import Element, read
from tests.living_report.rendering import HERE, Page, language, render, seconds
from tests.living_report.results import Outcome, Result, Run, StepResult
from tests.scenarios import feature_files, scenarios_of

ROW = f"`{FILE}::A parcel arrives`"
HOSTILE = """</code><script>alert(1)</script><img src="http://evil.example/x" onerror='x'>&amp;"""


@pytest.fixture(scope="module")
def whole() -> Element:
    """The page of the real features and specifications, in whose run everything passed."""
    told = features()
    results = [
        Result(one.file, one.line, example, store, Outcome.PASSED, 0.1, (), "")
        for feature in told
        for one in feature.scenarios
        for example in range(one.cases)
        for store in STORES
    ]
    return read(render(page_of(Run("", datetime(2026, 11, 29, tzinfo=UTC), tuple(results)), told)))


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


# What it is


def test_hostile_text_stays_text_wherever_it_comes_from(tmp_path: Path) -> None:
    step = "When a parcel is sent"
    text = FEATURE.replace("it is morning", HOSTILE).replace("Пишите письма", HOSTILE)
    text = text.replace("2 kg ", HOSTILE).replace("30 kg ", HOSTILE).replace("What is sent arrives.", HOSTILE)
    text = text.replace("Scenario: A parcel arrives", f"Scenario: {HOSTILE}").replace(
        step, f"{step} {HOSTILE}"
    )
    told = feature(tmp_path, text)
    results = passed(told)
    fails(results, (ARRIVES, 0, "memory"), at=0, saying=HOSTILE)
    made = shown(page(told, results, f"`{FILE}::{HOSTILE}` {HOSTILE}", f"`tests/{HOSTILE}`"))
    assert len(made.all("script")) == 1
    assert made.all("img") == []
    assert made.text.count("alert(1)") > 8


def test_the_page_asks_nothing_of_any_server(whole: Element) -> None:
    for element in whole.all():
        assert {"src", "srcset", "action", "style", "background", "ping"}.isdisjoint(element.attributes)
        assert not [name for name in element.attributes if name.startswith("on")]
        where = element.attributes.get("href")
        assert where is None or where.startswith("#") or where == "data:,"
    assert {one.tag for one in whole.all()}.isdisjoint({"iframe", "object", "embed", "base", "img", "svg"})
    for name in ("page.css", "page.js"):
        inline = (HERE / name).read_text("utf-8")
        assert (
            re.findall(r"url\(|@import|@font-face|https?:|//\w|fetch|XMLHttp|import\(|Beacon", inline) == []
        )


def test_a_browser_is_told_to_run_this_script_alone_and_to_load_nothing(whole: Element) -> None:
    [policy] = [one for one in whole.all("meta") if "http-equiv" in one.attributes]
    said = policy.attributes["content"]
    assert said is not None
    assert said.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        [element] = whole.all(tag)
        [content] = element.inside
        assert isinstance(content, str)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in said


def test_every_link_has_its_place_and_no_place_is_there_twice(whole: Element) -> None:
    places = Counter(one.attributes["id"] for one in whole.all() if "id" in one.attributes)
    assert [place for place, times in places.items() if times > 1] == []
    linked = {(one.attributes["href"] or "").removeprefix("#") for one in whole.all("a")}
    named = {
        one.attributes["aria-labelledby"]
        for one in whole.all("section")
        if "aria-labelledby" in one.attributes
    }
    assert (linked | named) - set(places) == set()
    assert len(linked) > 100


def test_no_heading_skips_a_level(whole: Element) -> None:
    levels = [int(one.tag[1]) for one in whole.all() if re.fullmatch(r"h\d", one.tag)]
    assert levels[0] == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(scheme: int) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1 for text."""
    blocks = re.findall(r":root \{([^}]*)\}", (HERE / "page.css").read_text("utf-8"))
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[scheme]))
    behind = ["paper", "sheet", "wash"]
    pairs = [(text, back) for text in ("ink", "soft", "link", "green", "red", "amber") for back in behind]
    pairs += [("green", "green-wash"), ("red", "red-wash"), ("amber", "amber-wash"), ("ink", "amber-wash")]
    pairs.append(("link", "amber-wash"))
    assert [pair for pair in pairs if contrast(*(colours[name] for name in pair)) < 4.5] == []


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def shown(made: Page) -> Element:
    return read(render(made))


def badges(within: Element) -> list[str]:
    return [one.text for one in within.all("span", class_="badge")]


def steps_of(within: Element) -> list[tuple[str, ...]]:
    """Each step as it reads, and what came of it on each store."""
    [table] = within.all("table", class_="steps")
    [body, *_] = table.all("tbody")
    rows = [one for one in body.inside if isinstance(one, Element)]
    return [tuple(cell.text for cell in row.inside if isinstance(cell, Element)) for row in rows]


def fails(
    results: dict[tuple[int, int, str], Result], case: tuple[int, int, str], at: int, saying: str
) -> None:
    """Make it fail at a step, after which none was reached."""
    result = results[case]
    steps = (*result.steps[:at], StepResult(result.steps[at].line, Outcome.FAILED, 0.1))
    results[case] = evolve(result, outcome=Outcome.FAILED, steps=steps, failure=saying)
