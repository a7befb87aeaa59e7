"""The dispatch cycle of this code, over the adapters of production."""

from datetime import datetime
from time import perf_counter

from attrs import frozen

from adapters.inbound.heap import tune_collector
from adapters.outbound.postgres.clock import PostgresClock
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.ledger import PostgresLedger
from adapters.outbound.system import UuidIds
from application.dispatching import ReminderDispatchJob, ReminderDispatchOptions
from tests.benchmarks.dispatch.calendar import AS_OF


@frozen
class FixedPostgresClock:
    """Asks the database as in production, and then says AS_OF, so that both sides write the same instants."""

    clock: PostgresClock

    def now(self) -> datetime:
        self.clock.now()
        return AS_OF

    def monotonic(self) -> float:
        return self.clock.monotonic()


def drain(conninfo: str, batch: int) -> tuple[int, float]:
    """Dispatch all that is due; how many rows, in how many seconds."""
    database = Database(conninfo)
    try:
        job = make_job(database, batch)
        tune_collector()  # as `tickler run` does
        job.ledger.backlog(AS_OF)  # connected before the clock runs, as the other side is
        began = perf_counter()
        rows = sum(len(result.items) for result in job.tick())
        return rows, perf_counter() - began
    finally:
        database.close()


def make_job(database: Database, batch: int) -> ReminderDispatchJob:
    return ReminderDispatchJob(
        PostgresLedger(database),
        FixedPostgresClock(PostgresClock(database)),
        UuidIds(),
        ReminderDispatchOptions(batch_size=batch),
    )
