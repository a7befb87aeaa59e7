"""A series is reckoned within a budget of work: which occurrences it has, or why that is not known."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from adapters.inbound.ics.budget import Budget, TooMuchWork
from adapters.inbound.ics.components import told
from adapters.inbound.ics.drafts import Drafts
from adapters.inbound.ics.notes import MOST_NAMED, shown
from adapters.inbound.ics.series import Occurrence, Series
from adapters.inbound.ics.source import BadProperty


def reckoned(series: Series, budget: Budget, drafts: Drafts) -> tuple[str | None, Sequence[Occurrence]]:
    """The occurrences in the window, or the reason why they cannot be had; TooMuchWork."""
    first = drafts.options.now - timedelta(days=1)
    until = drafts.until
    try:
        found = budget.run(partial(series.between, first, until + timedelta(days=1)))
    except TooMuchWork:
        raise
    except BadProperty as problem:
        return str(problem), ()
    except Exception as problem:
        # Whatever else the libraries make of a rule: its type is said, for its text may quote the file.
        return f"its recurrence cannot be reckoned ({type(problem).__name__})", ()
    return None, [one for one in found if one.component is not series.head or one.start.instant <= until]


def note_left_out(series: Series, budget: Budget, drafts: Drafts) -> None:
    """A series without an occurrence in the horizon: over, or named with its next one."""
    notes = drafts.notes
    try:
        following = budget.run(partial(series.next_after, drafts.until))
    except Exception:
        notes.counts["skipped_outside"] += 1
        return
    if following is None:
        notes.counts["skipped_past"] += 1
        return
    notes.counts["skipped_outside"] += 1
    is_named = notes.counts["skipped_outside"] <= MOST_NAMED
    which = f"the series {shown(told(series.head.uid))}" if is_named else "another series"
    when = f", the next is on {following:%Y-%m-%d}" if is_named else ""
    text = f"{which} has no occurrence within {drafts.options.horizon.days} days{when}"
    notes.warn(f"{text}; import again by then, or with a longer horizon", series.head.line)
