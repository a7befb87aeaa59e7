"""A row beside its stream, as rebuild finds it and `why` tells of it."""

from application.auditing.plans import is_next
from application.auditing.streams import Folded, differences
from application.ports.state_rows import Standing, State
from domain.touch_plan import TouchPlan


def astray(one: Standing, folded: Folded[State]) -> list[str]:
    """The names of the columns of a row that can be read in which it is not what its stream comes to."""
    assert one.row is not None
    assert folded.state is not None
    wrong = differences(one.row, folded)
    if isinstance(folded.state, TouchPlan) and not is_next(one.next_at, folded.state):
        wrong.append("next_at")
    return wrong
