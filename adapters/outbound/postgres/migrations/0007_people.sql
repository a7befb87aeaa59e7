-- What a tenant is set to, who is still of it, and the channels that a person opted out of as a whole.

alter table tickler.people
    add column is_member boolean not null default true;

alter table tickler.tenants
    add column default_triggers text[],
    add column all_day_triggers text[],
    add column operator_id      uuid references tickler.people;

create table tickler.channel_opt_outs (
    user_id        uuid        not null references tickler.people,
    channel        text        not null,
    -- Why: asked for by person, once a channel, whatever addresses they have or will have there.
    primary key (user_id, channel)
);
