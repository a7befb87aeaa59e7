"""A plan, and the touches that its occurrences became."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from application.auditing.rules import LATE, Breach, Moment, Rule
from application.auditing.streams import PLANS, fold, row_breaches
from application.ports.auditing import PlanFacts
from application.ports.pruning import What
from domain.touch_plan import PlanAdvanced, TouchPlan, next_occurrence
from domain.values import Occurrence

# Other zone data move an occurrence, though by no more than this; its row follows when it is due.
ZONES_APART = timedelta(days=1)


def plan_breaches(facts: PlanFacts, moment: Moment) -> Iterator[Breach]:
    folded = fold(PLANS, facts.id, facts.stream)
    yield from row_breaches(facts.id, facts.row, facts.stream, folded)
    if facts.next_at is not None and facts.next_at < moment.now - LATE:
        yield Breach(Rule.STUCK_PLAN, facts.id, f"its next occurrence was at {facts.next_at.isoformat()}")
    if facts.is_foreign:
        yield Breach(Rule.TENANT, facts.id, "whom it is for is of another tenant")
    if folded.state is not None:
        if not is_next(facts.next_at, folded.state):
            yield Breach(Rule.NEXT_AT, facts.id, "its row waits for another time, or for none")
        yield from _of_occurrences(facts, folded.state, moment)


def is_next(next_at: datetime | None, plan: TouchPlan) -> bool:
    planned = next_occurrence(plan)
    if planned is None or next_at is None:
        return planned is None and next_at is None
    return abs(planned.at - next_at) <= ZONES_APART


def _of_occurrences(facts: PlanFacts, plan: TouchPlan, moment: Moment) -> Iterator[Breach]:
    made: dict[Occurrence, datetime] = {}
    for happened in facts.stream:
        if isinstance(happened.event, PlanAdvanced):
            for one in happened.event.made:
                if one.occurrence in made:
                    yield Breach(Rule.OCCURRENCE, facts.id, f"it made {_named(one.occurrence)} twice")
                made[one.occurrence] = happened.event.at
    touches = Counter(occurrence for _, _, occurrence in facts.made)
    for occurrence, at in made.items():
        if occurrence not in touches and at >= moment.let_go.before(What.TOUCHES):
            yield Breach(Rule.OCCURRENCE, facts.id, f"no touch stands for {_named(occurrence)}")
    for touch_id, _, occurrence in facts.made:
        if occurrence not in made:
            yield Breach(Rule.OCCURRENCE, touch_id, f"its plan never made {_named(occurrence)}")
        elif touches[occurrence] > 1:
            yield Breach(Rule.OCCURRENCE, touch_id, f"another touch stands for {_named(occurrence)} too")


def _named(occurrence: Occurrence) -> str:
    return f"{occurrence.slot.isoformat()} of revision {occurrence.revision}"
