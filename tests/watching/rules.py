"""The alert rules as they stand in docs/observability/rules, and as seconds that stand for minutes.

The shorter ones are the same text with two substitutions, so that a test sees them fire and clear: in `for:`,
in ranges and in offsets `5m` becomes `5s` and `1h` becomes `1m`, and in limits `5 * 60` becomes `5 * 1`.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

from tests.specification import ROOT

RULES = ROOT / "docs/observability/rules"
CASES = RULES / "tests"
DURATION = re.compile(r"(?<=for: )(\d+)([hm])\b|(?<=\[)(\d+)([hm])(?=\])|(?<=offset )(\d+)([hm])\b")
SHORTER = {"h": "m", "m": "s"}


@frozen
class Alert:
    file: Path
    name: str
    expr: str
    labels: dict[str, str]
    annotations: dict[str, str]

    @property
    def counts_from_one(self) -> bool:
        """Whether its description tells a number of things that may be 1."""
        tells = re.search(r'\$value \| (humanize|printf "%\.0f") ', self.annotations["description"])
        return tells is not None and self.expr.rstrip().endswith("> 0")


def files() -> Sequence[Path]:
    return sorted(RULES.glob("*.yml"))


def alerts() -> Sequence[Alert]:
    return [
        Alert(file, rule["alert"], rule["expr"], rule["labels"], rule["annotations"])
        for file in files()
        for group in yaml.safe_load(file.read_text("utf-8"))["groups"]
        for rule in group["rules"]
    ]


def cases(file: Path) -> Sequence[dict[str, Any]]:
    """The tests of a file of rules, as promtool reads them."""
    found: Sequence[dict[str, Any]] = yaml.safe_load((CASES / file.name).read_text("utf-8"))["tests"]
    return found


def hastened(rules: str) -> str:
    """The text of a file of rules, with a second for each minute."""

    def shorter(match: re.Match[str]) -> str:
        number, unit = (one for one in match.groups() if one is not None)
        return number + SHORTER[unit]

    return DURATION.sub(shorter, rules).replace(" * 60", " * 1")
