"""`tickler person erase`."""

from typing import Annotated

import typer

from adapters.inbound.cli.members import PersonArgument
from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, put, put_json, say
from adapters.inbound.cli.people import TenantOption
from adapters.inbound.cli.reading import known_person, tenant_id_of
from domain.errors import Invalid


def erase_person(
    context: typer.Context,
    whom: PersonArgument,
    tenant: TenantOption,
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
        tenant_id = tenant_id_of(services.people, tenant)
        found = known_person(services.people, tenant_id, "PERSON", whom)
        gone = services.people.erase(tenant_id, found.id)
    addresses, titles = (gone.addresses, gone.titles) if gone else (0, 0)
    if as_json:
        put_json({"userId": str(found.id), "addresses": addresses, "titles": titles})
    else:
        put(f"erased {found.id}: {addresses} address(es), {titles} title(s)")
