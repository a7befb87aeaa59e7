"""The tools over stdin and stdout: one process for one session, whose token it was started with."""

import anyio
from mcp.server.stdio import stdio_server

from adapters.inbound.mcp.serving import make_server
from adapters.inbound.mcp.tools import Toolbox
from application.touching.access import Access, session_of
from application.touching.asking import Asking


def serve_stdio(asking: Asking, access: Access, secret: str) -> None:
    """Serve until stdin ends. Raises NotAdmitted or NotAllowed at once for a token that is no session's."""
    session_of(access.admit(secret))
    # Asked again at each call: the session may end while the process goes on.
    server = make_server(Toolbox(asking), lambda _: access.admit(secret))

    async def serve() -> None:
        async with stdio_server() as (receiving, sending):
            await server.run(receiving, sending, server.create_initialization_options())

    anyio.run(serve)
