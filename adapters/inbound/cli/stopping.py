"""Ctrl-C and SIGTERM as a wish to stop, granted within five seconds whatever hangs."""

import os
import queue
import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Self

LAST_RESORT = 4.8
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(BaseException):
    """The wish came before `wait`: whatever is being started is left."""


class StopSignals:
    """While the block lasts, the first signal ends it: by Stopped, or once `wait` was called by its return.

    From then on the process ends within LAST_RESORT seconds, with exit code 0, even if some thread is stuck.
    Later signals change nothing. Only for the main thread.
    """

    def __init__(self) -> None:
        # SimpleQueue is the one queue that a signal handler may put into (Event.set may deadlock there).
        self._wishes: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        self._watched: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        self._waiting = False
        self._wished = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, name="last resort", daemon=True).start()
        for number in SIGNALS:
            self._before[number] = signal.signal(number, self._wish)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._watched.put(None)
        return kind is Stopped

    def wait(self) -> None:
        """Until the wish comes."""
        self._waiting = True
        if not self._wished:
            self._wishes.get()

    def _wish(self, number: int, frame: FrameType | None) -> None:
        if self._wished:
            return
        self._wished = True
        now = time.monotonic()
        self._watched.put(now)
        if not self._waiting:
            raise Stopped
        self._wishes.put(now)

    def _watch(self) -> None:
        if self._watched.get() is None:
            return
        began = time.monotonic()
        while time.monotonic() - began < LAST_RESORT:
            try:
                if self._watched.get(timeout=0.2) is None:
                    return
            except queue.Empty:
                continue
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue
        os._exit(0)
