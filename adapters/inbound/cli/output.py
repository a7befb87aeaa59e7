"""What commands say: results on stdout, for people or as JSON; everything else on stderr."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.cells import cell_len

from application.explaining import explanation

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
GAP = 2
LONGEST_PAD = 60

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]


def say(text: str) -> None:
    """Tell people something beside the result, in one line."""
    typer.echo(in_one_line(text), err=True)


def exit_refused(*, refused: int, is_of_use: bool) -> None:
    """End a command that refused parts of a file: exit code 1, or 2 where nothing of it was of use."""
    if is_of_use:
        say(f"tickler: not all of the file was taken: {refused} refused")
        raise typer.Exit(1)
    say("tickler: nothing in the file could be taken")
    raise typer.Exit(2)


def put_json(document: Json) -> None:
    line = json.dumps(document, ensure_ascii=False)
    # Some readers of lines end one at U+2028 or U+0085, and a terminal obeys U+009B.
    if not line.isprintable():
        line = "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in line)
    typer.echo(line)


def put(text: str) -> None:
    """One line, whatever line breaks somebody's words in it hold: else these would pass for lines of ours."""
    typer.echo(in_one_line(text))


def put_text(text: str, *, after: str = "") -> None:
    """Somebody's text in lines of its own, all of them indented by what the first comes `after`."""
    first, *rest = text.splitlines() or [""]
    put(after + first)
    for line in rest:
        put(" " * len(after) + line)


def put_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows under headings; the last column holds ids, and stands on lines of its own where room is short.

    Nothing is ever cut: whoever reads an id wants to copy it.
    """
    cells = [[in_one_line(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
    room = shutil.get_terminal_size(fallback=(0, 0)).columns
    is_wide = room == 0 or sum(widths) + GAP * (len(widths) - 1) <= room
    for row in (list(columns), *cells):
        put(_line(row if is_wide else row[:-1], widths))
        if not is_wide and row[-1]:
            put(" " * GAP + row[-1])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell + " " * (min(width, LONGEST_PAD) - cell_len(cell))
        for cell, width in zip(row, widths, strict=False)
    )
    return (" " * GAP).join(padded).rstrip()


def in_one_line(text: str) -> str:
    """Without what would begin a line or steer a terminal: a title comes from anybody."""
    line = " ".join(text.splitlines())
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in line)


def wall(at: datetime, time_zone: str, *, to_the_second: bool = False) -> str:
    """An instant as the clock on that wall shows it; as UTC's does where nobody knows the zone.

    A full minute is told without seconds, unless it stands among others in a column.
    """
    return explanation.noted(at, time_zone) if to_the_second else explanation.wall(at, time_zone)


def utc(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(ZoneInfo("UTC")).isoformat().replace("+00:00", "Z")
