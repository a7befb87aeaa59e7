"""The occurrences of a series within a window, exceptions and all.

recurring-ical-events reckons them, on wall times of the series' own zone and nothing else: zones, UNTIL,
EXDATE and RECURRENCE-ID of every kind are brought to that one shape first, since libraries differ over mixed
ones. So a wall time that a clock change leaves out is still an occurrence.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import recurring_ical_events  # type: ignore[import-untyped]
from attrs import field, frozen
from icalendar import Calendar, Event

from adapters.inbound.ics.components import Component
from adapters.inbound.ics.moments import Moment, Span
from adapters.inbound.ics.rules import rule_for
from adapters.inbound.ics.zones import Zone, Zones

_INDEX = "X-INDEX"


@frozen
class Occurrence:
    """`slot` is the wall time, in the zone of the series, at which the rule puts it; `start` is where it is.

    `component` is the series' head or the exception that stands in its place.
    """

    slot: datetime
    start: Moment
    length: Span | None
    component: Component


@frozen
class Series:
    """The head of a series and its exceptions. `lost` are slots whose exception could not be read."""

    head: Component
    exceptions: tuple[Component, ...] = ()
    lost: tuple[Moment, ...] = ()
    _zones: Zones = field(kw_only=True, repr=False)

    @property
    def zone(self) -> Zone:
        return self.head.start.zone

    def slot(self, at: Moment) -> datetime:
        """The slot that a RECURRENCE-ID, RDATE or EXDATE means; a mere date means the one of that day."""
        start = self.head.start
        if start.all_day:
            return _midnight(at if at.all_day else _day_of(at, self.zone))
        if at.all_day:
            return datetime.combine(at.local.date(), start.local.time())
        return at.local_in(self.zone)

    def between(self, first: datetime, last: datetime) -> list[Occurrence]:
        """The occurrences that are under way at some time from `first` to `last` (aware instants).

        May never return for a rule that never comes true: run it within a Budget.
        """
        calendar = Calendar()
        calendar.add_component(self._head())
        for index, exception in enumerate(self.exceptions):
            calendar.add_component(self._exception(index, exception))
        found = recurring_ical_events.of(calendar).between(self.zone.local(first), self.zone.local(last))
        return sorted((self._occurrence(one) for one in found), key=lambda one: (one.slot, one.start.local))

    def _head(self) -> Event:
        head = self.head
        event = self._event(-1, head, head.start.local)
        for rule in head.rules:
            event.add("rrule", rule_for(rule, head.start, self._zones))
        extra = [self.slot(at) for at, _ in head.more]
        if extra:
            event.add("rdate", extra)
        excluded = [self.slot(at) for at in (*head.less, *self.lost)]
        if excluded:
            event.add("exdate", excluded)
        if not head.start.all_day:
            # A mere date excludes whatever is on that day.
            for day in sorted({at.local.date() for at in head.less if at.all_day}):
                event.add("exdate", day)
        return event

    def _exception(self, index: int, exception: Component) -> Event:
        assert exception.slot is not None
        event = self._event(index, exception, exception.start.local_in(self.zone))
        parameters = {"RANGE": "THISANDFUTURE"} if exception.and_future else {}
        event.add("recurrence-id", self.slot(exception.slot), parameters=parameters)
        return event

    def _event(self, index: int, component: Component, start: datetime) -> Event:
        length = component.length or Span()
        event = Event()
        event.add("uid", "series")
        event.add("sequence", component.sequence)
        event.add("dtstart", start)
        event.add("dtend", start + timedelta(days=length.days, seconds=length.seconds))
        event[_INDEX] = str(index)
        return event

    def _occurrence(self, found: Event) -> Occurrence:
        index = int(str(found[_INDEX]))
        start = found.decoded("dtstart")
        assert isinstance(start, datetime)
        if index < 0:
            lengths = {self.slot(at): length for at, length in self.head.more if length is not None}
            at = Moment(start, self.zone, self.head.start.all_day)
            return Occurrence(start, at, lengths.get(start, self.head.length), self.head)
        exception = self.exceptions[index]
        assert exception.slot is not None
        slot = self.slot(exception.slot)
        moved_by = exception.start.local_in(self.zone) - slot
        if exception.and_future and start - moved_by != slot:
            at = Moment(start, self.zone, exception.start.all_day)
            return Occurrence(start - moved_by, at, exception.length, exception)
        return Occurrence(slot, exception.start, exception.length, exception)


def _midnight(at: Moment) -> datetime:
    return at.local.replace(hour=0, minute=0, second=0)


def _day_of(at: Moment, zone: Zone) -> Moment:
    """The day that a date-time means in a series of whole days; midnight in UTC is midnight of that day."""
    if at.zone.name == "UTC" and at.local != _midnight(at):
        return Moment(at.local_in(zone), zone, True)
    return at


def newest(components: Sequence[Component]) -> Component:
    """Of several components that say the same thing: the highest SEQUENCE, then the last in the file."""
    return max(components, key=lambda one: (one.sequence, one.line))
