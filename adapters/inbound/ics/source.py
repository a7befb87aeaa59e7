"""A file as blocks of content lines: what can be said about it before any of it is understood."""

import re
import stat
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from attrs import define, field, frozen

MAX_BYTES = 20 * 1024 * 1024
MAX_LINES = 2_000_000
MAX_BLOCKS = 200_000
MAX_DEPTH = 10
TOO_MANY_BLOCKS = f"the file has more than {MAX_BLOCKS} components; split it"
_NAME = re.compile(r"[A-Za-z0-9-]+")
# A content line without quotes, lists or escapes in its parameters: nearly all of them.
_PLAIN = re.compile(r"([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=[^\":;,\\^]*)*):(.*)", re.DOTALL)

# What Outlook writes without the quotes that a colon in a parameter wants.
_BARE_ZONE = re.compile(
    r'([A-Za-z0-9-]+;(?:[^":]*;)?TZID=)([A-Za-z]+://[^":;,]*|\((?:UTC|GMT)[+-]\d\d:\d\d\)[^":;]*)([:;])',
    re.IGNORECASE,
)


class Unreadable(Exception):
    """The file as a whole cannot be read; the message is one clear line, and nothing was changed."""


class BadProperty(Exception):
    """One property cannot be read, or is not there; the message is one line without its text."""


@frozen
class Property:
    """One content line: NAME;PARAMETERS:VALUE. `value` is as it is written, nothing unescaped."""

    name: str
    parameters: dict[str, str]
    value: str
    line: int


