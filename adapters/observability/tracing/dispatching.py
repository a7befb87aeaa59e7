"""The dispatch cycle as a span whose trace is the run id, and each item of it as one of its own."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

import attrs
from attrs import field, frozen

from adapters.observability.dispatching import ObservedReminderDispatchJob
from adapters.observability.tracing.spans import Spans, fail, here
from application.dispatching import CycleResult, ReminderDispatchJob
from application.ports.ledger import Context, Ledger, Transaction
from domain.values import ReminderId


def traced_job(job: ObservedReminderDispatchJob, spans: Spans) -> ReminderDispatchJob:
    fields = {one.name: getattr(job, one.name) for one in attrs.fields(type(job))}
    ledger = TracedLedger(job.ledger)
    return TracedReminderDispatchJob(**{**fields, "ledger": ledger}, spans=spans)


class TracedLedger:
    """A ledger whose messages carry the trace of the span around their transaction. All else passes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    @contextmanager
    def transaction(self, context: Context) -> Iterator[Transaction]:
        with self._ledger.transaction(attrs.evolve(context, traceparent=here())) as transaction:
            yield transaction


@frozen
class TracedReminderDispatchJob(ObservedReminderDispatchJob):
    """Items are told after their commit, as in the log."""

    spans: Spans = field(kw_only=True)

    def cycle(self, run_id: UUID, as_of: datetime, leave_out: Collection[ReminderId] = ()) -> CycleResult:
        with self.spans.span("dispatch cycle", trace_id=run_id, run_id=run_id) as span:
            result = super().cycle(run_id, as_of, leave_out)
            span.set_attributes(
                {
                    "tickler.sent": result.sent_count,
                    "tickler.skipped": result.skipped_count,
                    "tickler.failed": len(result.failed),
                    "tickler.skipped_locked": result.skipped_locked_count,
                }
            )
            self._tell_items(result, here(), getattr(span, "start_time", None))
        return result

    def _tell_items(self, result: CycleResult, parent: str | None, began_ns: int | None) -> None:
        for item in result.items:
            self.spans.begin(
                "dispatch item",
                parent=parent,
                began_ns=began_ns,
                tenant_id=item.tenant_id,
                reminder_id=item.reminder_id,
                event_id=item.event_id,
                status=item.status.value,
                reason=None if item.reason is None else item.reason.value,
            ).end()
        for poison in result.failed:
            span = self.spans.begin(
                "dispatch item",
                parent=parent,
                began_ns=began_ns,
                reminder_id=poison.reminder_id,
                event_id=poison.event_id,
            )
            fail(span, "poison")
            span.end()
