"""`tickler migrate`."""

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, put, put_json, say


def migrate(context: typer.Context, as_json: AsJson = False) -> None:
    """Bring the database's schema up to date. `run` does it too.

    \b
    Example: TICKLER_DATABASE_URL=postgresql://… tickler migrate
    """
    applied = list(office(context).migrate(say))
    if as_json:
        put_json({"applied": applied})
    elif applied:
        put(f"applied: {', '.join(applied)}")
    else:
        put("nothing to do: the schema is up to date")
