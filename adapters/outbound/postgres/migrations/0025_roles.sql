-- What roles may ask for that may not look at the rows themselves (`tickler migrate --roles`). Each of these works as
-- whoever owns the schema; the search path is fixed, so that nobody else's function is ever called by them.

-- Who is let in, before it is known for which tenant; one whose parent was revoked was revoked with it.
create function tickler.token_of(wanted bytea) returns table (
    id uuid, tenant_id uuid, name text, scopes text[], made_at timestamptz, expires_at timestamptz,
    revoked_at timestamptz, parent uuid, user_id uuid, channel text, contact_point_id uuid, depth integer
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select t.id, t.tenant_id, t.name, t.scopes, t.made_at, t.expires_at, coalesce(t.revoked_at, p.revoked_at),
           t.parent, t.user_id, t.channel, t.contact_point_id, t.depth
      from tickler.tokens t left join tickler.tokens p on p.id = t.parent
     where t.digest = wanted
$$;

-- Whose touch it is; null where there is none, and within the statement that makes it.
create function tickler.tenant_of_touch(wanted uuid) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select tenant_id from tickler.deferred_touches where id = wanted
$$;

-- The planner keeps samples of what was in a column, and only a table's owner may have them taken anew.
create function tickler.forget_samples() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    analyze tickler.people, tickler.contact_points, tickler.texts, tickler.deliveries, tickler.delivery_attempts,
            tickler.touch_texts, tickler.touch_requests, tickler.plan_texts, tickler.plan_requests;
end
$$;

revoke execute on function tickler.token_of(bytea), tickler.tenant_of_touch(uuid), tickler.forget_samples()
    from public;
