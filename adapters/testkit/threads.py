"""Threads for the promises that hold between two at once."""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event, Thread
from typing import Generic, TypeVar

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

    with _turns_change_often(), ThreadPoolExecutor(len(calls)) as pool:
        running = [pool.submit(run, call) for call in calls]
        return [one.result(PATIENCE) for one in running]


class Beside(Generic[Result]):
    """A call in a thread of its own, which is expected to wait for something that the maker holds."""

    def __init__(self, call: Callable[[], Result]) -> None:
        self._call = call
        self._answers: list[Result | Exception] = []
        self._started = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def waits(self) -> bool:
        """Whether it is still under way some tenths of a second after it began."""
        assert self._started.wait(PATIENCE)
        self._thread.join(0.2)
        return self._thread.is_alive()

    def answer(self) -> Result | Exception:
        """What it returned or raised, when it has come to an end."""
        self._thread.join(PATIENCE)
        (answer,) = self._answers
        return answer

    def _run(self) -> None:
        self._started.set()
        try:
            self._answers.append(self._call())
        except Exception as problem:
            self._answers.append(problem)


@contextmanager
def _turns_change_often() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
