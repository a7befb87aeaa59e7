"""The database's clock: one for all instances, so that they agree on what is due."""

from datetime import UTC, datetime
from time import monotonic

from attrs import frozen

from adapters.outbound.postgres.database import Database


@frozen
class PostgresClock:
    database: Database

    def now(self) -> datetime:
        """Raises Unavailable when the database cannot be asked."""
        (now,) = self.database.ask("select clock_timestamp() at time zone 'UTC'")
        utc: datetime = now.replace(tzinfo=UTC)
        return utc

    def monotonic(self) -> float:
        return monotonic()
