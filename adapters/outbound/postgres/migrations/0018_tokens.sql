-- Who may ask for what over the wire. A token's secret is kept nowhere, only its SHA-256.

create table tickler.tokens (
    id               uuid        primary key,
    digest           bytea       not null check (length(digest) = 32),
    tenant_id        uuid        not null,
    name             text        not null,
    scopes           text[]      not null,
    made_at          timestamptz not null,
    expires_at       timestamptz,
    revoked_at       timestamptz,
    parent           uuid, -- the token that opened a session
    user_id          uuid, -- with a session: where what is put off in it goes back to
    channel          text,
    contact_point_id uuid,
    depth            integer,
    constraint session_is_whole check (
        (user_id is null) = (channel is null) and (user_id is null) = (depth is null)
        and (user_id is null) = (parent is null) and (user_id is not null or contact_point_id is null)),
    constraint a_session_ends check (user_id is null or expires_at is not null)
);

-- Why: every request finds its token by it.
create unique index ux_tokens_digest on tickler.tokens (digest);

-- Why: the names of a tenant's own tokens are its own; sessions have the name of the one that opened them.
create unique index ux_tokens_name on tickler.tokens (tenant_id, name) where user_id is null;

-- Why: sessions that ended are removed, oldest first.
create index ix_tokens_sessions_expires_at on tickler.tokens (expires_at) where user_id is not null;

-- Why: the sessions of a token that was revoked are removed.
create index ix_tokens_parent on tickler.tokens (parent) where parent is not null;

-- Why: a session sees what goes back to its own client.
create index ix_deferred_touches_origin on tickler.deferred_touches (tenant_id, user_id, id);
