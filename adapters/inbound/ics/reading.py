"""A file's bytes become drafts, and what is to be said about the rest. Nothing here touches the calendar."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from attrs import define, evolve, field, frozen

from adapters.inbound.ics.asked import Reading, Single
from adapters.inbound.ics.budget import TOO_LONG, Budget, TooMuchWork, rounds
from adapters.inbound.ics.components import Component, later, read_component, slot_of, told, uid_of
from adapters.inbound.ics.drafts import Drafts, one_line
from adapters.inbound.ics.identity import Identity
from adapters.inbound.ics.moments import Moment
from adapters.inbound.ics.notes import Notes
from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.origin import origin_of
from adapters.inbound.ics.reckoning import note_left_out, reckoned
from adapters.inbound.ics.series import Occurrence, Series, newest
from adapters.inbound.ics.source import BadProperty, Block, calendars
from adapters.inbound.ics.zones import Zones
from domain.errors import Invalid
from domain.triggers import AtInstant, Trigger
from domain.values import EventId

NO_EVENTS = {"VTODO": "skipped_todos", "VJOURNAL": "skipped_journals"}


def read(
    data: bytes, options: ImportOptions, budgets: Sequence[Budget] | None = None, file_name: str = ""
) -> Reading:
    """Read an iCalendar stream. Raises Unreadable for a file that is none; one bad component costs itself."""
    notes = Notes()
    drafts = Drafts(options, notes)
    budgets = budgets or rounds()
    reader = _Reader(drafts, notes, budgets[0], zones_budget=budgets[-1])
    blocks = calendars(data)
    for calendar in blocks:
        reader.calendar(calendar)
    reader.finish(budgets[1:])
    notes.refused.sort(key=lambda one: one.line)
    alive = drafts.take.keys() | drafts.elsewhere.keys() | drafts.untouched
    return Reading(
        take=tuple(drafts.take.values()),
        elsewhere=tuple(drafts.elsewhere.values()),
        cancelled={one: number for one, number in drafts.cancelled.items() if one not in alive},
        gone=tuple(one for one in drafts.gone if one not in alive and one not in drafts.cancelled),
        notes=notes,
        origin=origin_of(blocks, file_name, options),
        uids=reader.uids,
        singles=reader.singles,
        is_torn=any(one.component == "VEVENT" and not one.uid for one in notes.refused),
        options=options,
    )


@frozen
class PutOff:
    """A series that was not reckoned yet, and why."""

    series: Series
    identity: Identity
    reason: str


@define
class _Reader:
    drafts: Drafts
    notes: Notes
    budget: Budget
    zones_budget: Budget
    put_off: list[PutOff] = field(factory=list)
    uids: set[str] = field(factory=set)
    singles: dict[str, Single] = field(factory=dict)

    def calendar(self, calendar: Block) -> None:
        zones = Zones.of(calendar, self.drafts.options.default_zone, self.zones_budget, self.notes)
        self.notes.floating[zones.floating.name or "the file's own"] = None
        self.notes.counts.update(NO_EVENTS[one.name] for one in calendar.blocks if one.name in NO_EVENTS)
        groups: dict[str, list[Block]] = {}
        for block in calendar.inside("VEVENT"):
            groups.setdefault(uid_of(block), []).append(block)
        self.uids.update(groups)
        calls_off = _calls_off(calendar)
        for uid, blocks in groups.items():
            self._group(uid, blocks, zones, calls_off)

    def finish(self, further: Sequence[Budget]) -> None:
        """Reckon the series that were put off, with more time for each."""
        for self.budget in further:
            # Those for which there was no time before those that had some and did not come to an end.
            again, self.put_off = sorted(self.put_off, key=lambda one: one.reason == TOO_LONG), []
            for one in again:
                self._series(one.series, one.identity)
        for one in self.put_off:
            head = one.series.head
            self.notes.refuse("VEVENT", told(head.uid), head.line, f"its RRULE {one.reason}")

    def _group(self, uid: str, blocks: Sequence[Block], zones: Zones, calls_off: bool) -> None:
        """All components of one UID: a single event, a series and its exceptions, or exceptions alone."""
        components: list[Component] = []
        lost: list[Moment] = []
        for block in blocks:
            try:
                component = read_component(block, uid, zones, self.notes)
                components.append(evolve(component, cancelled=component.cancelled or calls_off))
            except (BadProperty, Invalid, OverflowError) as problem:
                self.notes.refuse("VEVENT", told(uid), block.line, one_line(problem))
                lost += _slot_lost(block, zones)
        options = self.drafts.options
        identity = Identity(options.tenant_id, options.owner_user_id, uid)
        heads = [one for one in components if one.slot is None]
        exceptions = self._newest_each([one for one in components if one.slot is not None])
        if not heads:
            self._orphans(exceptions, identity)
            return
        head = self._newest(heads)
        if exceptions or lost or head.recurs:
            self._series(Series(head, tuple(exceptions), tuple(lost), zones=zones), identity)
        else:
            self._component(head, identity.single())
            if len(components) == len(blocks):
                self.singles[uid] = Single(head.cancelled, head.sequence)

    def _newest(self, several: Sequence[Component]) -> Component:
        """The one that counts; the others are refused."""
        kept = newest(several)
        for one in several:
            if one is not kept:
                reason = f"another VEVENT of this UID stands in its place (line {kept.line})"
                self.notes.refuse("VEVENT", told(one.uid), one.line, reason)
        return kept

    def _newest_each(self, exceptions: Iterable[Component]) -> list[Component]:
        by_slot: dict[datetime, list[Component]] = {}
        for one in exceptions:
            assert one.slot is not None
            by_slot.setdefault(one.slot.instant, []).append(one)
        return [self._newest(several) for several in by_slot.values()]

    def _orphans(self, exceptions: Sequence[Component], identity: Identity) -> None:
        """Exceptions whose series is not in the file, as some programs export them."""
        for one in exceptions:
            assert one.slot is not None
            self._component(one, identity.occurrence(one.slot.local))
            if one.cancelled and one.and_future:
                until = one.slot.zone.local(self.drafts.until).date()
                days = identity.days(one.slot.local.date() + timedelta(days=1), until)
                self.drafts.gone.update(dict.fromkeys(days))

    def _component(self, one: Component, event_id: EventId) -> None:
        """One component that stands for one event."""
        if one.cancelled:
            self.drafts.cancelled[event_id] = one.sequence
            return
        wanted = self.drafts.draft(event_id, one, one.start, one.length, self.drafts.triggers(one))
        if wanted is None or self.drafts.add(wanted, however_far=True):
            return
        if self.drafts.is_over(wanted):
            self.notes.counts["skipped_past"] += 1

    def _series(self, series: Series, identity: Identity) -> None:
        try:
            problem, found = reckoned(series, self.budget, self.drafts)
        except TooMuchWork as too_much:
            self.put_off.append(PutOff(series, identity, str(too_much)))
            return
        if problem is not None:
            self.notes.refuse("VEVENT", told(series.head.uid), series.head.line, problem)
            return
        start = series.head.start.local
        taken = [self._occurrence(one, series, found, identity) for one in found]
        self._exceptions_elsewhere(series, found, identity)
        for at in series.head.less:
            self.drafts.gone[identity.occurrence(series.slot(at), start)] = None
        # What cannot be read is neither reminded of at a time that may be wrong, nor called off.
        self.drafts.untouched.update(identity.occurrence(series.slot(at), start) for at in series.lost)
        self._no_longer(series, identity)
        if not any(taken) and not series.head.cancelled:
            note_left_out(series, self.budget, self.drafts)

    def _occurrence(
        self, one: Occurrence, series: Series, found: Sequence[Occurrence], identity: Identity
    ) -> bool:
        event_id = identity.occurrence(one.slot, series.head.start.local)
        if one.component.cancelled:
            self.drafts.cancelled[event_id] = later(one.component.sequence, series.head.sequence)
            return False
        triggers = self._triggers(one, series, found)
        wanted = self.drafts.draft(
            event_id, one.component, one.start, one.length, triggers, series.head.sequence
        )
        return wanted is not None and self.drafts.add(wanted)

    def _triggers(self, one: Occurrence, series: Series, found: Sequence[Occurrence]) -> tuple[Trigger, ...]:
        """An alarm at an instant is for one occurrence of a series: the first that does not start before."""
        triggers = self.drafts.triggers(one.component)
        if one.component is not series.head:
            return triggers
        return tuple(
            trigger
            for trigger in triggers
            if not isinstance(trigger, AtInstant) or one is _first_from(trigger.at, series, found)
        )

    def _exceptions_elsewhere(self, series: Series, found: Sequence[Occurrence], identity: Identity) -> None:
        """Exceptions outside the window: where they are known, they have to follow."""
        seen = {id(one.component) for one in found}
        for one in series.exceptions:
            if id(one) in seen:
                continue
            assert one.slot is not None
            event_id = identity.occurrence(series.slot(one.slot), series.head.start.local)
            if one.cancelled:
                self.drafts.cancelled[event_id] = later(one.sequence, series.head.sequence)
                continue
            triggers = self.drafts.triggers(one)
            wanted = self.drafts.draft(event_id, one, one.start, one.length, triggers, series.head.sequence)
            if wanted is not None:
                self.drafts.elsewhere[event_id] = wanted

    def _no_longer(self, series: Series, identity: Identity) -> None:
        """Whatever else earlier versions of this series may have had in the window."""
        first = series.zone.local(self.drafts.options.now).date()
        last = series.zone.local(self.drafts.until).date()
        self.drafts.gone.update(dict.fromkeys(identity.days(first, last)))
        self.drafts.gone[identity.single()] = None


def _calls_off(calendar: Block) -> bool:
    try:
        method = calendar.one("METHOD")
    except BadProperty:
        return False
    return method is not None and method.value.strip().upper() == "CANCEL"


def _slot_lost(block: Block, zones: Zones) -> Iterator[Moment]:
    """The slot of an exception that could not be read."""
    try:
        slot = slot_of(block, zones)
    except (BadProperty, Invalid, OverflowError):
        return
    if slot is not None:
        yield slot


def _first_from(instant: datetime, series: Series, found: Sequence[Occurrence]) -> Occurrence | None:
    return next((one for one in found if one.component is series.head and one.start.instant >= instant), None)
