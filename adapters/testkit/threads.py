"""Threads that leave together, for the promises that hold between two at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Result = TypeVar("Result")

PATIENCE = 30.0
"""Seconds after which a thread that does not come back is a failure."""


def at_once(*calls: Callable[[], Result]) -> Sequence[Result | Exception]:
    """Make the calls in threads that start together; what each returned or raised, in order."""
    start = Barrier(len(calls))

    def run(call: Callable[[], Result]) -> Result | Exception:
        start.wait(PATIENCE)
        try:
            return call()
        except Exception as problem:
            return problem

    with ThreadPoolExecutor(len(calls)) as pool:
        running = [pool.submit(run, call) for call in calls]
        return [one.result(PATIENCE) for one in running]
