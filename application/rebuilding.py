"""Rows of the current state are made again from their events, in place, where they are not as these say.

Pending reminders come last, the youngest first, when all that could speak against them is there: what their
event wants no more is skipped before it could leave (decision 0038).
It can be broken off anywhere and run again: what is right already is left as it is. See decision 0027.
"""

from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import attrs
from attrs import define, field, frozen

from application.auditing.rules import Rule
from application.auditing.standing import astray
from application.auditing.streams import REMINDERS, Folded, fold, is_pruned, kind_of
from application.ports.auditing import Stream
from application.ports.errors import Busy, Conflict
from application.ports.ledger import Unreadable
from application.ports.machine import Clock
from application.ports.pruning import Marks
from application.ports.state_rows import Made, Standing, State, StateRows
from application.retention import LetGo, Retention
from application.withdrawing import Pending, Withdrawing
from domain.calendar_event import CalendarEvent
from domain.deferred_touch import DeferredTouch, Status
from domain.reminder import Reminder
from domain.reminder import Status as Waits

PAGE = 500
MOST = 100
BUSY = "it is being changed; run it again"

Progress = Callable[[int, int], None]


class _Broken(Exception):
    """A row cannot be made of its stream; the text tells why."""


@define
class Rebuilt:
    """How many streams were looked at, rows written and mended, reminders `withdrawn` that their event wants
    no more, and what was left: `left_out` for its retention, `problems` with id and why, the first of them.
    """

    looked_at: int = 0
    inserted: int = 0
    corrected: int = 0
    withdrawn: int = 0
    left_out: int = 0
    failed: int = 0
    problems: list[tuple[UUID, str]] = field(factory=list)
    is_whole: bool = False

    def fail(self, id: UUID, problem: str) -> None:
        self.failed += 1
        if len(self.problems) < MOST:
            self.problems.append((id, problem))


