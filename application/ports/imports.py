"""Which events came out of which calendar, so that the same calendar can be read again."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from attrs import frozen

from domain.values import EventId


class Ended(StrEnum):
    """How an import ended an event: its calendar called it off, or has it no longer."""

    NOT = ""
    CALLED_OFF = "called off"
    MISSING = "missing"


@frozen
class Imported:
    """An occurrence as it was last read.

    `source` is the id that follows from owner, UID and occurrence; `event_id` the event that stands for it,
    another one where the calendar gave it a new UID. `calendar`, `uid` and `fingerprint` (of start, end and
    title) are digests: nothing can be read from them. `ended` says how an import ended the event.
    """

    source: EventId
    event_id: EventId
    calendar: UUID
    uid: UUID
    sequence: int
    fingerprint: UUID
    ended: Ended = Ended.NOT


@frozen
class Revision:
    """A source as it was found and as it is to be known from now on; None stands for not at all."""

    source: EventId
    before: Imported | None
    after: Imported | None


class Imports(Protocol):
    """What was read from calendars; it is written with the event that it tells of (Transaction.revise)."""

    def of_calendar(self, calendar: UUID) -> Mapping[EventId, Imported]:
        """What came out of this calendar last, by source."""

    def of_uids(self, uids: Collection[UUID]) -> Mapping[EventId, Imported]:
        """What came of these UIDs, whatever calendar it was in, by source."""

    def of_sources(self, sources: Collection[EventId]) -> Mapping[EventId, Imported]:
        """What was read of these sources last."""
