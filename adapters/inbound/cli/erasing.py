"""`tickler person erase`."""

from typing import Annotated

import typer

from adapters.inbound.cli.finding import person_named
from adapters.inbound.cli.office import office
from adapters.inbound.cli.options import MaybeTenant, PersonArgument
from adapters.inbound.cli.output import AsJson, put, put_json, say
from domain.errors import Invalid


def erase_person(
    context: typer.Context,
    whom: PersonArgument,
    tenant: MaybeTenant = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; it cannot be undone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Empty all that tells who a person is, for good; they leave the tenant if they have not yet.

    Gone are handle, language, zone, addresses, opt-outs, and the titles of all events that they own or are
    the client of, since a title may name them. Events, reminders and messages stay, under an id. Backups are
    yours to see to.

    \b
    Example: tickler person erase anna --tenant acme --yes
    """
    if not yes:
        raise Invalid(
            "--yes: it cannot be undone, and the titles of all events that they own or are the client of"
            " go too; give --yes if that is what you want"
        )
    with office(context).open(say) as services:
        found = person_named(services.people, "PERSON", whom, tenant)
        gone = services.people.erase(found.tenant_id, found.id)
    addresses, titles = (gone.addresses, gone.titles) if gone else (0, 0)
    if as_json:
        put_json({"userId": str(found.id), "addresses": addresses, "titles": titles})
    else:
        put(f"erased {found.id}: {addresses} address(es), {titles} title(s)")
