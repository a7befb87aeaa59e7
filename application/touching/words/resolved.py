"""What words about a time were taken for: one instant, or a question."""

from collections.abc import Sequence
from datetime import UTC, datetime

from attrs import frozen

from domain.recurrence import ClockChange, planned_at
from domain.values import zone


@frozen
class Resolved:
    """The instant, and the wall time in the speaker's zone that it is.

    With a `clock_change` the wall time `said` is not simply at that instant: it does not exist, or happens
    twice.
    """

    at: datetime
    local: datetime
    time_zone: str
    clock_change: ClockChange | None = None
    said: datetime | None = None

    @classmethod
    def of_instant(cls, at: datetime, time_zone: str) -> "Resolved":
        return cls(at.astimezone(UTC), _local(at, time_zone), time_zone)

    @classmethod
    def of_wall(cls, wall: datetime, time_zone: str) -> "Resolved":
        found = planned_at(wall, time_zone)
        return cls(found.at, _local(found.at, time_zone), time_zone, found.clock_change, wall)

    @property
    def note(self) -> str | None:
        """What is to be said of a change of the clocks; None where there is none."""
        if self.clock_change is None or self.said is None:
            return None
        instant = f"{self.at:%Y-%m-%dT%H:%M}Z"
        there = f"on {self.said:%Y-%m-%d} in {self.time_zone}"
        if self.clock_change is ClockChange.TWICE:
            return f"{self.said:%H:%M} happens twice {there}: the first is meant, {instant}"
        is_same_day = self.local.date() == self.said.date()
        meant = f"{self.local:%H:%M}" if is_same_day else f"{self.local:%Y-%m-%d %H:%M}"
        return f"{self.said:%H:%M} does not exist {there}: {meant} is meant, {instant}"


@frozen
class Unclear:
    """What is to be asked, and what may have been meant."""

    question: str
    candidates: Sequence[Resolved] = ()


Reading = Resolved | Unclear


def _local(at: datetime, time_zone: str) -> datetime:
    return at.astimezone(zone(time_zone)).replace(tzinfo=None, fold=0)
