"""What tells of trouble in the database itself."""

from datetime import timedelta

from attrs import frozen

from adapters.observability.figures import DatabaseFigures, TableFigures
from adapters.outbound.postgres.database import Database, Patience

# Whoever watches would rather know that there is no answer than wait for one.
OF_A_WATCHER = Patience(
    lock=timedelta(seconds=0.5),
    statement=timedelta(seconds=1.5),
    idle=timedelta(seconds=2),
    silence=timedelta(seconds=2),
    checkout=timedelta(seconds=1.5),
    reconnect=timedelta(seconds=2),
)
# Those whose rows change with each reminder, message and touch.
HOT = ["event_reminders", "calendar_events", "outbox", "inbox", "deliveries", "deferred_touches"]
# Without the right to read all statistics a role sees the transactions of its own name alone.
OLDEST_TRANSACTION = """
select coalesce(extract(epoch from max(clock_timestamp() - xact_start)), 0)::float8
  from pg_stat_activity
 where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
"""
TABLES = """
select relname, n_live_tup, n_dead_tup from pg_stat_user_tables
 where schemaname = 'tickler' and relname = any(%b::text[]) order by relname
"""


@frozen
class PostgresHealth:
    """`database` has connections for whoever watches, and none of the work's."""

    database: Database

    def answers(self) -> bool:
        """Whether the database answers; raises Unavailable where it does not."""
        return bool(self.database.ask("select true")[0])

    def figures(self) -> DatabaseFigures:
        """Raises Unavailable or Busy."""
        with self.database.transaction() as session:
            ((oldest,),) = session.rows(OLDEST_TRANSACTION)
            tables = session.rows(TABLES, (HOT,))
        return DatabaseFigures(oldest, [TableFigures(*row) for row in tables])
