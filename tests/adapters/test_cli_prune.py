"""`tickler prune`, and the loop of `tickler run` that does it."""

from datetime import timedelta

import pytest
from attrs import evolve

from adapters.inbound.prune_loop import PruneStep
from adapters.settings import Settings
from adapters.testkit.examples import LONG_BEFORE
from adapters.testkit.tokens import CONVERSATION, PLATFORM, kept
from application.ports.pruning import What
from application.ports.quarantine import Quarantined
from tests.adapters.offices import NOW, Commands, MemoryOffice

NOTHING = dict.fromkeys([what.value for what in What], 0)
YEARS = timedelta(days=800)


@pytest.fixture
def office() -> MemoryOffice:
    return MemoryOffice.new()


@pytest.fixture
def tickler(office: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(office, capsys)


def fill(office: MemoryOffice, records: int = 3) -> None:
    tokens = office.container.tokens()
    tokens.add(kept(PLATFORM, 1))
    tokens.add(kept(evolve(CONVERSATION, made_at=LONG_BEFORE, expires_at=NOW), 2))
    office.container.quarantine().keep(
        [Quarantined("due", 0, offset, None, b"?", (), "no JSON", NOW - YEARS) for offset in range(records)]
    )


def test_a_dry_run_counts_what_the_next_run_removes(office: MemoryOffice, tickler: Commands) -> None:
    fill(office)
    going = NOTHING | {"sessions": 1, "quarantine": 3}

    assert tickler.document("prune", "--dry-run") == {"dryRun": True, "pruned": going}
    assert tickler.document("prune") == {"dryRun": False, "pruned": going}
    assert tickler.document("prune") == {"dryRun": False, "pruned": NOTHING}
    assert office.container.tokens().token(PLATFORM.id) == PLATFORM


def test_it_says_how_many_went_and_how_long_such_rows_are_kept(
    office: MemoryOffice, tickler: Commands
) -> None:
    fill(office)

    would = tickler("prune", "--dry-run").out.splitlines()
    went = tickler("prune").out.splitlines()

    assert would[0].split() == ["WOULD", "GO", "KEPT", "FOR"]
    assert went[0].split() == ["GONE", "KEPT", "FOR"]
    assert [line.split() for line in would[1:]] == [line.split() for line in went[1:]]
    assert "quarantine  3     400 days" in went
    assert tickler("prune").out.splitlines()[-1] == "nothing to do"


def test_what_is_kept_for_one_day_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    office = MemoryOffice.new(Settings(retention_outbox_days=1, retention_inbox_days=1.5))
    said = [line.split() for line in Commands(office, capsys)("prune").out.splitlines()]
    assert ["outbox", "0", "1", "day"] in said
    assert ["inbox", "0", "1.5", "days"] in said


def test_the_loop_removes_it_in_batches_and_stops_between_two_when_it_is_told_to(
    office: MemoryOffice,
) -> None:
    fill(office, records=10)
    quarantine = office.container.quarantine()
    pruning = evolve(office.container.pruning(), limit=3)

    PruneStep(pruning, 60.0, lambda: quarantine.count() < 5)()
    assert quarantine.count() == 4
    assert PruneStep(pruning, 60.0, lambda: False)() == 60.0
    assert quarantine.count() == 0
