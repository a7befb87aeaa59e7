"""What every Templates must keep.

For templates of your own: subclass, and give them as the fixture `templates`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from uuid import UUID

import pytest
from attrs import field, frozen

from application.ports.notices import Matter, MatterKind, Matters
from application.ports.templates import FALLBACK_LANGUAGE, Templates, Words
from domain.calendar_event import CalendarEvent
from domain.delivery import REMINDERS, Template
from domain.errors import Invalid
from domain.values import EventId, Kind, TenantId, Timing, UserId

AS_TYPED = 'Созвон 🚀 №5 "срочно" <b>'
SUMMER_AFTERNOON = datetime.fromisoformat("2026-07-06T15:00")
HARMFUL = (
    AS_TYPED,
    "{{7*7}}",
    "{{ ''.__class__.__mro__ }}",
    "{% include 'layout.html.j2' %}",
    "{title} {0.__class__} %s %(title)s ${x} {when}",
    "<b>bold</b><img src=x onerror=alert(1)>",
    "</title></h1><script>alert(1)</script>",
    "&lt;b&gt; &amp; &#60;",
    "'single' \"double\" `back` \\",
    "\u202eright to left\u202c",
    "\u202eleft open",
    "👨‍👩‍👧 é ﷽",
    "x" * 500,
    "слово " * 83 + "ы",
)


def example(
    start: datetime = SUMMER_AFTERNOON, zone: str = "Europe/Moscow", *, all_day: bool = False
) -> CalendarEvent:
    """An event at this wall time."""
    return CalendarEvent(
        id=EventId(UUID(int=1)),
        tenant_id=TenantId(UUID(int=2)),
        owner_user_id=UserId(UUID(int=3)),
        client_user_id=None,
        kind=Kind.MEETING,
        timing=Timing.of(start, zone, all_day=all_day),
        appointment_id=None,
        triggers=(),
    )


@frozen
class Page:
    """An HTML document as a reader sees it: its tags in order, its texts, and all its attributes."""

    tags: list[str] = field(factory=list)
    texts: list[str] = field(factory=list)
    attributes: list[tuple[str, str | None]] = field(factory=list)

    @classmethod
    def of(cls, html: str) -> "Page":
        page = cls()
        reader = _Reader(page)
        reader.feed(html)
        reader.close()
        return page


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__(convert_charrefs=True)
        self._page = page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._page.tags.append(tag)
        self._page.attributes.extend(attrs)

    def handle_data(self, data: str) -> None:
        if data.strip():
            self._page.texts.append(data.strip())


class TemplatesContract:
    @pytest.fixture
    def templates(self) -> Templates:
        raise NotImplementedError

    def all_words(self, templates: Templates, event: CalendarEvent, title: str | None) -> Iterator[Words]:
        """The event in each template and language."""
        for template in REMINDERS:
            for language in sorted(templates.languages):
                yield templates.reminder(template, event, title, language, "Europe/Moscow")

    def test_there_are_words_in_english_and_russian(self, templates: Templates) -> None:
        assert {FALLBACK_LANGUAGE, "ru"} <= set(templates.languages)

    @pytest.mark.parametrize("title", HARMFUL)
    def test_r53_a_title_is_shown_as_typed_and_is_neither_template_nor_html(
        self, templates: Templates, title: str
    ) -> None:
        harmless = list(self.all_words(templates, example(), "harmless"))
        for said, beside in zip(self.all_words(templates, example(), title), harmless, strict=True):
            assert said.subject == beside.subject.replace("harmless", title)
            assert said.text == beside.text.replace("harmless", title)
            page, page_beside = Page.of(said.html), Page.of(beside.html)
            assert page.tags == page_beside.tags
            assert page.attributes == page_beside.attributes
            assert page.texts == [text.replace("harmless", title) for text in page_beside.texts]
            assert title in page.texts

    def test_r53_html_says_less_than_for_a_bracket_that_was_typed(self, templates: Templates) -> None:
        for said in self.all_words(templates, example(), AS_TYPED):
            assert "&lt;b&gt;" in said.html
            assert "<b>" not in said.html

    @pytest.mark.parametrize("typed", ["a\r\nBcc: b", "a\nBcc: b", "  a\u2028Bcc: b\x85"])
    def test_a_title_of_two_lines_becomes_one(self, templates: Templates, typed: str) -> None:
        for said in self.all_words(templates, example(), typed):
            assert said.subject.isprintable()
            assert said.subject.endswith("a Bcc: b")

    @pytest.mark.parametrize("title", [None, "", "  ", "\n", "\0"])
    def test_an_event_without_a_title_is_told_as_such(self, templates: Templates, title: str | None) -> None:
        for said in self.all_words(templates, example(), title):
            assert said.subject.endswith({"en": "(no title)", "ru": "(без названия)"}.get(said.language, ""))
            assert "None" not in said.subject + said.text + said.html

    @pytest.mark.parametrize(
        ("language", "zone", "day", "hour"),
        [
            ("ru", "Europe/Moscow", ("понедельник", "6 июля 2026"), "15:00"),
            ("en", "Europe/Madrid", ("Monday", "6 July 2026"), "14:00"),
            ("en", "Pacific/Auckland", ("Tuesday", "7 July 2026"), "00:00"),
            ("ru", "America/Anchorage", ("понедельник", "6 июля 2026"), "04:00"),
        ],
    )
    def test_r52_each_reads_their_own_language_and_clock_with_the_zone_named(
        self, templates: Templates, language: str, zone: str, day: tuple[str, str], hour: str
    ) -> None:
        for template in REMINDERS:
            said = templates.reminder(template, example(), "call", language, zone)
            assert said.language == language
            for told in (said.text, " ".join(Page.of(said.html).texts)):
                for part in (*day, hour, zone):
                    assert part in told

    def test_r52_winter_is_told_by_winter_time(self, templates: Templates) -> None:
        winter = example(datetime.fromisoformat("2026-12-07T15:00"))

        said = templates.reminder(Template.CALENDAR_REMINDER, winter, "a", "en", "Europe/Madrid")

        assert "13:00" in said.text

    def test_an_event_of_all_day_is_told_by_its_own_date_and_no_hour(self, templates: Templates) -> None:
        day = example(datetime.fromisoformat("2026-07-06"), all_day=True)
        for template in REMINDERS:
            for zone in ("Pacific/Honolulu", "Pacific/Kiritimati"):
                said = templates.reminder(template, day, "day", "en", zone)
                for told in (said.text, " ".join(Page.of(said.html).texts)):
                    assert "Monday, 6 July 2026" in told
                    assert "00:00" not in told

    def test_every_day_and_month_has_its_word(self, templates: Templates) -> None:
        for language in sorted(templates.languages):
            told = {
                templates.reminder(
                    Template.CALENDAR_REMINDER,
                    example(datetime.fromisoformat(f"2026-{month:02}-{month:02}")),
                    "a",
                    language,
                    "Europe/Moscow",
                ).text
                for month in range(1, 13)
            }
            assert len({"".join(one for one in text if not one.isdigit()) for text in told}) == 12

    def test_a_language_without_words_is_told_in_english(self, templates: Templates) -> None:
        for template in REMINDERS:
            said = templates.reminder(template, example(), "a", "xx", "UTC")
            assert said == templates.reminder(template, example(), "a", FALLBACK_LANGUAGE, "UTC")
        assert templates.touch_answer("a", "xx") == templates.touch_answer("a", FALLBACK_LANGUAGE)
        assert templates.contact_test("xx") == templates.contact_test(FALLBACK_LANGUAGE)

    def test_a_zone_that_there_is_not_is_invalid(self, templates: Templates) -> None:
        with pytest.raises(Invalid, match="Mars"):
            templates.reminder(Template.CALENDAR_REMINDER, example(), "a", "en", "Mars/Base")

    def test_a_notice_names_counts_ids_and_the_hour_with_its_zone(self, templates: Templates) -> None:
        first = [Matter(MatterKind.DELIVERY, UUID(int=n), EventId(UUID(int=n + 50))) for n in range(1, 4)]
        since = datetime.fromisoformat("2026-07-06T12:00Z")
        for language in sorted(templates.languages):
            said = templates.operator_notice(Matters(10, first), since, language, "Europe/Moscow")
            assert (said.language, said.subject.isprintable()) == (language, True)
            assert "10" in said.subject
            for told in (said.text, " ".join(Page.of(said.html).texts)):
                for part in ("15:00", "Europe/Moscow", *(str(one.id) for one in first), "7"):
                    assert part in told
                assert all(str(one.event_id) in told for one in first)

    def test_a_notice_that_names_all_speaks_of_no_more(self, templates: Templates) -> None:
        matter = Matter(MatterKind.DELIVERY, UUID(int=1), EventId(UUID(int=2)))
        since = datetime.fromisoformat("2026-07-06T12:00Z")
        one = templates.operator_notice(Matters(1, [matter]), since, "en", "UTC")
        two = templates.operator_notice(Matters(2, [matter]), since, "en", "UTC")
        assert "more" not in one.text + one.html
        assert "and 1 more" in two.text
        assert "and 1 more" in two.html

    def test_a_notice_says_of_what_is_about_no_event_what_it_is(self, templates: Templates) -> None:
        first = [Matter(MatterKind.DELIVERY, UUID(int=1)), Matter(MatterKind.TOUCH, UUID(int=1))]
        since = datetime.fromisoformat("2026-07-06T12:00Z")
        for language in sorted(templates.languages):
            said = templates.operator_notice(Matters(2, first), since, language, "UTC")
            for told in (said.text.splitlines(), Page.of(said.html).texts):
                message, touch = (line for line in told if str(UUID(int=1)) in line)
                assert message != touch
                assert "None" not in message + touch

    @pytest.mark.parametrize("text", [*HARMFUL, "Two lines:\n  the second\n\nand the last"])
    def test_an_answer_is_told_word_for_word_and_is_neither_template_nor_html(
        self, templates: Templates, text: str
    ) -> None:
        for language in sorted(templates.languages):
            said, beside = (templates.touch_answer(one, language) for one in (text, "harmless"))
            assert (said.text, said.language, said.subject) == (text, language, beside.subject)
            page = Page.of(said.html)
            assert [one for one in page.texts if one not in Page.of(beside.html).texts] == [
                line.strip() for line in text.splitlines() if line.strip()
            ]
            assert set(page.tags) == set(Page.of(beside.html).tags)
            assert page.attributes == Page.of(beside.html).attributes

    def test_a_test_message_is_in_the_language_asked_for(self, templates: Templates) -> None:
        for language in sorted(templates.languages):
            said = templates.contact_test(language)
            assert said.language == language
            assert said.subject.isprintable()
            assert said.text.strip()
            assert f'lang="{language}"' in said.html

    def test_html_is_a_whole_document_that_loads_and_runs_nothing(self, templates: Templates) -> None:
        documents = [said.html for said in self.all_words(templates, example(), AS_TYPED)]
        documents += [templates.contact_test(language).html for language in sorted(templates.languages)]
        documents += [templates.touch_answer(AS_TYPED, one).html for one in sorted(templates.languages)]
        documents += [
            templates.operator_notice(Matters(0, []), SUMMER_AFTERNOON.astimezone(UTC), language, "UTC").html
            for language in sorted(templates.languages)
        ]
        for html in documents:
            page = Page.of(html)
            assert html.lower().startswith("<!doctype html>")
            assert page.tags[0] == "html"
            assert not {"script", "link", "img", "iframe", "style", "object", "svg"} & set(page.tags)
            assert not {name for name, _ in page.attributes} & {"src", "href", "background", "srcset"}
            assert "url(" not in html
            assert "http" not in html
