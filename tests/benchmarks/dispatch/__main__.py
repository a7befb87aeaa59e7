"""`make bench`: the dispatch cycle beside one SQL statement a batch, on one Postgres with fsync on."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

from adapters.outbound.postgres.embedded import EmbeddedPostgres
from tests.benchmarks.dispatch.counting import INDEX, add_future, claim_plan, statements_of_one_batch
from tests.benchmarks.dispatch.databases import copy_of_template, prepare
from tests.benchmarks.dispatch.measuring import Different, Pair, run_pair

BARS = {200: 0.5, 1000: 0.45}
COUNTED = (10, 200, 1000)
FUTURE_ROWS = 1_000_000


def main() -> int:
    """Exit codes: 0; 1 a bar was missed or the two sides differ; 3 the surroundings fail."""
    asked = _arguments()
    progress = Progress(console=Console(stderr=True), transient=True)
    steps = 2 + asked.pairs * len(BARS) + len(COUNTED)
    with _server() as (server, log), progress:
        task = progress.add_task("filling", total=steps)
        prepare(server, asked.rows)
        progress.update(task, advance=1, description="counting statements")
        counts = _count(server, log, progress, task)
        pairs: dict[int, list[Pair]] = {batch: [] for batch in BARS}
        for number in range(asked.pairs):
            for batch in BARS:
                progress.update(task, description=f"pair {number + 1} of {asked.pairs}, batch {batch}")
                try:
                    pairs[batch].append(run_pair(server, batch, asked.rows, limit_first=number % 2 == 1))
                except Different as problem:
                    print(f"batch {batch}: the two sides differ: {problem}", file=sys.stderr)
                    return 1
                progress.advance(task)
        progress.update(task, description=f"planning among {FUTURE_ROWS:,} future rows")
        plan = _plan(server)
        progress.advance(task)
    results = [_result(batch, pairs[batch], counts[batch]) for batch in BARS]
    if not asked.json:
        _print_table(asked.rows, pairs)
        print("statements a batch: " + ", ".join(f"{counts[batch]} at {batch:,}" for batch in COUNTED))
        print(f"the claim among {FUTURE_ROWS:,} future rows: {'uses' if INDEX in plan else 'MISSES'} {INDEX}")
    for result in results:
        print(json.dumps(result))
    failures = _failures(results, counts, plan)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.dispatch", description=__doc__)
    parser.add_argument("--rows", type=_even, default=100_000, help="due reminders (an even number)")
    parser.add_argument("--pairs", type=_positive, default=3, help="how often both sides run, in turn")
    parser.add_argument("--json", action="store_true", help="the lines of JSON alone")
    return parser.parse_args()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1 is wanted")
    return number


def _even(text: str) -> int:
    number = int(text)
    if number < 2_000 or number % 2:
        raise argparse.ArgumentTypeError("an even number from 2,000 is wanted")
    return number


@contextmanager
def _server() -> Iterator[tuple[str, Path]]:
    with tempfile.TemporaryDirectory(prefix="tickler-bench-") as folder:
        home = Path(folder)
        home.chmod(0o711)  # the server's account passes through
        server = EmbeddedPostgres(home / "home")
        with server:
            yield server.conninfo, server.log


def _count(server: str, log: Path, progress: Progress, task: TaskID) -> dict[int, int]:
    counts: dict[int, int] = {}
    for batch in COUNTED:
        with copy_of_template(server, "counted") as conninfo:
            counts[batch] = statements_of_one_batch(conninfo, log, batch)
        progress.advance(task)
    return counts


def _plan(server: str) -> str:
    with copy_of_template(server, "planned") as conninfo:
        add_future(conninfo, FUTURE_ROWS)
        return claim_plan(conninfo, 200)


def _result(batch: int, pairs: list[Pair], statements: int) -> dict[str, float | int]:
    return {
        "batch": batch,
        "rows_per_s": round(median(pair.cycle.rows_per_s for pair in pairs)),
        "limit_rows_per_s": round(median(pair.limit.rows_per_s for pair in pairs)),
        "ratio": round(median(pair.ratio for pair in pairs), 3),
        "statements_per_batch": statements,
        "peak_mib": round(median(pair.cycle.peak_mib for pair in pairs), 1),
    }


def _print_table(rows: int, pairs: dict[int, list[Pair]]) -> None:
    table = Table(title=f"{rows:,} due reminders, 10 % of cancelled events")
    for column in ("batch", "pair", "cycle, rows/s", "limit, rows/s", "ratio", "peak, MiB"):
        table.add_column(column, justify="right")
    for batch, measured in pairs.items():
        for number, pair in enumerate(measured, 1):
            cells = (f"{pair.cycle.rows_per_s:,.0f}", f"{pair.limit.rows_per_s:,.0f}", f"{pair.ratio:.2f}")
            table.add_row(f"{batch:,}", str(number), *cells, f"{pair.cycle.peak_mib:.0f}")
    Console().print(table)


def _failures(results: list[dict[str, float | int]], counts: dict[int, int], plan: str) -> list[str]:
    failures: list[str] = []
    for result in results:
        bar = BARS[int(result["batch"])]
        if result["ratio"] < bar:
            failures.append(f"batch {result['batch']}: the ratio {result['ratio']} is below the bar of {bar}")
    if len(set(counts.values())) > 1:
        failures.append(f"statements grow with the batch: {counts}")
    if INDEX not in plan:
        failures.append(f"the claim does not use {INDEX}:\n{plan}")
    return failures


if __name__ == "__main__":
    sys.exit(main())
