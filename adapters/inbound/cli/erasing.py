"""`tickler person erase`."""

from typing import Annotated

import typer

from adapters.inbound.cli.finding import person_named
from adapters.inbound.cli.office import office
from adapters.inbound.cli.options import MaybeTenant, PersonArgument
from adapters.inbound.cli.output import AsJson, put, put_json, say
from application.erasing import Gone
from application.explaining.explanation import counted
from application.ports.people import Erased
from domain.errors import Invalid

NOTHING = Gone(Erased(0, 0), 0, 0, 0)


def erase_person(
    context: typer.Context,
    whom: PersonArgument,
    tenant: MaybeTenant = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; it cannot be undone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Empty all that tells who a person is, for good; they leave the tenant if they have not yet.

    Gone are handle, language, zone, addresses, opt-outs, the titles of all events that they own or are the
    client of, since a title may name them, and what was to be said to them. Plans that write to them end, and
    what was put off for them is cancelled. Events, reminders, messages and touches stay, under an id. Backups
    are yours to see to.

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
        gone = services.erasing.erase(found.tenant_id, found.id) or NOTHING
    counts = {
        "addresses": gone.emptied.addresses,
        "titles": gone.emptied.titles,
        "touches": gone.touches,
        "plans": gone.plans,
        "left": gone.left,
    }
    if as_json:
        put_json({"userId": str(found.id), **counts})
        return
    put(
        f"erased {found.id}: {counted(gone.emptied.addresses, 'address', 'addresses')},"
        f" {counted(gone.emptied.titles, 'title')}, {counted(gone.touches, 'touch', 'touches')} cancelled,"
        f" {counted(gone.plans, 'plan')} ended"
    )
    if gone.left:
        say(
            f"note: {counted(gone.left, 'touch or plan is', 'touches or plans are')} in work just now;"
            f" nothing of that reaches anybody, and `tickler person erase {found.id} --yes` once more ends it"
        )
