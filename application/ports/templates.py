"""The words of messages."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from attrs import field, frozen

from application.ports.notices import Matters
from domain.calendar_event import CalendarEvent
from domain.delivery import Template
from domain.recurrence import Schedule

FALLBACK_LANGUAGE = "en"


@frozen
class Words:
    """A message in words, and the language that they are in.

    `subject` is one line. `html` is a whole document that loads nothing from elsewhere.
    """

    subject: str = field(repr=False)
    text: str = field(repr=False)
    html: str = field(repr=False)
    language: str


class Templates(Protocol):
    """The words of messages, in the languages that there are words in."""

    @property
    def languages(self) -> Collection[str]:
        """Codes such as `en` and `ru`; FALLBACK_LANGUAGE is always among them."""

    def reminder(
        self, template: Template, event: CalendarEvent, title: str | None, language: str, time_zone: str
    ) -> Words:
        """The reminder of an event as the clock in `time_zone` tells it, the zone named; one of all day by
        its own date, which is the same for everybody. `template` is one of REMINDERS.

        The title stands there as typed, on one line, and is never read as a template or as HTML. A language
        without words is told in FALLBACK_LANGUAGE; Invalid for a zone that there is not.
        """

    def operator_notice(self, matters: Matters, since: datetime, language: str, time_zone: str) -> Words:
        """What went wrong in the hour from `since`: how many, and the ids of the first of them.

        Language and zone are as for reminders.
        """

    def touch_answer(self, text: str, language: str) -> Words:
        """What came of a deferred touch, word for word: never read as a template or as HTML."""

    def contact_test(self, language: str) -> Words:
        """The message by which a person sees that an address of theirs works."""


class PlanTexts(Protocol):
    """The words that a tenant wrote for its own touches."""

    def text_of_occurrence(self, template: str, schedule: Schedule, slot: datetime) -> str:
        """The template's words for the occurrence at this wall time of a plan's zone.

        It may use `date` and `time` of the occurrence, and before a deadline `deadline` and `days_left`.
        Invalid, with one line, for a template that is none, uses anything else, or costs too much.
        """
