"""The server process: what its pid file says, whether it is really it, and how it is ended."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from adapters.outbound.postgres.embedded.locks import wait_until


@frozen
class Postmaster:
    pid: int
    socket_folder: Path | None
    ready: bool


def read_postmaster(data: Path) -> Postmaster | None:
    """What `postmaster.pid` says (PostgreSQL 15 to 18: line 1 pid, 5 socket folder, 8 state), true or not."""
    try:
        lines = (data / "postmaster.pid").read_text(errors="surrogateescape").splitlines()
        pid = int(lines[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    folder = lines[4] if len(lines) > 4 else ""
    return Postmaster(pid, Path(folder) if folder else None, len(lines) > 7 and lines[7].strip() == "ready")


def is_postmaster(pid: int, data: Path) -> bool:
    """Whether that process lives and serves this folder: a pid alone may by now be another's."""
    return f" -D {data} " in f"{_command_line(pid)} "


def end(pid: int, ended: Callable[[], bool], timeout: float) -> bool:
    """Ask, demand, kill: whether the server ended within `timeout` seconds."""
    for number, share in ((signal.SIGINT, 0.6), (signal.SIGQUIT, 0.2), (signal.SIGKILL, 0.2)):
        victims = [pid, *_children(pid)] if number == signal.SIGKILL else [pid]
        for victim in victims:
            _send(victim, number)
        if wait_until(ended, time.monotonic() + timeout * share):
            return True
    return False


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _command_line(pid: int) -> str:
    """The arguments with blanks between them; empty for a dead process, even one not yet reaped."""
    if not Path("/proc/self").exists():
        command = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True, errors="surrogateescape").stdout
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return os.fsdecode(raw).replace("\0", " ")


def _children(parent: int) -> list[int]:
    # Each backend leads a session of its own, so killing the postmaster's group would miss them all.
    return [int(entry.parent.name) for entry in Path("/proc").glob("[0-9]*/stat") if _parent(entry) == parent]


def _parent(stat: Path) -> int | None:
    try:
        return int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None
