"""`tickler rebuild`: what it says, and its exit codes."""

import pytest
from attrs import evolve

from application.ports.ledger import Recorded
from tests.adapters.offices import Commands, MemoryOffice


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new()


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "UTC")
    for day in ("01", "02"):
        commands.document(
            "event", "plan", "--tenant", "acme", "--owner", "anna", "--start", f"2026-12-{day} 10:00",
            "--zone", "UTC", "--remind", "60", "--title", "Call",
        )  # fmt: skip
    return commands


def test_rows_that_are_gone_are_made_again_and_a_second_time_nothing_is_to_do(
    desk: MemoryOffice, tickler: Commands
) -> None:
    store = desk.container.memory()
    before = dict(store.events)
    upcoming = tickler.document("upcoming")
    store.events.clear()
    store.reminders.clear()
    assert tickler("audit").code == 1
    said = tickler("rebuild")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "looked at 4 histories: 4 rows made again, 0 corrected,"
        " 0 left out since they were over long ago, 0 failed\n"
    )
    assert store.events == before
    assert tickler.document("upcoming") == upcoming
    assert tickler("audit").code == 0
    assert tickler.document("rebuild") == {
        "whole": True,
        "lookedAt": 4,
        "madeAgain": 0,
        "corrected": 0,
        "skipped": 0,
        "leftOut": 0,
        "failed": 0,
        "problems": [],
    }


def test_what_cannot_be_made_again_is_named_with_exit_code_1_and_the_rest_is(
    desk: MemoryOffice, tickler: Commands
) -> None:
    store = desk.container.memory()
    broken, _ = sorted(store.events)
    (first,) = store.history[broken]
    assert isinstance(first, Recorded)
    store.history[broken] = (evolve(first, version=2),)
    store.events.clear()
    said = tickler("rebuild")
    assert said.code == 1
    assert said.out.splitlines()[0] == f"{broken}  STREAM-1 version 1 is missing"
    assert len(store.events) == 1
    assert tickler("rebuild", "--json").document["problems"] == [
        {"id": str(broken), "text": "STREAM-1 version 1 is missing"}
    ]
