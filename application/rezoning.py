"""When the zone data change: what is still to come is reckoned anew from wall clock and zone (R28)."""

from collections.abc import Callable, Iterator
from datetime import datetime

from attrs import frozen

from application.calendar import Calendar
from application.ports.errors import Busy, Conflict, RemindersAreLost
from application.ports.machine import Clock
from application.ports.reckonings import Reckoned, Reckonings
from domain.errors import Refused
from domain.triggers import Trigger, due_at
from domain.values import EventId, TenantId, Timing

PAGE = 1_000

Progress = Callable[[int, int], None]


@frozen
class Shifted:
    """A Pending reminder that falls elsewhere; `is_past`: that time has passed, and it will not be sent."""

    trigger: Trigger
    due_before: datetime
    due_after: datetime
    is_past: bool


@frozen
class Rezoned:
    """An event whose instants changed, and which of its reminders did."""

    event_id: EventId
    tenant_id: TenantId
    before: Timing
    after: Timing
    reminders: tuple[Shifted, ...]


@frozen
class Report:
    """`looked_at` counts events; `left` could not be changed just now: ask again."""

    tz_version: str
    looked_at: int
    rezoned: tuple[Rezoned, ...]
    left: tuple[EventId, ...]


@frozen
class Rezoning:
    calendar: Calendar
    reckonings: Reckonings
    clock: Clock

    def run(
        self, tz_version: str, progress: Progress = lambda done, total: None, *, dry_run: bool = False
    ) -> Report:
        """Reckon anew whatever was reckoned by other zone data; `dry_run` tells what would come of it.

        One event a transaction; run it again to finish what was broken off. Raises Unavailable.
        """
        total = self.reckonings.count_otherwise(tz_version)
        progress(0, total)
        looked_at = 0
        rezoned: list[Rezoned] = []
        left: list[EventId] = []
        for page in self._pages(tz_version):
            same: list[EventId] = []
            for one in page:
                change = _change(one, tz_version, self.clock.now())
                if change is None:
                    same.append(one.event.id)
                elif dry_run or self._follows(one.event.id, tz_version):
                    rezoned.append(change)
                else:
                    left.append(one.event.id)
            if same and not dry_run:
                self.reckonings.confirm(same, tz_version)
            looked_at += len(page)
            progress(looked_at, max(total, looked_at))
        return Report(tz_version, looked_at, tuple(rezoned), tuple(left))

    def _pages(self, tz_version: str) -> Iterator[list[Reckoned]]:
        after: EventId | None = None
        while page := list(self.reckonings.otherwise(tz_version, after, PAGE)):
            yield page
            after = page[-1].event.id

    def _follows(self, event_id: EventId, tz_version: str) -> bool:
        try:
            self.calendar.rezone(event_id, tz_version)
        except (Busy, Conflict, RemindersAreLost):
            return False
        except Refused:
            pass  # it ended meanwhile: nothing of it is to come
        return True


def _change(one: Reckoned, tz_version: str, now: datetime) -> Rezoned | None:
    """What changes; None where all instants that are still to come stay."""
    event = one.event
    after = event.timing.in_zone(event.timing.time_zone, tz_version)
    shifted = tuple(
        Shifted(row.trigger, row.due_at, due, due < now)
        for row in one.pending
        if row.due_at > now and (due := due_at(row.trigger, after)) != row.due_at
    )
    if not shifted and after.start_at == event.timing.start_at:
        return None
    return Rezoned(event.id, event.tenant_id, event.timing, after, shifted)
