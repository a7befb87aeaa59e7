"""Whom to turn to at a tenant: a person of it, or an address for which one is made."""

from attrs import evolve

from adapters.inbound.cli.finding import find_person
from adapters.inbound.cli.office import Services
from adapters.inbound.cli.output import say
from adapters.inbound.cli.people import channel_named
from application.ports.channel import Channel
from application.ports.errors import PersonIsErased
from application.ports.people import ContactPoint, Person, Tenant
from domain.errors import Invalid
from domain.values import ContactPointId, UserId

OPERATOR = "operator"


def operator_of(services: Services, tenant: Tenant, text: str) -> UserId:
    """The person whom this handle, id or CHANNEL:ADDRESS means; Invalid for nobody of this tenant."""
    address = address_of(services, text)
    if address is not None:
        return person_at(services, tenant, *address)
    somebody = find_person(services.people, tenant.id, "--operator", text)
    found = services.people.person(tenant.id, somebody.id)
    if found is not None and found.is_erased:
        raise PersonIsErased(found.id)
    if found is None or not found.is_member:
        raise Invalid(f"--operator: {text!r} is nobody of this tenant")
    return found.id


def address_of(services: Services, text: str) -> tuple[Channel, str] | None:
    """The channel and the address of `CHANNEL:ADDRESS`; None for what is a person."""
    name, colon, address = text.partition(":")
    if not colon:
        return None
    way = channel_named(services, "--operator", name)
    return way, way.check(address)


def person_at(services: Services, tenant: Tenant, way: Channel, address: str) -> UserId:
    """The person who stands for an operator's address, made when there is none; the address comes first."""
    people = services.people
    found = people.person(tenant.id, OPERATOR)
    if found is None:
        id_ = UserId(services.ids.new())
        found = Person(id_, tenant.id, OPERATOR, tenant.language, tenant.time_zone)
        people.add_person(found)
    elif not found.is_member:
        people.set_person(evolve(found, is_member=True))
    points = people.contact_points(found.id)
    here = next((one for one in points if (one.channel, one.address) == (way.name, address)), None)
    if here is None:
        here = ContactPoint(
            ContactPointId(services.ids.new()), found.id, way.name, address, secret=way.secret(None)
        )
        people.add_contact_point(here)
        if here.secret:
            say(f"signed with {here.secret}: keep it, it is not shown again")
    people.prefer(here.id)
    return found.id
