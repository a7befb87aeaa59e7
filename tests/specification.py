"""The specifications as docs/spec has them: tables' rows, algorithm, postconditions; and sentences."""

import re
from pathlib import Path

from attrs import evolve, frozen

ROOT = Path(__file__).parents[1]
JOB = ROOT / "docs/spec/reminder-dispatch-job.ru.md"
TOUCHES = ROOT / "docs/spec/deferred-touches.ru.md"
PROSE = ("Алгоритм", "Постусловия и цепочка следствий")
_STEP = re.compile(r"- (?P<name>[^.→]+?)\s*[.→]\s*(?P<rest>.*)")
_PARAGRAPH = re.compile(r"(?P<name>(?:Предусловия|Постусловия|Цепочка|Что видит)[^.]*)\.\s*(?P<rest>.*)")
_BRANCH = "- событие"


@frozen
class Row:
    """A row of a table, or a named paragraph: `name` is its first cell, `rest` what follows it.

    `columns` are what the table calls the cells of `rest`, which ` | ` parts; a paragraph has none.
    """

    section: str
    name: str
    rest: str
    columns: tuple[str, ...] = ()


def title(spec: Path) -> str:
    return spec.read_text("utf-8").partition("\n")[0].strip()


def lead(spec: Path = JOB) -> str:
    """What the document says ahead of its first table."""
    said = spec.read_text("utf-8").partition("\n| ")[0].splitlines()
    return " ".join(said[2:])


def rows(spec: Path = JOB) -> list[Row]:
    lines = spec.read_text("utf-8").splitlines()
    found: list[Row] = []
    columns: tuple[str, ...] = ()
    section, inside = lines[0], False
    for previous, line, following in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if _is_heading(line, following):
            section, inside = line, False
        elif following == "|---|":
            columns, inside = tuple(line.strip("| ").split(" | ")[1:]), False
        elif line == "|---|":
            inside = True
        elif inside and " | " in line:
            name, _, rest = line.strip("| ").partition(" | ")
            found.append(Row(section, name, rest, columns))
        elif section in PROSE:
            found = _with_prose(found, section, previous, line, following)
    return found


def table_of_tests(spec: Path = JOB) -> list[Row]:
    return [row for row in rows(spec) if row.section == "Тесты"]


def _with_prose(found: list[Row], section: str, previous: str, line: str, following: str) -> list[Row]:
    if line == _BRANCH:
        return [*found, Row(section, f"событие {following.partition(' → ')[0]}", "")]
    if previous == _BRANCH:
        return [*found[:-1], evolve(found[-1], rest=f"→ {line.partition(' → ')[2]}")]
    if match := _STEP.match(line) or _PARAGRAPH.match(line):
        return [*found, Row(section, match["name"], match["rest"])]
    return [*found[:-1], evolve(found[-1], rest=f"{found[-1].rest} {line}".strip())]


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
