"""docs/spec-coverage.md, read: for each row of the specifications what keeps it and what shows it."""

import re

from attrs import frozen

from tests.specification import ROOT

PAGE = ROOT / "docs/spec-coverage.md"
NAMED = re.compile(r"`((?:adapters|application|domain|features|tests|docs)/[^`]+)`")


@frozen
class Line:
    section: str
    name: str
    code: str
    shown_by: str


def lines() -> list[Line]:
    found, section = [], ""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith("| row "):
            name, code, shown_by = (cell.strip() for cell in line.strip("|").split(" | "))
            found.append(Line(section, name, code, shown_by))
    return found
