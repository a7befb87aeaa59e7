-- By which idempotency key a plan was asked for, so that a repeat of the request is the same plan.

create table tickler.plan_requests (
    tenant_id uuid        not null,
    caller    text        not null,
    key       text        not null,
    body      text        not null,
    plan_id   uuid        not null,
    user_id   uuid        not null, -- for whom it was asked
    made_at   timestamptz not null,
    -- Why: a repeat of a request finds the plan that it made; of two at once it lets one in.
    primary key (tenant_id, caller, key)
);

-- Why: what was asked for somebody who is erased.
create index ix_plan_requests_user on tickler.plan_requests (user_id);
