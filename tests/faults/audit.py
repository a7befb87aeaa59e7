"""What must hold in the database after every fault, whatever was killed when: what `tickler audit` asks."""

from contextlib import closing

import psycopg

from adapters.outbound.postgres.auditing.books import PostgresBooks
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.pruning import PostgresPrunable
from adapters.testkit.clock import SettableClock
from adapters.testkit.examples import NOON
from application.auditing.auditing import Auditing, Report

PENDING = "select id from tickler.event_reminders where status = 'Pending'"


def breaches(conninfo: str) -> dict[str, list[str]]:
    """The rules that do not hold, each with ids, and what is still Pending; an empty dictionary when all is
    well and every reminder is over.
    """
    with closing(Database(conninfo)) as database:
        books, pruned = PostgresBooks(database), PostgresPrunable(database)
        # What is published into a topic that nobody reads here is not lost.
        auditing = Auditing(books, pruned, SettableClock(NOON), is_direct=False)
        report = auditing.run(Report(), "no days before", except_stuck=True)
    found = {rule.says: [str(one.id) for one in each.first] for rule, each in report.found.items()}
    with psycopg.connect(conninfo) as connection:
        if pending := connection.execute(PENDING).fetchall():
            found["every reminder that is due is over"] = [str(row[0]) for row in pending]
    return found
