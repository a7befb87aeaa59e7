"""A folder of somebody's own templates, all tried out before anything is sent."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import UUID

import jinja2
from attrs import evolve

from adapters.outbound.templates.jinja import CONTACT_TEST, PACKAGED, JinjaTemplates
from application.ports.notices import Matter, MatterKind, Matters
from application.ports.templates import Words
from domain.calendar_event import CalendarEvent
from domain.delivery import REMINDERS, Template
from domain.values import EventId, Kind, TenantId, Timing, UserId

NOBODY = UUID(int=0)
SOME_DAY = datetime(2030, 1, 15, 15, tzinfo=UTC)


class BrokenTemplates(Exception):
    """One line: the folder, which file or message of it will not do, and why."""


def templates_in(folder: Path | None) -> JinjaTemplates:
    """The templates of this folder, or those that come with Tickler.

    Raises BrokenTemplates for a folder in which a file is missing or wrong, or a message cannot be told.
    """
    if folder is None:
        return JinjaTemplates(PACKAGED)
    if not folder.is_dir():
        raise BrokenTemplates(f"{folder}: there is no such folder")
    _check_texts(folder)
    try:
        found = JinjaTemplates(folder)
    except jinja2.TemplateError as problem:
        raise BrokenTemplates(f"{folder}: {_said(problem)}") from None
    for language in sorted(found.languages):
        for message, tell in _samples(found, language):
            try:
                tell()
            except Exception as problem:
                # A template may do whatever the sandbox lets it, and fail in as many ways.
                raise BrokenTemplates(f"{folder}: {language}/{message}: {_said(problem)}") from None
    return found


def _check_texts(folder: Path) -> None:
    for file in sorted(folder.rglob("*.j2")):
        try:
            file.read_text("utf-8")
        except UnicodeDecodeError:
            raise BrokenTemplates(f"{file}: it is not UTF-8") from None
        except OSError as problem:
            raise BrokenTemplates(f"{file}: it cannot be read: {problem.strerror}") from None


def _said(problem: Exception) -> str:
    match problem:
        case jinja2.TemplateNotFound():
            return f"{problem.name} is missing"
        case jinja2.TemplateSyntaxError():
            text = f"{problem.name}, line {problem.lineno}: {problem.message}"
        case jinja2.TemplateError():
            text = str(problem.message)
        case _:
            text = f"{type(problem).__name__}: {problem}"
    return " ".join(text.split())[:300]


def _samples(templates: JinjaTemplates, language: str) -> Iterator[tuple[str, Callable[[], Words]]]:
    """A message of each kind, by its name: reminders at an hour and of all day, with and without a title."""
    at_an_hour = CalendarEvent(
        id=EventId(NOBODY),
        tenant_id=TenantId(NOBODY),
        owner_user_id=UserId(NOBODY),
        client_user_id=None,
        kind=Kind.OTHER,
        timing=Timing.of(SOME_DAY.replace(tzinfo=None), "UTC"),
        appointment_id=None,
        triggers=(),
    )
    all_day = evolve(at_an_hour, timing=evolve(at_an_hour.timing, all_day=True))
    for template in REMINDERS:
        yield template.value, partial(templates.reminder, template, at_an_hour, "title", language, "UTC")
        yield template.value, partial(templates.reminder, template, all_day, None, language, "UTC")
    some = Matters(2, (Matter(MatterKind.DELIVERY, NOBODY, EventId(NOBODY)),))
    notice = Template.OPERATOR_NOTICE.value
    yield notice, partial(templates.operator_notice, some, SOME_DAY, language, "UTC")
    yield CONTACT_TEST, partial(templates.contact_test, language)
