"""For which tenant this thread or task asks, as the token says with which it was let in.

What is asked over the wire carries it to the database, whose policies show that tenant's rows and no others'.
Where it was never said, nothing is shown.
"""

from contextvars import ContextVar

from domain.values import TenantId

_tenant: ContextVar[TenantId | None] = ContextVar("tenant", default=None)


def speak_for(tenant_id: TenantId) -> None:
    """From now on in this context, and in the threads that are started with a copy of it."""
    _tenant.set(tenant_id)


def spoken_for() -> TenantId | None:
    return _tenant.get()
