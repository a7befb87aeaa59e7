"""`tickler contact verify`."""

from typing import Annotated

import typer

from adapters.inbound.cli.office import Services, Unready, office
from adapters.inbound.cli.output import AsJson, put, put_json, say
from adapters.inbound.cli.reading import find_person, tenant_id_of, uuid
from application.ports.channel import Accepted, Channel, Later, Outcome, OutcomeUnknown, RefusedForGood
from application.ports.people import ContactPoint, Recipient
from domain.errors import Invalid
from domain.values import TenantId

REFUSED, SURROUNDINGS = 1, 3


def verify(
    context: typer.Context,
    tenant: Annotated[str, typer.Option(help="A handle or an id.")],
    contact_id: Annotated[
        str | None, typer.Argument(metavar="CONTACT_ID", help="As `contact list` shows it.")
    ] = None,
    whom: Annotated[str | None, typer.Option("--person", help="A handle or an id.")] = None,
    channel: Annotated[str | None, typer.Option(help="Which of the person's; the first without it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Send a test message to an address, now, and say what its channel answered.

    Exit code 0 when it was accepted, 1 when it was refused for good, 3 when it was put off or nobody knows.

    \b
    Example: tickler contact verify --tenant acme --person anna --channel email
    """
    if (contact_id is None) == (whom is None):
        raise Invalid("CONTACT_ID: give either the contact's id or --person")
    with office(context).open(say) as services:
        tenant_id = tenant_id_of(services.people, tenant)
        if contact_id is not None:
            recipient, point = _by_id(services, tenant_id, contact_id)
        else:
            recipient, point = _of_person(services, tenant_id, whom or "", channel)
        outcome = services.verifying.verify(recipient.person, point, _sending(services, point.channel))
    name, reason, code = _told(outcome)
    if as_json:
        put_json(
            {
                "contactPointId": str(point.id),
                "channel": point.channel,
                "outcome": name,
                "reason": reason,
                "providerId": outcome.provider_id if isinstance(outcome, Accepted) else None,
            }
        )
    else:
        put(f"{point.channel} ({point.id}): {name}" + (f": {reason}" if reason else ""))
    if code:
        raise typer.Exit(code)


def _by_id(services: Services, tenant_id: TenantId, text: str) -> tuple[Recipient, ContactPoint]:
    wanted = uuid("CONTACT_ID", text)
    everybody = {(tenant_id, one.id) for one in services.people.of_tenant(tenant_id)}
    for recipient in services.people.recipients(everybody).values():
        for point in recipient.contact_points:
            if point.id == wanted:
                return recipient, point
    raise Invalid(f"CONTACT_ID: there is no contact {text} in this tenant; `tickler contact list` shows them")


def _of_person(
    services: Services, tenant_id: TenantId, text: str, channel: str | None
) -> tuple[Recipient, ContactPoint]:
    found = find_person(services.people, tenant_id, "--person", text)
    recipient = services.people.recipients({(tenant_id, found.id)}).get(found.id)
    points = recipient.contact_points if recipient else ()
    point = next((one for one in points if channel in (None, one.channel)), None)
    if recipient is None or point is None:
        what = f"contact on {channel!r}" if channel else "contact"
        raise Invalid(f"--person: {text!r} has no {what}; `tickler contact add` adds one")
    return recipient, point


def _sending(services: Services, name: str) -> Channel:
    """The channel where it can send; it cannot before it is set up."""
    found = next((one.channel for one in services.delivering if one.channel.name == name), None)
    if found is None:
        hint = ": TICKLER_SMTP_HOST is not set" if name == "email" else ""
        raise Unready(f"the channel {name} cannot send{hint}")
    return found


def _told(outcome: Outcome) -> tuple[str, str | None, int]:
    match outcome:
        case Accepted():
            return "accepted", None, 0
        case RefusedForGood(reason):
            return "refused", reason, REFUSED
        case Later(reason, wait):
            return "later", reason + (f", not before {wait}" if wait else ""), SURROUNDINGS
        case OutcomeUnknown(reason):
            return "unknown", reason, SURROUNDINGS
