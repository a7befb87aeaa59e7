"""Grafana's dashboard in the few shapes that ours is made of.

Source: Grafana's dashboard JSON model, schema version 39 (Grafana 10.4 and newer). Nothing here is a plugin
or needs more than a data source for Prometheus.
"""

from collections.abc import Sequence
from enum import StrEnum

from attrs import frozen

Json = dict[str, "Json"] | list["Json"] | str | float | int | bool | None

COLUMNS = 24
HEIGHT = 8
ROW_HEIGHT = 1
DATASOURCE: Json = {"type": "prometheus", "uid": "${datasource}"}


class Unit(StrEnum):
    """How a panel's numbers are written; the names are Grafana's."""

    SECONDS = "s"
    PER_SECOND = "ops"
    COUNT = "short"
    SHARE = "percentunit"


class Kind(StrEnum):
    LINES = "timeseries"
    NUMBER = "stat"


@frozen
class Query:
    """PromQL, and the name of what it gives: text in which {{label}} stands for a label."""

    expr: str
    legend: str


@frozen
class Panel:
    """`limit` is where it gets red. `what` tells whoever looks what they see, and what is well."""

    title: str
    what: str
    unit: Unit
    queries: Sequence[Query]
    kind: Kind = Kind.LINES
    width: int = 8
    limit: float | None = None
    is_stacked: bool = False


@frozen
class Row:
    title: str
    panels: Sequence[Panel]


@frozen
class Dashboard:
    uid: str
    title: str
    what: str
    rows: Sequence[Row]

    def json(self) -> Json:
        """What Grafana imports."""
        return {
            "uid": self.uid,
            "title": self.title,
            "description": self.what,
            "tags": ["tickler"],
            "schemaVersion": 39,
            "version": 1,
            "editable": True,
            "graphTooltip": 1,
            "refresh": "30s",
            "time": {"from": "now-3h", "to": "now"},
            "timezone": "browser",
            "annotations": {"list": []},
            "links": [],
            "templating": {"list": [_datasources(), _jobs()]},
            "panels": _laid_out(self.rows),
        }


def _datasources() -> Json:
    return {
        "name": "datasource",
        "label": "Prometheus",
        "type": "datasource",
        "query": "prometheus",
        "refresh": 1,
        "hide": 0,
        "multi": False,
        "includeAll": False,
    }


def _jobs() -> Json:
    return {
        "name": "job",
        "label": "Job",
        "type": "query",
        "datasource": DATASOURCE,
        "definition": "label_values(tickler_build_info, job)",
        "query": {"query": "label_values(tickler_build_info, job)", "refId": "jobs"},
        "refresh": 2,
        "sort": 1,
        "hide": 0,
        "multi": True,
        "includeAll": True,
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def _laid_out(rows: Sequence[Row]) -> list[Json]:
    """Each panel with its place: in a row from left to right, and on to the next line where it is full."""
    made: list[Json] = []
    top = 0
    for row in rows:
        place: Json = {"x": 0, "y": top, "w": COLUMNS, "h": ROW_HEIGHT}
        heading: Json = {"type": "row", "title": row.title, "collapsed": False, "panels": []}
        assert isinstance(heading, dict)
        made.append({"id": len(made) + 1, **heading, "gridPos": place})
        top, left = top + ROW_HEIGHT, 0
        for panel in row.panels:
            if left + panel.width > COLUMNS:
                top, left = top + HEIGHT, 0
            place = {"x": left, "y": top, "w": panel.width, "h": HEIGHT}
            made.append({"id": len(made) + 1, **_panel(panel), "gridPos": place})
            left += panel.width
        top += HEIGHT
    return made


def _panel(panel: Panel) -> dict[str, Json]:
    is_number = panel.kind is Kind.NUMBER
    return {
        "type": panel.kind.value,
        "title": panel.title,
        "description": panel.what,
        "datasource": DATASOURCE,
        "targets": [_target(number, query, is_number) for number, query in enumerate(panel.queries)],
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": _number_options() if is_number else _lines_options(),
    }


def _target(number: int, query: Query, is_number: bool) -> Json:
    return {
        "refId": chr(ord("A") + number),
        "datasource": DATASOURCE,
        "expr": query.expr,
        "legendFormat": query.legend,
        "editorMode": "code",
        "range": not is_number,
        "instant": is_number,
    }


def _defaults(panel: Panel) -> Json:
    steps: list[Json] = [{"color": "green", "value": None}]
    if panel.limit is not None:
        steps.append({"color": "red", "value": panel.limit})
    found: dict[str, Json] = {
        "unit": panel.unit.value,
        "min": 0,
        "color": {"mode": "thresholds" if panel.kind is Kind.NUMBER else "palette-classic"},
        "thresholds": {"mode": "absolute", "steps": steps},
    }
    if panel.kind is Kind.LINES:
        found["custom"] = {
            "drawStyle": "line",
            "lineWidth": 1,
            "fillOpacity": 25 if panel.is_stacked else 8,
            "showPoints": "never",
            "spanNulls": False,
            "stacking": {"mode": "normal" if panel.is_stacked else "none", "group": "A"},
            "thresholdsStyle": {"mode": "off" if panel.limit is None else "line"},
        }
    return found


def _lines_options() -> Json:
    return {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }


def _number_options() -> Json:
    return {
        "colorMode": "value",
        "graphMode": "none",
        "orientation": "auto",
        "textMode": "value_and_name",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
    }
