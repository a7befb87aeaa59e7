"""What becomes of spans on their way out: nothing waits for a collector, whatever it does."""

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from uuid import UUID

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pydantic import SecretStr

from adapters.container import Container
from adapters.observability.logging import configure_logging
from adapters.observability.tracing.bounded import LONGEST_ANSWER
from adapters.observability.tracing.exporting import QUEUE, TIMEOUT_S, spans_to
from adapters.observability.tracing.spans import Spans
from adapters.settings import LogFormat, LogLevel, Settings, WrongSetting
from tests.certificate import tls_contexts
from tests.web_server import HOST, Answer, WebServer, body, drip, endless_body, hang, status

RUN = UUID(int=0x0195_0000_0000_7000_8000_0000_0000_0001)
# Nothing listens at port 9, "discard".
NOBODY = f"http://{HOST}:9"


@pytest.fixture
def collector() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def tell(spans: Spans, count: int) -> float:
    """How long it took to tell of so many, in seconds."""
    began = monotonic()
    for number in range(count):
        with spans.span("dispatch cycle", trace_id=RUN, number=number):
            pass
    return monotonic() - began


def ends_in(spans: Spans) -> float:
    began = monotonic()
    spans.close()
    return monotonic() - began


def test_spans_come_to_the_collector_as_protobuf_under_the_runs_id(collector: WebServer) -> None:
    spans = spans_to(f"http://{HOST}:{collector.port}/")
    tell(spans, 3)
    assert ends_in(spans) < 1
    (request,) = collector.taken
    assert (request.path, request.headers["content-type"]) == ("/v1/traces", "application/x-protobuf")
    is_packed = request.headers.get("content-encoding") == "gzip"
    told = ExportTraceServiceRequest.FromString(gzip.decompress(request.body) if is_packed else request.body)
    (resource,) = told.resource_spans
    (scope,) = resource.scope_spans
    assert [span.trace_id for span in scope.spans] == 3 * [RUN.bytes]
    about = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert about["service.name"] == "tickler"


@pytest.mark.parametrize("kind", ["away", "silent", "refusing"])
def test_a_dead_collector_slows_nothing_and_holds_up_no_end(collector: WebServer, kind: str) -> None:
    collector.answers += 1000 * [hang if kind == "silent" else status(503)]
    endpoint = NOBODY if kind == "away" else f"http://{HOST}:{collector.port}"
    spans = spans_to(endpoint)
    count = 4 * QUEUE
    took = tell(spans, count)
    assert took / count < 0.001
    assert len(spans.processor._batch_processor._queue) <= QUEUE  # type: ignore[attr-defined]
    assert ends_in(spans) < 1


def test_what_is_lost_is_told_once_and_in_our_own_words(
    collector: WebServer, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logging(LogLevel.DEBUG, LogFormat.JSON)
    collector.answers += 2 * [status(400)]
    spans = spans_to(f"http://{HOST}:{collector.port}/hush")
    for _ in range(3):
        tell(spans, 1)
        spans.processor.force_flush()
    spans.close()
    said = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [(one["level"], one["event"]) for one in said] == [
        ("warning", "spans not exported"),
        ("info", "spans exported again"),
    ]


def test_what_is_lost_after_the_end_is_told_to_nobody(
    collector: WebServer, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logging(LogLevel.DEBUG, LogFormat.JSON)
    collector.answers += [hang]
    spans = spans_to(f"http://{HOST}:{collector.port}")
    tell(spans, 1)
    assert ends_in(spans) < 1.5
    collector.closing.set()
    worker = spans.processor._batch_processor._worker_thread  # type: ignore[attr-defined]
    worker.join(2 * TIMEOUT_S)
    assert not worker.is_alive()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "endless",
    [
        pytest.param(endless_body(piece=b"x" * 65_536), id="flood"),
        pytest.param(endless_body(piece=b"x", pause=0.05), id="dripping text"),
        pytest.param(drip, id="dripping header"),
    ],
)
def test_an_answer_without_an_end_is_left_and_what_was_sent_counts_as_lost(
    collector: WebServer, endless: Answer, capfd: pytest.CaptureFixture[str]
) -> None:
    configure_logging(LogLevel.DEBUG, LogFormat.JSON)
    collector.answers += [endless]
    spans = spans_to(f"http://{HOST}:{collector.port}")
    tell(spans, 1)
    tracemalloc.start()
    began = monotonic()
    spans.processor.force_flush()
    took, (_, most) = monotonic() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert took < TIMEOUT_S + 1.5
    assert most < 64 * LONGEST_ANSWER
    tell(spans, 1)
    spans.close()
    said = [json.loads(line)["event"] for line in capfd.readouterr().err.splitlines()]
    assert said == ["spans not exported", "spans exported again"]
    assert (len(collector.seen), len(collector.taken)) == (2, 1)


def test_an_answer_of_some_length_is_heard(collector: WebServer, capfd: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogLevel.DEBUG, LogFormat.JSON)
    collector.answers += [body(200, b"x" * LONGEST_ANSWER)]
    spans = spans_to(f"http://{HOST}:{collector.port}")
    tell(spans, 1)
    spans.processor.force_flush()
    spans.close()
    assert (len(collector.seen), capfd.readouterr().err) == (1, "")


def test_a_collector_with_a_certificate_is_told_through_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, _ = tls_contexts(tmp_path)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", str(tmp_path / "both.pem"))
    with WebServer(theirs) as server:
        spans = spans_to(f"https://localhost:{server.port}")
        tell(spans, 1)
        spans.processor.force_flush()
        spans.close()
        assert len(server.taken) == 1


def test_the_setting_turns_it_on(collector: WebServer) -> None:
    settings = Settings(otlp_endpoint=SecretStr(f"http://{HOST}:{collector.port}"))
    container = Container(store="memory", settings=settings)
    spans = container.spans()
    assert spans is not None
    container.dispatch_job().cycle(RUN, container.clock().now())
    spans.close()
    (request,) = collector.taken
    assert RUN.bytes in request.body


@pytest.mark.parametrize("given", ["collector:4318", "ftp://c", "http://", "http://c/?k=hush", "http://c d"])
def test_what_is_no_base_url_is_refused_and_not_repeated(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKLER_OTLP_ENDPOINT", given)
    with pytest.raises(WrongSetting, match=r"^TICKLER_OTLP_ENDPOINT: what was given will not do"):
        Settings.read()
