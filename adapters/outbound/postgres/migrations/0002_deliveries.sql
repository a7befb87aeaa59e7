-- The consumer's side: what was taken in, the messages that came of it, and whom they reach.

create table tickler.inbox (
    consumer       text        not null,
    reminder_id    uuid        not null,
    received_at    timestamptz not null,
    -- Why: a reminder is taken in once by each consumer, however often it is delivered to it.
    primary key (consumer, reminder_id)
);

create table tickler.deliveries (
    id               uuid        primary key, -- Why: its sender writes the outcome by it.
    tenant_id        uuid        not null,
    reminder_id      uuid        not null,
    event_id         uuid        not null,
    user_id          uuid        not null,
    channel          text        not null,
    contact_point_id uuid,
    address_key      text        not null,
    template         text        not null,
    due_at           timestamptz not null check (due_at >= '1900-01-01Z' and due_at < '2300-01-01Z'),
    not_before       timestamptz not null check (not_before >= '1900-01-01Z' and not_before < '2300-01-01Z'),
    status           text        not null
                     check (status in ('Pending', 'Sending', 'Delivered', 'Failed', 'Unknown', 'Skipped')),
    attempts         bigint      not null check (attempts >= 0),
    claim            bigint      not null check (claim >= 0),
    lease_until      timestamptz,
    reason           text,
    provider_id      text,
    updated_at       timestamptz not null default now(),
    constraint lease_if_and_only_if_sending check ((lease_until is not null) = (status = 'Sending')),
    -- Why: one message about one reminder to one address over one channel; also finds those of a reminder.
    constraint one_message_an_address unique (reminder_id, channel, address_key)
) with (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);

-- Why: the sender of a channel takes the oldest that waits; what is over is not in it.
create index ix_deliveries_pending on tickler.deliveries (channel, due_at, id) where status = 'Pending';

-- Why: those whose lease may have run out are few among many; the lease itself stays out of it.
create index ix_deliveries_sending on tickler.deliveries (channel) where status = 'Sending';

create table tickler.delivery_attempts (
    delivery_id    uuid        not null,
    claim          bigint      not null,
    started_at     timestamptz not null,
    ended_at       timestamptz,
    outcome        text,
    reason         text,
    provider_id    text,
    -- Why: the attempts of one delivery in order, and the one that an outcome belongs to.
    primary key (delivery_id, claim)
);

create table tickler.tenants (
    id             uuid        primary key, -- Why: asked for by id.
    handle         text        not null unique, -- Why: asked for by handle, which is taken once.
    time_zone      text        not null,
    language       text        not null
);

create table tickler.people (
    id             uuid        primary key, -- Why: asked for by id.
    tenant_id      uuid        not null references tickler.tenants,
    handle         text        not null,
    time_zone      text        not null,
    language       text        not null,
    unique (tenant_id, handle) -- Why: asked for by handle, which is taken once in a tenant.
);

create table tickler.contact_points (
    id             uuid        primary key, -- Why: named by deliveries.
    user_id        uuid        not null references tickler.people,
    channel        text        not null,
    address        text        not null,
    position       bigint      not null,
    opted_out      boolean     not null default false,
    unique (user_id, channel, address) -- Why: an address once a person and channel; finds a person's.
);
