"""What the documents quote, list and link to is what the code has."""

import re
from enum import Enum
from itertools import groupby
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo

from adapters.settings import PREFIX, Settings
from domain import delivery, reminder
from tests.specification import ROOT

README = ROOT / "README.md"
ARCHITECTURE = ROOT / "docs/architecture.md"
SETTINGS = ROOT / "docs/settings.md"
FOLDERS = ("contracts", "guides", "observability", "runbooks")
PAGES = sorted(
    page
    for pages in ("*.md", "docs/*.md", *(f"docs/{folder}/*.md" for folder in FOLDERS))
    for page in ROOT.glob(pages)
)
LINK = re.compile(r"\]\((?P<where>[^)#:]+)\)")
QUOTED = re.compile(r"From \[(?P<file>[^]]+\.py)\][^\n]*\n\n```python\n(?P<code>.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_is_there(page: Path) -> None:
    linked = [match["where"] for match in LINK.finditer(page.read_text("utf-8"))]
    assert [where for where in linked if not (page.parent / where).exists()] == []


def test_each_run_of_lines_that_the_readme_quotes_stands_so_in_the_file() -> None:
    readme = README.read_text("utf-8")
    quotations = list(QUOTED.finditer(readme))
    assert len(quotations) == readme.count("```python") > 0
    for quoted in quotations:
        source = _stripped((ROOT / quoted["file"]).read_text("utf-8"))
        for run in _runs(quoted["code"]):
            assert f"\n{run}\n" in f"\n{source}\n"


def _stripped(code: str) -> str:
    return "\n".join(line.strip() for line in code.splitlines())


def _runs(code: str) -> list[str]:
    """What stands between the lines that are `...`."""
    lines = _stripped(code).splitlines()
    return ["\n".join(run) for left_out, run in groupby(lines, lambda line: line == "...") if not left_out]


@pytest.mark.parametrize(
    ("heading", "reasons"),
    [
        ("**Reminder** (`domain/reminder.py`)", reminder.SkipReason),
        ("**Delivery** (`domain/delivery.py`)", delivery.SkipReason),
    ],
)
def test_a_state_diagram_names_exactly_the_reasons_to_skip(heading: str, reasons: type[Enum]) -> None:
    diagram = (
        ARCHITECTURE.read_text("utf-8").partition(heading)[2].partition("stateDiagram")[2].partition("```")[0]
    )
    arrows = [line for line in diagram.splitlines() if "--> Skipped" in line]
    named = [name for line in arrows for name in re.findall(r"\((.*)\)", line)[0].split(", ")]
    assert sorted(named) == sorted(one.value for one in reasons)


def test_the_page_of_settings_has_each_with_what_it_is_unless_set_and_what_is_allowed() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in SETTINGS.read_text("utf-8").splitlines()
        if line.startswith("| `")
    ]
    assert [row[:3] for row in rows] == [
        [f"`{PREFIX}{name.upper()}`", _unless_set(field), field.description]
        for name, field in Settings.model_fields.items()
    ]
    assert [row for row in rows if len(row) != 4 or not row[3]] == []


def _unless_set(field: FieldInfo) -> str:
    match field.default:
        case None:
            return "–"
        case bool() as truth:
            return f"`{str(truth).lower()}`"
        case float() as seconds:
            return f"`{seconds:g}`"
        case other:
            return f"`{other}`"
