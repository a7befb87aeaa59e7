"""A row that is not what its history comes to, as rebuild would find it: the history is what holds."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from attrs import field, frozen

from application.auditing.standing import astray
from application.auditing.streams import Folded, Kind, fold, is_pruned, kind_of
from application.ports.ledger import Unreadable
from application.ports.pruning import Marks
from application.ports.state_rows import Standing, State, StateRows
from application.retention import LetGo, Retention

COLUMNS: Mapping[str, str] = {
    "id": "its id",
    "tenant_id": "its tenant",
    "status": "where it stands",
    "reason": "the reason for that",
    "version": "how often it was changed",
    "updated_at": "when it was last changed",
    "due_at": "when it is due",
    "kind": "its kind",
    # Of an event.
    "owner_user_id": "its owner",
    "client_user_id": "its client",
    "timing": "when it is",
    "appointment_id": "its appointment",
    "triggers": "when it reminds",
    # Of a reminder.
    "event_id": "its event",
    "trigger": "its trigger",
    "offset_minutes": "how long before the start of its event it is due",
    "sent_at": "when it was sent",
    # Of a touch.
    "origin": "where its answer goes",
    "depth": "how many touches it came of",
    "when_client_writes": "what becomes of it when the client writes first",
    "occurrence": "which occurrence of which plan it is",
    "claim": "how often it was taken up",
    "worker": "who works on it",
    "lease_until": "until when its worker has it",
    "failures": "how many of its attempts failed",
    "recoveries": "how many workers it lost",
    "rounds": "how often it was put off",
    "rounds_before": "how often it was put off before it was last tried again by hand",
    "caller": "who asked for it",
    # Of a plan.
    "terms": "its schedule, its target or its terms",
    "handled_until": "up to when its occurrences are dealt with",
    "revision": "how often it was edited",
    "end_reason": "why it ended",
    "next_at": "when its next touch is due",
}


@frozen
class Drift:
    """What differs, as `columns`; `statuses` are the row's and the history's where it is these too.

    A row `is_ahead` whose version is beyond its history: no rebuild dares that.
    """

    columns: Sequence[str] = ()
    statuses: tuple[str, str] | None = None
    is_ahead: bool = False

    @property
    def says(self) -> str:
        wrong = _listed([COLUMNS[name] for name in self.columns])
        if self.statuses is None:
            differ = f"its row and its history differ in {wrong}" if wrong else ""
        else:
            differ = "its row says {}, and its history says {}".format(*self.statuses)
            differ += f"; they differ in {wrong} too" if wrong else ""
        if not self.is_ahead:
            return f"{differ}. `tickler rebuild` mends it."
        ahead = "its row is ahead of its history, so that `tickler rebuild` leaves it: `tickler audit` tells"
        return f"{differ}{'; ' if differ else ''}{ahead} how far."


@frozen
class Drifting:
    """Holds rows against their histories, each pair as one moment has it."""

    rows: StateRows
    pruned: Marks
    retention: Retention = field(factory=Retention)

    def of(self, ids: Collection[UUID]) -> Mapping[UUID, Drift]:
        """Those that differ; nothing is said of one that cannot be read or whose history breaks a rule."""
        found = ((one.id, _drift(one)) for one in self.rows.standing(ids))
        return {id_: drift for id_, drift in found if drift is not None}

    def unreadable(self, id_: UUID) -> tuple[Kind[Any], str] | None:
        """Whose row that makes no sense it is, by its history, and what is wrong with it."""
        (one,) = self.rows.standing([id_])
        kind = kind_of(one.stream)
        if one.row is None or kind is None or not isinstance(one.row.state, Unreadable):
            return None
        return kind, one.row.state.problem

    def is_lost(self, id_: UUID, now: datetime) -> bool:
        """Whether there is no row though nothing that is pruned lacks it, so that rebuild makes it again."""
        (one,) = self.rows.standing([id_])
        kind = kind_of(one.stream)
        if one.row is not None or kind is None:
            return False
        folded: Folded[State] = fold(kind, id_, one.stream)
        let_go = LetGo(now, self.retention, self.pruned.marks())
        return folded.state is not None and not is_pruned(kind, folded, let_go)


def _drift(one: Standing) -> Drift | None:
    kind = kind_of(one.stream)
    if one.row is None or kind is None:
        return None
    folded: Folded[State] = fold(kind, one.id, one.stream)
    row, state = one.row.state, folded.state
    if state is None or isinstance(row, Unreadable) or not isinstance(row, type(state)):
        return None
    columns, is_ahead = astray(one, folded), one.row.version > len(folded.states)
    if not columns:
        return None
    told = {"status"} | ({"version"} if is_ahead else set())
    statuses = (row.status.value, state.status.value) if "status" in columns else None
    return Drift([name for name in columns if name not in told], statuses, is_ahead)


def _listed(words: Sequence[str]) -> str:
    *first, last = words or ("",)
    return f"{', '.join(first)} and {last}" if first else last
