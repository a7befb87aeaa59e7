"""`tickler person …` and `tickler contact …`: who is reminded, and where they are reached."""

from typing import Annotated

import typer

from adapters.inbound.cli import reading
from adapters.inbound.cli.finding import person_named, tenant_id_of
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import LanguageOption, MaybeTenant, PersonOption, Reveal, TenantOption
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say
from adapters.inbound.cli.reading import handle, maybe_uuid, uuid
from adapters.inbound.cli.targets import note_where_nothing_leaves
from adapters.settings import Settings
from application.ports.channel import Channel
from application.ports.people import ContactPoint, Person, Tenant
from domain.errors import Invalid
from domain.values import ContactPointId, TenantId, UserId, zone

# Whoever has the address of any other channel can send by it as we do.
PLAIN = frozenset({"console", "email", "webhook"})
LAST_SHOWN = 4

person = typer.Typer(no_args_is_help=True, help="The people of a tenant: owners and clients of events.")
contact = typer.Typer(no_args_is_help=True, help="Where a person is reached.")


@person.command("add")
def add_person(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="HANDLE", help="A short name, unique within the tenant.")],
    tenant: TenantOption,
    language: LanguageOption = None,
    zone_name: Annotated[
        str | None,
        typer.Option("--zone", help="An IANA zone such as Europe/Moscow; without one, the tenant's."),
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", help="The id that your own systems know them by.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add a person. A tenant that is new is made along the way.

    \b
    Example: tickler person add anna --tenant acme --language ru --zone Europe/Moscow
    """
    desk = office(context)
    settings = desk.settings
    handle("HANDLE", name)
    given_id = None if id_ is None else UserId(uuid("--id", id_))
    if language is not None:
        reading.language("--language", language)
    if zone_name is not None:
        zone(zone_name)
    if maybe_uuid(tenant) is None:
        handle("--tenant", tenant)
    with desk.open(say) as services:
        home = _tenant(services, settings, tenant, zone_name or settings.time_zone)
        one = Person(
            id=given_id or UserId(services.ids.new()),
            tenant_id=home.id,
            handle=name,
            language=language or home.language,
            time_zone=zone_name or home.time_zone,
        )
        services.people.add_person(one)
    if as_json:
        put_json(person_json(one))
    else:
        put(f"added {one.handle} ({one.id}): language {one.language}, zone {one.time_zone}")


def _tenant(services: Services, settings: Settings, text: str, time_zone: str | None) -> Tenant:
    """The tenant of this handle or id, made now, in this zone, when it is new. No zone is ever guessed."""
    id_ = maybe_uuid(text)
    found = services.people.tenant(TenantId(id_) if id_ else text)
    if found is not None:
        return found
    if time_zone is None:
        raise Invalid(
            f"--zone: the tenant {text!r} is new and has no zone yet; add one, such as --zone Europe/Moscow"
        )
    new = Tenant(
        id=TenantId(id_ or services.ids.new()),
        handle=text.lower() if id_ else text,
        time_zone=time_zone,
        language=settings.language,
    )
    services.people.add_tenant(new)
    say(f"made the tenant {new.handle} ({new.id})")
    return new


@person.command("list")
def list_people(context: typer.Context, tenant: TenantOption, as_json: AsJson = False) -> None:
    """The people of a tenant.

    \b
    Example: tickler person list --tenant acme
    """
    with office(context).open(say) as services:
        found = services.people.of_tenant(tenant_id_of(services.people, tenant))
    if as_json:
        listed: list[Json] = [person_json(one) for one in found]
        put_json(listed)
    elif found:
        put_table(
            ("PERSON", "LANGUAGE", "ZONE", "", "ID"),
            ((one.handle, one.language, one.time_zone, standing(one), str(one.id)) for one in found),
        )
    else:
        put("nobody yet")


@contact.command("add")
def add_contact(
    context: typer.Context,
    whom: PersonOption,
    channel: Annotated[str, typer.Option(help="console, email, webhook, telegram, whatsapp or apprise.")],
    address: Annotated[str, typer.Option(help="A mail address, a URL; for the console any word.")],
    tenant: MaybeTenant = None,
    secret: Annotated[
        str | None, typer.Option(help="What webhooks are signed with, whsec_…; without it one is made.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add an address of a person; the first one added is used first.

    \b
    Example: tickler contact add --tenant acme --person anna --channel email --address anna@b.example
    """
    with office(context).open(say) as services:
        way = channel_named(services, "--channel", channel)
        checked, signed_with = way.check(address), way.secret(secret)
        owner = person_named(services.people, "--person", whom, tenant)
        point = ContactPoint(
            ContactPointId(services.ids.new()), owner.id, way.name, checked, secret=signed_with
        )
        services.people.add_contact_point(point)
        note_where_nothing_leaves(services, way.name)
    if as_json:
        put_json(contact_json(point) | ({"secret": point.secret} if point.secret else {}))
    else:
        put(f"added: {point.channel} ({point.id})")
        if point.secret:
            put(f"signed with {point.secret}: keep it, it is not shown again")


@contact.command("list")
def list_contacts(
    context: typer.Context,
    whom: PersonOption,
    tenant: MaybeTenant = None,
    reveal: Reveal = False,
    as_json: AsJson = False,
) -> None:
    """Where a person is reached, first choice first. Of an address with a token only the end is shown.

    \b
    Example: tickler contact list --tenant acme --person anna
    """
    with office(context).open(say) as services:
        owner = person_named(services.people, "--person", whom, tenant)
        points = services.people.contact_points(owner.id)
    if as_json:
        listed: list[Json] = [contact_json(one, reveal=reveal) for one in points]
        put_json(listed)
    elif points:
        put_table(
            ("CHANNEL", "ADDRESS", "", "ID"),
            (
                (
                    one.channel,
                    address_shown(one, reveal=reveal),
                    "opted out" if one.opted_out else "",
                    str(one.id),
                )
                for one in points
            ),
        )
    else:
        put("none: messages go to the console")


def channel_named(services: Services, option: str, name: str) -> Channel:
    """The channel of this name; Invalid names them all."""
    by_name = {one.name: one for one in services.channels}
    if name not in by_name:
        raise Invalid(f"{option}: {name[:60]!r} is none of {', '.join(by_name)}")
    return by_name[name]


def standing(one: Person) -> str:
    """A word for one who is of the tenant no more."""
    if one.is_erased:
        return "erased"
    return "" if one.is_member else "has left"


def person_json(one: Person) -> dict[str, Json]:
    return {
        "userId": str(one.id),
        "tenantId": str(one.tenant_id),
        "handle": one.handle,
        "language": one.language,
        "timeZone": one.time_zone,
        "isMember": one.is_member,
        "isErased": one.is_erased,
    }


def address_shown(one: ContactPoint, *, reveal: bool = False) -> str:
    """The address; of one with a bot's token only so much that it can be told from others."""
    if reveal or one.channel in PLAIN:
        return one.address
    scheme, colon, rest = one.address.partition("://")
    end = rest[-LAST_SHOWN:] if len(rest) > 4 * LAST_SHOWN else ""
    return f"{scheme}{colon}…{end}"


def contact_json(one: ContactPoint, *, reveal: bool = False) -> dict[str, Json]:
    return {
        "contactPointId": str(one.id),
        "userId": str(one.user_id),
        "channel": one.channel,
        "address": address_shown(one, reveal=reveal),
        "optedOut": one.opted_out,
    }
