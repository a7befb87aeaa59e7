"""A failure in one line that names no machine, no person's folder and no path."""

import re
import socket

LONGEST = 300
_FOLDERS = "work|root|home|Users|tmp|var|usr|opt|private|mnt|srv|etc|proc|builds|workspace"
_PATH = re.compile(rf"(?:(?<![\w/.])/(?:{_FOLDERS})|\b[A-Za-z]:\\)[^\s'\"`,;:)\]}}>]*")


def one_line(said: str) -> str:
    """The first line that says something, with `…/name` for a path, and cut where it is long."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    line = _PATH.sub(_end_of, line)
    host = socket.gethostname()
    if host and host != "localhost":
        line = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", "this machine", line)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _end_of(path: re.Match[str]) -> str:
    *_, end = re.split(r"[/\\]", path[0].rstrip("/"))
    return f"…/{end}"
