"""A tenant's own words for its plans: names of the occurrence in them, and nothing that costs or escapes."""

from datetime import date, datetime, time
from time import monotonic

import pytest

from adapters.outbound.templates.plan_texts import JinjaPlanTexts
from application.ports.templates import PlanTexts
from domain.errors import Invalid
from domain.recurrence import BeforeDeadline, Every, Schedule

_: type[PlanTexts] = JinjaPlanTexts  # mypy holds it against the port

SLOT = datetime.fromisoformat("2027-02-04T10:05")
RENEWAL = BeforeDeadline(date(2027, 3, 31), (55,), time(10, 5), "Europe/Moscow")
DAILY = Every("FREQ=DAILY", SLOT, "Europe/Moscow")


def said(template: str, schedule: Schedule = RENEWAL) -> str:
    return JinjaPlanTexts().text_of_occurrence(template, schedule, SLOT)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Time to renew: 100%", "Time to renew: 100%"),
        ("{{ date }} {{ time }}", "2027-02-04 10:05"),
        ("{{ deadline }}: {{ days_left }}", "2027-03-31: 55"),
        ("{{ date.day|two_digits }}.{{ date.month|two_digits }}.{{ date.year }}", "04.02.2027"),
        ("{% if days_left > 30 %}Soon{% else %}Now{% endif %}", "Soon"),
        ("{{ 'one day' if days_left == 1 else 'days' }}", "days"),
        ("<b>{{ date }}</b> & co", "<b>2027-02-04</b> & co"),
        ("{{ '{{ date }}' }}", "{{ date }}"),
        ("Продление {# for us #}до {{ deadline }}", "Продление до 2027-03-31"),
    ],
)
def test_a_text_names_parts_of_its_occurrence(template: str, text: str) -> None:
    assert said(template) == text


def test_a_deadline_is_known_only_before_one() -> None:
    assert said("{{ date }}", DAILY) == "2027-02-04"
    for template in ("{{ deadline }}", "{{ days_left }}"):
        with pytest.raises(Invalid, match="is none of date, time"):
            said(template, DAILY)


@pytest.mark.parametrize(
    "template",
    [
        "{{ foo }}",
        "{{ (",
        "{{ date if }}",
        "{% if date %}",
        "{{ time.day }}",
        "{{ date.strftime('%1000000000d') }}",
        "{{ date.__class__.__mro__ }}",
        "{{ self.__init__.__globals__ }}",
        "{{ date['day'] }}",
        "{{ date|attr('day') }}",
        "{{ 'x' * 1000000000 }}",
        "{{ 10 ** 10 ** 10 }}",
        "{{ date ~ date }}",
        "{{ 'a' < date }}",
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{% set x = date %}",
        "{% macro m() %}{{ m() }}{% endmacro %}",
        "{% include 'layout.html.j2' %}",
        "{% import 'os' as os %}",
        "{{ 1 / 0 }}",
        "{{" + "(" * 4000 + "date" + ")" * 4000 + "}}",
        "{{ " + "not " * 2000 + "date }}",
        "{% if date %}" * 300 + "{% endif %}" * 300,
        "{{ date }}" * 900,
        "x" * 10_001,
    ],
)
def test_anything_else_is_invalid_in_one_line_and_costs_little(template: str) -> None:
    began = monotonic()
    with pytest.raises(Invalid, match=r"^text: ") as refused:
        said(template)
    assert len(str(refused.value).splitlines()) == 1
    assert len(str(refused.value)) < 300
    assert monotonic() - began < 5
