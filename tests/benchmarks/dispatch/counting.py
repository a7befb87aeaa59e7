"""How many statements a batch costs, as the server logs them, and by which plan its rows are claimed."""

from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from adapters.outbound.postgres import binary
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.transaction import CLAIM
from tests.benchmarks.dispatch.calendar import AS_OF
from tests.benchmarks.dispatch.cycle import make_job

INDEX = "ix_event_reminders_status_due_at"
FUTURE = """
insert into tickler.event_reminders
select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'start-15m', 15,
       %s + interval '1 second' * n, 'Pending', null, null, 1, %s
  from generate_series(1, %s) n
"""


def statements_of_one_batch(conninfo: str, log: Path, batch: int) -> int:
    """Dispatch one full batch, and count what the server logs: one line a statement or COPY.

    The settings of a transaction come in the message that begins it, which is one of them.
    """
    application = f"counted_{batch}"
    counted = make_conninfo(conninfo, application_name=application, options="-c log_statement=all")
    database = Database(counted)
    try:
        job = make_job(database, batch)
        before = log.stat().st_size
        result = next(iter(job.tick()))
        assert len(result.items) == batch, f"{len(result.items)} rows moved, {batch} were wanted"
    finally:
        database.close()
    with log.open("rb") as file:
        file.seek(before)
        said = file.read().decode(errors="replace")
    lines = [line for line in said.splitlines() if f"[{application}]" in line]
    return sum("LOG:  statement: " in line or "LOG:  execute " in line for line in lines)


def add_future(conninfo: str, rows: int) -> None:
    """Reminders that are due later, one a second from AS_OF on."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(FUTURE, (AS_OF, AS_OF, rows))
        connection.execute("analyze tickler.event_reminders")


def claim_plan(conninfo: str, batch: int) -> str:
    """The plan by which the adapter claims a batch, in the transaction that it begins."""
    database = Database(conninfo)
    try:
        with database.transaction() as session:
            statement = "explain (costs off) " + CLAIM.format(limit=batch)
            return "\n".join(row[0] for row in session.rows(statement, (AS_OF, binary.uuids([]))))
    finally:
        database.close()
