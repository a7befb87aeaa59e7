"""What operators read: one JSON line an event on stderr, under the specification's names, in ids only.

Source: the specification, "Наблюдаемость"; design section 7.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO
from uuid import UUID

import structlog

from adapters.settings import LogFormat, LogLevel

LONGEST_PROBLEM = 300


class _Stderr:
    """stderr as it is now; a reader that has gone away stops no loop."""

    def write(self, text: str) -> int:
        try:
            return sys.stderr.write(text)
        except (OSError, ValueError):
            return 0

    def flush(self) -> None:
        try:
            sys.stderr.flush()
        except (OSError, ValueError):
            return


def configure_logging(level: LogLevel, format: LogFormat, stream: TextIO | None = None) -> None:
    """Log to stderr from now on, as JSON or as text; `auto` is text on a terminal."""
    # The pool would tell of each lost connection in a format of its own; the loops tell of it once.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())
    logging.getLogger("psycopg").propagate = False
    on_terminal = sys.stderr.isatty()
    as_text = format is LogFormat.TEXT or (format is LogFormat.AUTO and on_terminal)
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(colors=on_terminal)
        if as_text
        else structlog.processors.JSONRenderer(default=str, ensure_ascii=False)
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _ids_as_text,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.WriteLoggerFactory(file=stream or _Stderr()),  # type: ignore[arg-type]
        cache_logger_on_first_use=False,
    )


def _ids_as_text(_: object, __: str, said: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in said.items()}


def log(**ids: object) -> Any:
    """A logger that says these ids with each line."""
    return structlog.get_logger(**ids)


def one_line(problem: object) -> str:
    """The first line of what went wrong, and not all of a long one: row data comes on later lines."""
    lines = str(problem).strip().splitlines()
    said = lines[0] if lines else type(problem).__name__
    return said if len(said) <= LONGEST_PROBLEM else said[:LONGEST_PROBLEM] + "…"
