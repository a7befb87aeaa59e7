"""Whom a touch is for, and at which address; the same for touches and plans."""

from typing import Annotated

import typer

from adapters.inbound.cli.finding import contact_named
from adapters.inbound.cli.office import Services
from adapters.inbound.cli.output import say
from application.notifying import CONSOLE, preferred
from application.ports.people import People, Person
from domain.errors import Invalid
from domain.values import Origin

ForOption = Annotated[str, typer.Option("--for", metavar="PERSON", help="A handle or an id.")]
MaybeFor = Annotated[str | None, typer.Option("--for", metavar="PERSON", help="A handle or an id.")]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="CONTACT", help="One of their addresses, by its id; without it the preferred one."
    ),
]


def note_where_nothing_leaves(services: Services, channel: str) -> None:
    """Say so of a channel that a process with these settings does not send on."""
    if channel == "email" and all(one.channel.name != channel for one in services.delivering):
        say("note: TICKLER_SMTP_HOST is not set here; e-mail leaves where `tickler run` is started with it")


def origin_of(people: People, person: Person, contact: str | None) -> Origin:
    """The address given, or the one that they prefer; the console for one without any.

    Raises Invalid for an address of somebody else, and for a person who has left.
    """
    if not person.is_member:
        raise Invalid(f"--for: {person.handle} has left")
    if contact is None:
        point = preferred(people.contact_points(person.id))
        return Origin(person.id, CONSOLE) if point is None else Origin(person.id, point.channel, point.id)
    point = contact_named(people, "--to", contact, None)
    if point.user_id != person.id:
        raise Invalid(f"--to: {contact} is not an address of {person.handle}")
    return Origin(person.id, point.channel, point.id)
