"""An end to waiting for whoever is at the other end of a connection."""

import socket
from contextlib import suppress
from threading import Lock, Timer
from time import monotonic


class Deadline:
    """A moment after which nothing is waited for."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds until then; TimeoutError when there are none."""
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def is_over(self) -> bool:
        return monotonic() >= self._end


class Leash:
    """Ends a connection at the deadline, whoever waits for it.

    A time-out for each read is not enough: a peer that sends one byte a second keeps every one of them.
    """

    def __init__(self, deadline: Deadline) -> None:
        self._lock = Lock()
        self._held: socket.socket | None = None
        self._is_over = False
        self._timer = Timer(deadline.left(), self._end)
        self._timer.daemon = True

    def hold(self, connection: socket.socket) -> None:
        """Mind this connection from now on, also when it becomes a TLS one."""
        with self._lock:
            self._held = connection.dup()
            if self._is_over:
                self._shut_down()

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            self._shut_down()

    def _shut_down(self) -> None:
        if self._held is not None:
            with suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> "Leash":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            if self._held is not None:
                self._held.close()
                self._held = None
