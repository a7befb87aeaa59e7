"""A moment in which no signal ends what must not be left half done."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@contextmanager
def signals_held() -> Iterator[None]:
    """A signal that would end us comes after the block; one that comes within it is not lost.

    A process that is started within it begins with these signals held; PostgreSQL sets its own mask.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
