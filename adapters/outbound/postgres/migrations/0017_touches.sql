-- Deferred touches, the plans that make them, their texts, and who asked for what.

create table tickler.deferred_touches (
    id                 uuid        primary key, -- Why: the lock of every change.
    tenant_id          uuid        not null,
    kind               text        not null,
    user_id            uuid        not null,
    channel            text        not null,
    contact_point_id   uuid,
    due_at             timestamptz not null check (due_at >= '1900-01-01Z' and due_at < '2300-01-01Z'),
    depth              integer     not null check (depth >= 0),
    when_client_writes text        not null check (when_client_writes in ('keep', 'cancel')),
    plan_id            uuid,
    plan_revision      bigint,
    plan_slot          timestamp   check (plan_slot >= '1900-01-01' and plan_slot < '2300-01-01'),
    status             text        not null check (status in
                       ('Pending', 'InProgress', 'Answered', 'Delivered', 'Closed', 'Cancelled', 'Failed')),
    claim              bigint      not null default 0,
    worker             text,
    lease_until        timestamptz,
    failures           integer     not null default 0,
    recoveries         integer     not null default 0,
    rounds             integer     not null default 0,
    reason             text,
    caller             text, -- who asked for it; null for a plan's
    version            bigint      not null check (version > 0),
    updated_at         timestamptz not null,
    constraint a_claim_has_an_owner_and_a_lease check ( -- INV-TCH-3
        (status = 'InProgress') = (worker is not null) and (worker is null) = (lease_until is null)),
    constraint occurrence_is_whole check (
        (plan_id is null) = (plan_revision is null) and (plan_id is null) = (plan_slot is null))
) with (
    -- A heartbeat touches no indexed column: with room on the page it is a HOT update.
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);

-- Why: the claim goes from tenant to tenant by it and takes the oldest of each; finished ones are not in it.
create index ix_deferred_touches_tenant_due_at on tickler.deferred_touches (tenant_id, due_at, id)
    where status = 'Pending';

-- Why: how many a tenant has in work, and which leases have run out. The lease itself is in no index.
create index ix_deferred_touches_in_progress on tickler.deferred_touches (tenant_id, id)
    where status = 'InProgress';

-- Why: the answered ones are looked at until their delivery is over.
create index ix_deferred_touches_answered on tickler.deferred_touches (id) where status = 'Answered';

-- Why: how many of one caller wait, for its quota.
create index ix_deferred_touches_caller_waiting on tickler.deferred_touches (tenant_id, caller)
    where status in ('Pending', 'InProgress');

-- Why: all touches of one person, for whoever erases them or asks what is theirs.
create index ix_deferred_touches_user on tickler.deferred_touches (user_id, id);

-- Why: one touch for each occurrence of a plan, whoever makes it.
create unique index ux_deferred_touches_occurrence
    on tickler.deferred_touches (plan_id, plan_revision, plan_slot) where plan_id is not null;

-- What a touch is about and what came of it, where it can be erased; in no other table.
create table tickler.touch_texts (
    touch_id uuid primary key, -- Why: the texts of one touch.
    text     text,
    answer   text
);

create table tickler.touch_requests (
    tenant_id uuid        not null,
    caller    text        not null,
    key       text        not null,
    body      text        not null,
    touch_id  uuid        not null,
    made_at   timestamptz not null,
    -- Why: a repeat of a request finds the touch that it made; of two at once it lets one in.
    primary key (tenant_id, caller, key)
);

create table tickler.touch_plans (
    id            uuid        primary key, -- Why: the lock of every change.
    tenant_id     uuid        not null,
    revision      bigint      not null check (revision > 0),
    status        text        not null check (status in ('Active', 'Paused', 'Ended')),
    end_reason    text,
    terms         jsonb       not null,
    handled_until timestamptz not null,
    next_at       timestamptz, -- the instant of the next occurrence; null when there is none
    version       bigint      not null check (version > 0),
    updated_at    timestamptz not null,
    constraint only_an_active_plan_has_a_next_occurrence check (next_at is null or status = 'Active')
);

-- Why: the plans whose time has come, the one that waits longest first.
create index ix_touch_plans_next_at on tickler.touch_plans (next_at, id) where next_at is not null;

-- Why: the plans of a tenant.
create index ix_touch_plans_tenant on tickler.touch_plans (tenant_id, id);

create table tickler.plan_texts (
    plan_id uuid primary key, -- Why: the text of one plan.
    text    text
);

alter table tickler.deliveries drop constraint template_is_known;
alter table tickler.deliveries add constraint template_is_known
    check (template in ('AppointmentReminder', 'CalendarReminder', 'OperatorNotice', 'TouchAnswer'));
alter table tickler.deliveries drop constraint event_unless_a_notice;
alter table tickler.deliveries add constraint event_of_a_reminder
    check ((event_id is null) = (template in ('OperatorNotice', 'TouchAnswer')));
