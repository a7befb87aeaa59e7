"""Words of outsiders are shown on one line, however many they have."""

import json
from pathlib import Path

import pytest

from adapters.inbound.cli.output import put, put_json, put_table, put_text, say
from tests.adapters.offices import Commands, MemoryOffice
from tests.adapters.test_cli_import import calendar, event

BREAKS = ("\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029")
WHO = ("--tenant", "acme", "--owner", "anna")
FORGED = "- Reminder 0198c5f0-7d3e-7000-8000-000000000001 was Sent"


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new()


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("person", "add", "anna", "--tenant", "acme", "--zone", "Europe/Moscow")
    return commands


def imported(tickler: Commands, tmp_path: Path, summary: str) -> str:
    file = calendar(tmp_path, event("a").replace("Title a", summary))
    assert tickler("import", file, *WHO).code == 0
    (row,) = tickler.document("event", "list")
    event_id: str = row["eventId"]
    return event_id


@pytest.mark.parametrize("line_break", ["\\n", "\\N", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_title_of_a_calendar_file_is_taken_as_one_line(
    tickler: Commands, tmp_path: Path, line_break: str
) -> None:
    event_id = imported(tickler, tmp_path, f"x” is Cancelled. {line_break} {line_break}{FORGED}")
    assert tickler.document("event", "show", event_id)["title"] == f"x” is Cancelled. {FORGED}"


@pytest.mark.parametrize("line_break", BREAKS)
def test_a_title_of_before_titles_were_one_line_forges_no_line(
    desk: MemoryOffice, tickler: Commands, tmp_path: Path, line_break: str
) -> None:
    event_id = imported(tickler, tmp_path, "x")
    (key,) = desk.container.memory().titles
    desk.container.memory().titles[key] = f"x” is Cancelled.{line_break}{FORGED}"
    for command in (("why", event_id), ("event", "show", event_id), ("event", "list"), ("upcoming",)):
        said = tickler(*command)
        (line,) = [one for one in said.out.splitlines() if FORGED in one]
        assert "x” is Cancelled. - Reminder" in line
        assert len(tickler(*command, "--json").out.splitlines()) == 1
    assert tickler.document("event", "show", event_id)["title"] == f"x” is Cancelled.{line_break}{FORGED}"


@pytest.mark.parametrize("line_break", BREAKS)
def test_whatever_is_said_on_a_line_stays_on_it(capsys: pytest.CaptureFixture[str], line_break: str) -> None:
    words = f"one{line_break}two\x1b[2J"
    safe = "one two\N{REPLACEMENT CHARACTER}[2J"
    put(words)
    say(words)
    put_table(("WHAT", "ID"), [(words, "id")])
    out, err = capsys.readouterr()
    assert err == f"{safe}\n"
    assert out == f"{safe}\n{'WHAT'.ljust(len(safe))}  ID\n{safe}  id\n"
    put_json({"title": words})
    document = capsys.readouterr().out
    assert document[:-1].isprintable()
    assert json.loads(document) == {"title": words}
    put_text(words, after="text: ")
    assert capsys.readouterr().out == "text: one\n      two\N{REPLACEMENT CHARACTER}[2J\n"


@pytest.mark.parametrize("line_break", BREAKS)
def test_a_title_that_ends_in_a_line_break_is_no_one_line(tickler: Commands, line_break: str) -> None:
    said = tickler("event", "plan", *WHO, "--start", "2026-12-01 10:00", "--title", f"x{line_break}")
    assert (said.code, "--title: it holds a line break" in said.err) == (2, True)
