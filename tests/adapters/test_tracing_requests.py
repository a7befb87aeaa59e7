"""Requests as spans: by route, never by what was asked for, and each a trace of our own."""

from collections.abc import Iterator, Sequence
from time import monotonic, sleep

import httpx
import pytest
from attrs import evolve
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from adapters.inbound.http.app import make_app
from adapters.inbound.http.serving import HttpServer
from adapters.observability.tracing.spans import Spans
from adapters.observability.tracing.touching import TracedTouches
from adapters.observability.tracing.traceparent import traceparent
from tests.adapters.desks_of_touches import Api, TouchDesk, desk_over

PATIENCE_S = 30.0
THEIRS = traceparent(0xABC, 0xDEF)


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def desk() -> Iterator[TouchDesk]:
    with desk_over("memory", str) as made:
        yield made


@pytest.fixture
def api(desk: TouchDesk, exporter: InMemorySpanExporter) -> Iterator[Api]:
    spans = Spans(SimpleSpanProcessor(exporter))
    touches = TracedTouches(desk.touches, spans)
    deferring = evolve(desk.desk.deferring, touches=touches)
    traced = evolve(desk.desk, deferring=deferring, asking=evolve(desk.desk.asking, deferring=deferring))
    with (
        HttpServer(make_app(traced, spans=spans), "127.0.0.1", 0) as server,
        httpx.Client(timeout=20, trust_env=False) as client,
    ):
        yield Api(desk, server.url, client)


def finished(exporter: InMemorySpanExporter, count: int) -> Sequence[ReadableSpan]:
    """So many: whoever asks has the answer a moment before its span ends."""
    end = monotonic() + PATIENCE_S
    while len(spans := exporter.get_finished_spans()) < count:
        assert monotonic() < end
        sleep(0.01)
    assert len(spans) == count
    return spans


def test_a_request_is_named_by_its_route_and_a_touch_that_it_makes_is_linked_to_it(
    api: Api, desk: TouchDesk, exporter: InMemorySpanExporter
) -> None:
    session = desk.session()
    made = api.defer(session, when="tomorrow at 9", text="hush-text").json()
    finished(exporter, 2)
    api("GET", f"/touches/{made['touchId']}", session)
    registration, deferring, asking = finished(exporter, 3)
    assert (deferring.name, asking.name) == ("POST /api/v1/touches", "GET /api/v1/touches/{touch_id}")
    assert (deferring.attributes or {})["http.response.status_code"] == 201
    assert [link.context.span_id for link in registration.links] == [deferring.context.span_id]
    assert registration.context.trace_id == int(made["touchId"].replace("-", ""), 16)
    assert "hush" not in "".join(span.to_json() for span in exporter.get_finished_spans())


@pytest.mark.parametrize("path", ["/hush-path", "/touches/hush-id?hush-query=hush"])
def test_neither_path_nor_query_nor_headers_are_told(
    api: Api, desk: TouchDesk, exporter: InMemorySpanExporter, path: str
) -> None:
    api("GET", path, desk.session(), headers={"X-Hush": "hush", "User-Agent": "hush", "traceparent": "hush"})
    api.client.request("HUSH", f"{api.url}/api/v1/touches")
    said = "".join(span.to_json() for span in finished(exporter, 2)).lower()
    assert "hush" not in said


def test_a_callers_own_trace_is_linked_to_and_ours_goes_on_as_ours(
    api: Api, desk: TouchDesk, exporter: InMemorySpanExporter
) -> None:
    api("GET", "/touches", desk.session(), headers={"traceparent": THEIRS})
    finished(exporter, 1)
    api("GET", "/touches", desk.session(), headers={"traceparent": "x" * 10_000})
    linked, alone = finished(exporter, 2)
    assert [link.context.trace_id for link in linked.links] == [0xABC]
    assert linked.context.trace_id != 0xABC
    assert list(alone.links) == []


def test_the_tools_are_one_route_and_a_refusal_is_no_error_of_ours(
    api: Api, exporter: InMemorySpanExporter
) -> None:
    api.client.post(f"{api.url}/mcp", json={})
    (span,) = finished(exporter, 1)
    assert span.name == "POST /mcp"
    assert (span.attributes or {})["http.response.status_code"] == 401
    assert span.status.status_code is not StatusCode.ERROR
