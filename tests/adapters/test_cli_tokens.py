"""`tickler token` and `tickler mcp`."""

from datetime import timedelta

import pytest
from pydantic import SecretStr

from adapters.settings import Settings
from application.ports.tokens import Scope
from tests.adapters.offices import Commands, MemoryOffice


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings(language="en"))


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("tenant", "add", "acme", "--zone", "Europe/Moscow")
    commands.document("person", "add", "anna", "--tenant", "acme")
    return commands


ADD = ("token", "add", "agents", "--tenant", "acme", "--scope", "sessions", "--scope", "plans")


def test_a_token_is_shown_once_lets_its_bearer_in_and_is_listed_without_its_secret(
    desk: MemoryOffice, tickler: Commands
) -> None:
    added = tickler.document(*ADD, "--days", "30")
    secret = added.pop("token")
    access = desk.container.access()
    assert access.admit(secret).scopes == {Scope.SESSIONS, Scope.PLANS}
    assert added["expiresAt"] == "2026-12-29T12:00:00Z"
    assert tickler.document("token", "list", "--tenant", "acme") == [added]
    told = tickler("token", "list", "--tenant", "acme")
    assert "until 2026-12-29 15:00 Europe/Moscow" in told.out
    assert secret not in told.out


def test_a_token_that_was_revoked_lets_nobody_in_and_says_so(desk: MemoryOffice, tickler: Commands) -> None:
    tickler.document(*ADD)
    assert "for ever" in tickler("token", "list", "--tenant", "acme").out
    revoked = tickler.document("token", "revoke", "agents", "--tenant", "acme")
    assert revoked["revokedAt"] == "2026-11-29T12:00:00Z"
    assert "revoked 2026-11-29 15:00" in tickler("token", "list", "--tenant", "acme").out
    desk.clock.advance(timedelta(days=1))
    assert tickler.document("token", "revoke", revoked["tokenId"], "--tenant", "acme") == revoked


def test_a_session_is_opened_for_a_person_at_an_address_of_theirs(
    desk: MemoryOffice, tickler: Commands
) -> None:
    tickler.document(*ADD)
    of_anna = ("--tenant", "acme", "--person", "anna")
    mail = ("--channel", "email", "--address", "anna@b.example")
    contact = tickler.document("contact", "add", *of_anna, *mail)
    opening = ("token", "session", "agents", "--tenant", "acme", "--person", "anna")
    by_mail = tickler.document(*opening, "--contact", contact["contactPointId"], "--minutes", "5")
    session = desk.container.access().admit(by_mail["token"]).session
    assert session is not None
    assert (session.origin.channel, str(session.origin.contact_point_id)) == (
        "email",
        contact["contactPointId"],
    )
    assert by_mail["expiresAt"] == "2026-11-29T12:05:00Z"
    assert len(tickler.document("token", "list", "--tenant", "acme")) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((*ADD[:5], "--scope", "everything"), 2, "everything"),
        (("token", "add", "a b", *ADD[3:]), 2, "name"),
        (("token", "add", "agents", "--tenant", "nobody", "--scope", "plans"), 2, "nobody"),
        ((*ADD, "--days", "0"), 2, "--days"),
        (("token", "revoke", "mine", "--tenant", "acme"), 2, "mine"),
        (("token", "session", "mine", "--tenant", "acme", "--person", "anna"), 2, "mine"),
        (("mcp",), 3, "TICKLER_TOKEN"),
    ],
)
def test_what_will_not_do_is_one_line_and_its_exit_code(
    tickler: Commands, arguments: tuple[str, ...], code: int, says: str
) -> None:
    said = tickler(*arguments)
    assert said.code == code
    assert says in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_a_name_that_is_taken_is_refused(tickler: Commands) -> None:
    tickler.document(*ADD)
    assert tickler(*ADD).code == 1


@pytest.mark.parametrize("scopes", [(), (Scope.SESSIONS,)])
def test_tools_are_not_served_without_the_token_of_a_session(
    capsys: pytest.CaptureFixture[str], scopes: tuple[Scope, ...]
) -> None:
    desk = MemoryOffice.new()
    tickler = Commands(desk, capsys)
    tenant = tickler.document("tenant", "add", "acme", "--zone", "UTC")
    secret = "tickler_" + "A" * 43
    if scopes:
        secret = desk.container.access().issue(tenant["tenantId"], "agents", scopes).secret
    desk.container.settings.override(Settings(token=SecretStr(secret)))
    said = tickler("mcp")
    assert said.code == 3
    assert "TICKLER_TOKEN" in said.err
    assert secret not in said.err
