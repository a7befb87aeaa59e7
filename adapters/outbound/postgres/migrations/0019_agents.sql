-- Where a tenant's agents are called for deferred touches, and what the calls are signed with.

alter table tickler.tenants
    add column agent_url    text,
    add column agent_secret text,
    add constraint an_agent_has_a_secret check ((agent_url is null) = (agent_secret is null));
