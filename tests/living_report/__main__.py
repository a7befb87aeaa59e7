"""`make report`: the last run of features/ as build/report/index.html; runs them first if need be."""

import argparse
import subprocess
import sys
from pathlib import Path

from tests.coverage_page import lines
from tests.features.stores import STORES
from tests.living_report.features import Feature, features
from tests.living_report.page import feature_views, spec_view
from tests.living_report.rendering import Page, render
from tests.living_report.results import Run, kept, kept_at
from tests.living_report.tree import commit, fingerprint
from tests.specification import JOB, ROOT, TOUCHES, lead, rows, sentences, title

PAGE = ROOT / "build/report/index.html"
SURROUNDINGS_FAIL = 3


class NotRun(Exception):
    """Why there is nothing to make a page of, in one line."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.living_report", description=__doc__)
    parser.add_argument("--workers", default="auto", help="how many processes run the features")
    parser.add_argument("--again", action="store_true", help="run the features even if nothing has changed")
    asked = parser.parse_args(arguments)
    try:
        told = features()
        run = (None if asked.again else last_run(ROOT, told)) or run_features(ROOT, asked.workers)
    except NotRun as problem:
        print(problem, file=sys.stderr)
        return SURROUNDINGS_FAIL
    page = page_of(run, told)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render(page), "utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {page.in_words()}")
    return 0


def last_run(root: Path, told: list[Feature]) -> Run | None:
    """The run that is kept, if it was of these very sources and left out no scenario on any store."""
    run = kept(kept_at(root))
    if run is None or run.sources != fingerprint(root):
        return None
    wanted = [
        (one.file, one.line, example, store)
        for feature in told
        for one in feature.scenarios
        for example in range(one.cases)
        for store in STORES
    ]
    return run if run.has_all(wanted) else None


def run_features(root: Path, workers: str) -> Run:
    """Scenarios that fail do not keep the page from being made: it is there to show them."""
    kept_at(root).unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "tests/features", "-q", "-n", workers, "--dist", "worksteal"]
    ended = subprocess.run(command, cwd=root, check=False).returncode
    run = kept(kept_at(root))
    if ended not in (0, 1) or run is None:
        raise NotRun(f"the features could not be run: pytest ended with {ended}")
    if run.sources != fingerprint(root):
        raise NotRun("files were changed while the features ran: make the report again")
    return run


def page_of(run: Run, told: list[Feature]) -> Page:
    views = feature_views(told, run.results, STORES)
    job, touches = rows(), sentences()
    named = lines()
    about_job = list(zip(job, named[: len(job)], strict=True))
    about_touches = list(zip(touches, named[len(job) :], strict=True))
    specs = (
        spec_view("RDJ", title(JOB), lead(), about_job, views, numbered="Тесты"),
        spec_view("TCH", title(TOUCHES), "", about_touches, views),
    )
    return Page(commit(ROOT), run.finished_at, STORES, specs, tuple(views))


if __name__ == "__main__":
    sys.exit(main())
