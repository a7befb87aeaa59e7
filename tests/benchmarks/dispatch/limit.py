"""The limit: one statement a batch that locks, joins, updates, and inserts the same rows elsewhere."""

from time import perf_counter
from uuid import UUID

import psycopg

from tests.benchmarks.dispatch.calendar import AS_OF

BATCH = """
with claimed as materialized (
    select id, event_id, tenant_id, offset_minutes, version
      from tickler.event_reminders
     where status = 'Pending' and due_at < %(as_of)s
     order by due_at, id
     limit {limit}
       for update skip locked
), decided as materialized (
    select r.*, e.status in ('Planned', 'InProgress') as sent, e.version as event_version, e.status,
           e.owner_user_id, e.client_user_id, e.kind, e.start_at, e.time_zone, e.appointment_id
      from claimed r
      join tickler.calendar_events e on e.id = r.event_id
), moved as (
    update tickler.event_reminders r
       set status = case when d.sent then 'Sent' else 'Skipped' end,
           reason = case d.status when 'Cancelled' then 'cancelled' when 'Completed' then 'completed' end,
           sent_at = case when d.sent then %(as_of)s end,
           version = r.version + 1,
           updated_at = %(as_of)s
      from decided d
     where r.id = d.id
), remembered as (
    insert into tickler.domain_events
           (stream_id, version, type, data, correlation_id, actor, occurred_at)
    select id, version + 1, case when sent then 'reminder.sent.v1' else 'reminder.skipped.v1' end,
           case when sent then jsonb_build_object('eventVersion', event_version, 'at', %(at)s::text)
                else jsonb_build_object('reason', lower(status), 'at', %(at)s::text) end,
           %(run_id)s, 'system', %(as_of)s
      from decided
), told as (
    insert into tickler.outbox (message_id, key, topic, headers, payload)
    select id, event_id, 'pin.calendar.reminder-due.v1',
           jsonb_build_object('correlationId', %(run_id)s::text, 'contractVersion', '1'),
           json_strip_nulls(json_build_object(
               'contractVersion', 1, 'reminderId', id, 'eventId', event_id, 'tenantId', tenant_id,
               'ownerUserId', owner_user_id, 'clientUserId', client_user_id, 'kind', kind,
               'startAt', to_char(start_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
               'timeZone', time_zone, 'offsetMinutes', offset_minutes, 'appointmentId', appointment_id))
      from decided
     where sent
)
select count(*) from decided
"""
RUN_ID = UUID("00000000-0000-7000-8000-00000000b0b0")


def drain(conninfo: str, batch: int) -> tuple[int, float]:
    """Dispatch all that is due; how many rows, in how many seconds."""
    values = {"as_of": AS_OF, "at": f"{AS_OF:%Y-%m-%dT%H:%M:%S.%fZ}", "run_id": RUN_ID}
    # As in the adapter: by index, whatever the batch; sequential scans would make the limit a lower one.
    by_index = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off"
    statement = BATCH.format(limit=batch)
    rows = 0
    with (
        psycopg.connect(conninfo, autocommit=True, prepare_threshold=0, options=by_index) as connection,
        connection.cursor(binary=True) as cursor,
    ):
        began = perf_counter()
        while True:
            found = cursor.execute(statement, values).fetchone()
            assert found is not None
            if not found[0]:
                return rows, perf_counter() - began
            rows += found[0]
