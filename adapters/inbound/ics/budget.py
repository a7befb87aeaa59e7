"""A bound on the work that a rule may cost, for what no look at the rule foresees.

`FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30` never comes true, and the library that waits for it walks to the year
9999 without giving anything back. It is plain Python, so it can be interrupted wherever it makes a call.
"""

import sys
from collections.abc import Callable
from time import thread_time
from types import FrameType
from typing import TypeVar

from attrs import define

Result = TypeVar("Result")


class TooMuchWork(Exception):
    """The work was given up."""


@define
class Budget:
    """Seconds of this thread's processor time: for one series, and for all series of a file.

    An ordinary series takes a few thousandths; on a busy machine it takes no more of this time.
    """

    each: float = 2.0
    left: float = 30.0

    def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns; TooMuchWork when it takes longer than it may."""
        start = thread_time()
        end = start + min(self.each, self.left)
        calls = 0

        def watch(_: FrameType, __: str, ___: object) -> None:
            nonlocal calls
            calls += 1
            if calls % 64 == 0 and thread_time() > end:
                raise TooMuchWork

        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            return work()
        finally:
            sys.setprofile(before)
            self.left = max(0.0, self.left - (thread_time() - start))
