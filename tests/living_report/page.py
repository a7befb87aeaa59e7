"""What the page says: every row of the specifications with its scenarios, then the scenarios by feature."""

import re
from collections.abc import Iterable, Sequence
from enum import Enum

from attrs import frozen

from tests.coverage_page import LATER, NAMED, Line
from tests.living_report.features import Feature, Scenario, Step
from tests.living_report.results import Outcome, Result
from tests.specification import Row

WHOLE_FEATURE = ".feature"


class Standing(Enum):
    """Green is what ran and passed, and nothing else."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@frozen
class CaseStanding:
    """One row of a scenario's examples, counted from 1, on one store; where it has none, the whole."""

    number: int
    standing: Standing
    failure: str


@frozen
class StoreStanding:
    """A scenario on one store; `steps` gives each step's by its line, None for one that was not reached."""

    store: str
    standing: Standing
    seconds: float
    cases: tuple[CaseStanding, ...]
    steps: dict[int, Standing | None]


@frozen
class ScenarioView:
    anchor: str
    scenario: Scenario
    stores: tuple[StoreStanding, ...]

    @property
    def standing(self) -> Standing:
        return together(one.standing for one in self.stores)


@frozen
class FeatureView:
    anchor: str
    feature: Feature
    scenarios: tuple[ScenarioView, ...]


@frozen
class RowView:
    """`whole` are features that a row names in place of single scenarios.

    `pending` says why a row has no scenarios ("tests", "later", "document") and is empty where it has some.
    `lost` are scenarios that the coverage page names and no feature has.
    """

    id: str
    row: Row
    code: tuple[str, ...]
    scenarios: tuple[ScenarioView, ...]
    whole: tuple[FeatureView, ...]
    tests: tuple[str, ...]
    lost: tuple[str, ...]
    pending: str

    @property
    def shown(self) -> tuple[ScenarioView, ...]:
        return self.scenarios + tuple(one for whole in self.whole for one in whole.scenarios)

    def on(self, store: str) -> Standing | None:
        """None where no scenario belongs to the row."""
        standings = [one.standing for view in self.shown for one in view.stores if one.store == store]
        standings += [Standing.NOT_RUN] * len(self.lost)
        return together(standings) if standings else None


@frozen
class SectionView:
    anchor: str
    heading: str
    rows: tuple[RowView, ...]


@frozen
class SpecView:
    anchor: str
    title: str
    lead: str
    sections: tuple[SectionView, ...]

    @property
    def rows(self) -> tuple[RowView, ...]:
        return tuple(row for section in self.sections for row in section.rows)


def together(standings: Iterable[Standing]) -> Standing:
    """A failure outweighs what was not run, and that what passed; of nothing nothing was run."""
    found = set(standings)
    if Standing.FAILED in found:
        return Standing.FAILED
    return Standing.PASSED if found == {Standing.PASSED} else Standing.NOT_RUN


def feature_views(
    features: Sequence[Feature], results: Iterable[Result], stores: Sequence[str]
) -> list[FeatureView]:
    by_case = {(one.file, one.line, one.example, one.store): one for one in results}
    taken: set[str] = set()
    return [
        FeatureView(
            f"feature-{_stem(feature.file)}",
            feature,
            tuple(
                ScenarioView(
                    _anchor(f"{_stem(feature.file)}-{scenario.name}", taken),
                    scenario,
                    tuple(_on_store(scenario, store, by_case) for store in stores),
                )
                for scenario in feature.scenarios
            ),
        )
        for feature in features
    ]


def spec_view(
    prefix: str,
    title: str,
    lead: str,
    told: Sequence[tuple[Row, Line]],
    features: Sequence[FeatureView],
    numbered: str = "",
) -> SpecView:
    """The rows of one specification; those of the section `numbered` are called T-RDJ-1 and so on."""
    sections: dict[str, list[tuple[Row, Line]]] = {}
    for row, line in told:
        sections.setdefault(row.section, []).append((row, line))
    views = []
    for number, (heading, inside) in enumerate(sections.items(), 1):
        call = f"T-{prefix}-" if heading == numbered else f"{prefix}-{number}."
        rows = tuple(
            _row_view(f"{call}{place}", row, line, features) for place, (row, line) in enumerate(inside, 1)
        )
        views.append(SectionView(f"{prefix}-{number}", heading, rows))
    return SpecView(prefix, title, lead, tuple(views))


def all_steps(scenario: Scenario) -> tuple[Step, ...]:
    return scenario.background + scenario.steps


def _row_view(id: str, row: Row, line: Line, features: Sequence[FeatureView]) -> RowView:
    scenarios: list[ScenarioView] = []
    whole: list[FeatureView] = []
    tests: list[str] = []
    lost: list[str] = []
    for named in NAMED.findall(line.shown_by):
        file, _, name = named.partition("::")
        if not file.endswith(WHOLE_FEATURE):
            tests.append(named)
            continue
        inside = [one for one in features if one.feature.file == file]
        if not name and inside:
            whole += inside
            continue
        of_name = [one for feature in inside for one in feature.scenarios if one.scenario.name == name]
        scenarios += of_name
        lost += [] if of_name else [named]
    shown = bool(scenarios or whole or lost)
    pending = "" if shown else _pending(line, tests)
    code = tuple(NAMED.findall(line.code))
    return RowView(id, row, code, tuple(scenarios), tuple(whole), tuple(tests), tuple(lost), pending)


def _pending(line: Line, tests: Sequence[str]) -> str:
    if tests:
        return "tests"
    return "later" if LATER.search(line.code) else "document"


def _on_store(
    scenario: Scenario, store: str, by_case: dict[tuple[str, int, int, str], Result]
) -> StoreStanding:
    results = [by_case.get((scenario.file, scenario.line, n, store)) for n in range(scenario.cases)]
    cases = tuple(_case(number, result) for number, result in enumerate(results, 1))
    steps = {step.line: _of_step(step, results) for step in all_steps(scenario)}
    seconds = sum(result.seconds for result in results if result is not None)
    return StoreStanding(store, together(case.standing for case in cases), seconds, cases, steps)


def _case(number: int, result: Result | None) -> CaseStanding:
    if result is None:
        return CaseStanding(number, Standing.NOT_RUN, "")
    return CaseStanding(number, _standing(result.outcome), result.failure)


def _of_step(step: Step, results: Sequence[Result | None]) -> Standing | None:
    """Passed only where it passed in every case: one that was not reached in some is not."""
    reached = [
        next((_standing(one.outcome) for one in result.steps if one.line == step.line), None)
        if result
        else None
        for result in results
    ]
    told = [one for one in reached if one is not None]
    if not told:
        return None
    return together([*told, *[Standing.NOT_RUN] * (len(reached) - len(told))])


def _standing(outcome: Outcome) -> Standing:
    match outcome:
        case Outcome.PASSED:
            return Standing.PASSED
        case Outcome.FAILED:
            return Standing.FAILED
        case Outcome.SKIPPED | Outcome.UNDEFINED:
            return Standing.NOT_RUN


def _stem(file: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", file.removeprefix("features/").removesuffix(WHOLE_FEATURE).lower())


def _anchor(name: str, taken: set[str]) -> str:
    """Of letters that need no escaping in an address, and different from all that are taken."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80].rstrip("-")
    anchor, number = base, 1
    while anchor in taken:
        number += 1
        anchor = f"{base}-{number}"
    taken.add(anchor)
    return anchor
