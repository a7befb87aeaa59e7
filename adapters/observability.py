"""What operators see: one JSON line an event on stderr, under the specification's names, in ids only.

It wraps ports and use cases from outside; nothing below `adapters/` knows of it. Source: the specification,
"Наблюдаемость"; design section 7.
"""

import logging
import sys
from collections.abc import Collection, Iterator, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any, TextIO
from uuid import UUID

import structlog
from attrs import frozen

from adapters.settings import LogFormat, LogLevel
from application.dispatching import CycleResult, Dispatched, ReminderDispatchJob
from application.ports.ledger import Claimed, Context, Ledger, Poison, Transaction
from domain.reminder import Status
from domain.values import ReminderId

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


class ObservedLedger:
    """A ledger that says how many due rows it handed out: `batch selected`. All else passes through."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[Transaction]:
        inner: AbstractContextManager[Transaction] = self._ledger.transaction(context)
        with inner as transaction:
            yield _ObservedTransaction(transaction, context)


class _ObservedTransaction:
    def __init__(self, transaction: Transaction, context: Context) -> None:
        self._transaction = transaction
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def claim_due(self, as_of: datetime, limit: int, leave_out: Collection[ReminderId] = ()) -> Claimed:
        claimed = self._transaction.claim_due(as_of, limit, leave_out)
        count = len(claimed.due) + len(claimed.poison)
        log(runId=self._context.correlation_id).info("batch selected", count=count)
        return claimed


@frozen
class ObservedReminderDispatchJob(ReminderDispatchJob):
    """The job, with each cycle told: `cycle started`, its items after their commit, `cycle completed`."""

    def cycle(self, run_id: UUID, as_of: datetime, leave_out: Collection[ReminderId] = ()) -> CycleResult:
        said = log(runId=run_id)
        said.info("cycle started", AsOf=as_of.isoformat())
        result = super().cycle(run_id, as_of, leave_out)
        for item in result.items:
            _say_dispatched(said, item)
        for poison in result.failed:
            _say_failed(said, poison)
        said.info(
            "cycle completed",
            SentCount=result.sent_count,
            SkippedCount=result.skipped_count,
            FailedCount=len(result.failed),
            StaleCount=result.stale,
            SkippedLocked=result.skipped_locked_count,
            DurationMs=result.duration_ms,
        )
        return result


def _say_dispatched(said: Any, item: Dispatched) -> None:
    if item.status is Status.SENT:
        said.info(
            "reminder sent",
            ReminderId=item.reminder_id,
            EventId=item.event_id,
            OffsetMinutes=item.offset_minutes,
            TenantId=item.tenant_id,
        )
    else:
        said.info(
            "reminder skipped",
            ReminderId=item.reminder_id,
            EventId=item.event_id,
            EventStatus=item.event_status.value,
            Reason=None if item.reason is None else item.reason.value,
            TenantId=item.tenant_id,
        )


def _say_failed(said: Any, poison: Poison) -> None:
    said.error(
        "item failed",
        ReminderId=poison.reminder_id,
        EventId=poison.event_id,
        exception=one_line(poison.problem),
    )
