"""Messages from Jinja2 templates, a folder a language; see docs/guides/change-a-message.md."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
from attrs import asdict, field, frozen
from jinja2.sandbox import ImmutableSandboxedEnvironment

from application.ports.notices import Matters
from application.ports.templates import FALLBACK_LANGUAGE, Words
from application.wording import told, told_instant
from domain.calendar_event import CalendarEvent
from domain.delivery import Template

PACKAGED = Path(__file__).parent
CONTACT_TEST = "ContactTest"

_HTML = ".html.j2"
_MESSAGES = (*(one.value for one in Template), CONTACT_TEST)
_FILES = (
    *(f"{message}.{part}.j2" for message in _MESSAGES for part in ("subject", "text", "html")),
    "untitled.text.j2",
    "when.text.j2",
)


def _is_html(name: str | None) -> bool:
    return name is not None and name.endswith(_HTML)


@frozen
class JinjaTemplates:
    """The languages are the folders in `folder`; all files are read once, when this is made.

    Raises jinja2.TemplateError for a file that is missing or that is no template.
    """

    folder: Path = PACKAGED
    _by_language: Mapping[str, Mapping[str, jinja2.Template]] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        environment = ImmutableSandboxedEnvironment(
            loader=jinja2.FileSystemLoader(self.folder),
            autoescape=_is_html,
            undefined=jinja2.StrictUndefined,
            auto_reload=False,
        )
        languages = sorted({FALLBACK_LANGUAGE} | {file.parent.name for file in self.folder.glob("*/*.j2")})
        read = {
            language: {name: environment.get_template(f"{language}/{name}") for name in _FILES}
            for language in languages
        }
        object.__setattr__(self, "_by_language", read)

    @property
    def languages(self) -> frozenset[str]:
        return frozenset(self._by_language)

    def reminder(
        self, template: Template, event: CalendarEvent, title: str | None, language: str, time_zone: str
    ) -> Words:
        files, language = self._in(language)
        facts = asdict(told(event, title, time_zone))
        facts["title"] = facts["title"] or files["untitled.text.j2"].render()
        # A string of its own, not a macro: what a macro gives would pass into HTML unescaped.
        facts["when"] = files["when.text.j2"].render(facts)
        return _words(files, template.value, language, facts)

    def operator_notice(self, matters: Matters, since: datetime, language: str, time_zone: str) -> Words:
        files, language = self._in(language)
        facts = asdict(told_instant(since, time_zone))
        facts["when"] = files["when.text.j2"].render(facts)
        facts["count"], facts["more"] = matters.count, matters.count - len(matters.first)
        facts["first"] = [asdict(one) for one in matters.first]
        return _words(files, Template.OPERATOR_NOTICE.value, language, facts)

    def touch_answer(self, text: str, language: str) -> Words:
        files, language = self._in(language)
        return _words(files, Template.TOUCH_ANSWER.value, language, {"text": text})

    def contact_test(self, language: str) -> Words:
        files, language = self._in(language)
        return _words(files, CONTACT_TEST, language, {})

    def _in(self, language: str) -> tuple[Mapping[str, jinja2.Template], str]:
        language = language if language in self._by_language else FALLBACK_LANGUAGE
        return self._by_language[language], language


def _words(
    files: Mapping[str, jinja2.Template], message: str, language: str, facts: Mapping[str, Any]
) -> Words:
    subject = files[f"{message}.subject.j2"].render(facts)
    known = {**facts, "language": language, "subject": subject}
    return Words(
        subject,
        files[f"{message}.text.j2"].render(known),
        files[f"{message}{_HTML}"].render(known),
        language,
    )
