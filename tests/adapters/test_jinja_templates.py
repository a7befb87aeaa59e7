"""What our own template files do beyond the contract: the sandbox, files that are missing, a new language."""

import shutil
import tomllib
from pathlib import Path

import jinja2
import pytest
from jinja2.exceptions import SecurityError

from adapters.outbound.templates.jinja import PACKAGED, JinjaTemplates
from adapters.testkit.templates import AS_TYPED, example
from domain.delivery import Template
from tests.specification import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the packaged files, to be changed."""
    return Path(shutil.copytree(PACKAGED, tmp_path / "templates"))


def subject(folder: Path, language: str = "en") -> str:
    said = JinjaTemplates(folder).reminder(Template.CALENDAR_REMINDER, example(), "call", language, "UTC")
    return said.subject


def rewrite(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content, "utf-8")


@pytest.mark.parametrize(
    ("template", "language", "said"),
    [
        (Template.CALENDAR_REMINDER, "en", f"Reminder: {AS_TYPED}"),
        (Template.CALENDAR_REMINDER, "ru", f"Напоминание: {AS_TYPED}"),
        (Template.APPOINTMENT_REMINDER, "en", f"Your appointment: {AS_TYPED}"),
        (Template.APPOINTMENT_REMINDER, "ru", f"Ваша запись: {AS_TYPED}"),
    ],
)
def test_the_subject_says_what_it_is_about(template: Template, language: str, said: str) -> None:
    assert JinjaTemplates().reminder(template, example(), AS_TYPED, language, "UTC").subject == said


@pytest.mark.parametrize(
    ("language", "zone", "text"),
    [
        (
            "ru",
            "Europe/Moscow",
            "call\nНачало: понедельник, 6 июля 2026 г., 15:00 (Europe/Moscow, UTC+3)",
        ),
        ("en", "Europe/Madrid", "call\nStarts: Monday, 6 July 2026, 14:00 (Europe/Madrid, UTC+2)"),
        ("en", "UTC", "call\nStarts: Monday, 6 July 2026, 12:00 (UTC)"),
    ],
)
def test_a_text_has_the_title_and_the_time_on_a_line_each(language: str, zone: str, text: str) -> None:
    said = JinjaTemplates().reminder(Template.CALENDAR_REMINDER, example(), "call", language, zone)

    assert said.text == text


def test_r52_a_folder_of_a_language_is_all_that_it_takes(folder: Path) -> None:
    shutil.copytree(folder / "en", folder / "es")
    rewrite(folder, "es/CalendarReminder.text.j2", "{{ title }}\nComienza: {{ when }}\n")
    when = (
        (folder / "es/when.text.j2").read_text("utf-8").replace("Monday", "lunes").replace("July", "de julio")
    )
    rewrite(folder, "es/when.text.j2", when)

    said = JinjaTemplates(folder).reminder(
        Template.CALENDAR_REMINDER, example(), AS_TYPED, "es", "Europe/Madrid"
    )

    assert said.language == "es"
    assert said.text == f"{AS_TYPED}\nComienza: lunes, 6 de julio 2026, 14:00 (Europe/Madrid, UTC+2)"


def test_a_file_that_is_missing_is_found_at_once(folder: Path) -> None:
    (folder / "ru/AppointmentReminder.text.j2").unlink()

    with pytest.raises(jinja2.TemplateNotFound, match="ru/AppointmentReminder"):
        JinjaTemplates(folder)


def test_a_file_that_is_no_template_is_found_at_once(folder: Path) -> None:
    rewrite(folder, "en/CalendarReminder.subject.j2", "{{ title")

    with pytest.raises(jinja2.TemplateSyntaxError):
        JinjaTemplates(folder)


def test_a_name_that_there_is_not_is_an_error_and_no_empty_text(folder: Path) -> None:
    rewrite(folder, "en/CalendarReminder.subject.j2", "Reminder: {{ titel }}")

    with pytest.raises(jinja2.UndefinedError, match="titel"):
        subject(folder)


@pytest.mark.parametrize(
    "way_out",
    [
        "{{ title.__class__.__mro__ }}",
        "{{ self.__init__.__globals__ }}",
        "{{ starts.strftime.__self__.__reduce__() }}",
        "{{ '{0.__class__}'.format(title) }}",
    ],
)
def test_a_template_does_not_get_out_of_its_sandbox(folder: Path, way_out: str) -> None:
    rewrite(folder, "en/CalendarReminder.subject.j2", way_out)

    with pytest.raises(SecurityError):
        subject(folder)


def test_what_is_running_keeps_its_words_while_files_change(folder: Path) -> None:
    templates = JinjaTemplates(folder)
    before = templates.reminder(Template.CALENDAR_REMINDER, example(), "call", "en", "UTC")
    for file in folder.glob("*/*.j2"):
        file.write_text("changed", "utf-8")
    (folder / "layout.html.j2").write_text("changed", "utf-8")

    assert templates.reminder(Template.CALENDAR_REMINDER, example(), "call", "en", "UTC") == before


def test_every_template_file_goes_into_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["*"]
    files = [file.relative_to(PACKAGED) for file in PACKAGED.rglob("*.j2")]
    assert len(files) > 20
    assert [file for file in files if not any(file.match(pattern) for pattern in patterns)] == []
