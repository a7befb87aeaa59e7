"""What each role may do, table by table; `update (…)` of one column is what a row lock wants."""

import re
from collections.abc import Iterator, Mapping, Sequence

RIGHT = re.compile(r"(select|insert|update|delete)(?: \(([^)]*)\))?")

TENANT = "(select nullif(current_setting('tickler.tenant', true), '')::uuid)"
MINE = f"tenant_id = {TENANT}"
OF_MY_PERSON = "exists (select from tickler.people p where p.id = user_id)"
OF_MY_TOUCH = "exists (select from tickler.deferred_touches t where t.id = touch_id)"
OF_MY_PLAN = "exists (select from tickler.touch_plans p where p.id = plan_id)"
# A touch and its text are made in one statement, which does not see the touch yet.
OF_NO_OTHERS_TOUCH = f"coalesce(tickler.tenant_of_touch(touch_id) = {TENANT}, true)"
# Whoever is erased keeps a row; its policy lets the API see those of its own tenant alone.
FOR_MY_PERSON = f"{MINE} and {OF_MY_PERSON}"
FOR_MY_TARGET = (
    f"{MINE} and exists (select from tickler.people p where p.id = (terms -> 'target' ->> 'userId')::uuid)"
)

# What the API may see and write, table by table: (command, using, with check).
POLICIES: Mapping[str, Sequence[tuple[str, str | None, str | None]]] = {
    "tokens": [("all", MINE, MINE)],
    "tenants": [("select", f"id = {TENANT}", None)],
    # Whoever is locked against being erased is not changed by that: nothing that is written passes.
    "people": [("select", MINE, None), ("update", MINE, "false")],
    "contact_points": [("select", OF_MY_PERSON, None)],
    "channel_opt_outs": [("select", OF_MY_PERSON, None)],
    # What a plan puts off is made by the worker: a touch here cannot take an occurrence of another's plan.
    "deferred_touches": [
        ("select", MINE, None),
        ("insert", None, f"{FOR_MY_PERSON} and plan_id is null"),
        ("update", MINE, MINE),
    ],
    "touch_requests": [("all", MINE, MINE)],
    "touch_texts": [
        ("select", OF_MY_TOUCH, None),
        ("insert", None, OF_NO_OTHERS_TOUCH),
        ("update", OF_MY_TOUCH, OF_MY_TOUCH),
    ],
    "touch_plans": [
        ("select", MINE, None),
        ("insert", None, FOR_MY_TARGET),
        ("update", MINE, FOR_MY_TARGET),
    ],
    "plan_texts": [("all", OF_MY_PLAN, OF_MY_PLAN)],
    "plan_requests": [("all", MINE, MINE)],
}

SEEN_OF_TOKENS = (
    "id, tenant_id, name, scopes, made_at, expires_at, revoked_at, parent, user_id, channel,"
    " contact_point_id, depth"
)
SEEN_OF_POINTS = "id, user_id, channel, position, opted_out"
SEEN_OF_TENANTS = "id, handle, time_zone, language, default_triggers, all_day_triggers, operator_id"
# Not whose it is, where it goes back to, or which plan's: those are said once.
CHANGED_OF_TOUCHES = (
    "due_at, status, claim, worker, lease_until, failures, recoveries, rounds, rounds_before, reason,"
    " version, updated_at"
)

API = {
    "tokens": f"select ({SEEN_OF_TOKENS}), insert, update (revoked_at), delete",
    "tenants": f"select ({SEEN_OF_TENANTS}, agent_url)",
    "people": (
        "select (id, tenant_id, handle, language, time_zone, is_member, is_erased), update (language)"
    ),
    "contact_points": f"select ({SEEN_OF_POINTS})",
    "channel_opt_outs": "select",
    "deferred_touches": f"select, insert, update ({CHANGED_OF_TOUCHES})",
    "touch_requests": "select, insert, update (key)",
    "touch_texts": "select, insert, update",
    "touch_plans": "select, insert, update",
    "plan_texts": "select, insert, update",
    "plan_requests": "select, insert, update (key)",
    "domain_events": "insert",
    "schema_migrations": "select",
}

WORKER = {
    "domain_events": "select, insert",
    "calendar_events": "select, insert, update",
    "event_reminders": "select, insert, update, delete",
    "outbox": (
        "select, insert, delete,"
        " update (claim, claimed_by, claimed_until, published_at, parked_at, parked_reason)"
    ),
    "texts": "select, insert, update, delete",
    "inbox": "select, insert, delete, update (received_at)",
    "deliveries": "select, insert, update, delete",
    "delivery_attempts": "select, insert, update, delete",
    "notice_matters": "select, insert, delete",
    "tenants": "select, insert, update",
    "people": "select, insert, update",
    "contact_points": "select, insert, update, delete",
    "channel_opt_outs": "select, insert, delete",
    "imports": "select, insert, update, delete",
    "quarantine": "select, insert, delete, update (at)",
    "deferred_touches": "select, insert, update, delete",
    "touch_texts": "select, insert, update, delete",
    "touch_requests": "select, insert, update, delete",
    "touch_plans": "select, insert, update",
    "plan_texts": "select, insert, update, delete",
    "plan_requests": "select, insert, update, delete",
    "tokens": "select, insert, update (revoked_at), delete",
    "pruning_marks": "select, insert, update",
    "schema_migrations": "select",
}

READONLY = {
    "domain_events": "select",
    "calendar_events": "select",
    "event_reminders": "select",
    "outbox": "select",
    "texts": "select (event_id, updated_at)",
    "inbox": "select",
    "deliveries": (
        "select (id, tenant_id, about_id, event_id, user_id, channel, contact_point_id, template, due_at,"
        " not_before, status, attempts, claim, lease_until, in_doubt, updated_at, traceparent)"
    ),
    "delivery_attempts": "select (delivery_id, claim, started_at, ended_at, outcome)",
    "notice_matters": "select",
    "tenants": f"select ({SEEN_OF_TENANTS})",
    "people": "select (id, tenant_id, time_zone, language, is_member, is_erased)",
    "contact_points": f"select ({SEEN_OF_POINTS})",
    "channel_opt_outs": "select",
    "imports": "select",
    "quarantine": 'select (topic, partition, "offset", reason, at)',
    "deferred_touches": "select",
    "touch_texts": "select (touch_id)",
    "touch_requests": "select (tenant_id, caller, touch_id, made_at)",
    "touch_plans": "select",
    "plan_texts": "select (plan_id)",
    "plan_requests": "select (tenant_id, caller, plan_id, made_at)",
    "tokens": f"select ({SEEN_OF_TOKENS})",
    "pruning_marks": "select",
    "schema_migrations": "select",
}

TOKEN_OF = "token_of(bytea)"
TENANT_OF_TOUCH = "tenant_of_touch(uuid)"
FUNCTIONS = {
    "worker": [TOKEN_OF],
    "api": [TOKEN_OF, TENANT_OF_TOUCH],
    "readonly": [],
}


def singly(rights: str) -> Iterator[tuple[str, str | None]]:
    """Each right of those above on a table, of one column or of all."""
    for right, columns in RIGHT.findall(rights):
        for column in columns.split(","):
            yield right, column.strip().strip('"') or None
