"""A failure in one line that names no machine, no person's folder and no path."""

import re
import socket
from functools import cache
from pathlib import Path

LONGEST = 300
_ELSEWHERE = ("home", "root", "Users", "private", "tmp", "work", "workspace", "builds", "mnt", "srv")
_REST = r"[^\s'\"`,;:)\]}>]*"


def one_line(said: str) -> str:
    """The first line that says something, with `…/name` for a path, and cut where it is long."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    line = _paths().sub(_end_of, line)
    host = socket.gethostname()
    if host and host != "localhost":
        line = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", "this machine", line)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


@cache
def _paths() -> re.Pattern[str]:
    """A path begins with a folder of this machine, whatever it is called; the path of a URL does not."""
    here = (entry.name for entry in Path(Path.cwd().anchor).iterdir() if entry.is_dir())
    folders = "|".join(map(re.escape, sorted({*_ELSEWHERE, *here}, key=len, reverse=True)))
    return re.compile(rf"(?:(?<![\w/.])/(?:{folders})(?![\w.-])|\b[A-Za-z]:\\){_REST}")


def _end_of(path: re.Match[str]) -> str:
    *_, end = re.split(r"[/\\]", path[0].rstrip("/"))
    return f"…/{end}"
