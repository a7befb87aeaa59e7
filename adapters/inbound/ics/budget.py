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

TOO_LONG = "takes too long to reckon"
NO_TIME_LEFT = "was not reckoned: those of other series in the file took all the time that there is"


class TooMuchWork(Exception):
    """The work was given up; the message says whose fault that is, as in "its RRULE …"."""


@define
class Budget:
    """Seconds of this thread's processor time: for one series, and for all series of a file together."""

    each: float = 2.0
    left: float = 30.0

    def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns; TooMuchWork when it takes longer than it may."""
        if self.left <= 0:
            raise TooMuchWork(NO_TIME_LEFT)
        start = thread_time()
        end = start + min(self.each, self.left)
        reason = TOO_LONG if self.each <= self.left else NO_TIME_LEFT
        calls = 0

        def watch(_: FrameType, __: str, ___: object) -> None:
            nonlocal calls
            calls += 1
            if calls % 64 == 0 and thread_time() > end:
                raise TooMuchWork(reason)

        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            return work()
        finally:
            sys.setprofile(before)
            self.left = max(0.0, self.left - (thread_time() - start))


def rounds() -> list[Budget]:
    """One after the other, each for the series that the one before did not get done with.

    An ordinary series takes a few thousandths of a second, on a busy machine no more of this time: the first
    round reckons it, however many there are beside it that never end.
    """
    return [Budget(each=0.05, left=20.0), Budget(each=0.2, left=10.0), Budget(each=2.0, left=20.0)]
