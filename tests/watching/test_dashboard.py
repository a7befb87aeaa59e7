"""The dashboard is what Grafana takes: its shape, its places, and a question in each panel."""

import json
from itertools import combinations
from typing import Any

import pytest

from tests.watching.dashboard.file import DASHBOARD, written
from tests.watching.dashboard.panels import COLUMNS, DATASOURCE

BOARD: dict[str, Any] = json.loads(DASHBOARD.read_text("utf-8"))
PANELS = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
ROWS = [panel for panel in BOARD["panels"] if panel["type"] == "row"]
each_panel = pytest.mark.parametrize("panel", PANELS, ids=lambda panel: f"{panel['id']} {panel['title']}")


def test_the_file_is_as_the_generator_writes_it() -> None:
    assert DASHBOARD.read_text("utf-8") == written()


def test_it_has_the_name_of_the_specification_and_its_panel_and_a_row_for_each_part() -> None:
    assert BOARD["uid"] == "calendar-overview"
    assert [row["title"] for row in ROWS] == [
        "Background jobs",
        "Outbox",
        "Deliveries",
        "Deferred touches",
        "Database",
    ]
    assert "Background jobs" in [panel["title"] for panel in PANELS]
    # Grafana gives an id of its own, and takes a dashboard that has one for an update.
    assert "id" not in BOARD
    assert BOARD["schemaVersion"] >= 36


def test_no_two_panels_have_one_id_and_none_covers_another() -> None:
    ids = [panel["id"] for panel in BOARD["panels"]]
    assert sorted(ids) == sorted(set(ids))
    for one, other in combinations((panel["gridPos"] for panel in BOARD["panels"]), 2):
        aside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert aside or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    for place in (panel["gridPos"] for panel in BOARD["panels"]):
        assert place["x"] >= 0
        assert place["x"] + place["w"] <= COLUMNS


def test_the_data_source_and_the_job_can_be_chosen() -> None:
    chosen = {variable["name"]: variable for variable in BOARD["templating"]["list"]}
    assert chosen["datasource"]["type"] == "datasource"
    assert chosen["datasource"]["query"] == "prometheus"
    assert chosen["job"]["datasource"] == DATASOURCE
    assert chosen["job"]["definition"] == chosen["job"]["query"]["query"]


@each_panel
def test_a_panel_asks_the_chosen_source_in_a_unit_and_says_what_it_shows(panel: dict[str, Any]) -> None:
    assert panel["datasource"] == DATASOURCE
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"] in ("s", "ops", "short", "percentunit")
    targets = panel["targets"]
    assert targets
    assert len({target["refId"] for target in targets}) == len(targets)
    for target in targets:
        assert target["datasource"] == DATASOURCE
        assert 'job=~"$job"' in target["expr"]
        assert target["legendFormat"]
        assert target["instant"] is not target["range"]


@each_panel
def test_rates_are_shown_as_rates_and_times_as_times(panel: dict[str, Any]) -> None:
    unit = panel["fieldConfig"]["defaults"]["unit"]
    for expr in (target["expr"] for target in panel["targets"]):
        is_time = "_seconds" in expr
        is_rate = not is_time and "rate(" in expr
        assert (unit == "s", unit == "ops") == (is_time, is_rate)
