"""Handlers of touches come with installed packages: their names are known, and each is loaded once needed."""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from adapters.outbound.handlers import GROUP, Kinds, WrongHandler, load_handlers
from application.ports.work import Again, NothingToSay, TouchHandler, WorkFailed
from application.touching.messages import message
from tests.specification import ROOT

BUILT_IN: dict[str, TouchHandler] = {"message": message}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "lab_handlers.py").write_text(
        "from application.ports.work import NothingToSay\n"
        "def check(work):\n    return NothingToSay()\n"
        "class Check:\n    pass\n"
        "number = 5\n"
    )
    (tmp_path / "broken_handlers.py").write_text("raise RuntimeError('on import')\n")
    return tmp_path


def installed(site: Path, *lines: str, package: str = "lab") -> None:
    info = site / f"{package}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines]) + "\n")


def test_an_installed_handler_is_found_by_its_kind(site: Path) -> None:
    installed(site, "check = lab_handlers:check")
    assert list(Kinds(BUILT_IN)) == ["check", "message"]
    handlers = load_handlers(BUILT_IN)
    assert handlers["check"](None) == NothingToSay()  # type: ignore[arg-type]
    assert handlers["message"] is message


def test_the_kinds_are_known_without_anything_being_imported(site: Path) -> None:
    installed(site, "check = broken_handlers:check")
    assert "check" in Kinds(BUILT_IN)
    assert len(Kinds(BUILT_IN)) == 2
    assert "broken_handlers" not in sys.modules


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("check = broken_handlers:check", "cannot be loaded: RuntimeError"),
        ("check = lab_handlers:nothing", "cannot be loaded: AttributeError"),
        ("check = nowhere:check", "cannot be loaded: ModuleNotFoundError"),
        ("check = lab_handlers:number", "nothing that can be called"),
        ("check = lab_handlers:Check", "nothing that can be called"),
        ("message = lab_handlers:check", "'message' is built in"),
        ("Check = lab_handlers:check", "'Check' is no kind"),
    ],
)
def test_a_handler_that_will_not_do_is_told_in_one_line(site: Path, line: str, said: str) -> None:
    installed(site, line)
    with pytest.raises(WrongHandler, match=said) as wrong:
        load_handlers(BUILT_IN)
    assert len(str(wrong.value).splitlines()) == 1


def test_two_packages_that_bring_one_kind_are_told_of_both(site: Path) -> None:
    installed(site, "check = lab_handlers:check")
    installed(site, "check = broken_handlers:check", package="another")
    with pytest.raises(WrongHandler, match="both broken_handlers:check and lab_handlers:check"):
        list(Kinds(BUILT_IN))


def test_what_the_guide_shows_works() -> None:
    guide = (ROOT / "docs/guides/write-a-touch-handler.md").read_text("utf-8")
    function, proof = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    lab = SimpleNamespace(status=200, ready_at=None, text="The results are in.")
    known: dict[str, Any] = {"ask_the_lab": lambda text, key: lab}
    exec(function + proof, known)
    assert known["worked"].status == "Answered"

    work = SimpleNamespace(text="order 7", key=str(UUID(int=1)))
    lab.ready_at = datetime(2026, 12, 2, tzinfo=UTC)
    assert known["check_lab"](work) == Again(lab.ready_at)
    lab.ready_at, lab.text = None, ""
    assert known["check_lab"](work) == NothingToSay()
    lab.status = 503
    with pytest.raises(WorkFailed, match="503"):
        known["check_lab"](work)
