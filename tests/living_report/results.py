"""What a run of features/ came to, kept in a file between the run and the page."""

from collections.abc import Iterable
from datetime import datetime
from enum import Enum
from pathlib import Path

from attrs import frozen
from cattrs.errors import BaseValidationError
from cattrs.preconf.json import make_converter

_CONVERTER = make_converter()


class Outcome(Enum):
    """`UNDEFINED`: a step has no code, so that the scenario says nothing yet."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNDEFINED = "undefined"


@frozen
class StepResult:
    """`line` is the step's in its feature file; one that was not reached has no result at all."""

    line: int
    outcome: Outcome
    seconds: float


@frozen
class Result:
    """One scenario, on one store, of one row of its examples (counted from 0; 0 where it has none).

    `failure` is one line without paths of the machine, and empty where it passed.
    """

    file: str
    line: int
    example: int
    store: str
    outcome: Outcome
    seconds: float
    steps: tuple[StepResult, ...]
    failure: str


@frozen
class Run:
    """`sources` is the fingerprint of what was run (see `tree`)."""

    sources: str
    finished_at: datetime
    results: tuple[Result, ...]

    def has_all(self, wanted: Iterable[tuple[str, int, int, str]]) -> bool:
        """Whether there is a result of each (file, line, example, store)."""
        there = {(result.file, result.line, result.example, result.store) for result in self.results}
        return there.issuperset(wanted)


def kept_at(root: Path) -> Path:
    return root / "build/report/results.json"


def keep(run: Run, file: Path) -> None:
    """Written beside and renamed, so that nobody reads half of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_suffix(".new")
    half.write_text(_CONVERTER.dumps(run, ensure_ascii=False), "utf-8")
    half.replace(file)


def kept(file: Path) -> Run | None:
    """The run that is kept; none where there is no file, or one of another shape."""
    try:
        return _CONVERTER.loads(file.read_text("utf-8"), Run)
    except (OSError, ValueError, BaseValidationError):
        return None


def read_result(record: object) -> Result:
    return _CONVERTER.structure(record, Result)
