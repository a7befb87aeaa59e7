"""The private folder of the server's socket."""

import os
import socket
import stat
import struct
import sys
import tempfile
from pathlib import Path

from adapters.outbound.postgres.embedded.errors import EmbeddedPostgresError
from adapters.outbound.postgres.embedded.way import Way

PORT = 5432
LONGEST_PATH = 107 if sys.platform == "linux" else 103
TEMPORARY = "tickler-"
# The protocol's question whether TLS is spoken: answered before any password, and not logged.
QUESTION = struct.pack("!ii", 8, 80877103)
ANSWER_SECONDS = 1.0
NAMES = (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock")


def prepare_socket_folder(own: Path, previous: Path | None, way: Way) -> Path:
    """An empty folder that only the server's account may enter.

    `own` is in the home; only where its path is too long for a socket is one made in the temporary folder.
    There the name is new and random, so that nobody can have prepared it; `previous`, which a server that was
    killed has left, is taken again if it is still ours, because others may be connected by it.
    """
    if _fits(own):
        own.mkdir(mode=0o700, exist_ok=True)
        way.give(own)
        _sweep(own)
        return own
    if previous and previous != own and _is_private(previous, way.uid) and _fits(previous):
        _sweep(previous)
        return previous
    for base in map(Path, dict.fromkeys((os.path.realpath(tempfile.gettempdir()), "/tmp", "/var/tmp"))):
        if _is_safe(base) and (made := _made_in(base, way)):
            return made
    raise EmbeddedPostgresError(
        f"no folder for the server's socket: {own} is longer than {LONGEST_PATH} bytes and no temporary"
        " folder is safe to use; set TICKLER_HOME or TMPDIR to a shorter path of your own"
    )


def answers(folder: Path) -> bool:
    """Whether a server serves there: one that was just killed may for a moment still look alive."""
    with socket.socket(socket.AF_UNIX) as asker:
        asker.settimeout(ANSWER_SECONDS)
        try:
            asker.connect(str(folder / NAMES[0]))
            asker.sendall(QUESTION)
            return bool(asker.recv(1))
        except OSError:
            return False


def drop_socket_folder(folder: Path, own: Path) -> None:
    """Remove a folder that was made in the temporary folder; anything foreign in it stays, and so it does."""
    if folder == own or not folder.name.startswith(TEMPORARY) or folder.is_symlink():
        return
    try:
        _sweep(folder)
        folder.rmdir()
    except OSError:
        return


def _made_in(base: Path, way: Way) -> Path | None:
    made = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=base))
    way.give(made)
    if _fits(made) and way.can_enter(made):
        return made
    made.rmdir()
    return None


def _fits(folder: Path) -> bool:
    # libpq reads a comma in a host as the end of its name, and the pid file keeps a path on one line.
    path = os.fsencode(folder / NAMES[0])
    return len(path) <= LONGEST_PATH and b"," not in path and b"\n" not in path


def _is_private(folder: Path, uid: int) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid and not found.st_mode & 0o077


def _is_safe(base: Path) -> bool:
    """Whether nobody but us and root can rename what we make in it."""
    try:
        found = base.lstat()
    except OSError:
        return False
    shared = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
    mine = found.st_uid in (0, os.geteuid())
    return stat.S_ISDIR(found.st_mode) and mine and not shared and os.access(base, os.W_OK | os.X_OK)


def _sweep(folder: Path) -> None:
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
