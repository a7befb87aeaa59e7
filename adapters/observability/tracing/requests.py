"""Requests to the HTTP API and the tools, by the routes that we know: never by what was asked for.

A caller's own traceparent is linked to: our traces are ours, whoever asks.
"""

from collections.abc import Collection

from attrs import frozen
from opentelemetry.trace import SpanKind
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.observability.tracing.spans import Spans, fail
from adapters.observability.tracing.traceparent import sound

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SERVER_ERROR = 500


@frozen
class TracedRequests:
    """`prefix` is that of all routes; `alone` are paths which stand for themselves."""

    app: ASGIApp
    spans: Spans
    prefix: str
    alone: Collection[str] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        given = Headers(scope=scope).getlist("traceparent")
        link = sound(given[0]) if len(given) == 1 else None
        with self.spans.span(f"HTTP {method}", kind=SpanKind.SERVER, link=link) as span:

            async def answer(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status: int = message["status"]
                    span.set_attribute("http.response.status_code", status)
                    if status >= SERVER_ERROR:
                        fail(span, str(status))
                await send(message)

            span.set_attribute("http.request.method", method)
            try:
                await self.app(scope, receive, answer)
            finally:
                # Known once the application has looked for it.
                route = self._route(scope)
                if route is not None:
                    span.set_attribute("http.route", route)
                    span.update_name(f"{method} {route}")

    def _route(self, scope: Scope) -> str | None:
        if scope["path"] in self.alone:
            return str(scope["path"])
        found = getattr(scope.get("route"), "path", None)
        return f"{self.prefix}{found.removeprefix(self.prefix)}" if isinstance(found, str) else None
