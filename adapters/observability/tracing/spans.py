"""Spans, in ids and closed words only: no name, address, title or text is ever told to one.

Of what is raised the class alone is told, as in the log: its words may hold rows.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import version
from threading import Thread
from typing import Any, TypeAlias
from uuid import UUID

from attrs import define, field
from opentelemetry import trace
from opentelemetry.context import Context as Surroundings
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from adapters.observability.tracing.traceparent import parts, traceparent

SHUTDOWN_SECONDS = 0.8
Told: TypeAlias = UUID | str | int | bool | None

_chosen_trace: ContextVar[int | None] = ContextVar("chosen_trace", default=None)
_chosen_span: ContextVar[int | None] = ContextVar("chosen_span", default=None)


class ChosenIds(RandomIdGenerator):
    """Random ids, unless whoever starts a span has chosen one."""

    def generate_trace_id(self) -> int:
        return _chosen_trace.get() or super().generate_trace_id()

    def generate_span_id(self) -> int:
        return _chosen_span.get() or super().generate_span_id()


@define
class Spans:
    """What starts and ends spans; they go where `processor` sends them, and nothing waits for that.

    `when_closed` is called at the end of all, whatever is under way still.
    """

    processor: SpanProcessor
    when_closed: Callable[[], object] = lambda: None
    _provider: TracerProvider = field(init=False)
    _tracer: trace.Tracer = field(init=False)

    def __attrs_post_init__(self) -> None:
        resource = Resource.create({"service.name": "tickler", "service.version": version("tickler")})
        self._provider = TracerProvider(resource=resource, id_generator=ChosenIds(), shutdown_on_exit=False)
        self._provider.add_span_processor(self.processor)
        self._tracer = self._provider.get_tracer("tickler")

    @contextmanager
    def span(
        self,
        name: str,
        *,
        trace_id: UUID | None = None,
        parent: str | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        link: str | None = None,
        **told: Told,
    ) -> Iterator[trace.Span]:
        """The block as a span, around those begun in it: a child of `parent`, or the first of a trace."""
        links = None if link is None else [Link(_context_of(link))]
        with _choosing(trace_id):
            span = self._tracer.start_span(name, _apart(parent), kind, _attributes(told), links)
        with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                yield span
            except BaseException as problem:
                fail(span, type(problem).__name__)
                raise

    def begin(
        self,
        name: str,
        *,
        parent: str | None = None,
        root: str | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        link: str | None = None,
        began_ns: int | None = None,
        **told: Told,
    ) -> trace.Span:
        """A span that its caller ends; a child of `parent`, or the span that `root` names, or one of its own.

        `began_ns` is when it began where that was before, in Unix nanoseconds.
        """
        chosen = (None, None) if root is None else parts(root)[:2]
        links = None if link is None else [Link(_context_of(link))]
        with _choosing(*chosen):
            return self._tracer.start_span(name, _apart(parent), kind, _attributes(told), links, began_ns)

    def close(self) -> None:
        """Send what is left, for a second at most: a collector that is away holds up no end."""
        ending = Thread(target=self._provider.shutdown, name="end of spans", daemon=True)
        ending.start()
        ending.join(SHUTDOWN_SECONDS)
        self.when_closed()


def fail(span: trace.Span, problem: str) -> None:
    """It went wrong; `problem` is a class's name or one of a closed list."""
    span.set_attribute("error.type", problem)
    span.set_status(Status(StatusCode.ERROR))


def here() -> str | None:
    """The traceparent of the span around; None outside of any."""
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return traceparent(context.trace_id, context.span_id, context.trace_flags)


@contextmanager
def _choosing(trace_id: UUID | int | None = None, span_id: int | None = None) -> Iterator[None]:
    number = trace_id.int if isinstance(trace_id, UUID) else trace_id
    before = _chosen_trace.set(number), _chosen_span.set(span_id)
    try:
        yield
    finally:
        _chosen_trace.reset(before[0])
        _chosen_span.reset(before[1])


def _apart(parent: str | None) -> Surroundings:
    """Under a parent, or in a trace of its own: never by chance under whatever span is around."""
    if parent is None:
        return Surroundings()
    return trace.set_span_in_context(NonRecordingSpan(_context_of(parent)), Surroundings())


def _context_of(given: str) -> SpanContext:
    trace_id, span_id, flags = parts(given)
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags))


def _attributes(told: Mapping[str, Told]) -> dict[str, Any]:
    return {
        f"tickler.{name}": str(value) if isinstance(value, UUID) else value
        for name, value in told.items()
        if value is not None
    }
