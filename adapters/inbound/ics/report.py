"""What became of a file: counts, and what was refused and why. No title ever gets here."""

from collections.abc import Iterator

from attrs import field, frozen


@frozen
class Refusal:
    """A VEVENT or VALARM that was not taken: its UID ("" where it has none), its line, and why."""

    component: str
    uid: str
    line: int
    reason: str


@frozen
class Remark:
    """Something that was taken otherwise than it is written: how often, and the first line where."""

    text: str
    line: int
    count: int = 1


@frozen
class Counts:
    """What an import came to. Events are occurrences: a weekly series is one event a week.

    `events_over` are in the file and cancelled here, or completed and at another time: they stay so.
    `skipped_outside` are series with no occurrence in the horizon but later ones, `skipped_past` single
    events and series that are over, `skipped_cancelled` occurrences that the file cancels and that were never
    planned, `skipped_older` what has a lower SEQUENCE than was taken before. `reminders_past` were made for
    a time that had passed and will not be sent. `alarms_collapsed` were identical to another one of their
    event, `alarms_kept` are at a fixed instant that stayed though their event moved. `skipped_todos` and
    `skipped_journals` are VTODO and VJOURNAL components, which are no events.
    """

    events_new: int = 0
    events_moved: int = 0
    events_changed: int = 0
    events_unchanged: int = 0
    events_over: int = 0
    events_cancelled: int = 0
    reminders_made: int = 0
    reminders_past: int = 0
    alarms_collapsed: int = 0
    alarms_kept: int = 0
    skipped_outside: int = 0
    skipped_past: int = 0
    skipped_cancelled: int = 0
    skipped_older: int = 0
    skipped_todos: int = 0
    skipped_journals: int = 0

    @property
    def events_taken(self) -> int:
        return self.events_new + self.events_moved + self.events_changed + self.events_unchanged


@frozen
class Report:
    """`refused` in the order of the file, then what the rules or the store refused; `zones` are those in
    which times without a zone were taken, one a calendar.
    """

    counts: Counts = field(factory=Counts)
    refused: tuple[Refusal, ...] = ()
    warnings: tuple[Remark, ...] = ()
    zones: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The report in lines for people."""
        said = self.counts
        yield (
            f"events: {said.events_taken} taken ({said.events_new} new, {said.events_moved} moved, "
            f"{said.events_changed} changed, {said.events_unchanged} unchanged), "
            f"{said.events_cancelled} cancelled"
        )
        if said.events_over:
            yield f"over, left alone: {said.events_over} cancelled here, or completed and moved in the file"
        yield f"reminders: {said.reminders_made} made, {said.reminders_past} already past"
        yield f"alarms: {said.alarms_collapsed} identical ones collapsed"
        yield (
            f"skipped: {said.skipped_outside} series beyond the horizon, {said.skipped_past} already past, "
            f"{said.skipped_cancelled} cancelled, {said.skipped_older} older than what was taken"
        )
        if said.skipped_todos or said.skipped_journals:
            yield (
                f"skipped: {said.skipped_todos} VTODO, {said.skipped_journals} VJOURNAL, which are no events"
            )
        yield f"refused: {len(self.refused)}"
        for one in self.refused:
            yield f"  line {one.line}: {one.component} {_quoted(one.uid)}: {one.reason}"
        for remark in self.warnings:
            times = f" ({remark.count} times, first there)" if remark.count > 1 else ""
            yield f"warning: line {remark.line}: {remark.text}{times}"


def _quoted(uid: str) -> str:
    return f"'{uid}'" if uid else "(no UID)"
