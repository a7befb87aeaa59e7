"""docs/spec-coverage.md names every row and sentence of the specifications, and nothing that is not there."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.coverage_page import NAMED, PAGE, Line, lines
from tests.scenarios import scenarios_of
from tests.specification import JOB, PROSE, ROOT, TOUCHES, rows, sentences

LINES = lines()


def test_every_row_of_the_specifications_is_on_the_page_in_its_order_and_nothing_else_is() -> None:
    specified = [*rows(), *sentences()]
    assert [(line.section, line.name) for line in LINES] == [(row.section, row.name) for row in specified]


def test_the_specifications_are_read_whole() -> None:
    assert Counter(row.section for row in [*rows(), *sentences()]) == {
        "Назначение": 5,
        "Классификация": 4,
        "Расписание и Locking": 5,
        "Входные параметры цикла": 3,
        "Алгоритм": 10,
        "Граница транзакции": 4,
        "Постусловия и цепочка следствий": 4,
        "Идемпотентность и retry": 6,
        "Наблюдаемость": 5,
        "Связанный Runbook": 3,
        "Тесты": 8,
        "Отложенные касания": 2,
        "Как это устроено": 2,
        "Почему очередь — это таблица в базе": 9,
        "Захват атомарен": 4,
        "Восстановление": 2,
        "Доставка идёт туда, откуда пришёл запрос": 3,
        "Что это даёт на практике": 3,
    }
    told: list[str] = []
    for row in sentences():
        told += [row.name] if row.section in told else [row.section, row.name]
    assert "".join("".join(told).split()) == "".join(TOUCHES.read_text("utf-8").replace("•", "").split())


@pytest.mark.parametrize("section", PROSE)
def test_a_section_without_a_table_is_read_to_its_last_word(section: str) -> None:
    said = JOB.read_text("utf-8").partition(f"\n{section}\n")[2]
    whole = said[: re.search(r"\n(?:Граница транзакции|Идемпотентность и retry)\n", said).start()]  # type: ignore[union-attr]
    told = "".join(row.name + row.rest for row in rows() if row.section == section)
    assert re.findall(r"\w", told) == re.findall(r"\w", whole)


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.section}: {line.name}")
def test_a_row_names_its_code_and_what_shows_it(line: Line) -> None:
    if line.section == "Назначение" and "of the document" in line.code:
        return
    assert NAMED.search(line.code)
    assert NAMED.search(line.shown_by)


@pytest.mark.parametrize("named", sorted(set(NAMED.findall(PAGE.read_text("utf-8")))))
def test_whatever_the_page_names_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    file = ROOT / path
    assert file.is_file()
    if name:
        assert name in set(names_in(file))


def names_in(file: Path) -> Iterator[str]:
    """What a file gives names to: scenarios, tables and indexes, classes, functions and fields."""
    match file.suffix:
        case ".feature":
            yield from (scenario.name for scenario in scenarios_of(file))
        case ".sql":
            yield from re.findall(r"(?:index|table|constraint) (?:tickler\.)?(\w+)", file.read_text("utf-8"))
        case ".py":
            yield from _defined(ast.parse(file.read_text("utf-8")).body, "")


def _defined(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        match node:
            case ast.ClassDef(name=name, body=inner):
                yield prefix + name
                yield from _defined(inner, f"{prefix}{name}.")
            case ast.FunctionDef(name=name):
                yield prefix + name
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield prefix + name
