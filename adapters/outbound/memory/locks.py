"""Row locks of the memory store, kept until their transaction ends."""

from collections.abc import Hashable
from threading import Condition
from time import monotonic

from attrs import field, frozen

from application.ports.errors import Busy


@frozen
class RowLocks:
    """Who holds which row. Every call is made with `changed` held; `take` lets go of it while it waits."""

    changed: Condition
    _holders: dict[Hashable, object] = field(factory=dict)

    def take(self, row: Hashable, holder: object, seconds: float) -> None:
        """Hold the row; Busy when another holder keeps it for longer than `seconds`."""
        deadline = monotonic() + seconds
        while not self.is_free_for(row, holder):
            left = deadline - monotonic()
            if left <= 0:
                raise Busy(f"{row} is held by somebody else; try again")
            self.changed.wait(left)
        self._holders[row] = holder

    def is_free_for(self, row: Hashable, holder: object) -> bool:
        return self._holders.get(row, holder) is holder

    def release(self, holder: object) -> None:
        """Let go of all that this holder has, and wake those who wait."""
        for row in [row for row, by in self._holders.items() if by is holder]:
            del self._holders[row]
        self.changed.notify_all()
