"""A file is put into the calendar: what is new is planned, what changed follows, what is called off ends."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, islice
from pathlib import Path

from attrs import define, field, frozen

from adapters.codec import Malformed
from adapters.inbound.ics.asked import Reading
from adapters.inbound.ics.drafts import Wanted
from adapters.inbound.ics.earlier import Earlier
from adapters.inbound.ics.notes import MOST_NAMED, Notes, shown
from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.reading import read
from adapters.inbound.ics.report import Counts, Refusal, Report
from adapters.inbound.ics.source import Unreadable, load
from application.calendar import Calendar, Done, Draft
from application.ports.errors import Busy, Conflict
from application.ports.imports import Ended, Imports
from domain import calendar_event, reminder
from domain.calendar_event import CalendarEvent
from domain.errors import Invalid, Refused
from domain.values import EventId, EventStatus

_LOOK_UP = 5_000
_TRIES = 3

Progress = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """Tell nobody how far it is."""


def import_file(
    path: Path, calendar: Calendar, imports: Imports, options: ImportOptions, progress: Progress = silent
) -> Report:
    """Read the file and put what it holds into the calendar, one event a transaction.

    The same file again makes nothing new, and a changed one moves and changes: ids follow from UID and
    occurrence. What has a lower SEQUENCE than was taken before is passed over. What came out of this calendar
    before (see `origin`) and is not in the file any more is cancelled, where it is still to come, unless it
    has a new UID and is equal in start, end and title.

    `progress` is told (done, total) after each event, and (0, total) first.

    Raises Unreadable before anything is changed, for a file that cannot be read at all, and for one without
    events whose calendar has events to come, unless `allow_empty`; Unavailable when the
    store is lost on the way (what was put stays; import again to finish); PersonIsErased when the owner or
    the client is, or comes to be on the way (what was put stays, without its titles).
    """
    reading = read(load(path), options, file_name=path.name)
    return _Import(calendar, options, Earlier.of(imports, reading)).put(reading, progress)


@frozen
class _End:
    """An event that is to be cancelled, and why."""

    source: EventId
    event: CalendarEvent
    how: Ended
    sequence: int | None = None


@define
class _Import:
    calendar: Calendar
    options: ImportOptions
    earlier: Earlier
    counts: Counter[str] = field(factory=Counter)
    refused: list[Refusal] = field(factory=list)

    def put(self, reading: Reading, progress: Progress) -> Report:
        known = self._known(reading)
        take = [one for one in reading.take if self._is_news(one.event_id, one.sequence)]
        follow = [
            one
            for one in reading.elsewhere
            if self.earlier.event_id(one.event_id) in known or self.earlier.lost_like(one)
        ]
        follow = [one for one in follow if self._is_news(one.event_id, one.sequence)]
        cancel = self._to_cancel(reading, known)
        total = len(take) + len(follow) + len(cancel)
        progress(0, total)
        done = 0
        for one in (*take, *follow):
            self._put(one, reading.notes)
            progress(done := done + 1, total)
        missing = self._missing(reading)
        total += len(missing)
        for end in (*cancel, *missing):
            self._end(end)
            progress(done := done + 1, total)
        counts = Counts(**(self.counts + reading.notes.counts))
        refused = (*reading.notes.refused, *self.refused)
        return Report(counts, refused, reading.notes.warnings(), tuple(reading.notes.floating))

    def _is_news(self, source: EventId, sequence: int | None) -> bool:
        if self.earlier.is_older(source, sequence):
            self.counts["skipped_older"] += 1
            return False
        return True

    def _to_cancel(self, reading: Reading, known: Mapping[EventId, CalendarEvent]) -> list["_End"]:
        """What the file calls off, and what its series do not have, as far as it is known."""
        ends: dict[EventId, _End] = {}
        for source, number in reading.cancelled.items():
            if not self._is_news(source, number):
                continue
            event = known.get(self.earlier.event_id(source))
            if event is None:
                self.counts["skipped_cancelled"] += 1
            else:
                ends[event.id] = _End(source, event, Ended.CALLED_OFF, number)
        for row, single in self.earlier.left_of_series():
            event = known.get(row.event_id)
            if event is None or not event.timing.start_at > self.options.now:
                continue
            if self._is_news(row.source, single.sequence):
                how = Ended.CALLED_OFF if single.cancelled else Ended.MISSING
                ends.setdefault(event.id, _End(row.source, event, how, single.sequence))
        for source in reading.gone:
            event = known.get(self.earlier.event_id(source))
            if event is not None and event.timing.start_at > self.options.now:
                ends.setdefault(event.id, _End(source, event, Ended.MISSING))
        return list(ends.values())

    def _known(self, reading: Reading) -> Mapping[EventId, CalendarEvent]:
        """Those of the ids that matter only where they are known, and are."""
        sources = [*(one.event_id for one in reading.elsewhere), *reading.cancelled, *reading.gone]
        left = (row.event_id for row, _ in self.earlier.left_of_series())
        return self._look_up(chain(left, (self.earlier.event_id(one) for one in sources)))

    def _look_up(self, event_ids: Iterable[EventId]) -> Mapping[EventId, CalendarEvent]:
        wanted = iter(event_ids)
        known: dict[EventId, CalendarEvent] = {}
        while some := list(islice(wanted, _LOOK_UP)):
            known.update(self.calendar.known(some))
        return known

    def _missing(self, reading: Reading) -> list["_End"]:
        """Events to come that came out of this calendar before and are not in it any more."""
        if self.options.keep_missing or not (rows := self.earlier.missing()):
            return []
        found = self._look_up(one.event_id for one in rows)
        missing = [
            _End(row.source, event, Ended.MISSING)
            for row in rows
            if (event := found.get(row.event_id)) is not None
            and event.status.is_open
            and event.timing.start_at > self.options.now
        ]
        doubt = self._doubt(reading)
        if missing and doubt:
            reading.notes.warn(f"{doubt}: {len(missing)} events of before that are not in it were left", 1)
            return []
        if missing and not reading.uids and not self.options.allow_empty:
            raise Unreadable(
                f"the file has no event, and of its calendar {len(missing)} are still to come:"
                " --allow-empty cancels them, --keep-missing leaves them"
            )
        return missing

    def _doubt(self, reading: Reading) -> str:
        """Why what is not in the file may be meant to be all the same."""
        if reading.is_torn:
            return "a VEVENT without a UID could not be read"
        if not reading.origin.is_named and not self.earlier.has_overlap():
            return "the file has no name for its calendar and shares no event with the one of before"
        return ""

    def _put(self, wanted: Wanted, notes: Notes) -> None:
        try:
            done = self._take(wanted)
        except (Invalid, Refused, Busy, Conflict, Malformed) as problem:
            self.earlier.refused(wanted)
            self.refused.append(Refusal("VEVENT", wanted.uid, wanted.line, _reason(problem)))
            return
        if done is None:
            return
        self.counts[_outcome(done, wanted.draft)] += 1
        self._count_reminders(done)
        self._flag_kept(done, wanted, notes)
        if done.untitled:
            notes.warn("its title was not taken, for its owner or client is erased", wanted.line)

    def _take(self, wanted: Wanted) -> Done | None:
        """Put it into the calendar; None where another import took a later SEQUENCE meanwhile."""
        for tries_left in reversed(range(_TRIES)):
            taking = self.earlier.taking(wanted)
            try:
                done = self.calendar.put(wanted.draft, taking.event_id, taking.revisions)
            except Conflict:
                if not tries_left:
                    raise
                self.earlier.look_again(taking)
                if not self._is_news(wanted.event_id, wanted.sequence):
                    return None
            else:
                self.earlier.took(taking)
                return done
        return None

    def _end(self, end: "_End") -> None:
        if not end.event.status.is_open or self.earlier.has_taken(end.event.id):
            return
        known = self.earlier.ending(end.source, end.how, end.sequence)
        try:
            done = self.calendar.call_off(end.event.id, known)
        except (Refused, Busy, Conflict, Malformed) as problem:
            self.refused.append(Refusal("VEVENT", "", 0, f"event {end.event.id}: {_reason(problem)}"))
            return
        self.counts["events_cancelled"] += bool(done.happened)

    def _count_reminders(self, done: Done) -> None:
        # A reminder may be there twice: made for the new time, then taken off with its trigger.
        for one in {row.id: row for row in done.reminders}.values():
            if one.status is reminder.Status.PENDING:
                self.counts["reminders_made"] += 1
            elif one.reason is reminder.SkipReason.PAST:
                self.counts["reminders_past"] += 1

    def _flag_kept(self, done: Done, wanted: Wanted, notes: Notes) -> None:
        """An alarm at a fixed instant does not follow its event; whoever set it may not have meant that."""
        for one in done.kept:
            self.counts["alarms_kept"] += 1
            is_named = self.counts["alarms_kept"] <= MOST_NAMED
            which = f"{shown(wanted.uid)} moved, and its alarm at {one.at:%Y-%m-%dT%H:%MZ}"
            which = which if is_named else "another event moved, and its alarm"
            notes.warn(f"{which} stays, for it is at a fixed time", wanted.line)


def _outcome(done: Done, draft: Draft) -> str:
    kinds = {type(one) for one in done.happened}
    status = done.event.status
    if status is EventStatus.CANCELLED or (not status.is_open and draft.timing != done.event.timing):
        return "events_over"
    if calendar_event.CalendarEventPlanned in kinds:
        return "events_new"
    if calendar_event.CalendarEventMoved in kinds:
        return "events_moved"
    return "events_changed" if kinds or done.retitled else "events_unchanged"


def _reason(problem: Exception) -> str:
    if isinstance(problem, Busy | Conflict):
        return "it is being changed elsewhere; import again"
    return str(problem)
