"""`tickler person import`: what a line comes to, and what the others do not suffer from it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.inbound.cli import people_importing
from adapters.inbound.cli.people_importing import MAX_BYTES
from adapters.inbound.people_file import MAX_LINES, read
from adapters.settings import Settings
from tests.adapters.offices import Commands, MemoryOffice, Said

HEADER = "handle,language,zone,email\n"
ANNA = "anna,ru,Europe/Moscow,anna@b.example\n"


@pytest.fixture
def desk() -> MemoryOffice:
    return MemoryOffice.new(Settings())


@pytest.fixture
def tickler(desk: MemoryOffice, capsys: pytest.CaptureFixture[str]) -> Commands:
    commands = Commands(desk, capsys)
    commands.document("tenant", "add", "acme", "--zone", "Asia/Tokyo", "--language", "en")
    return commands


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.csv"


def imported(tickler: Commands, file: Path, text: str | bytes) -> Said:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tickler("person", "import", str(file), "--tenant", "acme", "--json")


def people(tickler: Commands) -> list[tuple[str, str, str]]:
    found = tickler.document("person", "list", "--tenant", "acme")
    return [(one["handle"], one["language"], one["timeZone"]) for one in found]


def addresses(tickler: Commands, handle: str) -> list[tuple[str, str]]:
    found = tickler.document("contact", "list", "--tenant", "acme", "--person", handle)
    return [(one["channel"], one["address"]) for one in found]


def counts(new: int = 0, changed: int = 0, unchanged: int = 0, contacts: int = 0) -> dict[str, int]:
    return {
        "people_new": new,
        "people_changed": changed,
        "people_unchanged": unchanged,
        "contacts_new": contacts,
    }


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_file_is_taken_with_and_without_a_bom_with_either_delimiter_and_end_of_line(
    tickler: Commands, file: Path, bom: bytes, delimiter: str, end: str
) -> None:
    rows = [
        ["Handle", "email", " zone ", "language", "console"],
        ["anna", "Anna@B.example", "Europe/Moscow", "ru", "desk"],
        ["пётр", "", "", "", ""],
        [],
        ['"boris"', "", "", "", ""],
    ]
    said = imported(tickler, file, bom + end.join(delimiter.join(row) for row in rows).encode())
    assert said.code == 0, said.err
    assert said.document == {"counts": counts(new=3, contacts=2), "refused": [], "signed": []}
    assert people(tickler) == [
        ("anna", "ru", "Europe/Moscow"),
        ("boris", "en", "Asia/Tokyo"),
        ("пётр", "en", "Asia/Tokyo"),
    ]
    assert addresses(tickler, "anna") == [("email", "anna@b.example"), ("console", "desk")]
    assert "3/3" not in said.err  # a bar is for a terminal


def test_the_same_file_again_adds_nothing(tickler: Commands, file: Path, desk: MemoryOffice) -> None:
    imported(tickler, file, HEADER + ANNA)
    store = desk.container.memory()
    before = dict(store.persons), dict(store.contact_points)
    assert imported(tickler, file, HEADER + ANNA).document["counts"] == counts(unchanged=1)
    assert (store.persons, store.contact_points) == before


def test_what_is_new_in_a_line_is_added_and_what_it_leaves_empty_stays(tickler: Commands, file: Path) -> None:
    imported(tickler, file, HEADER + ANNA)
    said = imported(tickler, file, HEADER + "anna,en,,second@b.example\n")
    assert said.document["counts"] == counts(changed=1, contacts=1)
    assert people(tickler) == [("anna", "en", "Europe/Moscow")]
    assert addresses(tickler, "anna") == [("email", "anna@b.example"), ("email", "second@b.example")]


BAD: dict[str, tuple[bytes, str]] = {
    "no handle": (b",ru,,x@b.example", "handle: it is missing"),
    "no handle that is one": (b"a b,ru,,", "handle: 'a b' is not a handle"),
    "an id": (b"0198c5f0-7d3e-7000-8000-000000000001,,,", "is not a handle"),
    "a zone that is none": (b"bad,ru,Moscow,", "time zone 'Moscow' is unknown"),
    "a language that is none": (b"bad,Russian,,", "language: 'Russian' is not a code"),
    "an address that is none": (b"bad,ru,,nonsense", "email: "),
    "an address over two lines": (b'bad,ru,,"a@b.example\nBcc: c@d.example"', "its quotes do not pair"),
    "a stray quote": (b'"bad,ru,,a@b.example', "its quotes do not pair"),
    "too many cells": (b"bad,ru,,a@b.example,more", "more cells than the header's 4"),
    "not UTF-8": (b"bad\xff,ru,,", "it is not UTF-8"),
    "Windows-1251": ("анна,ru,,".encode("cp1251"), "looks like Windows-1251 (cp1251)"),
    "a NUL": (b"bad\0,ru,,", "NUL"),
    "a huge cell": (b"bad,ru,," + b"x" * 200_000, "a cell is too long"),
    "the handle of a line before": (b"anna,en,,", "handle: the person of line 2 has it already"),
}


@pytest.mark.parametrize(("line", "reason"), BAD.values(), ids=BAD.keys())
def test_a_bad_line_is_named_by_its_number_and_the_others_are_taken(
    tickler: Commands, file: Path, line: bytes, reason: str
) -> None:
    said = imported(tickler, file, HEADER.encode() + ANNA.encode() + line + b"\nboris,,,\n")
    assert said.code == 1
    assert f"not all of the file was taken: {len(said.document['refused'])} refused" in said.err
    refused = said.document["refused"]
    assert refused[0]["line"] == 3
    assert reason in refused[0]["reason"]
    assert said.document["counts"]["people_new"] == 2
    assert [handle for handle, _, _ in people(tickler)] == ["anna", "boris"]
    assert addresses(tickler, "anna") == [("email", "anna@b.example")]


def test_a_line_with_one_bad_address_makes_neither_person_nor_the_good_one(
    tickler: Commands, file: Path, desk: MemoryOffice
) -> None:
    said = imported(tickler, file, "handle,console,email\nanna,desk,nonsense\nboris,,\n")
    assert [one["line"] for one in said.document["refused"]] == [2]
    assert [handle for handle, _, _ in people(tickler)] == ["boris"]
    assert not desk.container.memory().contact_points


def test_who_has_left_is_not_taken_back_by_a_file(tickler: Commands, file: Path) -> None:
    imported(tickler, file, HEADER + ANNA)
    tickler.document("person", "remove", "anna", "--tenant", "acme")
    said = imported(tickler, file, HEADER + ANNA + "boris,,,\n")
    assert said.document["refused"][0]["line"] == 2
    assert "has left" in said.document["refused"][0]["reason"]


def test_a_file_of_bad_lines_only_is_exit_code_2(tickler: Commands, file: Path) -> None:
    said = imported(tickler, file, HEADER + "a b,,,\n")
    assert said.code == 2
    assert "nothing in the file could be taken" in said.err


def test_a_header_alone_is_nothing_and_no_mistake(tickler: Commands, file: Path) -> None:
    assert imported(tickler, file, HEADER).document == {"counts": counts(), "refused": [], "signed": []}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no header with the column handle"),
        (b"anna,ru\n", "no header with the column handle"),
        (b"handle,email,Email\n", "the column email is there twice"),
        ("handle\nanna\n".encode("utf-16"), "it is UTF-16"),
        (b'"handle\n', "its quotes do not pair"),
        (b"\xff\n", "it is not UTF-8"),
        ("handle,имя\n".encode("cp1251"), "looks like Windows-1251 (cp1251); save the file as CSV UTF-8"),
        (b"handle\n" + b"\n" * MAX_BYTES, "larger than 10 MB"),
        (b"handle\n" + b"anna\n" * MAX_LINES, "more than 50000 lines; split it"),
    ],
    ids=["empty", "none", "twice", "UTF-16", "quote", "bytes", "cp1251", "huge", "lines"],
)
def test_a_file_without_a_header_that_makes_sense_is_refused_whole(
    tickler: Commands, file: Path, desk: MemoryOffice, data: bytes, said: str
) -> None:
    answer = imported(tickler, file, data)
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert said in answer.err
    assert not desk.container.memory().persons


@pytest.mark.parametrize(
    ("name", "said"), [("none.csv", "there is no such file"), (".", "it is no regular file")]
)
def test_what_is_no_file_is_one_clear_line(tickler: Commands, tmp_path: Path, name: str, said: str) -> None:
    answer = tickler("person", "import", str(tmp_path / name), "--tenant", "acme")
    assert (answer.code, len(answer.err.splitlines())) == (2, 1)
    assert said in answer.err


def test_the_tenant_must_be_there(tickler: Commands, file: Path) -> None:
    file.write_text(HEADER + ANNA)
    answer = tickler("person", "import", str(file), "--tenant", "umbrella")
    assert (answer.code, "there is no tenant 'umbrella'" in answer.err) == (2, True)


def test_without_json_the_counts_and_the_bad_lines_are_told(tickler: Commands, file: Path) -> None:
    file.write_text(HEADER + ANNA + "a b,,,\n")
    told: Any = tickler("person", "import", str(file), "--tenant", "acme").out.splitlines()
    assert told[0] == "people: 1 new, 0 changed, 0 as they were; 1 addresses added"
    assert told[1].startswith("refused: line 3: handle: 'a b' is not a handle")


def test_what_a_new_webhook_is_signed_with_is_told_once(
    tickler: Commands, file: Path, desk: MemoryOffice
) -> None:
    text = "handle,webhook\nanna,https://8.8.8.8/a\nboris,https://8.8.8.8/b\n"
    signed = imported(tickler, file, text).document["signed"]
    kept = {str(one.id): one.secret for one in desk.container.memory().contact_points.values()}
    assert [one["line"] for one in signed] == [2, 3]
    assert {one["contactPointId"]: one["secret"] for one in signed} == kept
    assert len(set(kept.values())) == 2
    assert imported(tickler, file, text).document["signed"] == []


def test_a_column_that_nobody_asked_for_is_named_and_passed_over(tickler: Commands, file: Path) -> None:
    said = imported(tickler, file, "handle,e-mail,email,имя\nanna,x@b.example,anna@b.example,Анна\n")
    assert (said.code, said.document["counts"]) == (0, counts(new=1, contacts=1))
    assert said.err == "warning: passed over, for no column is called so: 'e-mail', 'имя'\n"
    assert addresses(tickler, "anna") == [("email", "anna@b.example")]


def test_progress_is_told_with_each_person_that_is_put_while_the_rest_is_yet_to_be_read(
    tickler: Commands, file: Path, desk: MemoryOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int, int]] = []

    @contextmanager
    def bar(what: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, total: told.append((done, total, len(desk.container.memory().persons)))

    monkeypatch.setattr(people_importing, "progress_bar", bar)
    imported(tickler, file, "handle\nanna\n\nno;handle,too many\nboris\nclara\n")
    assert told == [(0, 5, 0), (1, 5, 1), (2, 5, 1), (3, 5, 2), (4, 5, 3), (5, 5, 3)]


def test_no_line_is_looked_at_before_those_above_it_are_put() -> None:
    looked_at: list[str] = []

    def check(column: str, text: str) -> str:
        looked_at.append(text)
        return text

    people = read(b"handle\nanna\nboris\n", {}, {"handle": check})
    assert (people.count, looked_at) == (2, [])
    next(people.lines)
    assert looked_at == ["anna"]
