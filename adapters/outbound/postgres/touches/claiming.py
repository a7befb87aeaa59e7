"""Which due touches a worker takes: the tenants take turns, and each one's oldest come first."""

from collections import Counter
from datetime import datetime

from adapters.outbound.postgres.session import Session
from adapters.outbound.postgres.touches.rows import SELECT_TOUCH, read_touch
from application.ports.ledger import Versioned
from application.ports.touches import Room
from domain.deferred_touch import DeferredTouch
from domain.values import TenantId, TouchId

BUSY = (
    "select tenant_id, count(*) from tickler.deferred_touches where status = 'InProgress' group by tenant_id"
)
# From tenant to tenant along the index, whatever the number of rows that each has waiting.
TENANTS = (
    "with recursive tenant (id) as ("
    " (select tenant_id from tickler.deferred_touches where status = 'Pending' order by tenant_id limit 1)"
    " union all"
    " select (select tenant_id from tickler.deferred_touches"
    "  where status = 'Pending' and tenant_id > tenant.id order by tenant_id limit 1)"
    " from tenant where tenant.id is not null)"
    " select tenant.id from tenant cross join lateral ("
    "  select due_at from tickler.deferred_touches"
    "  where tenant_id = tenant.id and status = 'Pending' and due_at < %s and kind = any(%s::text[])"
    "  order by due_at, id limit 1) oldest"
    " where tenant.id is not null and tenant.id <> all(%b::uuid[])"
    " order by oldest.due_at limit %s"
)
OF_TENANT = (
    SELECT_TOUCH + " where tenant_id = %s and status = 'Pending' and due_at < %s"
    " and kind = any(%s::text[]) and id <> all(%b::uuid[])"
    " order by due_at, id limit %s for update skip locked"
)


def due(session: Session, now: datetime, room: Room) -> list[Versioned[DeferredTouch]]:
    """Locked touches by `room`; nobody else's, without waiting. Work-conserving: who has more gets more."""
    kinds = sorted(room.kinds)
    busy: Counter[TenantId] = Counter({row[0]: row[1] for row in session.rows(BUSY)})
    done = {tenant_id for tenant_id, count in busy.items() if count >= room.per_tenant}
    taken: list[Versioned[DeferredTouch]] = []
    while len(taken) < room.limit:
        left = room.limit - len(taken)
        tenants = [row[0] for row in session.rows(TENANTS, (now, kinds, list(done), left))]
        if not tenants:
            break
        for tenant_id in tenants:
            share = min(max(1, left // len(tenants)), room.per_tenant - busy[tenant_id])
            mine: list[TouchId] = [one.state.id for one in taken]
            share = min(share, room.limit - len(taken))
            found = session.rows(OF_TENANT, (tenant_id, now, kinds, mine, share)) if share > 0 else []
            taken += [read_touch(row) for row in found]
            busy[tenant_id] += len(found)
            if len(found) < share or busy[tenant_id] >= room.per_tenant:
                done.add(tenant_id)
    return taken
