"""What must hold in the database after every fault, whatever was killed when."""

import psycopg

CHECKS = {
    "every reminder that is due is over": """
        select id from tickler.event_reminders where status = 'Pending' and due_at < %(as_of)s""",
    "a sent reminder has exactly one outbox record, and nothing else has one": """
        select coalesce(r.id, o.message_id) from tickler.event_reminders r
        full join tickler.outbox o on o.message_id = r.id
        where (r.status = 'Sent') is distinct from (o.message_id is not null)""",
    "a sent reminder has exactly one ReminderSent in its history, and nothing else has one": """
        select r.id from tickler.event_reminders r
        left join tickler.domain_events e on e.stream_id = r.id and e.type = 'reminder.sent.v1'
        group by r.id, r.status having count(e.stream_id) <> (r.status = 'Sent')::int""",
    "a skipped reminder has exactly one ReminderSkipped in its history, and nothing else has one": """
        select r.id from tickler.event_reminders r
        left join tickler.domain_events e on e.stream_id = r.id and e.type = 'reminder.skipped.v1'
        group by r.id, r.status having count(e.stream_id) <> (r.status = 'Skipped')::int""",
    "the versions of a stream are 1 to n": """
        select stream_id from tickler.domain_events
        group by stream_id having max(version) <> count(*) or min(version) <> 1""",
    "a row stands at the version of its history": """
        select r.id from tickler.event_reminders r
        join (select stream_id, max(version) as version from tickler.domain_events group by stream_id) h
          on h.stream_id = r.id
        where h.version <> r.version""",
    "nothing was sent for an event that is cancelled": """
        select r.id from tickler.event_reminders r join tickler.calendar_events e on e.id = r.event_id
        where r.status = 'Sent' and e.status = 'Cancelled'""",
}


def breaches(conninfo: str, as_of: str = "infinity") -> dict[str, list[str]]:
    """The checks that do not hold, each with ids; an empty dictionary when all is well."""
    with psycopg.connect(conninfo) as connection:
        found = {
            name: [str(row[0]) for row in connection.execute(check, {"as_of": as_of}).fetchall()]
            for name, check in CHECKS.items()
        }
    return {name: ids for name, ids in found.items() if ids}