@define
class Block:
    """What stands between BEGIN and END: content lines with their numbers, and blocks inside.

    `broken` says why the block is not well-formed, where it is not.
    """

    name: str
    line: int
    content: list[tuple[int, str]] = field(factory=list)
    blocks: list["Block"] = field(factory=list)
    broken: str | None = None

    @cached_property
    def _lines_by_name(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = {}
        for line, text in self.content:
            name = _NAME.match(text)
            if name is not None:
                found.setdefault(name[0].upper(), []).append((line, text))
        return found

    def all(self, name: str) -> Iterator[Property]:
        """Each property of this name; BadProperty for one whose parameters make no sense."""
        for line, text in self._lines_by_name.get(name, ()):
            yield _property(line, text)

    def one(self, name: str) -> Property | None:
        """The first property of this name."""
        return next(self.all(name), None)

    def inside(self, name: str) -> Iterator["Block"]:
        return (block for block in self.blocks if block.name == name)


def _property(line: int, text: str) -> Property:
    if "\x00" in text:
        raise BadProperty(f"line {line} holds a NUL")
    if len(text) > 100_000:
        raise BadProperty(f"line {line} is longer than 100,000 characters")
    if "TZID=" in text[:200].upper():
        text = _BARE_ZONE.sub(r'\1"\2"\3', text, count=1)
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        pairs = (one.split("=", 1) for one in plain[2].split(";")[1:])
        return Property(plain[1].upper(), {key.upper(): said for key, said in pairs}, plain[3], line)
    return _with_difficult_parameters(line, text)


_SPACED_NAME = re.compile(r"[ \t]*([A-Za-z0-9-]+)[ \t]*")
_VALUE = r"(?:\"[^\"]*\"|(?:\\.|[^\",;:\\])*)"
_PARAMETER = re.compile(rf";[ \t]*([A-Za-z0-9-]+)[ \t]*=[ \t]*({_VALUE})(?:,{_VALUE})*[ \t]*", re.DOTALL)


def _with_difficult_parameters(line: int, text: str) -> Property:
    """Quoted, escaped (RFC 6868, and backslashes as some write), spaced; the first of a list counts."""
    name = _SPACED_NAME.match(text)
    at = name.end() if name else 0
    stated: dict[str, str] = {}
    while parameter := _PARAMETER.match(text, at):
        value = parameter[2].strip(" \t").strip('"')
        stated[parameter[1].upper()] = _meant(value)
        at = parameter.end()
    ended = at == len(text) and bool(stated)
    if name is None or not (ended or text[at : at + 1] == ":"):
        raise BadProperty(f"line {line} is no content line")
    return Property(name[1].upper(), stated, text[at + 1 :], line)


def _meant(value: str) -> str:
    for escape, also in (("\\", {letter: letter for letter in ",:;"}), ("^", {"n": "\n", "'": '"'})):
        if escape in value:
            value = value.replace(escape * 2, "\0")  # no content line has a NUL
            for letter, meant in also.items():
                value = value.replace(escape + letter, meant)
            value = value.replace("\0", escape)
    return value


def load(path: Path) -> bytes:
    """The bytes of the file; Unreadable, and unread, when it is no file or larger than 20 MB."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise Unreadable(f"{path}: it is a directory; name an .ics file")
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{path}: it is no regular file")
        if status.st_size > MAX_BYTES:
            raise Unreadable(_too_large(path))
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Unreadable(f"{path}: there is no such file") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "this is no path"
        raise Unreadable(f"{path}: it cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise Unreadable(_too_large(path))
    return data


def _too_large(path: Path) -> str:
    return f"{path}: it is larger than {MAX_BYTES // 1024 // 1024} MB; split it"


def calendars(data: bytes) -> list[Block]:
    """The VCALENDAR blocks of a file (RFC 5545 section 3.4, a stream may hold several).

    Raises Unreadable for what is empty, no calendar, not UTF-8, or ends in the middle. A block inside that is
    not well-formed is marked `broken` and costs itself only.
    """
    if data.count(b"\n") > MAX_LINES:
        raise Unreadable(f"the file has more than {MAX_LINES} lines; split it")
    if data.count(b"\nBEGIN:") > MAX_BLOCKS:
        raise Unreadable(TOO_MANY_BLOCKS)
    lines = _unfolded(data)
    if not lines:
        raise Unreadable("the file is empty")
    if lines[0][1].strip().upper() != "BEGIN:VCALENDAR":
        raise Unreadable("this is no iCalendar file: it does not begin with BEGIN:VCALENDAR")
    return _blocks(lines)


def _unfolded(data: bytes) -> list[tuple[int, str]]:
    """Logical lines and the number of the physical line on which each begins, blank ones left out.

    Bytes are joined before they are decoded: a fold may stand inside a character (RFC 5545 section 3.1).
    """
    numbers: list[int] = []
    joined: list[list[bytes]] = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        piece = raw.removesuffix(b"\r")
        if piece[:1] in (b" ", b"\t") and joined:
            joined[-1].append(piece[1:])
        elif piece.strip():
            numbers.append(number)
            joined.append([piece])
    lines: list[tuple[int, str]] = []
    for number, pieces in zip(numbers, joined, strict=True):
        try:
            lines.append((number, b"".join(pieces).decode("utf-8")))
        except UnicodeDecodeError:
            raise Unreadable(f"line {number} is not UTF-8; save the file as UTF-8") from None
    return lines


_FRAME = re.compile(r"(BEGIN|END)\s*:\s*([A-Za-z0-9-]+)\s*", re.IGNORECASE)


def _blocks(lines: list[tuple[int, str]]) -> list[Block]:
    found: list[Block] = []
    open_: list[Block] = []
    begun = 0
    for number, text in lines:
        frame = _FRAME.fullmatch(text) if text[:1] in "BbEe" else None
        if frame is None:
            if open_:
                open_[-1].content.append((number, text))
            continue
        name = frame[2].upper()
        if frame[1].upper() == "BEGIN":
            begun += 1
            if begun > MAX_BLOCKS:
                raise Unreadable(TOO_MANY_BLOCKS)
            _begin(found, open_, Block(name, number))
        else:
            _end(open_, name, number)
    if open_:
        raise Unreadable("the file ends in the middle: its END:VCALENDAR is missing")
    return found


def _begin(found: list[Block], open_: list[Block], block: Block) -> None:
    nests = {"VCALENDAR": 0, "VEVENT": 1, "VTODO": 1, "VJOURNAL": 1, "VTIMEZONE": 1, "VFREEBUSY": 1}
    while len(open_) > nests.get(block.name, MAX_DEPTH):
        closed = open_.pop()
        closed.broken = closed.broken or f"its END:{closed.name} is missing"
        if closed.name == "VCALENDAR":
            raise Unreadable("the file ends in the middle: an END:VCALENDAR is missing")
    (open_[-1].blocks if open_ else found).append(block)
    open_.append(block)


def _end(open_: list[Block], name: str, number: int) -> None:
    if all(block.name != name for block in open_):
        if open_:
            open_[-1].broken = open_[-1].broken or f"line {number} ends a {name} that was not begun"
        return
    while (block := open_.pop()).name != name:
        block.broken = block.broken or f"its END:{block.name} is missing"
