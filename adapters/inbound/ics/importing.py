"""A file is put into the calendar: what is new is planned, what changed follows, what is called off ends."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path

from attrs import define, field

from adapters.inbound.ics.drafts import Wanted
from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.reading import Reading, read
from adapters.inbound.ics.report import Counts, Refusal, Report
from adapters.inbound.ics.source import load
from application.calendar import Calendar, Done
from application.ports.errors import Busy, Conflict
from domain import calendar_event, reminder
from domain.calendar_event import CalendarEvent
from domain.errors import Invalid, Refused
from domain.values import EventId

_LOOK_UP = 5_000

Progress = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """Tell nobody how far it is."""


def import_file(
    path: Path, calendar: Calendar, options: ImportOptions, progress: Progress = silent
) -> Report:
    """Read the file and put what it holds into the calendar, one event a transaction.

    The same file again makes nothing new, and a changed one moves and changes: ids follow from UID and
    occurrence. `progress` is told (done, total) after each event, and (0, total) first.

    Raises Unreadable for a file that cannot be read at all, before anything is changed; Unavailable when the
    store is lost on the way (what was put stays; import again to finish).
    """
    reading = read(load(path), options)
    return _Import(calendar, options).put(reading, progress)


@define
class _Import:
    calendar: Calendar
    options: ImportOptions
    counts: Counter[str] = field(factory=Counter)
    refused: list[Refusal] = field(factory=list)

    def put(self, reading: Reading, progress: Progress) -> Report:
        known = self._known(reading)
        follow = [one for one in reading.elsewhere if one.event_id in known]
        cancel = [one for one in reading.cancelled if one in known]
        self.counts["skipped_cancelled"] += len(reading.cancelled) - len(cancel)
        now = self.options.now
        cancel += [one for one in reading.gone if one in known and known[one].timing.start_at > now]
        total = len(reading.take) + len(follow) + len(cancel)
        progress(0, total)
        done = 0
        for one in (*reading.take, *follow):
            self._put(one)
            progress(done := done + 1, total)
        for event_id in cancel:
            self._cancel(event_id, known[event_id])
            progress(done := done + 1, total)
        counts = Counts(**(self.counts + reading.notes.counts))
        return Report(counts, (*reading.notes.refused, *self.refused), reading.notes.warnings())

    def _known(self, reading: Reading) -> Mapping[EventId, CalendarEvent]:
        """Those of the ids that matter only where they are known, and are."""
        wanted = iter([*(one.event_id for one in reading.elsewhere), *reading.cancelled, *reading.gone])
        known: dict[EventId, CalendarEvent] = {}
        while some := list(islice(wanted, _LOOK_UP)):
            known.update(self.calendar.known(some))
        return known

    def _put(self, wanted: Wanted) -> None:
        try:
            done = self.calendar.put(wanted.draft, wanted.event_id)
        except (Invalid, Refused, Busy, Conflict) as problem:
            self.refused.append(Refusal("VEVENT", wanted.uid, wanted.line, _reason(problem)))
            return
        self.counts[_outcome(done.happened)] += 1
        self._count_reminders(done)

    def _cancel(self, event_id: EventId, event: CalendarEvent) -> None:
        if not event.status.is_open:
            return
        try:
            self.calendar.cancel(event_id)
        except (Refused, Busy, Conflict) as problem:
            self.refused.append(Refusal("VEVENT", "", 0, f"event {event_id}: {_reason(problem)}"))
            return
        self.counts["events_cancelled"] += 1

    def _count_reminders(self, done: Done) -> None:
        # A reminder may be there twice: made for the new time, then taken off with its trigger.
        for one in {row.id: row for row in done.reminders}.values():
            if one.status is reminder.Status.PENDING:
                self.counts["reminders_made"] += 1
            elif one.reason is reminder.SkipReason.PAST:
                self.counts["reminders_past"] += 1


def _outcome(happened: Iterable[calendar_event.Event]) -> str:
    kinds = {type(one) for one in happened}
    if calendar_event.CalendarEventPlanned in kinds:
        return "events_new"
    if calendar_event.CalendarEventMoved in kinds:
        return "events_moved"
    return "events_changed" if kinds else "events_unchanged"


def _reason(problem: Exception) -> str:
    if isinstance(problem, Busy | Conflict):
        return "it is being changed elsewhere; import again"
    return str(problem)
