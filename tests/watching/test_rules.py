"""Each alert fires and clears in promtool's own tests, and leads to a section of a runbook that is there."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.debian.programs import DebianProgram
from tests.specification import ROOT
from tests.watching.anchors import anchors
from tests.watching.rules import CASES, Alert, alerts, cases, files, hastened

# The specification, "Наблюдаемость", row "Alerts", in its order.
OF_THE_SPECIFICATION = (
    "ReminderDispatchNoSuccessfulCycle",
    "ReminderPendingTooOld",
    "ReminderDispatchErrors",
    "OutboxBacklog",
)
each_file = pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
each_alert = pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert.name)


def run(program: DebianProgram, *arguments: str | Path) -> str:
    done = subprocess.run(
        [program.path, *arguments], env=program.environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@each_file
def test_promtool_takes_the_rules_and_finds_none_twice(promtool: DebianProgram, file: Path) -> None:
    said = run(promtool, "check", "rules", "--lint=all", "--lint-fatal", file)
    assert f"SUCCESS: {sum(alert.file == file for alert in alerts())} rules found" in said


@each_file
def test_the_rules_fire_and_clear_as_their_cases_say(promtool: DebianProgram, file: Path) -> None:
    run(promtool, "test", "rules", CASES / file.name)


@each_alert
def test_an_alert_has_a_case_in_which_it_is_silent_then_fires_then_clears(alert: Alert) -> None:
    runs = [
        "".join(
            "!" if check["exp_alerts"] else "."
            for check in case["alert_rule_test"]
            if check["alertname"] == alert.name
        )
        for case in cases(alert.file)
    ]
    assert any(re.fullmatch(r"\.+!+\.+", run) for run in runs)


@each_alert
def test_an_alert_says_how_bad_it_is_what_is_wrong_and_where_to_read_on(alert: Alert) -> None:
    assert alert.labels["severity"] in ("critical", "warning")
    assert set(alert.annotations) == {"summary", "description", "runbook_url"}
    page, _, anchor = alert.annotations["runbook_url"].partition("#")
    assert page.startswith("docs/runbooks/")
    text = (ROOT / page).read_text("utf-8")
    section = anchors(text)[anchor]
    assert re.search(rf"^Alerts?: .*\b{alert.name}\b", section, re.MULTILINE)


@pytest.mark.parametrize(
    "alert", [one for one in alerts() if one.counts_from_one], ids=lambda alert: alert.name
)
def test_an_alert_that_counts_says_it_rightly_of_one_and_of_many(alert: Alert) -> None:
    said = {
        fired["exp_annotations"]["description"]
        for case in cases(alert.file)
        for check in case["alert_rule_test"]
        if check["alertname"] == alert.name
        for fired in check["exp_alerts"]
    }
    begins = {bool(re.match(r"(1 |A )", text)) for text in said}
    assert begins == {True, False}
    assert not [text for text in said if re.search(r"\b1 (more )?(\w+s|wait|are|were)\b(?<!1 waits)", text)]


def test_no_name_is_given_to_two_alerts_and_those_of_the_specification_are_there() -> None:
    names = [alert.name for alert in alerts()]
    assert sorted(names) == sorted(set(names))
    assert set(OF_THE_SPECIFICATION) <= set(names)


def test_a_runbook_names_no_alert_that_is_not_there() -> None:
    named = {
        name
        for page in (ROOT / "docs/runbooks").glob("*.md")
        for line in re.findall(r"^Alerts?: (.*)", page.read_text("utf-8"), re.MULTILINE)
        for name in re.findall(r"\b[A-Z]\w+[a-z][A-Z]\w+", line)
    }
    assert named == {alert.name for alert in alerts()}


@each_file
def test_hastened_rules_are_the_same_in_seconds_for_minutes(
    promtool: DebianProgram, file: Path, tmp_path: Path
) -> None:
    quick = tmp_path / file.name
    quick.write_text(hastened(file.read_text("utf-8")), "utf-8")
    run(promtool, "check", "rules", quick)
    before, after = file.read_text("utf-8").splitlines(), quick.read_text("utf-8").splitlines()
    for old, new in zip(before, after, strict=True):
        is_time = re.search(r"for: |\[\d+[hm]\]|offset \d| \* 60", old)
        assert (old != new) is bool(is_time), old


def test_a_hastened_rule_has_no_minute_left() -> None:
    rule = "expr: time() - max(max_over_time(x[1h] offset 10m)) > 5 * 60\nfor: 2m # not 2m"
    assert hastened(rule) == "expr: time() - max(max_over_time(x[1m] offset 10s)) > 5 * 1\nfor: 2s # not 2m"


def test_the_cases_are_of_files_that_are_there() -> None:
    for file in CASES.glob("*.yml"):
        assert yaml.safe_load(file.read_text("utf-8"))["rule_files"] == [f"../{file.name}"]
    assert sorted(file.name for file in CASES.glob("*.yml")) == [file.name for file in files()]
