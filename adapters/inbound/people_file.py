"""A file of people: a header, then a person a line; `;` or `,` between cells, UTF-8.

Columns: handle (wanted), language, zone, and one for each channel, which holds an address; the first one is
preferred. No cell has a line break in it, so that a line with a stray quote costs itself only.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from attrs import field, frozen

from application.ports.channel import Channel
from domain.errors import Invalid

HANDLE, LANGUAGE, ZONE = "handle", "language", "zone"
MAX_LINES = 50_000


class Check(Protocol):
    """What becomes of a cell's text; Invalid for one that will not do."""

    def __call__(self, column: str, text: str, /) -> str: ...


@frozen
class Line:
    """A person as the file has them, by the number of the line; what a cell leaves empty is None."""

    number: int
    handle: str = field(repr=False)
    language: str | None
    time_zone: str | None
    addresses: Sequence[tuple[Channel, str]] = field(repr=False)


@frozen
class Refusal:
    """A line that was not taken, and why."""

    line: int
    reason: str


@frozen
class Columns:
    """`spare` are the names of those that nobody asked for; what stands in them is passed over."""

    names: Sequence[str]
    delimiter: str
    spare: Sequence[str]


@frozen
class People:
    """The columns, how many lines may hold a person, and each that does, read as it is asked for."""

    columns: Columns
    count: int
    lines: Iterator[Line | Refusal]


def read(data: bytes, channels: Mapping[str, Channel], checks: Mapping[str, Check]) -> People:
    """The people of a file. `checks` are those of handle, language and zone.

    Raises Invalid, before the first line is looked at, for more than 50,000 lines and for a header that makes
    no sense.
    """
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    if len(lines) > MAX_LINES:
        raise Invalid(f"FILE: it has more than {MAX_LINES} lines; split it")
    number, header = next(((at, one) for at, one in enumerate(lines, 1) if one.strip()), (0, b""))
    columns = _columns(header, channels)
    return People(columns, len(lines) - number, _lines(lines[number:], number + 1, columns, channels, checks))


def _lines(
    lines: Sequence[bytes],
    first: int,
    columns: Columns,
    channels: Mapping[str, Channel],
    checks: Mapping[str, Check],
) -> Iterator[Line | Refusal]:
    seen: dict[str, int] = {}
    for number, raw in enumerate(lines, first):
        try:
            cells = _cells(raw, columns.delimiter)
            if not any(cells):
                continue
            found = _line(number, cells, columns, channels, checks)
            before = seen.setdefault(found.handle, number)
            if before != number:
                raise Invalid(f"handle: the person of line {before} has it already")
        except Invalid as problem:
            yield Refusal(number, str(problem))
        else:
            yield found


def _columns(header: bytes, channels: Mapping[str, Channel]) -> Columns:
    if header.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Invalid("FILE: it is UTF-16; save it as CSV in UTF-8")
    known = (HANDLE, LANGUAGE, ZONE, *channels)
    delimiter = ";" if header.count(b";") > header.count(b",") else ","
    names = [cell.lower() for cell in _cells(header, delimiter)]
    while names and not names[-1]:
        names.pop()
    if HANDLE not in names:
        raise Invalid(f"FILE: its first line is no header with the column handle, of {', '.join(known)}")
    for name in known:
        if names.count(name) > 1:
            raise Invalid(f"FILE: the column {name} is there twice")
    return Columns(names, delimiter, [name for name in names if name not in known])


def _cells(raw: bytes, delimiter: str) -> list[str]:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise Invalid(f"it is not UTF-8{_likely(raw)}; save the file as CSV UTF-8") from None
    if "\0" in text:
        raise Invalid("it has a NUL character in it")
    try:
        (cells,) = csv.reader([text], delimiter=delimiter, strict=True) if text else ([],)
    except csv.Error:
        raise Invalid("its quotes do not pair, or a cell is too long") from None
    return [cell.strip() for cell in cells]


def _likely(raw: bytes) -> str:
    """A word where the bytes above ASCII would all be Russian letters, as a Russian Excel writes them."""
    high = bytes(one for one in raw if one > 0x7F)
    text = high.decode("cp1251", "replace")
    return ", it looks like Windows-1251 (cp1251)" if re.fullmatch("[А-яЁё№«»—]+", text) else ""


def _line(
    number: int,
    cells: Sequence[str],
    columns: Columns,
    channels: Mapping[str, Channel],
    checks: Mapping[str, Check],
) -> Line:
    if any(cells[len(columns.names) :]):
        raise Invalid(f"it has more cells than the header's {len(columns.names)}")
    by_name = {name: cell for name, cell in zip(columns.names, cells, strict=False) if cell}
    if HANDLE not in by_name:
        raise Invalid("handle: it is missing")
    checked = {name: check(name, by_name[name]) for name, check in checks.items() if name in by_name}
    ways = [(channels[name], text) for name, text in by_name.items() if name in channels]
    addresses = [(way, _address(way, text)) for way, text in ways]
    return Line(number, checked[HANDLE], checked.get(LANGUAGE), checked.get(ZONE), addresses)


def _address(way: Channel, text: str) -> str:
    try:
        return way.check(text)
    except Invalid as problem:
        raise Invalid(f"{way.name}: {problem}") from None
