"""File locks: the kernel drops them with their holder, however it ends, so none is ever stale."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_SECONDS = 0.01


def wait_until(condition: Callable[[], bool], deadline: float) -> bool:
    """Whether the condition came true before `deadline`, an instant of `time.monotonic()`."""
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def open_private(path: Path, uid: int, gid: int) -> int:
    """An open file for us alone, never through a symlink; one that is made here goes to `uid`."""
    flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        made = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, flags)
    if os.geteuid() == 0:
        os.fchown(made, uid, gid)
    return made


def try_lock(file: int, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked(file: int, deadline: float) -> Iterator[bool]:
    """Hold the exclusive lock, or say False when it was not to be had by `deadline`; closes the file."""
    try:
        yield wait_until(lambda: try_lock(file), deadline)
    finally:
        os.close(file)
