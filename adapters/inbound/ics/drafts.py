"""What a file says of its events, as the calendar wants to hear it."""

from datetime import datetime

from attrs import define, field, frozen

from adapters.inbound.ics.components import Component, later, told
from adapters.inbound.ics.moments import Moment, Span, end_of
from adapters.inbound.ics.notes import Notes
from adapters.inbound.ics.options import ImportOptions
from application.calendar import Draft
from domain.errors import Invalid
from domain.triggers import Trigger
from domain.values import EventId, Timing

MAX_EVENTS = 100_000


@frozen
class Wanted:
    """An event as the file has it, and where in the file that is.

    `uid` is for reports, `raw_uid` as it is written; `sequence` is None where the file states none.
    """

    event_id: EventId
    draft: Draft = field(repr=False)
    uid: str
    line: int
    raw_uid: str = field(default="", repr=False)
    sequence: int | None = None


@define
class Drafts:
    """What was found so far, by what is to be done with it (see `asked.Reading`).

    `untouched` are events of which nothing is known but that they are meant to be.
    """

    options: ImportOptions
    notes: Notes
    take: dict[EventId, Wanted] = field(factory=dict)
    elsewhere: dict[EventId, Wanted] = field(factory=dict)
    cancelled: dict[EventId, int | None] = field(factory=dict)
    gone: dict[EventId, None] = field(factory=dict)
    untouched: set[EventId] = field(factory=set)

    @property
    def until(self) -> datetime:
        return self.options.now + self.options.horizon

    def draft(
        self,
        event_id: EventId,
        one: Component,
        start: Moment,
        length: Span | None,
        triggers: tuple[Trigger, ...],
        sequence: int | None = None,
    ) -> Wanted | None:
        """The draft of one occurrence; None where its time makes no sense, which is then refused."""
        try:
            timing = self._timing(start, length)
        except (Invalid, OverflowError) as problem:
            self.notes.refuse("VEVENT", told(one.uid), one.line, one_line(problem))
            return None
        draft = Draft(
            tenant_id=self.options.tenant_id,
            owner_user_id=self.options.owner_user_id,
            client_user_id=self.options.client_user_id,
            no_client=self.options.no_client,
            timing=timing,
            title=one.title,
            kind=one.kind,
            triggers=triggers,
        )
        return Wanted(event_id, draft, told(one.uid), one.line, one.uid, later(one.sequence, sequence))

    def add(self, wanted: Wanted, *, however_far: bool = False) -> bool:
        """Put it where it belongs; whether that is among those to take. The horizon is for series."""
        is_beyond = wanted.draft.timing.start_at > self.until and not however_far
        if self.is_over(wanted) or is_beyond:
            self.elsewhere[wanted.event_id] = wanted
            return False
        if len(self.take) >= MAX_EVENTS and wanted.event_id not in self.take:
            reason = f"the file has more than {MAX_EVENTS} events to take"
            self.notes.refuse("VEVENT", wanted.uid, wanted.line, reason)
            return False
        self.take[wanted.event_id] = wanted
        return True

    def triggers(self, one: Component) -> tuple[Trigger, ...]:
        """Its alarms; where it brings none that can be read, the ones that the owner is used to."""
        if one.alarms.triggers or one.alarms.none_wanted:
            return one.alarms.triggers
        return self.options.all_day_triggers if one.start.all_day else self.options.default_triggers

    def is_over(self, wanted: Wanted) -> bool:
        timing = wanted.draft.timing
        return (timing.end_at or timing.start_at) < self.options.now

    def _timing(self, start: Moment, length: Span | None) -> Timing:
        local, zone = start.zone.kept(start.local)
        end_at = None if length is None else end_of(start.local, start.zone, length)
        return Timing.of(
            local, zone, end_at=end_at, all_day=start.all_day, tz_version=self.options.tz_version
        )


def one_line(problem: Exception) -> str:
    """Why a component cannot be taken."""
    return "its time is out of bounds" if isinstance(problem, OverflowError) else str(problem)
