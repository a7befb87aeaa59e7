"""What a file asks of the calendar."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from attrs import frozen

from adapters.inbound.ics.drafts import Wanted
from adapters.inbound.ics.notes import Notes
from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.origin import Origin
from domain.values import EventId


@frozen
class Single:
    """A UID that does not recur: whether it is called off, and its SEQUENCE."""

    cancelled: bool
    sequence: int | None


@frozen
class Reading:
    """What a file asks of the calendar.

    `take` is to be planned, or moved and changed to be so. `elsewhere` is over, or lies beyond the horizon of
    a series: it matters only where the event is known already. `cancelled` is called off by the file; `gone`
    are occurrences that a series does not have, or has no longer: both matter only where they are known.
    `cancelled` has the SEQUENCE with which each is called off. `uids` are all that the file has, whatever
    became of them, `singles` those that are a single event; `is_torn` where a component could not be read and
    does not say which it is.
    """

    take: Sequence[Wanted]
    elsewhere: Sequence[Wanted]
    cancelled: Mapping[EventId, int | None]
    gone: Sequence[EventId]
    notes: Notes
    origin: Origin
    uids: AbstractSet[str]
    singles: Mapping[str, Single]
    is_torn: bool
    options: ImportOptions
