"""The features as their files have them, with every step, table and text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen
from gherkin.parser import Parser

from tests.scenarios import feature_files
from tests.specification import ROOT

Table = tuple[tuple[str, ...], ...]


@frozen
class Step:
    """`line` is where it stands in its file, by which a run's results know it."""

    line: int
    keyword: str
    text: str
    table: Table
    docstring: str | None


@frozen
class Examples:
    name: str
    columns: tuple[str, ...]
    rows: Table


@frozen
class Scenario:
    """`file` is relative to the root, `line` that of its name; two of one name are two scenarios."""

    file: str
    line: int
    name: str
    description: tuple[str, ...]
    rule: str | None
    background: tuple[Step, ...]
    steps: tuple[Step, ...]
    examples: tuple[Examples, ...]

    @property
    def cases(self) -> int:
        """How many times it runs on each store: once, or once for each row of its examples."""
        return sum(len(examples.rows) for examples in self.examples) if self.examples else 1


@frozen
class Feature:
    file: str
    name: str
    description: tuple[str, ...]
    scenarios: tuple[Scenario, ...]


def features(root: Path = ROOT) -> list[Feature]:
    return [read_feature(file, root) for file in feature_files(root / "features")]


def read_feature(file: Path, root: Path = ROOT) -> Feature:
    feature = Parser().parse(file.read_text("utf-8"))["feature"]
    assert feature is not None
    where = file.relative_to(root).as_posix()
    found = tuple(_scenarios(where, feature["children"], None, ()))
    return Feature(where, feature["name"], _paragraphs(feature["description"]), found)


def _scenarios(
    file: str, children: list[Any], rule: str | None, background: tuple[Step, ...]
) -> Iterator[Scenario]:
    for child in children:
        match child:
            case {"background": own}:
                background = (*background, *map(_step, own["steps"]))
            case {"rule": inner}:
                yield from _scenarios(file, inner["children"], inner["name"], background)
            case {"scenario": one}:
                yield Scenario(
                    file,
                    one["location"]["line"],
                    one["name"],
                    tuple(line.strip() for line in one["description"].splitlines() if line.strip()),
                    rule,
                    background,
                    tuple(map(_step, one["steps"])),
                    tuple(map(_examples, one["examples"])),
                )


def _step(step: Any) -> Step:
    table = step["dataTable"]["rows"] if "dataTable" in step else []
    docstring = step["docString"]["content"] if "docString" in step else None
    return Step(
        step["location"]["line"],
        step["keyword"].strip(),
        step["text"],
        tuple(map(_cells, table)),
        docstring,
    )


def _examples(examples: Any) -> Examples:
    header = examples.get("tableHeader", {"cells": []})
    return Examples(examples["name"], _cells(header), tuple(map(_cells, examples["tableBody"])))


def _cells(row: Any) -> tuple[str, ...]:
    return tuple(cell["value"] for cell in row["cells"])


def _paragraphs(description: str) -> tuple[str, ...]:
    said = [" ".join(paragraph.split()) for paragraph in description.split("\n\n")]
    return tuple(paragraph for paragraph in said if paragraph)
