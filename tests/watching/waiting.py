"""Waiting for what other processes do, within bounds."""

from collections.abc import Callable
from time import monotonic, sleep

PATIENCE_S = 90.0


def until(
    what: Callable[[], object], told: Callable[[], object] = lambda: None, seconds: float = PATIENCE_S
) -> None:
    """Wait until it is so; else fail with what is told."""
    end = monotonic() + seconds
    while not what():
        assert monotonic() < end, told()
        sleep(0.2)
