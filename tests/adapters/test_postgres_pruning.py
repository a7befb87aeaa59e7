"""Pruning beside other work: killed between batches, past rows that others hold, along indexes."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from adapters.outbound.postgres.database import Database, Patience
from adapters.outbound.postgres.pruning import WALKS, PostgresPrunable, first_id
from adapters.outbound.system import UuidIds
from application.ports.pruning import What

NOW = datetime(2026, 12, 1, tzinfo=UTC)
AGO = NOW - timedelta(days=500)
# Reminders of 500 days ago that were Sent with a delivered message each, and one in seven that is not over.
FILL = """
with made as (select n, (lpad(to_hex(%(ms)s + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8'
                         || substr(md5(n::text), 4, 15))::uuid id from generate_series(1, %(count)s) n)
, r as (insert into tickler.event_reminders select id, id, id, 'x', 0, %(at)s,
        case when n %% 7 = 0 then 'Pending' else 'Sent' end, null,
        case when n %% 7 > 0 then %(at)s::timestamptz end, 2, %(at)s from made)
, d as (insert into tickler.deliveries (id, tenant_id, about_id, event_id, user_id, channel, address_key,
        template, due_at, not_before, status, attempts, claim)
        select id, id, id, id, id, 'console', '', 'CalendarReminder', %(at)s, %(at)s,
        case when n %% 7 = 0 then 'Unknown' else 'Delivered' end, 1, 1 from made)
, a as (insert into tickler.delivery_attempts (delivery_id, claim, started_at) select id, 1, %(at)s from made)
, i as (insert into tickler.inbox select 'notifications', id, %(at)s from made)
insert into tickler.outbox (message_id, topic, key, payload, headers, created_at, published_at)
select id, 't', id, '{}', '{}', %(at)s, case when n %% 7 > 0 then %(at)s::timestamptz end from made
"""
COUNTS = """
select (select count(*) from tickler.event_reminders), (select count(*) from tickler.deliveries),
       (select count(*) from tickler.delivery_attempts), (select count(*) from tickler.outbox),
       (select count(*) from tickler.inbox)
"""
PRUNER = """
import sys
from datetime import datetime, timedelta
from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.pruning import PostgresPrunable
from application.pruning import Pruning
from application.retention import Retention

database = Database(sys.argv[1])
for one in Pruning(PostgresPrunable(database), PostgresClock(database), Retention(), limit=50).run():
    print(one.what, flush=True)
"""


def fill(url: str, count: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(FILL, {"count": count, "at": AGO, "ms": int(AGO.timestamp() * 1000)})
        connection.execute("analyze")


def counts(url: str) -> tuple[int, ...]:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(COUNTS).fetchone()
    assert found is not None
    return found


def pruner(url: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", PRUNER, url], stdout=subprocess.PIPE, text=True)


def test_pruners_that_run_two_at_a_time_and_are_killed_lose_nothing_that_waits(postgres_url: str) -> None:
    fill(postgres_url, 7_000)
    for _ in range(3):
        running = [pruner(postgres_url), pruner(postgres_url)]
        for one in running:
            assert one.stdout is not None
            assert one.stdout.readline()
            os.kill(one.pid, signal.SIGKILL)
            one.communicate()
        reminders, deliveries, attempts, outbox, inbox = counts(postgres_url)
        assert attempts == deliveries
        assert min(reminders, deliveries, outbox, inbox) >= 1_000
    assert counts(postgres_url)[1] < 7_000

    last = [pruner(postgres_url), pruner(postgres_url), pruner(postgres_url)]
    for one in last:
        one.communicate(timeout=60)
    assert [one.returncode for one in last] == [0, 0, 0]
    last_of_all = pruner(postgres_url)
    last_of_all.communicate(timeout=60)
    assert counts(postgres_url) == (1_000,) * 5
    with psycopg.connect(postgres_url) as connection:
        kept = connection.execute(
            "select count(*) from tickler.event_reminders r join tickler.deliveries d on d.about_id = r.id"
            " join tickler.outbox o on o.message_id = r.id join tickler.inbox i on i.reminder_id = r.id"
            " where r.status = 'Pending' and d.status = 'Unknown' and o.published_at is null"
        ).fetchone()
    assert kept == (1_000,)


@pytest.mark.parametrize(
    ("what", "table"),
    [
        (What.DELIVERIES, "deliveries"),
        (What.REMINDERS, "event_reminders"),
        (What.OUTBOX, "outbox"),
        (What.INBOX, "inbox"),
    ],
)
def test_rows_that_somebody_holds_are_left_for_another_time_without_waiting(
    postgres_url: str, what: What, table: str
) -> None:
    fill(postgres_url, 14)
    hasty = Patience(lock=timedelta(milliseconds=1))
    with psycopg.connect(postgres_url) as other, closing(Database(postgres_url, patience=hasty)) as database:
        if what is What.REMINDERS:
            PostgresPrunable(database).prune(What.DELIVERIES, NOW)
        other.execute(f"select from tickler.{table} for update")
        held = PostgresPrunable(database).prune(what, NOW)
        other.rollback()
        free = PostgresPrunable(database).prune(what, NOW)
    assert (held.pruned, free.pruned) == (0, 12)


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("what", What)
def test_each_walk_goes_along_an_index_and_reads_no_table_whole(
    postgres_url: str, what: What, mode: str
) -> None:
    fill(postgres_url, 2_000)
    walk = WALKS[what]
    given = {"before": NOW, "last_id": first_id(NOW), "limit": 100}
    given |= {f"k{number}": one for number, one in enumerate(walk.start)}
    with closing(Database(postgres_url)) as database, database.transaction() as session:
        session.rows("select set_config('plan_cache_mode', %s, true)", (mode,))
        rows = session.rows("explain (costs off) " + walk.seen, given)
    plan = "\n".join(row[0] for row in rows)
    assert "Index" in plan
    for wrong in ("Seq Scan", "Bitmap", "hashed", *([] if what is What.QUARANTINE else ["Sort"])):
        assert wrong not in plan, plan


def test_the_first_id_of_an_instant_stands_between_the_ids_before_it_and_those_after() -> None:
    at = datetime(2026, 12, 1, 12, 0, 0, 5000, tzinfo=UTC)
    milliseconds = int(at.timestamp()) * 1000 + 5
    before, then = UuidIds(lambda: milliseconds - 1).new(), UuidIds(lambda: milliseconds).new()
    assert before < first_id(at) <= then
    assert first_id(datetime(1900, 1, 1, tzinfo=UTC)).int == 0
