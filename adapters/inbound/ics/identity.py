"""Under which id an occurrence of a file stands in the calendar: the same at every import."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from uuid import UUID, uuid5

from attrs import frozen

from domain.values import EventId, TenantId, UserId

_NAMESPACE = UUID("5f0d7c1e-6f0b-5a63-9d0c-3d6f4f5a7b21")


@frozen
class Identity:
    """The ids of all that comes of one UID in one owner's calendar.

    An occurrence is known by the day of its slot, not by the instant: so a series that is put from 10:00 to
    11:00 moves its occurrences, instead of leaving the old ones behind beside new ones.
    """

    tenant_id: TenantId
    owner_user_id: UserId
    uid: str

    def single(self) -> EventId:
        """The event itself, which does not recur."""
        return self._id("")

    def occurrence(self, slot: datetime, start_of_series: datetime | None = None) -> EventId:
        """The occurrence whose slot is this wall time, in a series that starts at this one.

        Slots at another time of day than the start (a rule with several a day) are told apart by their time.
        """
        if start_of_series is None or slot.time() == start_of_series.time():
            return self._id(slot.date().isoformat())
        return self._id(slot.isoformat())

    def days(self, first: date, last: date) -> Iterator[EventId]:
        """The occurrences that a series may have had on these days, one a day."""
        for number in range((last - first).days + 1):
            yield self._id((first + timedelta(days=number)).isoformat())

    def _id(self, occurrence: str) -> EventId:
        name = f"{self.tenant_id}\n{self.owner_user_id}\n{self.uid}\n{occurrence}"
        return EventId(uuid5(_NAMESPACE, name))
