"""Whether both sides wrote the same rows: all columns, but for positions, times of recording and run ids."""

import psycopg

CONTENTS = {
    "event_reminders": "to_jsonb(t)",
    "domain_events": "to_jsonb(t) - 'position' - 'recorded_at' - 'correlation_id'",
    "outbox": "to_jsonb(t) - 'position' - 'created_at' #- '{headers,correlationId}'",
    "calendar_events": "to_jsonb(t)",
}


def difference(one: str, other: str) -> str | None:
    """What differs between two databases, by table; None where nothing does."""
    for table, contents in CONTENTS.items():
        found = [_digest(conninfo, table, contents) for conninfo in (one, other)]
        if found[0] != found[1]:
            return f"{table}: {found[0]} against {found[1]} (rows, digest)"
    return None


def _digest(conninfo: str, table: str, contents: str) -> tuple[int, str]:
    """How many rows, and the sum of their digests, which no order changes."""
    statement = f"""
        select count(*),
               coalesce(sum(('x' || substr(md5(({contents})::text), 1, 15))::bit(60)::bigint), 0)::text
          from tickler.{table} t
    """
    with psycopg.connect(conninfo, options="-c timezone=UTC") as connection:
        found = connection.execute(statement).fetchone()
    assert found is not None
    return found[0], found[1]
