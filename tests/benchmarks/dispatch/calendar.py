"""The calendar that is dispatched: events with two reminders each, all of them due, a tenth cancelled.

Ids sort by time, as those of the service do; what happened so far is in the history.
"""

from datetime import UTC, datetime

import psycopg

AS_OF = datetime(2026, 11, 29, 12, tzinfo=UTC)

FILL_EVENTS = """
insert into tickler.calendar_events
select id, tenant_id, owner_user_id, case when n % 5 < 3 then md5('client' || n % 9000)::uuid end, kind,
       start_at at time zone time_zone, time_zone, '2026a', start_at, start_at + interval '1 hour', false,
       case when kind = 'appointment' then md5('appointment' || n)::uuid end, '{start-15m,start-1d}',
       case when n % 10 = 0 then 'Cancelled' when n % 10 = 1 then 'InProgress' else 'Planned' end,
       case when n % 10 in (0, 1) then 2 else 1 end, start_at - interval '10 days'
  from (select n, (lpad(to_hex(1790000000000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3)
                   || '8' || substr(md5(n::text), 4, 15))::uuid as id,
               md5('tenant' || n % 20)::uuid as tenant_id, md5('owner' || n % 2000)::uuid as owner_user_id,
               (array['appointment', 'meeting', 'deadline', 'renewal', 'task', 'other'])[1 + n % 6] as kind,
               (array['Europe/Moscow', 'Asia/Yekaterinburg', 'Europe/Berlin', 'America/New_York', 'UTC'])
                   [1 + n % 5] as time_zone,
               %(as_of)s - interval '15 minutes' * (1 + n * 7919 %% 3840) as start_at
          from generate_series(1, %(events)s) n) e
"""
FILL_REMINDERS = """
insert into tickler.event_reminders
select (substr(e.id::text, 1, 13) || '-7' || lpad(to_hex(t.minutes), 3, '0') || '-9'
        || substr(e.id::text, 21))::uuid,
       e.id, e.tenant_id, t.trigger, t.minutes, e.start_at - interval '1 minute' * t.minutes, 'Pending',
       null, null, 1, e.start_at - interval '10 days'
  from tickler.calendar_events e, (values ('start-15m', 15), ('start-1d', 1440)) t (trigger, minutes)
"""
FILL_HISTORY = """
insert into tickler.domain_events (stream_id, version, type, data, correlation_id, actor, occurred_at)
select id, 1, 'calendar-event.planned.v1',
       jsonb_build_object('id', id, 'tenantId', tenant_id, 'ownerUserId', owner_user_id, 'kind', kind,
                          'startAt', start_at, 'timeZone', time_zone, 'triggers', triggers),
       md5(id::text)::uuid, 'user', updated_at
  from tickler.calendar_events
union all
select id, 1, 'reminder.scheduled.v1',
       jsonb_build_object('id', id, 'eventId', event_id, 'tenantId', tenant_id, 'trigger', trigger,
                          'offsetMinutes', offset_minutes, 'dueAt', due_at),
       md5(event_id::text)::uuid, 'user', updated_at
  from tickler.event_reminders
"""
TABLES = ("calendar_events", "event_reminders", "domain_events", "outbox")


def fill(conninfo: str, reminders: int) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(FILL_EVENTS.replace(" % ", " %% "), {"as_of": AS_OF, "events": reminders // 2})
        connection.execute(FILL_REMINDERS)
        connection.execute(FILL_HISTORY)
        for table in TABLES:
            connection.execute(f"vacuum (freeze, analyze) tickler.{table}")
