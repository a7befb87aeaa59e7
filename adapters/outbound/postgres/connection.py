"""A connection that cannot hang: neither for a server that falls silent, nor when it is told to stop."""

import contextlib
from collections.abc import Callable, Generator
from time import monotonic
from typing import Any, Self, TypeVar

import psycopg
from psycopg import Connection

from adapters.outbound.postgres.binary import Array, ArrayDumper
from adapters.outbound.postgres.errors import Silent

Row = tuple[Any, ...]
Result = TypeVar("Result")

CANCEL_SECONDS = 1.0


class BoundedConnection(Connection[Row]):
    """A connection whose waits end: at an answer, when `silence` has passed, or soon after an interrupt."""

    silence = 25.0
    waits = False
    gives_up_at = float("inf")

    @classmethod
    def connect(  # type: ignore[override]
        cls, conninfo: str, *, silence: float, on_failure: Callable[[psycopg.Error], None], **options: Any
    ) -> Self:
        try:
            connection = super().connect(conninfo, **options)
        except psycopg.Error as problem:
            on_failure(problem)
            raise
        connection.silence = silence
        # What we say is a fixed number of statements: none is ever to be prepared a second time.
        connection.prepared_max = None
        connection.adapters.register_dumper(Array, ArrayDumper)
        return connection

    def wait(
        self, gen: Generator[Any, Any, Result], interval: float = 0.1, timeout: float | None = None
    ) -> Result:
        self.gives_up_at = monotonic() + self.silence
        self.waits = True
        try:
            return super().wait(self._bounded(gen), interval, timeout)
        finally:
            self.waits = False

    def _bounded(self, gen: Generator[Any, Any, Result]) -> Generator[Any, Any, Result]:
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and monotonic() > self.gives_up_at:
                    raise Silent("the database gave no answer in time")
                wanted = gen.send(ready)
        except StopIteration as done:
            result: Result = done.value
            return result

    def interrupt(self) -> None:
        """From another thread: end the statement in flight, by its own answer or without one."""
        if not self.waits:
            return
        self.gives_up_at = min(self.gives_up_at, monotonic() + CANCEL_SECONDS)
        with contextlib.suppress(psycopg.Error):
            self.cancel_safe(timeout=CANCEL_SECONDS)
