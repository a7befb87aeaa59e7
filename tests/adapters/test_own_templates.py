"""A folder of somebody's own templates: it speaks in place of ours; what is wrong in it is seen at once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from adapters.__main__ import PostgresOffice
from adapters.outbound.templates.jinja import PACKAGED
from adapters.outbound.templates.own import BrokenTemplates, templates_in
from adapters.settings import Settings
from tests.adapters.offices import Commands

NOWHERE = SecretStr("postgresql://nobody@127.0.0.1:1/none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PACKAGED, tmp_path / "own", ignore=shutil.ignore_patterns("*.py*", "__*")))


@pytest.fixture
def tickler(folder: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """No database is there; a command that came as far as to look for it would say so."""
    settings = Settings(database_url=NOWHERE, templates_folder=folder)
    return Commands(PostgresOffice(settings), capsys)


def test_the_words_are_those_of_the_folder(folder: Path, tickler: Commands) -> None:
    (folder / "en" / "CalendarReminder.subject.j2").write_text("Do not forget {{ title }}", "utf-8")
    said = tickler("template", "preview", "--template", "CalendarReminder", "--title", "the call")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Do not forget the call\n")


def test_another_language_is_there_when_its_folder_is(folder: Path, tickler: Commands) -> None:
    shutil.copytree(folder / "en", folder / "es")
    (folder / "es" / "CalendarReminder.subject.j2").write_text("Recordatorio: {{ title }}", "utf-8")
    shown = tickler.document("template", "preview", "--template", "CalendarReminder", "--language", "es")
    assert shown["language"] == "es"
    assert shown["subject"].startswith("Recordatorio: ")


def test_without_the_setting_the_words_are_ours() -> None:
    assert templates_in(None).folder == PACKAGED


BREAKS: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: shutil.rmtree(folder), "there is no such folder"),
    (lambda folder: shutil.rmtree(folder / "en"), "en/AppointmentReminder.subject.j2 is missing"),
    (lambda folder: (folder / "ru" / "when.text.j2").unlink(), "ru/when.text.j2 is missing"),
    (lambda folder: (folder / "layout.html.j2").unlink(), "layout.html.j2 is missing"),
    (
        lambda folder: (folder / "en" / "ContactTest.text.j2").write_text("one\n{{ two", "utf-8"),
        "en/ContactTest.text.j2, line 2: ",
    ),
    (
        lambda folder: (folder / "ru" / "CalendarReminder.text.j2").write_text("{{ titel }}", "utf-8"),
        "ru/CalendarReminder: 'titel' is undefined",
    ),
    (
        lambda folder: (folder / "en" / "OperatorNotice.text.j2").write_text("{{ count / 0 }}", "utf-8"),
        "en/OperatorNotice: ZeroDivisionError: division by zero",
    ),
    (
        lambda folder: (folder / "en" / "untitled.text.j2").write_bytes(b"\xff\xfe"),
        "en/untitled.text.j2: it is not UTF-8",
    ),
]


@pytest.mark.parametrize(("break_it", "line"), BREAKS)
def test_what_is_wrong_in_the_folder_is_one_line_before_anything_is_opened(
    folder: Path, tickler: Commands, break_it: Callable[[Path], object], line: str
) -> None:
    break_it(folder)
    for command in (("run",), ("template", "preview"), ("upcoming",)):
        said = tickler(*command)
        assert (said.code, said.out, len(said.err.splitlines())) == (3, "", 1)
        assert said.err.startswith(f"tickler: TICKLER_TEMPLATES_FOLDER: {folder}")
        assert line in said.err
    with pytest.raises(BrokenTemplates):
        templates_in(folder)
