"""The small values that the aggregates share: ids, closed lists, and when an event is."""

from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import NewType
from uuid import UUID
from zoneinfo import ZoneInfo

from attrs import evolve, field, frozen

from domain.errors import Invalid

TenantId = NewType("TenantId", UUID)
UserId = NewType("UserId", UUID)
EventId = NewType("EventId", UUID)
AppointmentId = NewType("AppointmentId", UUID)
ReminderId = NewType("ReminderId", UUID)
ContactPointId = NewType("ContactPointId", UUID)
DeliveryId = NewType("DeliveryId", UUID)
NoticeId = NewType("NoticeId", UUID)
TouchId = NewType("TouchId", UUID)
PlanId = NewType("PlanId", UUID)

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)


class Kind(StrEnum):
    """What an event is, for its owner."""

    APPOINTMENT = "appointment"
    MEETING = "meeting"
    DEADLINE = "deadline"
    RENEWAL = "renewal"
    TASK = "task"
    OTHER = "other"


class EventStatus(StrEnum):
    """Where a calendar event stands; Completed and Cancelled are terminal."""

    PLANNED = "Planned"
    IN_PROGRESS = "InProgress"
    COMPLETED = "Completed"
    CANCELLED = "Cancelled"

    @property
    def is_open(self) -> bool:
        return self is EventStatus.PLANNED or self is EventStatus.IN_PROGRESS


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """The IANA zone of this name.

    Raises Invalid for an unknown name, and for names that mean another zone on each machine
    (`localtime`) or count leap seconds (`right/…`).
    """
    if name in ("localtime", "posixrules", "Factory") or name.startswith(("posix/", "right/")):
        raise Invalid(f"time zone {name!r} is not an IANA zone; write one such as Europe/Moscow")
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Invalid(f"time zone {name!r} is unknown; write an IANA zone such as Europe/Moscow") from None


def instant(local: datetime, time_zone: str) -> datetime:
    """The UTC instant of a wall time in a zone.

    A wall time that a clock change leaves out moves forward by the gap; one that happens twice means the
    first time (RFC 5545 section 3.3.5, design section 3).
    """
    try:
        return local.replace(tzinfo=zone(time_zone), fold=0).astimezone(UTC)
    except OverflowError:
        raise Invalid(f"the year {local.year} is not between 1970 and 2199") from None


@frozen
class Timing:
    """When an event is. Wall clock and zone are the truth; the instants follow from them.

    `start_local` is naive, the instants are aware and in UTC, `tz_version` names the zone data by which
    `start_at` was reckoned and takes no part in equality.
    """

    start_local: datetime
    time_zone: str
    start_at: datetime
    end_at: datetime | None = None
    all_day: bool = False
    tz_version: str = field(default="", eq=False)

    @classmethod
    def of(
        cls,
        start_local: datetime,
        time_zone: str,
        *,
        end_at: datetime | None = None,
        all_day: bool = False,
        tz_version: str = "",
    ) -> "Timing":
        """Reckon the instant from wall clock and zone.

        Raises Invalid for a start that carries an offset, an end without one, an end before the start, and
        for anything outside 1970 to 2200.
        """
        if start_local.tzinfo is not None:
            raise Invalid("start: a wall time without an offset is wanted; the zone is given beside it")
        start_at = instant(start_local, time_zone)
        if not EARLIEST.year <= start_local.year < LATEST.year:
            raise Invalid(f"start: the year {start_local.year} is not between 1970 and 2199")
        if not EARLIEST <= start_at < LATEST:
            raise Invalid(f"start: in UTC the year {start_at.year} is not between 1970 and 2199")
        if end_at is not None:
            if end_at.tzinfo is None:
                raise Invalid("end: an instant with an offset is wanted")
            end_at = end_at.astimezone(UTC)
            if end_at < start_at:
                raise Invalid("end: it is before the start")
            if end_at >= LATEST:
                raise Invalid(f"end: the year {end_at.year} is not between 1970 and 2199")
        return cls(start_local, time_zone, start_at, end_at, all_day, tz_version)

    def in_zone(self, time_zone: str, tz_version: str) -> "Timing":
        """The same wall clock and the same length in another zone, or by other zone data."""
        start_at = instant(self.start_local, time_zone)
        end_at = None if self.end_at is None else self.end_at + (start_at - self.start_at)
        return evolve(self, time_zone=time_zone, start_at=start_at, end_at=end_at, tz_version=tz_version)


@frozen
class Origin:
    """Where the request came from, and so where the answer goes and nowhere else (INV-TCH-2).

    `contact_point_id` is None for the console. The address itself is never a part of a touch.
    """

    user_id: UserId
    channel: str
    contact_point_id: ContactPointId | None = None


@frozen
class Occurrence:
    """Which occurrence of a plan a touch stands for: each makes one touch. `slot` is its naive wall time in
    the plan's zone, which new zone data leave as it is.
    """

    plan_id: PlanId
    revision: int
    slot: datetime
