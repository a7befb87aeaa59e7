"""A tenant's operator is told of what went wrong, once an hour at most: how many, and their ids.

What goes wrong within an hour is told of in one message, a little after that hour has ended. It is a delivery
like others; one that dies is not told of in its turn. See docs/decisions/0013.
"""

from datetime import datetime, timedelta
from uuid import uuid5

from attrs import frozen

from application.notifying import first_delivery
from application.ports.machine import Ids
from application.ports.notices import Matter, Notice
from application.ports.people import People
from domain.delivery import Template
from domain.values import NoticeId, TenantId

HOUR = timedelta(hours=1)
# What went wrong at the very end of an hour is recorded by then.
GRACE = timedelta(minutes=1)


@frozen
class TellingOperators:
    people: People
    ids: Ids

    def notice(self, tenant_id: TenantId, matter: Matter, at: datetime) -> Notice | None:
        """What is to be kept together with a matter of that instant; None for want of an operator."""
        tenant = self.people.tenant(tenant_id)
        if tenant is None or tenant.operator_id is None:
            return None
        operator = tenant.operator_id
        ends = at.replace(minute=0, second=0, microsecond=0) + HOUR
        id_ = NoticeId(uuid5(tenant_id, f"operator notice {ends.isoformat()}"))
        delivery = first_delivery(
            self.people.recipients({(tenant_id, operator)}).get(operator),
            id=self.ids.new(),
            tenant_id=tenant_id,
            about_id=id_,
            event_id=None,
            user_id=operator,
            template=Template.OPERATOR_NOTICE,
            due_at=ends,
            at=ends + GRACE,
        )
        return Notice(id_, matter, [delivery])
