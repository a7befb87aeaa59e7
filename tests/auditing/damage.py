"""Damage as a bad hand or a bad disk does it: in the tables, past every trigger, constraint and key."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import attrs
from psycopg import Connection

from application.auditing.rules import Rule
from tests.auditing.office import ACME, ANNA, CLARA, OTHER, STRANGER, THEIRS, Known

DEFENCELESS = """
set session_replication_role = replica;
do $$
declare one record;
begin
    for one in select conrelid::regclass as place, conname from pg_constraint
               where connamespace = 'tickler'::regnamespace and contype in ('c', 'u', 'p', 'f')
               order by contype = 'f' desc
    loop
        execute format('alter table %s drop constraint %I cascade', one.place, one.conname);
    end loop;
    for one in select indexrelid::regclass as place from pg_index
               join pg_class c on c.oid = indrelid
               where c.relnamespace = 'tickler'::regnamespace and indisunique
    loop
        execute format('drop index %s', one.place);
    end loop;
end $$;
"""
INTO_HISTORY = (
    "insert into tickler.domain_events (stream_id, version, type, data, correlation_id, actor, occurred_at)"
)
ONE_SENT = "(select id from tickler.event_reminders where event_id = %(sent)s order by id limit 1)"
ONE_WAITING = (
    "(select id from tickler.event_reminders where event_id = %(waiting)s and status = 'Pending'"
    " order by id limit 1)"
)
ONE_CANCELLED = "(select id from tickler.event_reminders where event_id = %(cancelled)s order by id limit 1)"
ONE_TOLD = "(select id from tickler.deliveries where about_id = " + ONE_SENT + " order by id limit 1)"
MESSAGE = "topic, key, payload, headers, created_at, published_at from tickler.outbox where message_id = "
DELIVERY_COLUMNS = (
    "tenant_id, about_id, event_id, user_id, channel, contact_point_id, address_key, template, due_at,"
    " not_before, status, attempts, claim, lease_until, reason, provider_id, updated_at, in_doubt"
)

OTHER_ADDRESS = DELIVERY_COLUMNS.replace("address_key", "'x'")


def _event(statement: str, where: str) -> str:
    return f"update tickler.domain_events set {statement} where {where} returning stream_id"


def _row(table: str, statement: str, where: str) -> str:
    return f"update tickler.{table} set {statement} where {where} returning id"


def _data(path: str, value: str) -> str:
    return f"data = jsonb_set(data, '{{{path}}}', {value})"


# What is done, and which rule is to be named of which ids: those that the statement returns.
DAMAGES: Mapping[str, tuple[Rule, str]] = {
    "a reminder's row was changed by hand": (
        Rule.ROW_IS_FOLD,
        _row("event_reminders", "due_at = due_at + interval '1 hour'", "id = " + ONE_WAITING),
    ),
    "a sent reminder was put back to Pending": (
        Rule.ROW_IS_FOLD,
        _row("event_reminders", "status = 'Pending', sent_at = null", "id = " + ONE_SENT),
    ),
    "an event's row was given another owner": (
        Rule.ROW_IS_FOLD,
        _row("calendar_events", "owner_user_id = client_user_id", "id = %(waiting)s"),
    ),
    "an event's row stands at another version": (
        Rule.ROW_IS_FOLD,
        _row("calendar_events", "version = version + 1", "id = %(moved)s"),
    ),
    "the time of a row's last change was changed": (
        Rule.ROW_IS_FOLD,
        _row("calendar_events", "updated_at = updated_at - interval '2 years'", "id = %(completed)s"),
    ),
    "a touch's row was given more failures": (
        Rule.ROW_IS_FOLD,
        _row("deferred_touches", "failures = 3", "id = %(pending)s"),
    ),
    "a touch's row has another caller": (
        Rule.ROW_IS_FOLD,
        _row("deferred_touches", "caller = 'evil'", "id = %(pending)s"),
    ),
    "a plan was paused in its row alone": (
        Rule.ROW_IS_FOLD,
        _row("touch_plans", "status = 'Paused'", "id = %(plan)s"),
    ),
    "a reminder's row holds no trigger": (
        Rule.ROW_IS_READABLE,
        _row("event_reminders", "trigger = 'whenever'", "id = " + ONE_WAITING),
    ),
    "a touch's row has a status that is none": (
        Rule.ROW_IS_READABLE,
        _row("deferred_touches", "status = 'Lost'", "id = %(pending)s"),
    ),
    "a delivery's row has a template that is none": (
        Rule.ROW_IS_READABLE,
        _row("deliveries", "template = 'Greeting'", "id = " + ONE_TOLD),
    ),
    **{
        f"{column} of {table} is {time}": (Rule.ROW_IS_READABLE, _row(table, f"{column} = '{time}'", where))
        for table, column, where in (
            ("calendar_events", "updated_at", "id = %(waiting)s"),
            ("calendar_events", "start_local", "id = %(waiting)s"),
            ("event_reminders", "updated_at", "id = " + ONE_WAITING),
            ("deferred_touches", "updated_at", "id = %(pending)s"),
            ("touch_plans", "next_at", "id = %(plan)s"),
            ("touch_plans", "handled_until", "id = %(plan)s"),
            ("touch_plans", "updated_at", "id = %(plan)s"),
            ("deliveries", "not_before", "id = " + ONE_TOLD),
        )
        for time in ("infinity", "-infinity", "20000-01-01")
    },
    **{
        f"{column} of an outbox record is {time}": (
            Rule.ROW_IS_READABLE,
            f"update tickler.outbox set {column} = '{time}' where message_id = {ONE_SENT}"
            " returning message_id",
        )
        for column in ("created_at", "claimed_until", "published_at")
        for time in ("infinity", "20000-01-01")
    },
    **{
        f"an event stands under {time}": (
            Rule.EVENT_IS_READABLE,
            _event(f"occurred_at = '{time}'", "stream_id = %(waiting)s and version = 1"),
        )
        for time in ("infinity", "20000-01-01")
    },
    "a row without events": (
        Rule.ROW_HAS_STREAM,
        "delete from tickler.domain_events where stream_id = %(pending)s returning stream_id",
    ),
    "the row of a reminder was deleted": (
        Rule.STREAM_HAS_ROW,
        "delete from tickler.event_reminders where id = " + ONE_WAITING + " returning id",
    ),
    "the row of a plan was deleted": (
        Rule.STREAM_HAS_ROW,
        "delete from tickler.touch_plans where id = %(plan)s returning id",
    ),
    "a gap in a stream": (
        Rule.VERSIONS,
        "delete from tickler.domain_events where stream_id = %(moved)s and version = 2 returning stream_id",
    ),
    "the beginning of a stream is gone": (
        Rule.VERSIONS,
        "delete from tickler.domain_events where stream_id = %(answered)s and version = 1"
        " returning stream_id",
    ),
    "the end of a stream is gone": (
        Rule.ROW_IS_FOLD,
        "delete from tickler.domain_events where stream_id = %(moved)s and version = 4 returning stream_id",
    ),
    "one version twice in a stream": (
        Rule.VERSIONS,
        INTO_HISTORY + " select stream_id, version, type, data, correlation_id, actor, occurred_at"
        " from tickler.domain_events where stream_id = %(waiting)s returning stream_id",
    ),
    "an event of a name that nobody knows": (
        Rule.EVENT_IS_READABLE,
        _event("type = 'calendar-event.forgotten.v1'", "stream_id = %(moved)s and version = 2"),
    ),
    "an event whose data lack a field": (
        Rule.EVENT_IS_READABLE,
        _event("data = data - 'dueAt'", "stream_id = " + ONE_WAITING),
    ),
    "an event under another time than its own": (
        Rule.EVENT_IS_READABLE,
        _event("occurred_at = occurred_at - interval '1 day'", "stream_id = %(waiting)s"),
    ),
    "a stream that begins in the middle": (
        Rule.STREAM_IS_POSSIBLE,
        "with first as (delete from tickler.domain_events where stream_id = %(moved)s and version = 1) "
        + _event("version = version - 1", "stream_id = %(moved)s and version > 1"),
    ),
    "an event of something else in a stream": (
        Rule.STREAM_IS_POSSIBLE,
        _event(
            "type = 'reminder.skipped.v1', data = data || '{\"reason\": \"stale\"}'",
            "stream_id = %(cancelled)s and version = 2",
        ),
    ),
    "something happened to an event after its end": (
        Rule.EVENT_IS_OVER,
        INTO_HISTORY
        + " select stream_id, version + 1, 'calendar-event.started.v1', data, correlation_id, actor,"
        " occurred_at"
        " from tickler.domain_events where stream_id = %(cancelled)s and version = 2 returning stream_id",
    ),
    "a reminder that was skipped was sent after all": (
        Rule.REMINDER_IS_OVER,
        INTO_HISTORY + " select stream_id, version + 1, 'reminder.sent.v1', data || '{\"eventVersion\": 1}',"
        " correlation_id, actor, occurred_at from tickler.domain_events"
        " where stream_id = " + ONE_CANCELLED + " and version = 2 returning stream_id",
    ),
    "a reminder is due when its event never said": (
        Rule.DUE_AT,
        "with row as ("
        + _row("event_reminders", "due_at = due_at - interval '7 minutes'", "id = " + ONE_WAITING)
        + ") "
        + _event(
            _data("dueAt", "to_jsonb('2026-12-03T11:11:00.000000Z'::text)"),
            "stream_id in (select id from row)",
        ),
    ),
    "a reminder by a trigger that its event never had": (
        Rule.DUE_AT,
        "with row as ("
        + _row("event_reminders", "trigger = 'start-16m'", "id = " + ONE_WAITING)
        + ") "
        + _event(_data("trigger", "'\"start-16m\"'"), "stream_id in (select id from row)"),
    ),
    "sent without the time of it": (
        Rule.SENT_AT,
        _row("event_reminders", "sent_at = null", "id = " + ONE_SENT),
    ),
    "sent before its time": (
        Rule.SENT_AT,
        "with row as ("
        + _row("event_reminders", "sent_at = '2026-12-01Z', updated_at = '2026-12-01Z'", "id = " + ONE_SENT)
        + ") "
        + _event(
            _data("at", "to_jsonb('2026-12-01T00:00:00Z'::text)") + ", occurred_at = '2026-12-01Z'",
            "stream_id in (select id from row) and version = 2",
        ),
    ),
    "sent on a version of its event that was cancelled": (
        Rule.SENT_ON_OPEN,
        "with cancelled as ("
        + INTO_HISTORY
        + " select stream_id, 2, 'calendar-event.cancelled.v1', jsonb_build_object('at', data -> 'at'),"
        " correlation_id, actor, occurred_at from tickler.domain_events where stream_id = %(sent)s),"
        " row as (update tickler.calendar_events set version = 2, status = 'Cancelled' where id = %(sent)s) "
        + _event(_data("eventVersion", "'2'"), "stream_id = " + ONE_SENT + " and version = 2"),
    ),
    "sent on a version of its event that there never was": (
        Rule.SENT_ON_OPEN,
        _event(_data("eventVersion", "'9'"), "stream_id = " + ONE_SENT + " and version = 2"),
    ),
    "an outbox record was deleted": (
        Rule.ONE_MESSAGE,
        "delete from tickler.outbox where message_id = " + ONE_SENT + " returning message_id",
    ),
    "a second outbox record under another id": (
        Rule.ONE_MESSAGE,
        "insert into tickler.outbox (message_id, topic, key, payload, headers, created_at, published_at)"
        " select gen_random_uuid(), " + MESSAGE + ONE_SENT + " returning message_id",
    ),
    "a second outbox record under the same id": (
        Rule.ONE_MESSAGE,
        "insert into tickler.outbox (message_id, topic, key, payload, headers, created_at, published_at)"
        " select message_id, " + MESSAGE + ONE_SENT + " returning message_id",
    ),
    "an outbox record tells of another tenant": (
        Rule.ONE_MESSAGE,
        "update tickler.outbox"
        " set payload = jsonb_set(payload::jsonb, '{tenantId}', to_jsonb(%(other)s::text))"
        " where message_id = " + ONE_SENT + " returning message_id",
    ),
    "an outbox record of what was skipped": (
        Rule.ONE_MESSAGE,
        "insert into tickler.outbox (message_id, topic, key, payload, headers, created_at, published_at)"
        " select " + ONE_CANCELLED + ", topic, key, jsonb_set(payload::jsonb, '{reminderId}',"
        " to_jsonb(" + ONE_CANCELLED + "::text)), headers, created_at, published_at"
        " from tickler.outbox where message_id = " + ONE_SENT + " returning message_id",
    ),
    "two reminders are Pending for one trigger": (
        Rule.ONE_PENDING,
        _row("event_reminders", "status = 'Pending', reason = null", "event_id = %(moved)s").replace(
            "returning id", "returning event_id"
        ),
    ),
    "the trigger of a reminder that waits was taken off behind its back": (
        Rule.REMINDER_IS_WANTED,
        "with row as (select id, triggers[1] as gone from tickler.calendar_events where id = %(waiting)s),"
        " event as ("
        + _row("calendar_events", "triggers = triggers[2:]", "id = %(waiting)s")
        + "), history as ("
        + _event("data = jsonb_set(data, '{triggers}', (data -> 'triggers') - 0)", "stream_id = %(waiting)s")
        + ") select r.id from tickler.event_reminders r join row on row.id = r.event_id and trigger = gone",
    ),
    "the event of a reminder is gone": (
        Rule.REMINDER_HAS_EVENT,
        "with gone as (delete from tickler.calendar_events where id = %(waiting)s returning id)"
        " select r.id from tickler.event_reminders r join gone on gone.id = r.event_id",
    ),
    "a reminder is gone with all that told of it": (
        Rule.TRIGGER_HAS_REMINDER,
        "with gone as (delete from tickler.event_reminders where id = " + ONE_WAITING + " returning *),"
        " stream as (delete from tickler.domain_events where stream_id in (select id from gone))"
        " select event_id from gone",
    ),
    "a reminder of another tenant": (
        Rule.TENANT,
        "with row as ("
        + _row("event_reminders", "tenant_id = %(other)s", "id = " + ONE_WAITING)
        + ") "
        + _event(_data("tenantId", "to_jsonb(%(other)s::text)"), "stream_id in (select id from row)"),
    ),
    "a delivery of another tenant": (
        Rule.TENANT,
        _row("deliveries", "tenant_id = %(other)s", "id = " + ONE_TOLD),
    ),
    "an event of a person of another tenant": (
        Rule.TENANT,
        "with row as ("
        + _row("calendar_events", "owner_user_id = %(stranger)s", "id = %(waiting)s")
        + ") "
        + _event(_data("ownerUserId", "to_jsonb(%(stranger)s::text)"), "stream_id in (select id from row)"),
    ),
    "a touch of a person of another tenant": (
        Rule.TENANT,
        "with row as ("
        + _row("deferred_touches", "user_id = %(stranger)s", "id = %(pending)s")
        + ") "
        + _event(_data("origin,userId", "to_jsonb(%(stranger)s::text)"), "stream_id in (select id from row)"),
    ),
    "a plan for a person of another tenant": (
        Rule.TENANT,
        _row(
            "touch_plans",
            "terms = jsonb_set(terms, '{target,userId}', to_jsonb(%(stranger)s::text))",
            "id = %(plan)s",
        ),
    ),
    "a delivery to a person of another tenant": (
        Rule.TENANT,
        _row("deliveries", "user_id = %(stranger)s", "id = " + ONE_TOLD),
    ),
    "a second delivery to one address": (
        Rule.ONE_DELIVERY,
        f"insert into tickler.deliveries (id, {DELIVERY_COLUMNS})"
        f" select gen_random_uuid(), {DELIVERY_COLUMNS} from tickler.deliveries where id = {ONE_TOLD}"
        " returning about_id",
    ),
    "a delivery about what is not known": (
        Rule.DELIVERY_IS_WANTED,
        _row("deliveries", "about_id = gen_random_uuid()", "id = " + ONE_TOLD),
    ),
    "a delivery about what was never sent": (
        Rule.DELIVERY_IS_WANTED,
        _row("deliveries", "about_id = " + ONE_WAITING, "id = " + ONE_TOLD),
    ),
    "a delivery to somebody whom the event does not concern": (
        Rule.DELIVERY_IS_WANTED,
        _row("deliveries", "user_id = %(stranger)s", "id = " + ONE_TOLD),
    ),
    "a delivery to the address of somebody else": (
        Rule.ADDRESS_FITS,
        _row("deliveries", "contact_point_id = %(theirs)s", "id = " + ONE_TOLD),
    ),
    "a delivery is Delivered without an attempt": (
        Rule.DELIVERY_IS_TRIED,
        "delete from tickler.delivery_attempts where delivery_id = " + ONE_TOLD + " returning delivery_id",
    ),
    "what was sent is to be sent again": (
        Rule.DELIVERY_IS_TRIED,
        _row("deliveries", "status = 'Pending', claim = 0, attempts = 0", "id = " + ONE_TOLD),
    ),
    "a delivery is Delivered though its attempt failed": (
        Rule.DELIVERY_IS_TRIED,
        "update tickler.delivery_attempts set outcome = 'refused' where delivery_id = "
        + ONE_TOLD
        + " returning delivery_id",
    ),
    "a delivery is Failed though its attempt was put off": (
        Rule.DELIVERY_IS_TRIED,
        "with row as (update tickler.delivery_attempts set outcome = 'postponed' where delivery_id = "
        + ONE_TOLD
        + ") "
        + _row("deliveries", "status = 'Failed'", "id = " + ONE_TOLD),
    ),
    "a delivery counts claims that there never were": (
        Rule.DELIVERY_IS_TRIED,
        _row("deliveries", "claim = 9", "id = " + ONE_TOLD),
    ),
    "a delivery counts attempts that there never were": (
        Rule.DELIVERY_IS_TRIED,
        _row("deliveries", "attempts = 9", "id = " + ONE_TOLD),
    ),
    "attempts at no delivery": (
        Rule.ATTEMPT_HAS_DELIVERY,
        "update tickler.delivery_attempts set delivery_id = gen_random_uuid() where delivery_id = "
        + ONE_TOLD
        + " returning delivery_id",
    ),
    "a delivery has the key of another address": (
        Rule.ADDRESS_FITS,
        _row("deliveries", "address_key = 'x'", "id = " + ONE_TOLD),
    ),
    "a delivery is keyed as if its person were erased": (
        Rule.ADDRESS_FITS,
        _row("deliveries", "address_key = id::text", "id = " + ONE_TOLD),
    ),
    "a delivery of a reminder is due at another time": (
        Rule.IS_TOLD,
        _row("deliveries", "due_at = due_at + interval '1 hour'", "id = " + ONE_TOLD),
    ),
    "what was taken in was told to nobody": (
        Rule.IS_TOLD,
        "delete from tickler.deliveries where about_id = " + ONE_SENT + " returning about_id",
    ),
    "what was published is in the inbox no more, nor what came of it": (
        Rule.IS_TAKEN_IN,
        "with gone as (delete from tickler.deliveries where about_id = "
        + ONE_SENT
        + " returning id, about_id),"
        " attempts as (delete from tickler.delivery_attempts where delivery_id in (select id from gone))"
        " delete from tickler.inbox where reminder_id in (select about_id from gone) returning reminder_id",
    ),
    "an outbox record goes to another topic": (
        Rule.OUTBOX_ADDRESS,
        f"update tickler.outbox set topic = 'x' where message_id = {ONE_SENT} returning message_id",
    ),
    "the headers of an outbox record are gone": (
        Rule.OUTBOX_ADDRESS,
        f"update tickler.outbox set headers = '{{}}' where message_id = {ONE_SENT} returning message_id",
    ),
    "an imported entry is of no event": (
        Rule.IMPORT_HAS_EVENT,
        "insert into tickler.imports (source, event_id, calendar, uid, sequence, fingerprint, ended)"
        " values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0,"
        " gen_random_uuid(), '') returning source",
    ),
    "a touch is held for centuries": (
        Rule.FAR_CLAIM,
        _row("deferred_touches", "lease_until = '2299-01-01Z'", "id = %(held)s"),
    ),
    "a delivery is being sent for centuries": (
        Rule.FAR_CLAIM,
        _row("deliveries", "status = 'Sending', lease_until = '2299-01-01Z'", "id = " + ONE_TOLD),
    ),
    "a delivery is put off for centuries": (
        Rule.FAR_CLAIM,
        _row("deliveries", "status = 'Pending', not_before = '2299-01-01Z'", "id = " + ONE_TOLD),
    ),
    "an outbox record is held for centuries": (
        Rule.FAR_CLAIM,
        "update tickler.outbox set published_at = null, claimed_by = 'x', claimed_until = '2299-01-01Z'"
        " where message_id = " + ONE_SENT + " returning message_id",
    ),
    "a delivery is over with a lease": (
        Rule.DELIVERY_CLAIM,
        _row("deliveries", "lease_until = '2026-12-01 13:00Z'", "id = " + ONE_TOLD),
    ),
    "a touch was worked on before its time": (
        Rule.REGISTERED,
        "with row as ("
        + _row("deferred_touches", "due_at = due_at + interval '1 day'", "id = %(answered)s")
        + ") "
        + _event(
            _data("dueAt", "to_jsonb('2026-12-02T12:01:00Z'::text)"),
            "stream_id in (select id from row) and version = 1",
        ),
    ),
    "an answer went elsewhere": (
        Rule.ORIGIN,
        "update tickler.deliveries set channel = 'email' where about_id = %(answered)s returning about_id",
    ),
    "a claim without an owner": (
        Rule.TOUCH_CLAIM,
        _row("deferred_touches", "worker = null", "id = %(held)s"),
    ),
    "a lease of what nobody claimed": (
        Rule.TOUCH_CLAIM,
        _row("deferred_touches", "lease_until = '2026-12-02Z'", "id = %(pending)s"),
    ),
    "an answer of what nobody claimed": (
        Rule.ONE_ANSWER,
        _event("type = 'touch.released.v1'", "stream_id = %(answered)s and version = 2"),
    ),
    "the delivery of an answer was deleted": (
        Rule.ONE_ANSWER,
        "delete from tickler.deliveries where about_id = %(answered)s returning about_id",
    ),
    "a second delivery of an answer": (
        Rule.ONE_ANSWER,
        f"insert into tickler.deliveries (id, {DELIVERY_COLUMNS}) select gen_random_uuid(),"
        f" {OTHER_ADDRESS}"
        " from tickler.deliveries where about_id = %(answered)s returning about_id",
    ),
    "a claim was taken back before its lease was over": (
        Rule.RECOVERY,
        "update tickler.domain_events set data = jsonb_set(data, '{leaseUntil}', to_jsonb(%(late)s::text))"
        " where version = 2 and stream_id = (select stream_id from tickler.domain_events"
        "  where type = 'touch.recovered.v1') returning stream_id",
    ),
    "something happened to a touch after its end": (
        Rule.TOUCH_IS_OVER,
        INTO_HISTORY
        + " select stream_id, version + 1, 'touch.retried.v1', jsonb_build_object('at', data -> 'at'),"
        " correlation_id, actor, occurred_at"
        " from tickler.domain_events where stream_id = %(nothing_said)s and type = 'touch.closed.v1'"
        " returning stream_id",
    ),
    "an occurrence became no touch": (
        Rule.OCCURRENCE,
        "with gone as (delete from tickler.deferred_touches where plan_id = %(plan)s returning id),"
        " stream as (delete from tickler.domain_events where stream_id in (select id from gone))"
        " select %(plan)s::uuid",
    ),
    "a touch stands for an occurrence that was never made": (
        Rule.OCCURRENCE,
        "with row as ("
        + _row("deferred_touches", "plan_slot = '2031-01-01 12:30'", "plan_id = %(plan)s")
        + ") "
        + _event(
            _data("occurrence,slot", "'\"2031-01-01T12:30:00\"'"),
            "stream_id in (select id from row) and version = 1",
        ),
    ),
    "a plan waits for nothing": (
        Rule.NEXT_AT,
        _row("touch_plans", "next_at = null", "id = %(plan)s"),
    ),
    "a claim of an outbox record without an owner": (
        Rule.OUTBOX_CLAIM,
        "update tickler.outbox set claimed_by = null where message_id = "
        + ONE_SENT
        + " returning message_id",
    ),
    "a person is gone whom an event and its deliveries name": (
        Rule.PERSON_IS_THERE,
        "with gone as (delete from tickler.people where id = %(anna)s returning id)"
        " select e.id from tickler.calendar_events e join gone on gone.id = e.owner_user_id"
        " union select d.id from tickler.deliveries d join gone on gone.id = d.user_id",
    ),
    "a person is gone with their addresses": (
        Rule.PERSON_IS_THERE,
        "with gone as (delete from tickler.people where id = %(anna)s returning id),"
        " addresses as (delete from tickler.contact_points where user_id in (select id from gone))"
        " select t.id from tickler.deferred_touches t join gone on gone.id = t.user_id"
        " union select d.id from tickler.deliveries d join gone on gone.id = d.user_id",
    ),
    "the text of a touch that waits is gone": (
        Rule.TEXT_IS_THERE,
        "delete from tickler.touch_texts where touch_id = %(pending)s returning touch_id",
    ),
    "the words of an answer are gone that was not delivered": (
        Rule.TEXT_IS_THERE,
        "with row as ("
        + _row("deferred_touches", "status = 'Answered'", "id = %(answered)s")
        + "), stream as (delete from tickler.domain_events where stream_id in (select id from row)"
        "  and type = 'touch.delivered.v1')"
        " update tickler.touch_texts set answer = null where touch_id in (select id from row)"
        " returning touch_id",
    ),
    "what was taken in is gone from the inbox": (
        Rule.WAS_TAKEN_IN,
        "delete from tickler.inbox where reminder_id = " + ONE_SENT + " returning reminder_id",
    ),
    "a reminder that waits too long": (
        Rule.STUCK_REMINDER,
        _row("event_reminders", "due_at = '2026-12-01 12:40Z'", "id = " + ONE_WAITING),
    ),
    "a touch that waits too long": (
        Rule.STUCK_TOUCH,
        _row("deferred_touches", "due_at = '2026-12-01 12:40Z'", "id = %(pending)s"),
    ),
    "a plan that waits too long": (
        Rule.STUCK_PLAN,
        _row("touch_plans", "next_at = '2026-12-01 12:40Z'", "id = %(plan)s"),
    ),
    "an outbox record that waits too long": (
        Rule.STUCK_MESSAGE,
        "update tickler.outbox set published_at = null where message_id = "
        + ONE_SENT
        + " returning message_id",
    ),
    "a delivery that waits too long": (
        Rule.STUCK_DELIVERY,
        _row("deliveries", "status = 'Pending'", "id = " + ONE_TOLD),
    ),
    "a touch held beyond its lease": (
        Rule.STUCK_CLAIM,
        _row("deferred_touches", "lease_until = '2026-12-01 12:50Z'", "id = %(held)s"),
    ),
    "a delivery held beyond its lease": (
        Rule.STUCK_CLAIM,
        _row("deliveries", "status = 'Sending', lease_until = '2026-12-01 12:50Z'", "id = " + ONE_TOLD),
    ),
    "an outbox record held beyond its lease": (
        Rule.STUCK_CLAIM,
        "update tickler.outbox set published_at = null, claimed_until = '2026-12-01 12:50Z'"
        " where message_id = " + ONE_SENT + " returning message_id",
    ),
}


def do(connection: "Connection[tuple[Any, ...]]", known: Known, statement: str) -> set[UUID]:
    """Do it; the ids of what it was done to."""
    given = attrs.asdict(known) | {
        "acme": ACME, "other": OTHER, "stranger": STRANGER, "anna": ANNA, "clara": CLARA, "theirs": THEIRS,
        "late": "2026-12-01T13:00:00Z",
    }  # fmt: skip
    connection.execute(DEFENCELESS)
    return {row[0] for row in connection.execute(statement, given).fetchall()}
