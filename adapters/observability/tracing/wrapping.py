"""What is traced where traces are wanted. Where they are not, all stays as it is and nothing is loaded.

Wrapped from outside, as metrics are; nothing below `adapters/` knows of it.
"""

from typing import TYPE_CHECKING

from adapters.observability.dispatching import ObservedReminderDispatchJob
from adapters.observability.relaying import ObservedReceiving
from application.dispatching import ReminderDispatchJob
from application.ports.channel import Channel
from application.ports.deliveries import Deliveries
from application.ports.publisher import Publisher
from application.ports.touches import Touches
from application.ports.work import Handlers
from application.receiving import Receiving

if TYPE_CHECKING:
    from adapters.observability.tracing.delivering import Attempts
    from adapters.observability.tracing.spans import Spans


def spans_to(endpoint: str | None) -> "Spans | None":
    if endpoint is None:
        return None
    from adapters.observability.tracing import exporting

    return exporting.spans_to(endpoint)


def job(untraced: ObservedReminderDispatchJob, spans: "Spans | None") -> ReminderDispatchJob:
    if spans is None:
        return untraced
    from adapters.observability.tracing.dispatching import traced_job

    return traced_job(untraced, spans)


def publisher(untraced: Publisher, spans: "Spans | None") -> Publisher:
    if spans is None:
        return untraced
    from adapters.observability.tracing.relaying import TracedPublisher

    return TracedPublisher(untraced, spans)


def receiving(untraced: ObservedReceiving, spans: "Spans | None") -> Receiving:
    if spans is None:
        return untraced
    from adapters.observability.tracing.relaying import traced_receiving

    return traced_receiving(untraced, spans)


def attempts(spans: "Spans | None") -> "Attempts | None":
    if spans is None:
        return None
    from adapters.observability.tracing.delivering import Attempts

    return Attempts(spans)


def deliveries(untraced: Deliveries, attempts: "Attempts | None") -> Deliveries:
    if attempts is None:
        return untraced
    from adapters.observability.tracing.delivering import TracedDeliveries

    made: Deliveries = TracedDeliveries(untraced, attempts)
    return made


def channel(untraced: Channel, attempts: "Attempts | None") -> Channel:
    if attempts is None:
        return untraced
    from adapters.observability.tracing.delivering import TracedChannel

    made: Channel = TracedChannel(untraced, attempts)
    return made


def touches(untraced: Touches, spans: "Spans | None") -> Touches:
    if spans is None:
        return untraced
    from adapters.observability.tracing.touching import TracedTouches

    made: Touches = TracedTouches(untraced, spans)
    return made


def handlers(untraced: Handlers, spans: "Spans | None") -> Handlers:
    if spans is None:
        return untraced
    from adapters.observability.tracing.touching import traced_handlers

    return traced_handlers(untraced, spans)
