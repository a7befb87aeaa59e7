"""Arguments and options that several commands have."""

from typing import Annotated

import typer

LANGUAGE_HELP = "A language's code such as en or ru."

TenantOption = Annotated[str, typer.Option("--tenant", help="A handle or an id.")]
MaybeTenant = Annotated[
    str | None, typer.Option("--tenant", help="A handle or an id; beside an id it is not needed.")
]
OfTenant = Annotated[str | None, typer.Option("--tenant", help="Of this tenant only: a handle or an id.")]
TenantOfOwner = Annotated[
    str | None, typer.Option("--tenant", help="A handle or an id; not needed where --owner is an id we know.")
]
PersonArgument = Annotated[str, typer.Argument(metavar="PERSON", help="A handle or an id.")]
PersonOption = Annotated[str, typer.Option("--person", help="A handle or an id.")]
MaybePerson = Annotated[str | None, typer.Option("--person", help="A handle or an id.")]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show the tokens in addresses too.")]
LanguageOption = Annotated[str | None, typer.Option("--language", help=LANGUAGE_HELP)]
ContactArgument = Annotated[
    str, typer.Argument(metavar="CONTACT", help="Its id, as `tickler contact list` shows it.")
]
EventArgument = Annotated[
    str,
    typer.Argument(
        metavar="EVENT", help="The event's id, as `plan` gave it, or its beginning: 8 letters or more."
    ),
]
