"""Whatever is said of a person who is erased: exit code 1, one line that names them, nothing kept."""

from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from dependency_injector import providers

from adapters.outbound.memory.people import MemoryPeople
from adapters.settings import Settings
from application.ports.people import ContactPoint
from tests.adapters.ics_files import vcalendar, vevent
from tests.adapters.offices import Commands, MemoryOffice

ANNA = "0198c5f0-7d3e-7000-8000-0000000000aa"
ACME = ("--tenant", "acme")
PLAN = ("event", "plan", *ACME, "--title", "Heart surgery", "--start", "2026-12-05 10:00", "--zone", "UTC")


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("tenant", "add", "acme", "--zone", "UTC")
    commands.document("person", "add", "anna", *ACME, "--id", ANNA)
    commands.document("person", "add", "boris", *ACME)
    return commands


@pytest.fixture
def event(tickler: Commands) -> str:
    """An event of somebody else's."""
    found: str = tickler.document(*PLAN, "--owner", "boris")["eventId"]
    return found


@pytest.fixture
def calendar(tmp_path: Path) -> str:
    file = tmp_path / "team.ics"
    file.write_bytes(
        vcalendar(*(vevent(str(day), f"DTSTART:202612{day}T080000Z", "SUMMARY:X-ray") for day in (10, 11)))
    )
    return str(file)


def everything(desk: MemoryOffice) -> dict[str, Any]:
    store = desk.container.memory()
    kept = ("events", "reminders", "titles", "tenants", "persons", "contact_points", "channel_opt_outs")
    return {name: getattr(store, name).copy() for name in kept}


def test_whatever_is_said_of_who_is_erased_is_refused_in_one_line(
    tickler: Commands, desk: MemoryOffice, event: str, calendar: str
) -> None:
    tickler.document("person", "erase", ANNA, "--yes")
    before = everything(desk)
    for arguments in (
        (*PLAN, "--owner", ANNA),
        (*PLAN, "--owner", "boris", "--client", ANNA),
        ("event", "change", event, "--owner", ANNA),
        ("event", "change", event, "--client", ANNA),
        ("import", calendar, *ACME, "--owner", ANNA),
        ("import", calendar, "--owner", ANNA),
        ("import", calendar, *ACME, "--owner", "boris", "--client", ANNA),
        ("contact", "add", *ACME, "--person", ANNA, "--channel", "email", "--address", "a@b.example"),
        ("contact", "add", "--person", ANNA, "--channel", "console", "--address", "anna"),
        ("contact", "opt-out", "--person", ANNA, "--channel", "email"),
        ("contact", "opt-in", "--person", ANNA, "--channel", "email"),
        ("person", "set", ANNA, "--handle", "anna"),
        ("person", "set", ANNA, *ACME, "--language", "ru", "--zone", "Asia/Tokyo"),
        ("person", "remove", ANNA, "--undo"),
        ("person", "add", "anna", *ACME, "--id", ANNA),
        ("tenant", "set", "acme", "--operator", ANNA),
    ):
        said = tickler(*arguments)
        assert (said.code, said.out) == (1, ""), (arguments, said)
        (line,) = [one for one in said.err.splitlines() if not one.startswith("zone: ")]
        assert line == f"tickler: the person {ANNA} is erased for good; nothing is taken about them any more"
        assert everything(desk) == before, arguments


def test_who_is_erased_is_shown_as_such_and_not_as_one_who_left(tickler: Commands) -> None:
    tickler.document("person", "erase", ANNA, "--yes")
    for said in (tickler("person", "show", ANNA), tickler("person", "list", *ACME)):
        assert "erased" in said.out
        assert "has left" not in said.out
    assert tickler.document("person", "show", ANNA)["isErased"] is True
    assert tickler.document("person", "show", "boris", *ACME)["isErased"] is False


@frozen
class Hasty(MemoryPeople):
    """Erases a person after they were looked up and before they are written to."""

    def contact_points(self, user_id: Any) -> list[ContactPoint]:
        found = list(super().contact_points(user_id))
        if str(user_id) == ANNA and (anna := self.by_id(user_id)) and not anna.is_erased:
            self.erase(anna.tenant_id, user_id)
        return found


@pytest.mark.parametrize("others", ["", "carl,c@b.example\n"])
def test_a_line_about_one_who_is_erased_at_that_moment_is_refused(
    tickler: Commands, desk: MemoryOffice, tmp_path: Path, others: str
) -> None:
    file = tmp_path / "people.csv"
    file.write_text("handle,email\nanna,a@b.example\n" + others)
    with desk.container.people.override(providers.Object(Hasty(desk.container.memory()))):
        said = tickler("person", "import", str(file), *ACME, "--json")
    assert said.code == 1
    (refused,) = said.document["refused"]
    assert (refused["line"], ANNA in refused["reason"]) == (2, True)
    kept = {point.address for point in desk.container.memory().contact_points.values()}
    assert kept == ({"c@b.example"} if others else set())
    assert tickler.document("person", "show", ANNA)["isErased"] is True
