"""`tickler contact remove|prefer|opt-out|opt-in`."""

from typing import Annotated

import typer

from adapters.inbound.cli.finding import contact_named, person_named
from adapters.inbound.cli.office import office
from adapters.inbound.cli.options import ContactArgument, MaybePerson, MaybeTenant
from adapters.inbound.cli.output import AsJson, put, put_json, say
from adapters.inbound.cli.people import channel_named, contact_json
from application.ports.people import ContactPoint
from domain.errors import Invalid

MaybeContact = Annotated[
    str | None,
    typer.Argument(metavar="CONTACT", help="One address, by its id; or a whole channel by the options."),
]
MaybeChannel = Annotated[str | None, typer.Option("--channel", help="console, email, webhook or another.")]


def remove_contact(
    context: typer.Context, contact: ContactArgument, tenant: MaybeTenant = None, as_json: AsJson = False
) -> None:
    """Forget an address of a person. Messages that were to go there are skipped.

    \b
    Example: tickler contact remove 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    with office(context).open(say) as services:
        found = contact_named(services.people, "CONTACT", contact, tenant)
        services.people.remove_contact_point(found.id)
    _put("removed", found, as_json)


def prefer_contact(
    context: typer.Context, contact: ContactArgument, tenant: MaybeTenant = None, as_json: AsJson = False
) -> None:
    """Make an address its person's first choice; the others keep their order behind it.

    \b
    Example: tickler contact prefer 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    with office(context).open(say) as services:
        found = contact_named(services.people, "CONTACT", contact, tenant)
        services.people.prefer(found.id)
    _put("first from now on", found, as_json)


def opt_out(
    context: typer.Context,
    contact: MaybeContact = None,
    tenant: MaybeTenant = None,
    whom: MaybePerson = None,
    channel: MaybeChannel = None,
    as_json: AsJson = False,
) -> None:
    """Send a person nothing at one address, or nothing over a channel, at addresses still to come too.

    It also holds for messages that were made before and have not left.

    \b
    Example: tickler contact opt-out --tenant acme --person anna --channel email
    Example: tickler contact opt-out 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    _opt(context, contact, tenant, whom, channel, out=True, as_json=as_json)


def opt_in(
    context: typer.Context,
    contact: MaybeContact = None,
    tenant: MaybeTenant = None,
    whom: MaybePerson = None,
    channel: MaybeChannel = None,
    as_json: AsJson = False,
) -> None:
    """Take an opt-out back: of one address, or of a channel with all its addresses.

    \b
    Example: tickler contact opt-in --tenant acme --person anna --channel email
    """
    _opt(context, contact, tenant, whom, channel, out=False, as_json=as_json)


def _opt(
    context: typer.Context,
    contact: str | None,
    tenant: str | None,
    whom: str | None,
    channel: str | None,
    *,
    out: bool,
    as_json: bool,
) -> None:
    point_id: str | None = None
    with office(context).open(say) as services:
        match contact, whom, channel:
            case str(), None, None:
                found = contact_named(services.people, "CONTACT", contact, tenant)
                services.people.opt_out(found.id, out)
                user_id, name, point_id = found.user_id, found.channel, str(found.id)
                is_out = services.people.contact_point(found.id)
                if not out and is_out is not None and is_out.opted_out:
                    raise Invalid(f"CONTACT: all of {name} is opted out of; opt in by --channel {name}")
            case None, str(), str():
                name = channel_named(services, "--channel", channel).name
                person = person_named(services.people, "--person", whom, tenant)
                services.people.opt_out_of(person.id, name, out)
                user_id = person.id
            case _:
                raise Invalid("CONTACT: give it alone, or --tenant, --person and --channel")
    if as_json:
        put_json({"userId": str(user_id), "channel": name, "contactPointId": point_id, "optedOut": out})
    else:
        put(f"opted {'out of' if out else 'in to'} {name}" + (f" ({point_id})" if point_id else ""))


def _put(what: str, point: ContactPoint, as_json: bool) -> None:
    if as_json:
        put_json(contact_json(point))
    else:
        put(f"{what}: {point.channel} ({point.id})")
