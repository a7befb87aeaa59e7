"""The database's clock: one for all instances, so that they agree on what is due."""

from datetime import datetime
from time import monotonic

from attrs import frozen

from adapters.outbound.postgres.database import Database


@frozen
class PostgresClock:
    database: Database

    def now(self) -> datetime:
        """Raises Unavailable when the database cannot be asked."""
        with self.database.transaction() as session:
            found = session.row("select clock_timestamp()")
        assert found is not None
        now: datetime = found[0]
        return now

    def monotonic(self) -> float:
        return monotonic()
