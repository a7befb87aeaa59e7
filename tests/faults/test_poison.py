"""300 poison rows at the head of the queue: they delay nobody, say so once a tick, and spin nothing."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from adapters.inbound.loops import DispatchStep
from adapters.observability.dispatching import ObservedReminderDispatchJob
from adapters.observability.logging import configure_logging
from adapters.observability.metrics import DispatchMetrics
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.system import UuidIds
from adapters.settings import LogFormat, LogLevel
from adapters.testkit.clock import SettableClock
from tests.faults.audit import breaches
from tests.faults.planting import AS_OF, plant

POISON, HEALTHY = 300, 40

REFUSE = """
create function refuse_some() returns trigger language plpgsql as $$
begin
    if old.id = any(current_setting('tickler_test.refused')::uuid[]) then
        raise 'refused for the test';
    end if;
    return new;
end $$;
create trigger refuse_some before update on tickler.event_reminders
    for each row execute function refuse_some();
"""


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    configure_logging(LogLevel.INFO, LogFormat.JSON, stream)
    yield stream
    configure_logging(LogLevel.INFO, LogFormat.AUTO)


def spoil(conninfo: str, undecidable: list[Any], refused: list[Any]) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(
            "update tickler.event_reminders set trigger = 'nonsense ' || id where id = any(%s)",
            (undecidable,),
        )
        ids = "{" + ",".join(str(id_) for id_ in refused) + "}"
        name = connection.info.dbname
        connection.execute(f"alter database {name} set tickler_test.refused = '{ids}'")
        connection.execute(REFUSE)


def failed_items(logged: io.StringIO) -> Counter[str]:
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    logged.seek(0)
    logged.truncate()
    failed = [line for line in lines if line["event"] == "item failed"]
    assert all(line["level"] == "error" and line["EventId"] for line in failed)
    return Counter(line["ReminderId"] for line in failed)


def sent(conninfo: str) -> set[Any]:
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute("select id from tickler.event_reminders where status = 'Sent'").fetchall()
    return {row[0] for row in rows}


def test_poison_at_the_head_delays_nobody_and_is_said_once_a_tick(
    postgres_url: str, logged: io.StringIO
) -> None:
    due = plant(postgres_url, POISON + HEALTHY)
    poison, healthy = due[:POISON], due[POISON:]
    spoil(postgres_url, undecidable=poison[::2], refused=poison[1::2])
    database = Database(postgres_url)
    clock = SettableClock(AS_OF)
    step = DispatchStep(
        ObservedReminderDispatchJob(
            PostgresLedger(database), clock, UuidIds(), metrics=DispatchMetrics(clock.now)
        ),
        clock,
        lambda: False,
    )

    pause = step()

    assert sent(postgres_url) == set(healthy)
    assert failed_items(logged) == Counter(str(id_) for id_ in poison)
    assert pause == 60.0

    clock.advance(timedelta(seconds=60))
    assert step() == 60.0
    assert failed_items(logged) == Counter(str(id_) for id_ in poison)

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("drop trigger refuse_some on tickler.event_reminders")
        connection.execute(
            "update tickler.event_reminders set trigger = 'start-' || offset_minutes || 'm'"
            " where trigger like 'nonsense%'"
        )
    clock.advance(timedelta(seconds=60))
    step()

    assert sent(postgres_url) == set(due)
    assert failed_items(logged) == Counter()
    database.close()
    assert breaches(postgres_url) == {}
