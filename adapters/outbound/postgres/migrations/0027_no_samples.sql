-- The planner keeps samples of what is in a column, and they outlive it: of a table that has become empty none
-- are ever taken anew. So none are taken of what tells who somebody is, or what was said to them; no plan needs
-- them. A column's type that is set again, though it is the same, drops the samples that are there.

alter table tickler.people
    alter column handle type text, alter column handle set statistics 0,
    alter column time_zone type text, alter column time_zone set statistics 0,
    alter column language type text, alter column language set statistics 0;
alter table tickler.contact_points
    alter column address type text, alter column address set statistics 0,
    alter column secret type text, alter column secret set statistics 0;
alter table tickler.tenants
    alter column agent_url type text, alter column agent_url set statistics 0,
    alter column agent_secret type text, alter column agent_secret set statistics 0;
alter table tickler.deliveries
    alter column address_key type text, alter column address_key set statistics 0,
    alter column reason type text, alter column reason set statistics 0,
    alter column provider_id type text, alter column provider_id set statistics 0;
alter table tickler.delivery_attempts
    alter column reason type text, alter column reason set statistics 0,
    alter column provider_id type text, alter column provider_id set statistics 0;
alter table tickler.quarantine
    alter column key type bytea, alter column key set statistics 0,
    alter column value type bytea, alter column value set statistics 0,
    alter column header_names type text[], alter column header_names set statistics 0,
    alter column header_values type bytea[], alter column header_values set statistics 0,
    alter column fingerprint type bytea, alter column fingerprint set statistics 0;
alter table tickler.texts
    alter column title type text, alter column title set statistics 0;
alter table tickler.touch_texts
    alter column text type text, alter column text set statistics 0,
    alter column answer type text, alter column answer set statistics 0;
alter table tickler.touch_requests
    alter column key type text, alter column key set statistics 0,
    alter column body type text, alter column body set statistics 0;
alter table tickler.plan_texts
    alter column text type text, alter column text set statistics 0;
alter table tickler.plan_requests
    alter column key type text, alter column key set statistics 0,
    alter column body type text, alter column body set statistics 0,
    alter column user_id type uuid, alter column user_id set statistics 0;
alter table tickler.tokens
    alter column digest type bytea, alter column digest set statistics 0;

drop function tickler.forget_samples();
