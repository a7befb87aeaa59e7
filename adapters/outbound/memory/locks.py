"""Row locks of the memory store, kept until their transaction ends."""

from collections.abc import Callable, Hashable
from threading import Condition
from time import monotonic

from attrs import field, frozen

from application.ports.errors import Busy


@frozen
class RowLocks:
    """Who holds which row. Every call is made with `changed` held; `take` lets go of it while it waits."""

    changed: Condition
    _holders: dict[Hashable, object] = field(factory=dict)
    _sharers: dict[Hashable, set[object]] = field(factory=dict)

    def take(self, row: Hashable, holder: object, seconds: float) -> None:
        """Hold the row; Busy when another holder keeps it for longer than `seconds`."""
        self._wait(row, lambda: self.is_free_for(row, holder), seconds)
        self._holders[row] = holder

    def share(self, row: Hashable, holder: object, seconds: float) -> None:
        """Hold the row together with all others who share it; Busy as above."""
        self._wait(row, lambda: self._holders.get(row, holder) is holder, seconds)
        self._sharers.setdefault(row, set()).add(holder)

    def is_free_for(self, row: Hashable, holder: object) -> bool:
        return self._holders.get(row, holder) is holder and self._sharers.get(row, set()) <= {holder}

    def _wait(self, row: Hashable, is_free: Callable[[], bool], seconds: float) -> None:
        deadline = monotonic() + seconds
        while not is_free():
            left = deadline - monotonic()
            if left <= 0:
                raise Busy(f"{row} is held by somebody else; try again")
            self.changed.wait(left)

    def release(self, holder: object) -> None:
        """Let go of all that this holder has, and wake those who wait."""
        for row in [row for row, by in self._holders.items() if by is holder]:
            del self._holders[row]
        for row in [row for row, by in self._sharers.items() if holder in by]:
            self._sharers[row].discard(holder)
            if not self._sharers[row]:
                del self._sharers[row]
        self.changed.notify_all()
