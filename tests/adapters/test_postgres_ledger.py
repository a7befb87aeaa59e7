"""What the contract cannot say: the database keeps the rules itself, and poison is found by halves."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
from psycopg import errors

from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.testkit.examples import CYCLE, MINUTE, NOON, due, keep, sending_new

AS_OF = NOON + timedelta(hours=1)


@pytest.fixture
def outsider(postgres_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def ledger(postgres_url: str) -> Iterator[PostgresLedger]:
    with closing(Database(postgres_url)) as database:
        yield PostgresLedger(database)


@pytest.mark.parametrize(
    "statement",
    [
        "update tickler.domain_events set actor = 'somebody else'",
        "delete from tickler.domain_events",
        "truncate tickler.domain_events",
    ],
)
def test_history_can_only_be_added_to(
    ledger: PostgresLedger, outsider: psycopg.Connection, statement: str
) -> None:
    example = due(1, NOON)
    keep(ledger, example)
    before = ledger.history(example.event.id)
    with pytest.raises(errors.InsufficientPrivilege, match="history is append-only"):
        outsider.execute(statement)
    assert ledger.history(example.event.id) == before != []


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("status = 'Sent', sent_at = null", "sent_at_if_and_only_if_sent"),
        ("sent_at = now()", "sent_at_if_and_only_if_sent"),
        ("status = 'Skipped'", "reason_if_and_only_if_skipped"),
        ("reason = 'moved'", "reason_if_and_only_if_skipped"),
        ("status = 'Done'", "event_reminders_status_check"),
        ("status = 'Skipped', reason = 'bored'", "event_reminders_reason_check"),
        ("due_at = 'infinity'", "event_reminders_due_at_check"),
        ("due_at = '-infinity'", "event_reminders_due_at_check"),
        ("version = 0", "event_reminders_version_check"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused_by_the_database(
    ledger: PostgresLedger, outsider: psycopg.Connection, change: str, constraint: str
) -> None:
    keep(ledger, due(1, NOON))
    with pytest.raises(errors.CheckViolation) as raised:
        outsider.execute(f"update tickler.event_reminders set {change}")
    assert raised.value.diag.constraint_name == constraint


def test_refused_rows_are_found_without_losing_one_of_the_others(
    ledger: PostgresLedger, outsider: psycopg.Connection
) -> None:
    example = due(1, *(NOON - n * MINUTE for n in range(33)))
    keep(ledger, example)
    refused = {example.reminders[n].id for n in (0, 7, 8, 32)}
    for id_ in refused:
        # Refused by the outbox, the last of the three tables: what the other two took must go again.
        outsider.execute(f"alter table tickler.outbox add check (message_id <> '{id_}')")
    with ledger.transaction(CYCLE) as cycle:
        cycle.claim_due(AS_OF, 50)
        settlement = cycle.settle(sending_new(example, AS_OF))
    assert {one.reminder_id for one in settlement.poison} == refused
    assert settlement.written == {row.id for row in example.reminders} - refused
    assert _ids(outsider, "select message_id from tickler.outbox") == settlement.written
    sent = "select stream_id from tickler.domain_events where type = 'reminder.sent.v1'"
    assert _ids(outsider, sent) == settlement.written
    assert _ids(outsider, "select id from tickler.event_reminders where status = 'Pending'") == refused


def test_what_a_trigger_says_against_a_row_is_told_in_one_line(
    ledger: PostgresLedger, outsider: psycopg.Connection
) -> None:
    example = due(1, NOON)
    keep(ledger, example)
    outsider.execute(
        "create function tickler.refuse() returns trigger language plpgsql as"
        " $$ begin raise exception 'not on a Sunday' using detail = 'row data'; end $$"
    )
    outsider.execute(
        "create trigger refuse before insert on tickler.outbox for each row execute function tickler.refuse()"
    )
    with ledger.transaction(CYCLE) as cycle:
        cycle.claim_due(AS_OF, 1)
        (poison,) = cycle.settle(sending_new(example, AS_OF)).poison
    assert poison.problem == "the database refused it: not on a Sunday"


def test_a_whole_batch_of_refused_rows_leaves_no_trace(
    ledger: PostgresLedger, outsider: psycopg.Connection
) -> None:
    example = due(1, *(NOON - n * MINUTE for n in range(40)))
    keep(ledger, example)
    outsider.execute("alter table tickler.domain_events add check (type <> 'reminder.sent.v1')")
    with ledger.transaction(CYCLE) as cycle:
        cycle.claim_due(AS_OF, 40)
        settlement = cycle.settle(sending_new(example, AS_OF))
    assert len(settlement.poison) == 40
    assert _ids(outsider, "select message_id from tickler.outbox") == set()
    assert len(_ids(outsider, "select id from tickler.event_reminders where status = 'Pending'")) == 40


def _ids(outsider: psycopg.Connection, statement: str) -> set[object]:
    rows = outsider.execute(statement).fetchall()
    assert len(rows) == len(set(rows)), "an id came twice"
    return {row[0] for row in rows}
