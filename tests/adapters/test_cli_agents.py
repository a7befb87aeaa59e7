"""`tickler tenant agent` on a memory desk."""

import pytest

from adapters.settings import Settings
from tests.adapters.offices import Commands, MemoryOffice

URL = "https://agents.b.example/touches"
SECRET = "whsec_bnVtYmF0bnVtYmF0bnVtYmF0bnVtYmF0"


@pytest.fixture
def tickler(capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(MemoryOffice.new(Settings()), capsys)
    commands.document("tenant", "add", "acme", "--zone", "UTC")
    return commands


def test_a_new_secret_is_shown_once(tickler: Commands) -> None:
    made = tickler.document("tenant", "agent", "acme", "--url", URL)
    assert made["url"] == URL
    assert made["secret"].startswith("whsec_")
    shown = tickler("tenant", "agent", "acme")
    assert URL in shown.out
    assert made["secret"] not in shown.out
    assert "secret" not in tickler.document("tenant", "agent", "acme")


def test_a_secret_of_ones_own_is_kept_and_not_repeated(tickler: Commands) -> None:
    assert tickler.document("tenant", "agent", "acme", "--url", URL, "--secret", SECRET) == {
        "tenantId": tickler.document("tenant", "show", "acme")["tenantId"],
        "url": URL,
    }


def test_a_platform_is_taken_away_and_outlives_other_changes(tickler: Commands) -> None:
    tickler.document("tenant", "agent", "acme", "--url", URL)
    tickler.document("tenant", "set", "acme", "--language", "ru")
    assert tickler.document("tenant", "agent", "acme")["url"] == URL
    assert tickler.document("tenant", "agent", "acme", "--none")["url"] is None


def test_what_is_wrong_with_the_url_is_told_of_the_url(tickler: Commands) -> None:
    found = tickler("tenant", "agent", "acme", "--url", "http://agents.b.example/")
    assert "--url: a URL that begins with https:// is wanted" in found.err
    assert "--address" not in found.err


@pytest.mark.parametrize(
    "wrong",
    [
        ("--url", "http://agents.b.example/"),
        ("--url", "https://127.0.0.1/"),
        ("--url", "https://169.254.169.254/"),
        ("--url", "not a url"),
        ("--url", URL, "--secret", "short"),
        ("--secret", SECRET),
        ("--url", URL, "--none"),
    ],
)
def test_a_platform_that_will_not_do_is_refused(tickler: Commands, wrong: tuple[str, ...]) -> None:
    found = tickler("tenant", "agent", "acme", *wrong)
    assert found.code == 2
    assert len(found.err.strip().splitlines()) == 1
    assert tickler.document("tenant", "agent", "acme")["url"] is None
