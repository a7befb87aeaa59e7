"""An id is unique by itself: no command needs a tenant beside it, and one that is given narrows."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.adapters.ics_files import vcalendar, vevent
from tests.adapters.offices import NOW, Commands, MemoryOffice

MOSCOW = ("--zone", "Europe/Moscow")
NOBODY = "0198c5f0-7d3e-7000-8000-000000000001"
OF_CONTACTS = [
    ("contact", "verify", "CONTACT"),
    ("contact", "prefer", "CONTACT"),
    ("contact", "opt-out", "CONTACT"),
    ("contact", "opt-in", "CONTACT"),
    ("contact", "remove", "CONTACT"),
]
OF_PEOPLE = [
    ("contact", "verify", "--person", "PERSON"),
    ("contact", "list", "--person", "PERSON"),
    ("contact", "add", "--person", "PERSON", "--channel", "console", "--address", "b"),
    ("contact", "opt-out", "--person", "PERSON", "--channel", "console"),
    ("contact", "opt-in", "--person", "PERSON", "--channel", "console"),
    ("person", "show", "PERSON"),
    ("person", "set", "PERSON", "--language", "en"),
    ("person", "remove", "PERSON"),
    ("person", "erase", "PERSON", "--yes"),
    ("event", "plan", "--owner", "PERSON", "--start", "2026-12-01 10:00", *MOSCOW),
    ("import", "FILE", "--owner", "PERSON"),
]


@pytest.fixture
def tickler(capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(MemoryOffice.new(), capsys)
    commands.document("person", "add", "zoe", "--tenant", "umbrella", *MOSCOW)
    return commands


@pytest.fixture
def known(tickler: Commands, tmp_path: Path) -> Mapping[str, str]:
    """What the words in capitals stand for: one person, one address of theirs, and a file."""
    person = tickler.document("person", "add", "anna", "--tenant", "acme", *MOSCOW)
    ways = ("--tenant", "acme", "--person", "anna", "--channel", "console", "--address", "a")
    contact = tickler.document("contact", "add", *ways)
    file = tmp_path / "team.ics"
    file.write_bytes(vcalendar(vevent("x", f"DTSTART:{NOW:%Y}1201T100000Z")))
    return {"PERSON": person["userId"], "CONTACT": contact["contactPointId"], "FILE": str(file)}


def said_by(command: tuple[str, ...], known: Mapping[str, str]) -> list[str]:
    return [known.get(word, word) for word in command]


@pytest.mark.parametrize("command", [*OF_CONTACTS, *OF_PEOPLE])
def test_an_id_needs_no_tenant_beside_it(
    tickler: Commands, known: Mapping[str, str], command: tuple[str, ...]
) -> None:
    assert tickler(*said_by(command, known), "--json").code == 0
    assert tickler.document("person", "list", "--tenant", "umbrella")[0]["handle"] == "zoe"


@pytest.mark.parametrize("command", [*OF_CONTACTS, *OF_PEOPLE])
def test_a_tenant_beside_an_id_may_be_the_right_one(
    tickler: Commands, known: Mapping[str, str], command: tuple[str, ...]
) -> None:
    assert tickler(*said_by(command, known), "--tenant", "acme").code == 0


@pytest.mark.parametrize("command", [*OF_CONTACTS, *OF_PEOPLE[:-2]])
def test_a_tenant_beside_an_id_narrows_and_nothing_is_done_to_anothers(
    tickler: Commands, known: Mapping[str, str], command: tuple[str, ...]
) -> None:
    before = tickler.document("person", "show", known["PERSON"])
    said = tickler(*said_by(command, known), "--tenant", "umbrella")
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert tickler.document("person", "show", known["PERSON"]) == before


@pytest.mark.parametrize("command", OF_PEOPLE)
def test_a_handle_still_needs_its_tenant(
    tickler: Commands, known: Mapping[str, str], command: tuple[str, ...]
) -> None:
    said = tickler(*said_by(command, {**known, "PERSON": "anna"}))
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("tickler: --tenant: ")


@pytest.mark.parametrize("command", [*OF_CONTACTS, *OF_PEOPLE])
def test_an_id_that_nobody_has_told_us_of_is_refused(
    tickler: Commands, known: Mapping[str, str], command: tuple[str, ...]
) -> None:
    said = tickler(*said_by(command, {**known, "PERSON": NOBODY, "CONTACT": NOBODY}))
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert NOBODY in said.err
