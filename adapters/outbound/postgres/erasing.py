"""A person is erased: all that tells who they are, in one transaction.

History and outbox hold ids only, and are left as they are.
"""

from collections.abc import Collection
from collections.abc import Set as AbstractSet

from adapters.outbound.postgres import binary
from adapters.outbound.postgres.session import Session
from application.ports.people import Erased
from domain.values import TenantId, UserId

# Who writes about people holds them together, and whoever erases one holds them alone. No row is locked for
# it: there may be none yet, and an import would write a lock into its owner's row with each of its events.
HOLD = (
    "select pg_advisory_xact_lock_shared(hashtextextended(id::text, 0)) from"
    " (select id from unnest(%b::uuid[]) as b (id) order by id) as b"
)
HOLD_ALONE = "select pg_advisory_xact_lock(hashtextextended(%s::uuid::text, 0))"
# A statement of its own, which sees what was committed while the locks were waited for.
ERASED = "select id from tickler.people where id = any(%b::uuid[]) and is_erased"
LOCK_PERSON = "select is_erased from tickler.people where id = %s and tenant_id = %s for update"
EMPTY_PERSON = (
    "update tickler.people set handle = id::text, language = 'en', time_zone = 'UTC', is_member = false,"
    " is_erased = true"
    " where id = %s"
)
NOBODYS_OPERATOR = "update tickler.tenants set operator_id = null where operator_id = %s"
FORGET_ADDRESSES = "delete from tickler.contact_points where user_id = %s"
FORGET_OPT_OUTS = "delete from tickler.channel_opt_outs where user_id = %s"
# The hash of an address tells whose it is to anybody who guesses the address. The id keeps the key unique.
EMPTY_ATTEMPTS = (
    "update tickler.delivery_attempts a set provider_id = null,"
    " reason = case when a.outcome = 'skipped' then a.reason end"
    " from tickler.deliveries d where d.id = a.delivery_id and d.user_id = %s"
)
EMPTY_DELIVERIES = (
    "update tickler.deliveries set address_key = id::text, provider_id = null,"
    " reason = case when status = 'Skipped' then reason end where user_id = %s"
)
FORGET_TITLES = (
    "delete from tickler.texts where event_id in (select id from tickler.calendar_events"
    " where tenant_id = %s and (owner_user_id = %s or client_user_id = %s))"
)
FORGET_TOUCH_TEXTS = (
    "delete from tickler.touch_texts where touch_id in"
    " (select id from tickler.deferred_touches where user_id = %s)"
)
# A caller chose the key, and the digest tells the text to whoever guesses it.
EMPTY_REQUESTS = (
    "update tickler.touch_requests r set key = r.touch_id::text, body = r.touch_id::text"
    " from tickler.deferred_touches t where t.id = r.touch_id and t.user_id = %s"
)
EMPTY_PLAN_REQUESTS = (
    "update tickler.plan_requests set key = plan_id::text, body = plan_id::text where user_id = %s"
)
FORGET_PLAN_TEXTS = (
    "delete from tickler.plan_texts where plan_id in"
    " (select id from tickler.touch_plans where (terms -> 'target' ->> 'userId')::uuid = %s)"
)


def erased(session: Session, user_ids: Collection[UserId]) -> AbstractSet[UserId]:
    """Who of them is erased; the others are held against it until the transaction ends."""
    ids = binary.uuids([id_.bytes for id_ in set(user_ids)])
    session.rows(HOLD, (ids,))
    return {row[0] for row in session.rows(ERASED, (ids,))}


def erase(session: Session, tenant_id: TenantId, user_id: UserId) -> Erased | None:
    """As the port says; the planner keeps no samples of what is emptied here (0027_no_samples.sql)."""
    session.row(HOLD_ALONE, (user_id,))
    if session.row(LOCK_PERSON, (user_id, tenant_id)) is None:
        return None
    session.change(NOBODYS_OPERATOR, (user_id,))
    addresses = session.change(FORGET_ADDRESSES, (user_id,))
    session.change(FORGET_OPT_OUTS, (user_id,))
    # In the order in which an outcome is written: it then waits for the erasure, or is there and erased.
    session.change(EMPTY_DELIVERIES, (user_id,))
    session.change(EMPTY_ATTEMPTS, (user_id,))
    session.change(EMPTY_REQUESTS, (user_id,))
    session.change(EMPTY_PLAN_REQUESTS, (user_id,))
    session.change(FORGET_TOUCH_TEXTS, (user_id,))
    session.change(FORGET_PLAN_TEXTS, (user_id,))
    titles = session.change(FORGET_TITLES, (tenant_id, user_id, user_id))
    session.change(EMPTY_PERSON, (user_id,))
    return Erased(addresses, titles)
