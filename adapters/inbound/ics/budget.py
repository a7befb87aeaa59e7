"""A bound on the work that a rule may cost, for what no look at the rule foresees.

`FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30` never comes true, and a library that waits for it walks to the year 9999.
The libraries are plain Python, so their calls can be counted: the same file is refused on every machine.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from attrs import define

Result = TypeVar("Result")


class TooManySteps(Exception):
    """The work was given up."""


@define
class Budget:
    """Calls that the libraries may make: for one series, and for all series of a file."""

    each: int = 1_000_000
    left: int = 200_000_000

    def run(self, work: Callable[[], Result]) -> Result:
        """What `work` returns; TooManySteps when it makes more calls than it may. It counts this thread."""
        limit = min(self.each, self.left)
        used = 0

        def count(_: FrameType, __: str, ___: object) -> None:
            nonlocal used
            used += 1
            if used > limit:
                raise TooManySteps

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            return work()
        finally:
            sys.setprofile(before)
            self.left = max(0, self.left - used)
