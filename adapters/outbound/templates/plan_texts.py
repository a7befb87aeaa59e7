"""The words of a tenant's plans: a small part of Jinja2, in which nothing can take long or grow large."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache

import jinja2
from attrs import frozen
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from domain.errors import Invalid
from domain.recurrence import BeforeDeadline, Schedule

LONGEST = 10_000
MOST_PARTS = 500
PARTS_OF_A_DATE = ("year", "month", "day")
# Without loops, calls and arithmetic, what comes out is at most a few times as long as what went in.
_ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Const,
    nodes.Getattr,
    nodes.Filter,
    nodes.If,
    nodes.CondExpr,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
)


def _two_digits(number: int) -> str:
    return f"{number:02}"


_ENVIRONMENT = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined, autoescape=False)
_ENVIRONMENT.filters = {"two_digits": _two_digits}


@frozen
class JinjaPlanTexts:
    """`{{ date }}` is 2027-02-14, `{{ time }}` 10:00, `{{ date.day|two_digits }}` 14; also `{% if %}`."""

    def text_of_occurrence(self, template: str, schedule: Schedule, slot: datetime) -> str:
        facts = _facts(schedule, slot)
        try:
            return _read(template, frozenset(facts)).render(facts)
        except Exception as problem:
            raise Invalid(_said(problem)) from None


def _facts(schedule: Schedule, slot: datetime) -> Mapping[str, date | str | int]:
    facts: dict[str, date | str | int] = {"date": slot.date(), "time": f"{slot:%H:%M}"}
    if isinstance(schedule, BeforeDeadline):
        facts["deadline"] = schedule.deadline
        facts["days_left"] = (schedule.deadline - slot.date()).days
    return facts


@lru_cache(maxsize=256)
def _read(template: str, names: frozenset[str]) -> jinja2.Template:
    if len(template) > LONGEST:
        raise Invalid(f"text: {len(template)} characters are more than {LONGEST}")
    parts: list[nodes.Node] = [_ENVIRONMENT.parse(template)]
    for count, part in enumerate(parts):
        if count > MOST_PARTS:
            raise Invalid(f"text: more than {MOST_PARTS} parts of a template")
        _check(part, names)
        parts += part.iter_child_nodes()
    return _ENVIRONMENT.from_string(template)


def _check(part: nodes.Node, names: frozenset[str]) -> None:
    known = ", ".join(sorted(names))
    if not isinstance(part, _ALLOWED):
        raise Invalid(
            f"text: line {part.lineno}: a template of a plan has {{{{ … }}}} with {known},"
            " and {% if %}; this is something else"
        )
    if isinstance(part, nodes.Name) and part.name not in names:
        raise Invalid(f"text: line {part.lineno}: {part.name[:40]!r} is none of {known}")
    if isinstance(part, nodes.Getattr) and (
        part.attr not in PARTS_OF_A_DATE or not isinstance(part.node, nodes.Name)
    ):
        raise Invalid(f"text: line {part.lineno}: of a date there are {', '.join(PARTS_OF_A_DATE)}")


def _said(problem: Exception) -> str:
    match problem:
        case Invalid():
            return str(problem)
        case jinja2.TemplateSyntaxError():
            return f"text: line {problem.lineno}: {' '.join(str(problem.message).split())[:120]}"
        case jinja2.UndefinedError():
            return "text: a part that such a value has not"
        case _:
            return f"text: it cannot be read as a template ({type(problem).__name__})"
