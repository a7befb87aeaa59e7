"""Which run the page is made of, and what of the machine stays out of it."""

import socket
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from attrs import evolve

from tests.living_report.__main__ import last_run
from tests.living_report.features import Feature
from tests.living_report.made_up import SECOND, feature, passed
from tests.living_report.masking import LONGEST, one_line
from tests.living_report.results import Run, keep, kept, kept_at
from tests.living_report.tree import commit, fingerprint
from tests.specification import ROOT

NOW = datetime(2026, 11, 29, 19, 40, tzinfo=UTC)


@pytest.fixture
def told(tmp_path: Path) -> Feature:
    return feature(tmp_path)


@pytest.fixture
def run(tmp_path: Path, told: Feature) -> Run:
    """Kept, and whole."""
    run = Run(fingerprint(tmp_path), NOW, tuple(passed(told).values()))
    keep(run, kept_at(tmp_path))
    return run


def test_a_whole_run_of_these_sources_is_taken_as_it_was(tmp_path: Path, told: Feature, run: Run) -> None:
    assert last_run(tmp_path, [told]) == run


@pytest.mark.parametrize("name", ["features/parcels.feature", "domain/new.py", "pyproject.toml"])
def test_a_run_of_other_sources_is_none(tmp_path: Path, told: Feature, run: Run, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    with (tmp_path / name).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    assert last_run(tmp_path, [told]) is None


def test_what_is_no_source_changes_nothing(tmp_path: Path, told: Feature, run: Run) -> None:
    for name in ("docs/page.md", "domain/__pycache__/x.pyc", "build/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("changed", "utf-8")
    assert last_run(tmp_path, [told]) == run


@pytest.mark.parametrize("left_out", [(SECOND, 0, "memory"), (SECOND, 0, "postgres")])
def test_a_run_that_left_something_out_is_none(
    tmp_path: Path, told: Feature, run: Run, left_out: tuple[int, int, str]
) -> None:
    part = tuple(one for case, one in passed(told).items() if case != left_out)
    keep(evolve(run, results=part), kept_at(tmp_path))
    assert last_run(tmp_path, [told]) is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"sources": "x", "results": []}'])
def test_a_file_of_another_shape_is_no_run(tmp_path: Path, content: str) -> None:
    file = kept_at(tmp_path)
    file.parent.mkdir(parents=True)
    file.write_text(content, "utf-8")
    assert kept(file) is None
    assert kept(tmp_path / "missing") is None


def test_the_commit_is_named_and_whether_the_tree_has_more(tmp_path: Path) -> None:
    assert commit(tmp_path) is None
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com"]
    for arguments in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True)
    clean = commit(tmp_path)
    (tmp_path / "new").touch()
    changed = commit(tmp_path)
    assert clean is not None
    assert (len(clean.name), clean.changed) == (12, False)
    assert changed == evolve(clean, changed=True)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("\n  assert 1 == 2\n +  where 1 = f()", "assert 1 == 2"),
        (f"no file '{ROOT}/domain/x.py' there", "no file '…/x.py' there"),
        ("socket /tmp/tickler-tests-x/home/.s.PGSQL.5432: refused", "socket …/.s.PGSQL.5432: refused"),
        (r"cannot read C:\Users\anna\notes.txt", "cannot read …/notes.txt"),
        ("GET /v1/touches answered 404", "GET /v1/touches answered 404"),
        (f"{socket.gethostname()} is away", "this machine is away"),
        ("", ""),
    ],
)
def test_a_failure_is_one_line_that_names_neither_path_nor_machine(said: str, told: str) -> None:
    assert one_line(said) == told


def test_a_long_failure_is_cut() -> None:
    assert one_line("x" * 1000) == "x" * (LONGEST - 1) + "…"
