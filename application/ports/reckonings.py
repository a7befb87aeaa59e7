"""By which zone data the instants of events were reckoned."""

from collections.abc import Collection, Sequence
from typing import Protocol

from attrs import frozen

from domain.calendar_event import CalendarEvent
from domain.reminder import Reminder
from domain.values import EventId


@frozen
class Reckoned:
    """An open event and its Pending reminders, as committed."""

    event: CalendarEvent
    pending: Sequence[Reminder]


class Reckonings(Protocol):
    """Open events, by the version of the zone data that they were reckoned by."""

    def count_otherwise(self, tz_version: str) -> int:
        """How many open events were reckoned by other zone data than of this version."""

    def otherwise(self, tz_version: str, after: EventId | None, limit: int) -> Sequence[Reckoned]:
        """Up to `limit` of them in the order of their ids, from the one after `after` on, without a lock.

        Rows that cannot be read are left out.
        """

    def confirm(self, event_ids: Collection[EventId], tz_version: str) -> None:
        """By the zone data of this version the instants of these events are what they were.

        It is no part of their history, and raises no version.
        """
