"""`tickler contact verify`."""

from typing import Annotated

import typer

from adapters.inbound.cli.finding import contact_named, person_named
from adapters.inbound.cli.office import Services, Unready, office
from adapters.inbound.cli.options import MaybePerson, MaybeTenant
from adapters.inbound.cli.output import AsJson, put, put_json, say
from application.ports.channel import Accepted, Channel, Later, Outcome, OutcomeUnknown, RefusedForGood
from application.ports.people import ContactPoint, Person
from domain.errors import Invalid

REFUSED, SURROUNDINGS = 1, 3


def verify(
    context: typer.Context,
    contact_id: Annotated[
        str | None, typer.Argument(metavar="CONTACT_ID", help="As `contact list` shows it.")
    ] = None,
    tenant: MaybeTenant = None,
    whom: MaybePerson = None,
    channel: Annotated[str | None, typer.Option(help="Which of the person's; the first without it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Send a test message to an address, now, and say what its channel answered.

    Exit code 0 when it was accepted, 1 when it was refused for good, 3 when it was put off or nobody knows.

    \b
    Example: tickler contact verify --tenant acme --person anna --channel email
    Example: tickler contact verify 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    if (contact_id is None) == (whom is None):
        raise Invalid("CONTACT_ID: give either the contact's id or --person")
    with office(context).open(say) as services:
        if contact_id is not None:
            point = contact_named(services.people, "CONTACT_ID", contact_id, tenant)
            person = person_named(services.people, "CONTACT_ID", str(point.user_id), None)
        else:
            person = person_named(services.people, "--person", whom or "", tenant)
            point = _of_person(services, person, whom or "", channel)
        outcome = services.verifying.verify(person, point, _sending(services, point.channel))
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


def _of_person(services: Services, found: Person, text: str, channel: str | None) -> ContactPoint:
    points = services.people.contact_points(found.id)
    point = next((one for one in points if channel in (None, one.channel)), None)
    if point is None:
        what = f"contact on {channel!r}" if channel else "contact"
        raise Invalid(f"--person: {text!r} has no {what}; `tickler contact add` adds one")
    return point


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
