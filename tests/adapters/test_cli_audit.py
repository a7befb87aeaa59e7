"""`tickler audit`: what it says, and its exit codes."""

import re
from collections.abc import Callable

import pytest
from attrs import evolve

from adapters.inbound.cli.auditing import REBUILT, RUNBOOK
from application.auditing.rules import Rule
from application.ports.auditing import Page, Part
from application.ports.ledger import Versioned
from domain.values import UserId
from tests.adapters.offices import Commands, MemoryOffice
from tests.specification import ROOT
from tests.watching.anchors import anchors


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


def harm(desk: MemoryOffice) -> list[str]:
    """Give every event another owner, in its row alone."""
    store = desk.container.memory()
    for id_, row in store.events.items():
        stranger = evolve(row.state, owner_user_id=UserId(id_))
        store.events[id_] = Versioned(stranger, row.version)
    return [str(id_) for id_ in sorted(store.events)]


def test_a_sound_store_is_said_to_be_so(tickler: Commands) -> None:
    said = tickler("audit")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "all is sound: 2 events, 2 reminders, 0 touches, 0 plans, 0 outbox records, 0 deliveries,"
        " 0 tried deliveries, 0 imported entries, 4 streams\n"
    )
    told = tickler.document("audit")
    assert told["sound"]
    assert told["breaches"] == []
    assert told["lookedAt"]["reminders"] == 2


def test_a_breach_is_exit_code_1_with_rule_ids_and_columns_and_no_more(
    desk: MemoryOffice, tickler: Commands
) -> None:
    ids = harm(desk)
    said = tickler("audit")
    assert said.code == 1
    assert said.out.splitlines()[:3] == [
        "ROW-1  a row is what its events come to: 2 do not",
        *(f"  {id_}  other than its events say: owner_user_id" for id_ in ids),
    ]
    assert said.out.splitlines()[-3].startswith("1 rule does not hold; looked at: ")
    assert said.out.splitlines()[-2:] == [
        "next: `tickler rebuild`, which makes rows right from a whole history: ROW-1",
        "what is left after that: docs/runbooks/audit.md",
    ]
    assert "Call" not in said.out


def test_what_rebuild_cannot_make_right_is_sent_to_the_runbook(desk: MemoryOffice, tickler: Commands) -> None:
    harm(desk)
    store = desk.container.memory()
    first = min(store.events)
    store.events[first] = Versioned(store.events[first].state, 9)
    runbook = "next: docs/runbooks/audit.md says what to do: ROW-1"
    assert tickler("audit").out.splitlines()[-2:] == [
        "next: `tickler rebuild`, which makes rows right from a whole history: ROW-1",
        runbook,
    ]
    assert tickler("rebuild").code == 1
    said = tickler("audit")
    assert f"{first}  other than its events say" in said.out
    assert said.out.splitlines()[-1] == runbook
    assert "rebuild" not in said.out


def test_a_trigger_without_a_reminder_is_for_rebuild_only_where_rows_are_lost(
    desk: MemoryOffice, tickler: Commands
) -> None:
    store = desk.container.memory()
    (id_, *_), kept = sorted(store.reminders), dict(store.history)
    del store.reminders[id_]
    assert tickler("audit").out.splitlines()[-2].endswith("from a whole history: ROW-3, EVENT-2")
    del store.history[id_]
    said = tickler("audit").out.splitlines()
    assert said[-1] == "next: docs/runbooks/audit.md says what to do: EVENT-2"
    store.history[id_] = kept[id_]
    assert tickler("rebuild").code == 0
    assert tickler("audit").code == 0


def test_what_there_is_one_of_is_counted_in_the_singular(
    desk: MemoryOffice, capsys: pytest.CaptureFixture[str]
) -> None:
    tickler = Commands(MemoryOffice.new(), capsys)
    tickler.document("person", "add", "anna", "--tenant", "acme", "--zone", "UTC")
    tickler.document(
        "event", "plan", "--tenant", "acme", "--owner", "anna", "--start", "2026-12-01 10:00",
        "--zone", "UTC", "--no-remind",
    )  # fmt: skip
    said = tickler("audit").out
    assert said.startswith("all is sound: 1 event, 0 reminders, ")
    assert said.endswith(", 1 stream\n")


def test_ids_are_limited_and_counts_are_not(desk: MemoryOffice, tickler: Commands) -> None:
    ids = harm(desk)
    said = tickler("audit", "--most", "1", "--json")
    assert said.code == 1
    (breach,) = said.document["breaches"]
    assert (breach["rule"], breach["count"], [one["id"] for one in breach["first"]]) == ("ROW-1", 2, ids[:1])
    assert "  and 1 more" in tickler("audit", "--most", "1").out.splitlines()


def test_what_waits_too_long_is_a_breach_unless_it_is_left_out(desk: MemoryOffice, tickler: Commands) -> None:
    (due, _) = sorted(row.state.due_at for row in desk.container.memory().reminders.values())
    desk.clock.set(due.replace(minute=3))
    said = tickler("audit")
    assert said.code == 1
    assert "STUCK-1  no reminder is Pending 120 s after its time: 1 does not" in said.out
    assert said.out.splitlines()[-1] == "next: docs/runbooks/audit.md says what to do: STUCK-1"
    assert "rebuild" not in said.out
    assert tickler("audit", "--except-stuck").code == 0


def test_the_runbook_has_each_rule_once_and_rebuild_mends_the_same_there_as_in_the_audit() -> None:
    sections = anchors((ROOT / RUNBOOK).read_text("utf-8"))
    named = {
        section: re.findall(r"[A-Z]+(?:-[A-Z]+)?-\d", match[1])
        for section, text in sections.items()
        if (match := re.search(r"^Rules: ([^.]*)\.$", text, re.MULTILINE))
    }
    assert sorted(rule for rules in named.values() for rule in rules) == sorted(rule.id for rule in Rule)
    assert set(named["rows-are-not-as-their-history-says"]) == {rule.id for rule in REBUILT}
    assert set(named["something-waits-too-long"]) == {rule.id for rule in Rule if rule.is_stuck}


def test_what_is_broken_off_tells_what_it_had_found(
    desk: MemoryOffice, tickler: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = harm(desk)
    books = type(desk.container.books())
    monkeypatch.setattr(books, "page", _broken_off_after_events(books.page))
    said = tickler("audit")
    assert said.code == 130
    assert ids[0] in said.out
    assert "broken off; looked at so far: 2 events, 0 reminders" in said.out


def _broken_off_after_events(page: Callable[..., Page]) -> Callable[..., Page]:
    def until_then(self: object, part: Part, *rest: object) -> Page:
        if part is Part.REMINDERS:
            raise KeyboardInterrupt
        return page(self, part, *rest)

    return until_then
