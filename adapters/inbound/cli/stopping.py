"""Ctrl-C, SIGTERM and a closed terminal as a wish to stop, granted within five seconds whatever hangs."""

import contextlib
import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Self

LAST_RESORT = 4.5
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """The wish came before `wait`: whatever is being started is left."""


class StopSignals:
    """While the block lasts, the first signal ends it: by Stopped, or once `wait` was called by its return.

    From then on the process ends within LAST_RESORT seconds, with exit code 0, even if some thread is stuck.
    Later signals change nothing; a SIGHUP that was ignored stays so, as `nohup` wants it. Only for the main
    thread.
    """

    def __init__(self) -> None:
        self._wished = threading.Event()
        self._over = threading.Event()
        self._was_raised = False
        self._waiting = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        # The signal is written into a pipe at once, and a thread sets the event. A handler in Python alone is
        # not enough: a signal just before the main thread falls asleep on a lock would be heard never.
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        for number in SIGNALS:
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue
            self._before[number] = signal.signal(number, self._handle)
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        threading.Thread(target=self._listen, name="stop signals", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._over.set()
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        os.close(self._write)
        return kind is Stopped

    def wait(self) -> None:
        """Until the wish comes."""
        self._waiting = True
        self._wished.wait()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._waiting and not self._was_raised:
            self._was_raised = True
            raise Stopped

    def _listen(self) -> None:
        heard = os.read(self._read, 1)
        if heard:
            self._wished.set()
            if not self._over.wait(LAST_RESORT):
                _end_at_once()
        os.close(self._read)


def _end_at_once() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)
