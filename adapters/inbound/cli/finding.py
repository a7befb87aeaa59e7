"""Which event, tenant, person or address is meant by an id or a handle; Invalid says what would do.

An id is unique by itself: a tenant beside it only narrows.
"""

import re
from uuid import UUID

from attrs import frozen

from adapters.inbound.cli.reading import handle, maybe_uuid, uuid
from application.ports.ledger import Ledger
from application.ports.people import ContactPoint, People, Person, Tenant
from domain.errors import Invalid, NoSuchEvent
from domain.triggers import Trigger
from domain.values import ContactPointId, EventId, TenantId, UserId

BEGINNING = re.compile(r"[0-9a-f]{8,31}")


def find_event(ledger: Ledger, text: str) -> EventId:
    """The event of this id, or of the only id that begins so; whether a whole id exists is not asked.

    Raises Invalid for what is neither, and for a beginning of several; NoSuchEvent for a beginning of none.
    """
    id_ = maybe_uuid(text)
    if id_ is not None:
        return EventId(id_)
    digits = text.replace("-", "").lower()
    if not BEGINNING.fullmatch(digits):
        raise Invalid(
            f"EVENT: {text[:60]!r} is not an id such as 0198c5f0-7d3e-7000-8000-0123456789ab,"
            " nor the first 8 or more of its letters"
        )
    found = ledger.event_ids(UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f")), 2)
    if not found:
        raise NoSuchEvent
    if len(found) > 1:
        raise Invalid(f"EVENT: the ids of several events begin with {text!r}; give more of it")
    return found[0]


def find_tenant(people: People, text: str) -> Tenant | TenantId:
    """The tenant of this handle or id; an id that nobody has told us of stands for itself.

    Invalid for a handle that nobody has there, and for another tenant's person.
    """
    id_ = maybe_uuid(text)
    found = people.tenant(TenantId(id_) if id_ else handle("--tenant", text))
    if found is not None:
        return found
    if id_:
        return TenantId(id_)
    raise Invalid(f"--tenant: there is no tenant {text!r}; `tickler tenant add {text}` adds one")


def known_tenant(people: People, text: str) -> Tenant:
    """The tenant of this handle or id; Invalid for one that nobody has told us of."""
    found = find_tenant(people, text)
    if not isinstance(found, Tenant):
        raise Invalid(
            f"--tenant: there is no tenant {text}; `tickler tenant add HANDLE --id {text}` adds one"
        )
    return found


def tenant_id_of(people: People, text: str) -> TenantId:
    found = find_tenant(people, text)
    return found.id if isinstance(found, Tenant) else found


def usual_reminders(tenant: Tenant | TenantId, *, all_day: bool) -> tuple[Trigger, ...] | None:
    """The tenant's own triggers for events without any; None where it leaves them to us."""
    if not isinstance(tenant, Tenant):
        return None
    if all_day and tenant.all_day_triggers is not None:
        return tenant.all_day_triggers
    return tenant.default_triggers


@frozen
class Somebody:
    """A user by id; of one whom nobody has told us of we know nothing else."""

    id: UserId
    known: bool = False
    time_zone: str | None = None


def find_person(people: People, tenant_id: TenantId, option: str, text: str) -> Somebody:
    """The person of this handle or id; an id that nobody has told us of stands for itself.

    Invalid for a handle that nobody has there, and for another tenant's person.
    """
    id_ = maybe_uuid(text)
    found = people.person(tenant_id, UserId(id_) if id_ else handle(option, text))
    if found is not None:
        return Somebody(found.id, True, found.time_zone)
    if id_ and people.by_id(UserId(id_)) is not None:
        raise Invalid(f"{option}: {text} is a person of another tenant")
    if id_:
        return Somebody(UserId(id_))
    raise Invalid(
        f"{option}: there is no person {text!r} in this tenant; `tickler person add {text}` adds one"
    )


def known_person(people: People, tenant_id: TenantId, option: str, text: str) -> Person:
    """The person of this handle or id; Invalid for one that nobody has told us of."""
    found = people.person(tenant_id, find_person(people, tenant_id, option, text).id)
    if found is None:
        raise _nobody(option, text)
    return found


def person_named(people: People, option: str, text: str, tenant: str | None) -> Person:
    """The person of this id, or of this handle within the tenant; Invalid for one nobody has told us of."""
    if tenant is not None:
        return known_person(people, tenant_id_of(people, tenant), option, text)
    id_ = maybe_uuid(text)
    if id_ is None:
        name = handle(option, text)
        raise Invalid(f"--tenant: {name!r} is a handle, which is one of a tenant; give that, or the id")
    found = people.by_id(UserId(id_))
    if found is None:
        raise _nobody(option, text)
    return found


def owner_named(people: People, text: str, tenant: str | None) -> tuple[Tenant | TenantId, Somebody]:
    """Whose events they are, and the tenant of these: their own, where they are known and none is given."""
    if tenant is None:
        one = person_named(people, "--owner", text, None)
        return people.tenant(one.tenant_id) or one.tenant_id, Somebody(one.id, True, one.time_zone)
    home = find_tenant(people, tenant)
    tenant_id = home.id if isinstance(home, Tenant) else home
    return home, find_person(people, tenant_id, "--owner", text)


def contact_named(people: People, option: str, text: str, tenant: str | None) -> ContactPoint:
    """The contact point of this id; Invalid where there is none, or none of this tenant's."""
    found = people.contact_point(ContactPointId(uuid(option, text)))
    where = "" if tenant is None else " in this tenant"
    if found is not None and tenant is not None:
        is_theirs = people.person(tenant_id_of(people, tenant), found.user_id) is not None
        found = found if is_theirs else None
    if found is None:
        raise Invalid(f"{option}: there is no contact {text}{where}; `tickler contact list` shows them")
    return found


def _nobody(option: str, text: str) -> Invalid:
    return Invalid(f"{option}: there is no person {text!r}; `tickler person add HANDLE --id {text}` adds one")
