"""The dispatch job and its ledger, told of in the log and counted.

They are wrapped from outside; nothing below `adapters/` knows of it. Source: the specification,
"Наблюдаемость", rows "Logs" and "Metrics".
"""

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from attrs import field, frozen

from adapters.observability.logging import log, one_line
from adapters.observability.metrics import DispatchMetrics
from application.dispatching import CycleResult, Dispatched, ReminderDispatchJob
from application.ports.ledger import Claimed, Context, Ledger, Poison, Transaction
from domain.reminder import Status
from domain.values import ReminderId


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

    metrics: DispatchMetrics = field(kw_only=True)

    def cycle(self, run_id: UUID, as_of: datetime, leave_out: Collection[ReminderId] = ()) -> CycleResult:
        said = log(runId=run_id)
        said.info("cycle started", AsOf=as_of.isoformat())
        began = self.clock.monotonic()
        try:
            result = super().cycle(run_id, as_of, leave_out)
        except Exception:
            self.metrics.errors.inc()
            raise
        finally:
            self.metrics.cycle_duration.observe(self.clock.monotonic() - began)
        self._count(result)
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

    def _count(self, result: CycleResult) -> None:
        metrics = self.metrics
        metrics.items.labels("sent").inc(result.sent_count)
        metrics.items.labels("skipped").inc(result.skipped_count)
        metrics.skip_locked.inc(result.skipped_locked_count)
        metrics.errors.inc(len(result.failed))
        for item in result.items:
            if item.status is Status.SENT:
                metrics.lateness.observe((result.as_of - item.due_at).total_seconds())
        metrics.succeed()


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
