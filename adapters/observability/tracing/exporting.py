"""Spans to a collector over OTLP (HTTP, protobuf), in the background and out of a queue that is bounded."""

import logging
from collections.abc import Sequence

from attrs import define, field
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from adapters.observability.logging import log
from adapters.observability.tracing.bounded import bounded_session
from adapters.observability.tracing.spans import Spans

QUEUE = 4096
BATCH = 512
EVERY_MS = 1000
TIMEOUT_S = 3.0
PATH = "/v1/traces"


@define
class Telling(SpanExporter):
    """An exporter that tells the log when spans begin to be lost, and when they arrive again."""

    exporter: SpanExporter
    _is_failing: bool = field(default=False, init=False)
    _is_hushed: bool = field(default=False, init=False)

    def hush(self) -> None:
        """What is found out after the end is told to nobody."""
        self._is_hushed = True

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self.exporter.export(spans)
        is_failing = result is not SpanExportResult.SUCCESS
        if is_failing is not self._is_failing and not self._is_hushed:
            if is_failing:
                log().warning("spans not exported")
            else:
                log().info("spans exported again")
        self._is_failing = is_failing
        return result

    def shutdown(self) -> None:
        self.exporter.shutdown()


def spans_to(endpoint: str) -> Spans:
    """What is full drops the oldest: nothing ever waits for the collector at this base URL."""
    # The client's own words go round our log; we tell of it once.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)
    exporter = OTLPSpanExporter(endpoint.rstrip("/") + PATH, timeout=TIMEOUT_S, session=bounded_session())
    telling = Telling(exporter)
    processor = BatchSpanProcessor(
        telling, max_queue_size=QUEUE, schedule_delay_millis=EVERY_MS, max_export_batch_size=BATCH
    )
    return Spans(processor, telling.hush)