@frozen
class Rebuilding:
    rows: StateRows
    pruned: Marks
    clock: Clock
    withdrawing: Withdrawing
    retention: Retention = field(factory=Retention)

    def run(self, report: Rebuilt, progress: Progress = lambda done, total: None) -> Rebuilt:
        """Go through all streams; the report is filled on the way. Raises Unavailable."""
        total = self.rows.about()
        progress(0, total)
        pending: list[UUID] = []
        after: UUID | None = None
        while True:
            page = self.rows.page(after, PAGE)
            if page.last is None:
                break
            waiting = [one.id for one in page.found if _pending(one) is not None]
            pending += waiting
            self._make(report, [one for one in page.found if one.id not in waiting])
            report.looked_at += len(page.found)
            progress(report.looked_at, max(total, report.looked_at))
            after = page.last
        while pending:
            self._make_pending(report, pending[-PAGE:])
            del pending[-PAGE:]
            progress(report.looked_at, max(total, report.looked_at))
        self._name_strays(report)
        report.is_whole = True
        return report

    def _make(self, report: Rebuilt, some: Sequence[Standing]) -> None:
        # Asked afterwards: whatever lacks in there and was pruned has left its mark by then.
        let_go = LetGo(self.clock.now(), self.retention, self.pruned.marks())
        missing = []
        for one in some:
            try:
                made = self._needed(one, let_go)
            except _Broken as problem:
                report.fail(one.id, str(problem))
                continue
            if made is None:
                report.left_out += one.row is None
            elif one.row is None:
                missing.append(made)
            else:
                self._correct(report, one.id, type(made.state), let_go)
        self._insert(report, missing)

    def _make_pending(self, report: Rebuilt, ids: Sequence[UUID]) -> None:
        standing = {one.id: one for one in self.rows.standing(ids)}
        pending = [found for one in standing.values() if (found := _pending(one)) is not None]
        for unwanted in self.withdrawing.unwanted(pending):
            id_ = unwanted.state.id
            # The row of one beside these may be all that says so.
            if id_ not in standing and _pending(*self.rows.standing([id_])) is None:
                continue
            try:
                is_skipped = self.withdrawing.skip(unwanted)
            except (Busy, Conflict):
                report.fail(id_, BUSY)
                standing.pop(id_, None)
            else:
                report.withdrawn += is_skipped
                if is_skipped:
                    standing.pop(id_, None)
        self._make(report, list(standing.values()))

    def _name_strays(self, report: Rebuilt) -> None:
        """A row without history can be made of nothing, and is left as it is."""
        after: UUID | None = None
        while True:
            page = self.rows.strays(after, PAGE)
            for id_ in page.found:
                report.fail(id_, f"{Rule.ROW_HAS_STREAM.id} its row has no events")
            if page.last is None:
                return
            after = page.last

    def _needed(self, one: Standing, let_go: LetGo) -> Made | None:
        """The row as it is to be; None where it is, or where its retention is over."""
        kind = kind_of(one.stream)
        if kind is None:
            raise _Broken(next(_unreadable(one.stream), "no event of it can be read"))
        folded: Folded[State] = fold(kind, one.id, one.stream)
        if folded.state is None or folded.last_at is None:
            raise _Broken("; ".join(f"{breach.rule.id} {breach.text}" for breach in folded.breaches))
        if one.row is None:
            if is_pruned(kind, folded, let_go):
                return None
            return Made(folded.state, len(folded.states), folded.last_at, folded.caller)
        if one.row.version > len(folded.states):
            raise _Broken(
                f"its row is at version {one.row.version}, its history ends at {len(folded.states)}"
            )
        if not isinstance(one.row.state, Unreadable | type(folded.state)):
            raise _Broken("its row is one of something else")
        if not isinstance(one.row.state, Unreadable) and not astray(one, folded):
            return None
        state = _keeping(one.row.state, folded.state)
        return Made(state, len(folded.states), folded.last_at, folded.caller)

    def _insert(self, report: Rebuilt, missing: list[Made]) -> None:
        if not missing:
            return
        inserted = self.rows.insert(missing)
        report.inserted += inserted.written
        for made in missing:
            if made.state.id not in inserted.there:
                report.fail(
                    made.state.id, "the store refuses its row: another one is in its place, or a check"
                )

    def _correct(self, report: Rebuilt, id: UUID, state: type[State], let_go: LetGo) -> None:
        written: list[Made] = []

        def decide(now: Standing) -> Made | None:
            made = self._needed(now, let_go)
            written.extend([made] if made else [])
            return made

        try:
            self.rows.correct(state, id, decide)
        except Busy:
            report.fail(id, BUSY)
        except (_Broken, Conflict) as problem:
            report.fail(id, str(problem))
        else:
            report.corrected += len(written)


def _pending(one: Standing) -> Pending | None:
    """What its history comes to, for a Pending reminder without a row or with one of the same version."""
    if len(one.stream) != 1 or kind_of(one.stream) is not REMINDERS:
        return None
    state = fold(REMINDERS, one.id, one.stream).state
    if state is None or state.status is not Waits.PENDING:
        return None
    if one.row is not None and not (
        one.row.version == 1 and isinstance(one.row.state, Unreadable | Reminder)
    ):
        return None
    return Pending(state, is_lost=one.row is None)


def _keeping(row: State | Unreadable, state: State) -> State:
    """What a row knows that no event tells: a lease that was lengthened, zone data that say the same."""
    match row, state:
        case CalendarEvent(), CalendarEvent() if row.timing == state.timing:
            return attrs.evolve(state, timing=row.timing)
        case DeferredTouch(), DeferredTouch():
            holds = state.status is Status.IN_PROGRESS and row.claim == state.claim
            if holds and row.lease_until is not None:
                return attrs.evolve(state, lease_until=row.lease_until)
    return state


def _unreadable(stream: Stream) -> Iterator[str]:
    return (one.event.problem for one in stream if isinstance(one.event, Unreadable))
