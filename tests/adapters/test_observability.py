import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import structlog
from dependency_injector import providers

from adapters.container import Container
from adapters.observability.logging import configure_logging, log, one_line
from adapters.outbound.memory.store import Spoilt
from adapters.settings import LogFormat, LogLevel, Settings
from adapters.testkit.clock import SettableClock
from application.calendar import Draft
from domain.triggers import MinutesBeforeStart
from domain.values import EventId, TenantId, Timing, UserId

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
TENANT, OWNER = TenantId(UUID(int=1)), UserId(UUID(int=2))


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    configure_logging(LogLevel.INFO, LogFormat.JSON, stream)
    yield stream
    structlog.reset_defaults()


def said(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


@pytest.fixture
def container() -> Container:
    container = Container(store="memory", settings=Settings())
    container.clock.override(providers.Object(SettableClock(NOW)))
    return container


def plan(container: Container) -> EventId:
    timing = Timing.of(datetime.fromisoformat("2026-11-29 12:30"), "UTC")
    draft = Draft(TENANT, OWNER, timing, title="Anna's secret", triggers=(MinutesBeforeStart(15),))
    event_id: EventId = container.calendar().plan(draft).event.id
    return event_id


def test_a_cycle_is_told_by_the_specifications_names_and_in_ids_only(
    container: Container, lines: io.StringIO
) -> None:
    sent_event, skipped_event, poison_event = plan(container), plan(container), plan(container)
    store = container.memory()
    of_event = {row.state.event_id: row.state.id for row in store.reminders.values()}
    store.spoil(of_event[poison_event], Spoilt.UNREADABLE)
    store.change_event_alone(skipped_event)
    container.clock().advance(timedelta(minutes=20))
    as_of = container.clock().now().isoformat()
    (result,) = container.dispatch_job().tick()
    told = said(lines)
    assert {line["runId"] for line in told} == {str(result.run_id)}
    keys = {"event", "level", "runId", "timestamp"}
    assert [(line["event"], line["level"], {k: line[k] for k in line.keys() - keys}) for line in told] == [
        ("cycle started", "info", {"AsOf": as_of}),
        ("batch selected", "info", {"count": 3}),
        (
            "reminder sent",
            "info",
            {
                "ReminderId": str(of_event[sent_event]),
                "EventId": str(sent_event),
                "OffsetMinutes": 15,
                "TenantId": str(TENANT),
            },
        ),
        (
            "reminder skipped",
            "info",
            {
                "ReminderId": str(of_event[skipped_event]),
                "EventId": str(skipped_event),
                "EventStatus": "Cancelled",
                "Reason": "cancelled",
                "TenantId": str(TENANT),
            },
        ),
        (
            "item failed",
            "error",
            {
                "ReminderId": str(of_event[poison_event]),
                "EventId": str(poison_event),
                "exception": result.failed[0].problem,
            },
        ),
        (
            "cycle completed",
            "info",
            {
                "SentCount": 1,
                "SkippedCount": 1,
                "FailedCount": 1,
                "StaleCount": 0,
                "SkippedLocked": 0,
                "DurationMs": result.duration_ms,
            },
        ),
    ]
    assert "secret" not in lines.getvalue()


def test_only_the_first_line_of_a_problem_is_told_and_no_more_than_300_characters() -> None:
    assert one_line(ValueError("refused\nDETAIL: Failing row contains (Anna)")) == "refused"
    assert len(one_line("x" * 1000)) == 301


def test_below_the_level_nothing_is_told(lines: io.StringIO) -> None:
    configure_logging(LogLevel.ERROR, LogFormat.JSON, lines)
    log().warning("quiet")
    log().error("loud")
    assert [line["event"] for line in said(lines)] == ["loud"]


def test_a_reader_of_stderr_that_has_gone_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    configure_logging(LogLevel.INFO, LogFormat.JSON)
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    log().error("nobody hears it")
    structlog.reset_defaults()
