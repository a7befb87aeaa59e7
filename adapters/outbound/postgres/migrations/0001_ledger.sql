-- The ledger: history, the current state that is its lock and index, and the outbox.
-- Instants outside 1900 to 2300 (infinity is one) could be stored and never read back; no column takes them.

create table tickler.domain_events (
    stream_id      uuid        not null,
    version        bigint      not null check (version > 0),
    position       bigint      generated always as identity,
    type           text        not null,
    data           jsonb       not null,
    correlation_id uuid        not null,
    actor          text        not null,
    occurred_at    timestamptz not null,
    recorded_at    timestamptz not null default now(),
    -- Why: a stream is read in order by it, and of two writers with one expected version it lets one in.
    primary key (stream_id, version)
);

create function tickler.refuse_to_change_history() returns trigger language plpgsql as $$
begin
    raise exception 'history is append-only: % of % is refused', tg_op, tg_table_name
        using errcode = 'insufficient_privilege';
end
$$;

create trigger history_is_append_only
    before update or delete or truncate on tickler.domain_events
    for each statement execute function tickler.refuse_to_change_history();

-- Inserted into and never changed: nothing dies here, so only new rows call for a vacuum (visibility map).
alter table tickler.domain_events set (autovacuum_vacuum_insert_scale_factor = 0.05);

create table tickler.calendar_events (
    id             uuid        primary key, -- Why: the lock of every change, and how a cycle finds parents.
    tenant_id      uuid        not null,
    owner_user_id  uuid        not null,
    client_user_id uuid,
    kind           text        not null,
    start_local    timestamp   not null check (start_local >= '1900-01-01' and start_local < '2300-01-01'),
    time_zone      text        not null,
    tz_version     text        not null,
    start_at       timestamptz not null check (start_at >= '1900-01-01Z' and start_at < '2300-01-01Z'),
    end_at         timestamptz check (end_at >= start_at and end_at < '2300-01-01Z'),
    all_day        boolean     not null,
    appointment_id uuid,
    triggers       text[]      not null,
    status         text        not null
                   check (status in ('Planned', 'InProgress', 'Completed', 'Cancelled')),
    version        bigint      not null check (version > 0),
    updated_at     timestamptz not null
-- Room on the page for the next version: a change touches no indexed column, so no index is written.
) with (fillfactor = 90);

-- No foreign key to the event: rows are made again from history in any order, and a reminder whose event is
-- missing is one poison row, not a failure of its batch.
create table tickler.event_reminders (
    id             uuid        primary key, -- Why: a cycle writes its rows by it.
    event_id       uuid        not null,
    tenant_id      uuid        not null,
    trigger        text        not null,
    offset_minutes bigint      not null,
    due_at         timestamptz not null check (due_at >= '1900-01-01Z' and due_at < '2300-01-01Z'),
    status         text        not null check (status in ('Pending', 'Sent', 'Skipped')),
    reason         text        check (reason in
                   ('cancelled', 'completed', 'moved', 'withdrawn', 'past', 'stale')),
    sent_at        timestamptz check (sent_at >= '1900-01-01Z' and sent_at < '2300-01-01Z'),
    version        bigint      not null check (version > 0),
    updated_at     timestamptz not null,
    constraint sent_at_if_and_only_if_sent check ((sent_at is not null) = (status = 'Sent')), -- INV-REM-3
    constraint reason_if_and_only_if_skipped check ((reason is not null) = (status = 'Skipped'))
) with (
    -- A dispatched row leaves the index of Pending rows, so its update is never HOT; room on the page still
    -- spares a second page write. Dead index entries slow the claim: vacuum early, and do not dawdle.
    fillfactor = 90,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);

-- Why: the claim walks it in its own order and stops at the limit; finished rows are not in it.
create index ix_event_reminders_status_due_at on tickler.event_reminders (status, due_at, id)
    where status = 'Pending';

-- Why: INV-REM-6; it also finds the Pending reminders of an event for whoever changes it.
create unique index ux_event_reminders_pending_trigger on tickler.event_reminders (event_id, trigger)
    where status = 'Pending';

-- Why: all reminders of one event, for whoever asks about it.
create index ix_event_reminders_event_id on tickler.event_reminders (event_id);

create table tickler.outbox (
    message_id     uuid        primary key, -- Why: one message a reminder (INV-REM-5), whoever tries again.
    topic          text        not null,
    key            uuid        not null,
    payload        json        not null, -- json, not jsonb: what goes out is, to the byte, what was decided
    headers        jsonb       not null,
    position       bigint      generated always as identity,
    created_at     timestamptz not null default now(),
    claim          bigint      not null default 0,
    claimed_by     text,
    claimed_until  timestamptz,
    published_at   timestamptz,
    parked_at      timestamptz,
    parked_reason  text,
    check ((parked_at is null) = (parked_reason is null)),
    check (published_at is null or parked_at is null)
) with (
    -- A claim touches no indexed column: with room on the page it is a HOT update.
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);

-- Why: the relay takes the oldest of what is still to be published; published and parked ones are not in it.
create index ix_outbox_unpublished on tickler.outbox (position)
    where published_at is null and parked_at is null;

-- Free text about an event, where it can be erased; it is in no other table.
create table tickler.texts (
    event_id       uuid        primary key, -- Why: the title of one event.
    title          text        not null,
    updated_at     timestamptz not null default now()
);
