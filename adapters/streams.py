"""Standard input, output and error as a command may rely on them, however it was started."""

import io
import os
import sys
from typing import TextIO

STANDARD = (0, 1, 2)


class OutputFailed(OSError):
    """Standard output is there and takes nothing more: a full disk, a terminal that has gone."""


class _Output(io.FileIO):
    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            raise
        except OSError as problem:
            raise OutputFailed(problem.errno, problem.strerror) from None


class _Errors(io.FileIO):
    # What is said there stands beside a result: it is never worth the command.
    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return len(data)  # type: ignore[arg-type]


def open_what_is_closed() -> None:
    """Fill the places of closed standard streams, before a connection or a file takes one of them: what is
    printed would go there. Nothing is read from such a stream, and what is written to it is gone.
    """
    for number in STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # it takes the lowest number that is free
            os.set_inheritable(number, True)


def make_streams_safe() -> None:
    """Give the process streams that are there; output raises OutputFailed or BrokenPipeError and no other
    OSError, and errors raise none. Letters that the stream's encoding lacks are escaped.
    """
    if sys.stdin is None:
        sys.stdin = _text(io.FileIO(0, closefd=False), None)
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Errors(2, "w", closefd=False), sys.stderr)


def _text(raw: io.FileIO, before: TextIO | None) -> TextIO:
    encoding = before.encoding if before is not None else "utf-8"
    if raw.readable():
        return io.TextIOWrapper(io.BufferedReader(raw), encoding)
    is_at_once = raw.fileno() == 2 or raw.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, errors="backslashreplace", line_buffering=is_at_once
    )
