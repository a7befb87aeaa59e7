"""What was pruned by one retention is sound by any other, and is not made again."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import attrs
import pytest

from application.auditing.auditing import Report
from application.auditing.rules import Rule
from application.ports.pruning import What
from application.rebuilding import Rebuilt
from application.retention import Retention
from tests.auditing.office import DAY, NOON, ZONE_DATA, clocked, found, live_a_little, opened

CENTURY = timedelta(days=36_600)
LONG = Retention(outbox=CENTURY, inbox=CENTURY, rows=CENTURY, deliveries=CENTURY)
# Later than any machine's clock, which gives the ids: a walk along these ends where those of `before` begin.
LONG_AFTER = NOON + timedelta(days=30_000)
# What goes, and which rules would say that it lacks.
STEPS = (
    ((What.INBOX,), {Rule.WAS_TAKEN_IN}),
    ((What.OUTBOX, What.DELIVERIES), {Rule.ONE_MESSAGE, Rule.ONE_ANSWER}),
    ((What.REMINDERS, What.TOUCHES), {Rule.STREAM_HAS_ROW, Rule.OCCURRENCE}),
)


@pytest.mark.parametrize("store", ["memory", "postgres"])
def test_what_a_shorter_retention_pruned_is_no_damage_and_is_left_out(
    store: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if store == "postgres" else None
    with opened(store, url) as container:
        live_a_little(container, clocked(container))
        clocked(container, LONG_AFTER)
        prunable = container.prunable()
        auditing = attrs.evolve(container.auditing(), retention=LONG)
        for some, lacking in STEPS:
            assert sum(prunable.prune(what, LONG_AFTER - DAY).pruned for what in some) > 5
            assert prunable.marks()[some[0]] == LONG_AFTER - DAY
            assert found(auditing.run(Report(), ZONE_DATA, except_stuck=True)) == {}
            unmarked = attrs.evolve(auditing, pruned=Unmarked())
            assert lacking <= set(found(unmarked.run(Report(), ZONE_DATA, except_stuck=True)))
        report = attrs.evolve(container.rebuilding(), retention=LONG).run(Rebuilt())
        assert (report.inserted, report.corrected, report.failed) == (0, 0, 0)
        assert report.left_out > 5
        assert found(auditing.run(Report(), ZONE_DATA, except_stuck=True)) == {}


@attrs.frozen
class Unmarked:
    def marks(self) -> Mapping[What, datetime]:
        return {}
