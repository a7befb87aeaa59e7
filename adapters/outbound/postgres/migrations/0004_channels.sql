-- What signed webhooks and the next contact point after a refusal need to know.

-- Text, and not a hash: messages are signed with it. Null for channels that sign nothing.
alter table tickler.contact_points add column secret text;

-- Whether the answer to any of its attempts was lost; if so, no other contact point is tried after it.
alter table tickler.deliveries add column in_doubt boolean not null default false;
