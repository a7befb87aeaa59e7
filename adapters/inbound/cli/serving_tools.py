"""`tickler mcp`."""

import typer

from adapters.inbound.cli.office import Unready, office
from adapters.inbound.cli.output import say
from application.touching.access import NotAdmitted, NotAllowed


def mcp(context: typer.Context) -> None:
    """Serve an agent's tools over stdin and stdout (Model Context Protocol), for one session.

    The session's token is in TICKLER_TOKEN; POST /api/v1/sessions or `tickler token session` opens one.
    Over HTTP the same tools are at /mcp of `tickler run` where TICKLER_HTTP_PORT is set.

    \b
    Example: TICKLER_TOKEN=tickler_... tickler mcp
    """
    # Of no other command, and a second to load.
    from adapters.inbound.mcp.stdio import serve_stdio

    desk = office(context)
    token = desk.settings.token
    if token is None:
        raise Unready("TICKLER_TOKEN: it is not set; it holds the token of a session")
    with desk.open(say) as services:
        try:
            serve_stdio(services.desk.asking, services.desk.access, token.get_secret_value())
        except NotAdmitted:
            raise Unready("TICKLER_TOKEN: there is no such token, or it holds no more") from None
        except NotAllowed as problem:
            raise Unready(f"TICKLER_TOKEN: {problem}") from None
