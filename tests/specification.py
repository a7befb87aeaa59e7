"""The specifications as docs/spec has them: tables' rows, algorithm, postconditions; and sentences."""

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[1]
JOB = ROOT / "docs/spec/reminder-dispatch-job.ru.md"
TOUCHES = ROOT / "docs/spec/deferred-touches.ru.md"
PROSE = ("Алгоритм", "Постусловия и цепочка следствий")
_STEP = re.compile(r"- (?P<name>[^.→]+?)\s*[.→]")
_PARAGRAPH = re.compile(r"(?P<name>(?:Предусловия|Постусловия|Цепочка|Что видит)[^.]*)\.")


@frozen
class Row:
    """A row of a table, or a named paragraph: `name` is its first cell, `rest` what follows it."""

    section: str
    name: str
    rest: str


def rows(spec: Path = JOB) -> list[Row]:
    return list(_rows(spec.read_text("utf-8").splitlines()))


def table_of_tests(spec: Path = JOB) -> list[Row]:
    return [row for row in rows(spec) if row.section == "Тесты"]


def _rows(lines: list[str]) -> Iterator[Row]:
    section, inside = lines[0], False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following == "|---|":
            inside = False
        elif line == "|---|":
            inside = True
        elif inside and " | " in line:
            name, _, rest = line.strip("| ").partition(" | ")
            yield Row(section, name, rest)
        elif section in PROSE and line == "- событие":
            yield Row(section, f"событие {following.partition(' → ')[0]}", following)
        elif section in PROSE and (match := _STEP.match(line) or _PARAGRAPH.match(line)):
            yield Row(section, match["name"], line)
        if _is_heading(line, following):
            section, inside = line, False


def _is_heading(line: str, following: str) -> bool:
    named = re.fullmatch(r"[А-ЯA-Z][^|.:]{3,45}", line) is not None
    return named and (following.startswith("|") or line in (*PROSE, "Назначение", "Обратные ссылки"))


def sentences(spec: Path = TOUCHES) -> list[Row]:
    """Each sentence of a document without tables, with the heading that it stands under; `rest` is empty."""
    found, section = [], ""
    for line in filter(None, map(str.strip, spec.read_text("utf-8").splitlines())):
        if line[-1] not in ".:":
            section = line
            continue
        said = re.split(r"(?<=[.!?:])\s+(?=[А-ЯA-Z])", line.removeprefix("• "))
        found += [Row(section, one, "") for one in said]
    return found
