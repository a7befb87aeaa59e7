"""The field reports and the tests that show them, held together by their numbers."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
REPORTS = {f"R{number:02}" for number in range(1, 59)}
LATER = {"R09", "R10", "R57"}


def numbers_in_tests() -> set[str]:
    named = re.compile(r"def test_[Rr](\d\d)_|^\s*(?:Scenario|Example)[^:]*:\s*R(\d\d) ", re.MULTILINE)
    files = [
        *(ROOT / "tests").rglob("*.py"),
        *(ROOT / "adapters" / "testkit").rglob("*.py"),
        *(ROOT / "features").rglob("*.feature"),
    ]
    return {f"R{one or other}" for file in files for one, other in named.findall(file.read_text())}


def test_every_report_has_a_test_but_those_set_aside_by_the_design() -> None:
    assert numbers_in_tests() == REPORTS - LATER
