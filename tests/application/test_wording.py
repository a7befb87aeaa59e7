"""What a reminder tells: a title on one line, the offset of a zone, whose language."""

from datetime import timedelta
from uuid import UUID

import pytest

from adapters.testkit.templates import example
from application.ports.people import Person, Tenant
from application.wording import language_of, one_line, told, utc_offset
from domain.values import TenantId, UserId
from tests.application.world import TEMPLATES, World


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("a\r\nBcc: b", "a Bcc: b"),
        ("a\n\n\tb", "a b"),
        ("a\u2028b\x85c\x1b[2Jd", "a b c [2Jd"),
        ("  a  b ", "a  b"),
        ("a\u00a0b", "a\u00a0b"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
    ],
)
def test_a_title_is_one_line_and_otherwise_as_typed(typed: str, line: str) -> None:
    assert one_line(typed) == line


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(0, "UTC"), (180, "UTC+3"), (-180, "UTC-3"), (345, "UTC+5:45"), (-570, "UTC-9:30"), (65, "UTC+1:05")],
)
def test_an_offset_is_told_in_hours_and_minutes(minutes: int, said: str) -> None:
    assert utc_offset(timedelta(minutes=minutes)) == said


def test_the_offset_is_the_zones_at_the_start_of_the_event() -> None:
    assert told(example(), "a", "Europe/Madrid").utc_offset == "UTC+2"


OTHER = TenantId(UUID(int=0xD))


@pytest.mark.parametrize(
    ("persons", "tenants", "language"),
    [("ru", "en", "ru"), ("en", "ru", "en"), ("es", "ru", "ru"), (None, "ru", "ru")],
)
def test_a_language_without_words_gives_way_to_the_tenants(
    persons: str | None, tenants: str, language: str
) -> None:
    people = World().people
    people.add_tenant(Tenant(OTHER, "other", language=tenants))
    person = Person(UserId(UUID(int=1)), OTHER, "ann", persons) if persons else None

    assert language_of(person, OTHER, people, TEMPLATES) == language


def test_nobody_of_a_tenant_that_is_not_known_is_told_in_english() -> None:
    assert language_of(None, OTHER, World().people, TEMPLATES) == "en"
