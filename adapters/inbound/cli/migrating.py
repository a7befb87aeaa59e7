"""`tickler migrate`."""

import re
from typing import Annotated

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, say
from domain.errors import Invalid

ROLES = ("owner", "worker", "api", "readonly")
PREFIX = re.compile(r"[a-z][a-z0-9_]{0,40}", re.ASCII)


def migrate(
    context: typer.Context,
    roles: Annotated[
        bool,
        typer.Option(
            "--roles", help="Make the database's roles too, or set their rights right; see docs/guides."
        ),
    ] = False,
    role_prefix: Annotated[str, typer.Option(help="With --roles: what their names begin with.")] = "tickler",
    as_json: AsJson = False,
) -> None:
    """Bring the database's schema up to date. `run` does it too.

    With --roles the schema is given to tickler_owner, and tickler_worker, tickler_api and tickler_readonly
    may do with it what they need and no more. They cannot log in before you give them passwords.

    \b
    Example: TICKLER_DATABASE_URL=postgresql://… tickler migrate --roles
    """
    if not PREFIX.fullmatch(role_prefix):
        raise Invalid("--role-prefix: a small letter, then at most 40 small letters, digits and underscores")
    applied = list(office(context).migrate(say, role_prefix if roles else None))
    names = [f"{role_prefix}_{role}" for role in ROLES]
    if as_json:
        made: dict[str, Json] = {"roles": names} if roles else {}
        put_json({"applied": applied, **made})
        return
    if applied:
        put(f"applied: {', '.join(applied)}")
    else:
        put("nothing to do: the schema is up to date")
    if roles:
        put(f"roles: {', '.join(names)}")
