"""Pairs of runs, each in a process of its own over a database of its own."""

import re
import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from attrs import frozen

from tests.benchmarks.dispatch import cycle, limit
from tests.benchmarks.dispatch.comparing import difference
from tests.benchmarks.dispatch.databases import copy_of_template

Drain = Callable[..., tuple[int, float]]
"""It moves rows until none is left; how many, in how many seconds."""


class Different(Exception):
    """What was compared does not hold the same rows."""


@frozen
class Run:
    rows: int
    seconds: float
    peak_mib: float

    @property
    def rows_per_s(self) -> float:
        return self.rows / self.seconds


@frozen
class Pair:
    cycle: Run
    limit: Run

    @property
    def ratio(self) -> float:
        return self.cycle.rows_per_s / self.limit.rows_per_s


def run_pair(server: str, batch: int, reminders: int, limit_first: bool) -> Pair:
    """Run both sides on equal databases, one after the other, and compare what they wrote.

    Raises Different where that is not the same, or not all of it.
    """
    with copy_of_template(server, "by_cycle") as ours, copy_of_template(server, "by_limit") as theirs:
        sides = [(cycle.drain, ours), (limit.drain, theirs)]
        runs = [run_apart(*side, batch) for side in (reversed(sides) if limit_first else sides)]
        pair = Pair(*(reversed(runs) if limit_first else runs))
        for run in (pair.cycle, pair.limit):
            if run.rows != reminders:
                raise Different(f"{run.rows} rows were dispatched, not {reminders}")
        if found := difference(ours, theirs):
            raise Different(found)
    return pair


def run_apart(drain: Drain, *arguments: object) -> Run:
    """Run it in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measured, drain, *arguments).result()


def _measured(drain: Drain, *arguments: object) -> Run:
    rows, seconds = drain(*arguments)
    return Run(rows, seconds, _peak_mib())


def _peak_mib() -> float:
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    # On Linux what getrusage tells begins with what the process was forked from, a large test run it may be.
    (peak,) = re.findall(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(peak) / 1024
