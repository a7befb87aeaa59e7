"""The scenarios of features/, read as the files have them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen
from gherkin.parser import Parser

from tests.specification import ROOT

FEATURES = ROOT / "features"


@frozen
class Scenario:
    """`cases` is how many times it runs on each store: once, or once for each row of its examples."""

    name: str
    description: tuple[str, ...]
    rule: str | None
    cases: int


def feature_files(folder: Path = FEATURES) -> list[Path]:
    return sorted(folder.glob("**/*.feature"))


def scenarios_of(file: Path) -> list[Scenario]:
    feature = Parser().parse(file.read_text("utf-8"))["feature"]
    assert feature is not None
    return list(_scenarios(feature["children"], None))


def _scenarios(children: list[Any], rule: str | None) -> Iterator[Scenario]:
    for child in children:
        if "rule" in child:
            yield from _scenarios(child["rule"]["children"], child["rule"]["name"])
        elif "scenario" in child:
            found = child["scenario"]
            rows = sum(len(examples["tableBody"]) for examples in found["examples"])
            said = [line.strip() for line in found["description"].splitlines() if line.strip()]
            yield Scenario(found["name"], tuple(said), rule, rows if found["examples"] else 1)
