"""The metrics' names that queries, rules and pages speak of."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from tests.specification import ROOT
from tests.watching.dashboard.file import DASHBOARD
from tests.watching.rules import alerts

NAME = re.compile(r"\b(?:calendar|notifications|deferred_touch|tickler|process)_[a-z_]+\b")
SERIES = re.compile(r"^([a-z_]+)(?:\{.*\})? \S+$", re.MULTILINE)


@frozen
class Asked:
    """A query of the dashboard, as Prometheus is asked it in Grafana's place; red begins at `limit`."""

    panel: str
    expr: str
    limit: float

    def over(self, interval: str) -> str:
        """Of all jobs; rates over this interval."""
        return self.expr.replace("$__rate_interval", interval).replace("$job", ".*")


def asked() -> list[Asked]:
    board: dict[str, Any] = json.loads(DASHBOARD.read_text("utf-8"))
    rows: Iterator[Any] = (panel for panel in board["panels"] if panel["type"] != "row")
    return [
        Asked(f"{panel['id']} {panel['title']}, {target['legendFormat']}", target["expr"], _limit_of(panel))
        for panel in rows
        for target in panel["targets"]
    ]


def _limit_of(panel: Any) -> float:
    steps = panel["fieldConfig"]["defaults"].get("thresholds", {}).get("steps", [])
    return min((float(step["value"]) for step in steps if step["color"] == "red"), default=math.inf)


def used() -> set[str]:
    """Those of the dashboard, of the rules and of the runbooks, as series."""
    pages = [page.read_text("utf-8") for page in (ROOT / "docs/runbooks").glob("*.md")]
    texts = [*(one.expr for one in asked()), *(alert.expr for alert in alerts()), *pages]
    return {name for text in texts for name in NAME.findall(text)}


def shown(page: str) -> set[str]:
    """The series on a page of metrics."""
    return set(SERIES.findall(page))
