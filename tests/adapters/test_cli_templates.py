"""`template preview`: what is shown is what would be sent."""

from pathlib import Path

import pytest

from adapters.settings import Settings
from adapters.testkit.templates import AS_TYPED, Page
from tests.adapters.offices import Commands, MemoryOffice


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings(time_zone="Europe/Moscow"))


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(desk, capsys)


def planned(tickler: Commands, *more: str) -> str:
    tickler("person", "add", "anna", "--tenant", "acme")
    start = ("--start", "2026-12-07 15:00", "--zone", "Europe/Moscow")
    done = tickler.document("event", "plan", "--tenant", "acme", "--owner", "anna", *start, *more)
    return str(done["eventId"])


def test_a_sample_is_shown_as_it_would_be_sent_and_needs_no_database(
    desk: MemoryOffice, tickler: Commands
) -> None:
    said = tickler(
        *("template", "preview", "--template", "AppointmentReminder"),
        *("--language", "ru", "--zone", "Europe/Moscow", "--title", AS_TYPED),
    )

    assert (said.code, said.err) == (0, "")
    assert said.out == (
        f"Ваша запись: {AS_TYPED}\n\n{AS_TYPED}\n"
        "Начало: вторник, 15 января 2030 г., 15:00 (Europe/Moscow, UTC+3)\n"
    )
    assert desk.opened == []


def test_r53_the_html_in_the_file_shows_the_title_as_typed(tickler: Commands, tmp_path: Path) -> None:
    file = tmp_path / "mail.html"

    said = tickler("template", "preview", "--title", AS_TYPED, "--html", str(file))

    assert (said.code, said.err) == (0, f"wrote {file}\n")
    html = file.read_text("utf-8")
    assert "&lt;b&gt;" in html
    assert AS_TYPED in Page.of(html).texts


def test_r52_a_real_event_is_told_in_the_zone_asked_for(tickler: Commands) -> None:
    event = planned(tickler, "--title", AS_TYPED)

    shown = tickler.document("template", "preview", "--event", event, "--zone", "Europe/Madrid")

    assert (shown["template"], shown["language"], shown["timeZone"]) == (
        "CalendarReminder",
        "en",
        "Europe/Madrid",
    )
    assert shown["subject"] == f"Reminder: {AS_TYPED}"
    assert "13:00 (Europe/Madrid, UTC+1)" in shown["text"]
    assert "13:00 (Europe/Madrid, UTC+1)" in shown["html"]


def test_a_real_event_of_an_appointment_gets_the_message_that_fits_in_its_own_zone(tickler: Commands) -> None:
    event = planned(tickler, "--appointment", "0198c5f0-7d3e-7000-8000-000000000001")

    shown = tickler.document("template", "preview", "--event", event)

    assert (shown["template"], shown["timeZone"]) == ("AppointmentReminder", "Europe/Moscow")
    assert shown["subject"] == "Your appointment: (no title)"


def test_a_language_without_words_is_told_in_english_and_said(tickler: Commands) -> None:
    said = tickler("template", "preview", "--language", "es")

    assert said.code == 0
    assert "no words in 'es' yet, so it is told in en" in said.err
    assert said.out.startswith("Reminder: ")


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("--template", "Birthday"), 2, "Birthday"),
        (("--zone", "Mars"), 2, "time zone 'Mars' is unknown"),
        (("--title", "a\0"), 2, "--title: it holds a NUL"),
        (("--event", "7"), 2, "--event: '7' is not an id"),
        (("--event", "0198c5f0-7d3e-7000-8000-000000000001"), 1, "There is no such event"),
        (("--html", "/no/such/folder/mail.html"), 2, "--html: /no/such/folder/mail.html cannot be written"),
    ],
)
def test_bad_input_is_one_line(tickler: Commands, arguments: tuple[str, ...], code: int, line: str) -> None:
    said = tickler("template", "preview", *arguments)

    assert (said.code, said.out, len(said.err.splitlines())) == (code, "", 1)
    assert line in said.err


def test_an_operators_notice_is_shown_by_a_sample_and_is_about_no_event(
    desk: MemoryOffice, tickler: Commands
) -> None:
    said = tickler("template", "preview", "--template", "OperatorNotice", "--zone", "Europe/Moscow")
    refused = tickler("template", "preview", "--template", "OperatorNotice", "--title", "a")

    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Messages that reached nobody: 2\n\nIn the hour from Tuesday, 15 January 2030")
    assert "18:00 (Europe/Moscow, UTC+3)" in said.out
    assert (refused.code, refused.out) == (2, "")
    assert "is about no event" in refused.err
    assert desk.opened == []
