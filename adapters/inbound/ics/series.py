"""The occurrences of a series within a window, exceptions and all (RFC 5545 section 3.8.5).

Reckoned on wall times of the series' own zone and nothing else: zones, UNTIL, EXDATE and RECURRENCE-ID of
every kind are brought to that one shape first. So a wall time that a clock change leaves out still occurs.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import cached_property

from attrs import field, frozen

from adapters.inbound.ics.components import Component
from adapters.inbound.ics.moments import Moment, Span, end_of
from adapters.inbound.ics.rules import rule_for
from adapters.inbound.ics.source import BadProperty
from adapters.inbound.ics.zones import Zone, Zones

MAX_OCCURRENCES = 1_000


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
    """The head of a series and its exceptions, one a slot; `lost` are slots of unreadable exceptions."""

    head: Component
    exceptions: tuple[Component, ...] = ()
    lost: tuple[Moment, ...] = ()
    _zones: Zones = field(kw_only=True, repr=False)

    @cached_property
    def _excluded(self) -> frozenset[datetime]:
        return frozenset(self.slot(at) for at in self.head.less)

    @cached_property
    def _excluded_days(self) -> frozenset[date]:
        return frozenset(at.local.date() for at in self.head.less if at.all_day)

    @cached_property
    def _lengths(self) -> dict[datetime, Span]:
        return {self.slot(at): length for at, length in self.head.more if length is not None}

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
        """The occurrences that are under way at some time from `first` to `last` (aware instants), in order.

        Raises BadProperty for a rule that makes no sense or has more than 1,000 of them. May never return for
        one that never comes true: run it within a Budget.
        """
        replaced = {self.slot(one.slot): one for one in self.exceptions if one.slot is not None}
        moved = [(slot, one) for slot, one in sorted(replaced.items(), key=_slot) if one.and_future]
        furthest = max((abs(self._moved_by(slot, one)) for slot, one in moved), default=timedelta(0))
        low, high = self.zone.local(first) - furthest, self.zone.local(last) + furthest
        longest = max((_rough(one.length) for one in (self.head, *self.exceptions)), default=timedelta(0))
        slots = self._slots(low - longest, high)
        found = [self._regular(slot, moved) for slot in sorted(slots - replaced.keys())]
        found += [
            Occurrence(slot, one.start, one.length, one)
            for slot, one in replaced.items()
            if not self._is_excluded(slot)
        ]
        within = [one for one in found if one.start.instant <= last and _end(one) >= first]
        return sorted(within, key=lambda one: one.slot)

    def next_after(self, last: datetime) -> datetime | None:
        """The wall time of the first slot after `last` (an aware instant). Within a Budget, as `between`."""
        after = self.zone.local(last)
        head = self.head
        slots = [head.start.local, *(self.slot(at) for at, _ in head.more)]
        found = [slot for slot in slots if slot > after and not self._is_excluded(slot)]
        for text in head.rules:
            slots_of_rule = rule_for(text, head.start, self._zones).slots
            later = (slot for slot in slots_of_rule if slot > after and not self._is_excluded(slot))
            found += [slot for slot in (next(later, None),) if slot is not None]
        return min(found, default=None)

    def _slots(self, low: datetime, high: datetime) -> set[datetime]:
        """DTSTART, what the rules give, and RDATEs, without EXDATEs and the slots that are lost."""
        head = self.head
        slots = {self.slot(at) for at, _ in head.more}
        rules = [rule_for(text, head.start, self._zones) for text in head.rules]
        if not rules or any(rule.until is None or rule.until >= head.start.local for rule in rules):
            slots.add(head.start.local)
        for rule in rules:
            for slot in rule.slots:
                if slot > high:
                    break
                if slot >= low:
                    slots.add(slot)
                if len(slots) > MAX_OCCURRENCES:
                    break
        if len(slots) > MAX_OCCURRENCES:
            raise BadProperty(f"it has more than {MAX_OCCURRENCES} occurrences in the horizon")
        lost = {self.slot(at) for at in self.lost}
        return {slot for slot in slots - lost if low <= slot <= high and not self._is_excluded(slot)}

    def _is_excluded(self, slot: datetime) -> bool:
        """A mere date among the EXDATEs excludes whatever is on that day."""
        return slot in self._excluded or slot.date() in self._excluded_days

    def _regular(self, slot: datetime, moved: Sequence[tuple[datetime, Component]]) -> Occurrence:
        """The occurrence of a slot that no exception replaces; a RANGE=THISANDFUTURE before it moves it."""
        rules = self.head
        start = slot
        for since, exception in moved:
            if since < slot:
                rules, start = exception, slot + self._moved_by(since, exception)
        length = self._lengths.get(slot, rules.length) if rules is self.head else rules.length
        return Occurrence(slot, Moment(start, self.zone, rules.start.all_day), length, rules)

    def _moved_by(self, slot: datetime, exception: Component) -> timedelta:
        return exception.start.local_in(self.zone) - slot


def _slot(one: tuple[datetime, Component]) -> datetime:
    return one[0]


def _rough(length: Span | None) -> timedelta:
    return timedelta(0) if length is None else timedelta(days=length.days + 1, seconds=length.seconds)


def _end(one: Occurrence) -> datetime:
    return end_of(one.start.local, one.start.zone, one.length or Span())


def _midnight(at: Moment) -> datetime:
    return at.local.replace(hour=0, minute=0, second=0)


def _day_of(at: Moment, zone: Zone) -> Moment:
    """The day that a date-time means in a series of whole days; midnight in UTC is midnight of that day."""
    if at.zone.name == "UTC" and at.local != _midnight(at):
        return Moment(at.local_in(zone), zone, True)
    return at


def newest(components: Sequence[Component]) -> Component:
    """Of several components that say the same thing: the highest SEQUENCE, then the last in the file."""
    return max(components, key=lambda one: (one.sequence or 0, one.line))
