"""What the page says: every row of the specifications with its scenarios, then the scenarios by feature."""

import re
from collections.abc import Iterable, Sequence

from attrs import frozen

from tests.coverage_page import NAMED, Line
from tests.living_report.features import Feature, Scenario
from tests.living_report.results import Result
from tests.living_report.standing import Standing, StoreStanding, on_store, together
from tests.specification import Row

WHOLE_FEATURE = ".feature"


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

    `pending` says why a row has no scenarios ("tests", "document") and is empty where it has some.
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

    @property
    def standing(self) -> Standing | None:
        return None if self.pending else self._of(one.standing for one in self.shown)

    def on(self, store: str) -> Standing | None:
        """None where no scenario belongs to the row."""
        if self.pending:
            return None
        return self._of(one.standing for view in self.shown for one in view.stores if one.store == store)

    def _of(self, shown: Iterable[Standing]) -> Standing:
        return together([*shown, *[Standing.NOT_RUN] * len(self.lost)])


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
                    tuple(on_store(scenario, store, by_case) for store in stores),
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
    pending = "" if shown else "tests" if tests else "document"
    code = tuple(NAMED.findall(line.code))
    return RowView(id, row, code, tuple(scenarios), tuple(whole), tuple(tests), tuple(lost), pending)


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
