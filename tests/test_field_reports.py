"""The field reports and the tests that show them, held together by their numbers."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
REPORTS = {f"R{number:02}" for number in range(1, 59)}
LATER = {"R09", "R10", "R57"}
MOST_EXEMPT = 5


def numbers_in_tests() -> set[str]:
    named = re.compile(r"def test_[Rr](\d\d)_|^\s*(?:Scenario|Example)[^:]*:\s*R(\d\d) ", re.MULTILINE)
    files = [
        *(ROOT / "tests").rglob("*.py"),
        *(ROOT / "adapters" / "testkit").rglob("*.py"),
        *(ROOT / "features").rglob("*.feature"),
    ]
    return {f"R{one or other}" for file in files for one, other in named.findall(file.read_text())}


def exempt_in_the_page() -> set[str]:
    page = (ROOT / "docs" / "field-reports.md").read_text()
    section = page.partition("## Exempt for now")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| (R\d\d) \| \S", section, re.MULTILINE))


def test_every_report_has_a_test_or_a_reason_why_not() -> None:
    shown, exempt = numbers_in_tests(), exempt_in_the_page()
    assert shown | exempt | LATER == REPORTS
    assert not shown & exempt
    assert len(exempt) <= MOST_EXEMPT
