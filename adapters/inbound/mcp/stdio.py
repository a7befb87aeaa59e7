"""The tools over stdin and stdout: one process for one session, whose token it was started with."""

import sys
from io import TextIOWrapper

import anyio
from mcp.server.stdio import stdio_server

from adapters.inbound.http.strict_json import without_halves
from adapters.inbound.mcp.serving import Requested, make_server
from adapters.inbound.mcp.tools import Toolbox
from adapters.tenancy import speak_for
from application.ports.tokens import Token
from application.touching.access import Access, session_of
from application.touching.asking import Asking


def serve_stdio(asking: Asking, access: Access, secret: str) -> None:
    """Serve until stdin ends. Raises NotAdmitted or NotAllowed at once for a token that is no session's."""
    session_of(access.admit(secret))

    def session(_: Requested) -> Token:
        # Asked again at each call: the session may end while the process goes on.
        token = access.admit(secret)
        speak_for(token.tenant_id)
        return token

    server = make_server(Toolbox(asking), session)

    async def serve() -> None:
        lines = anyio.wrap_file(_Lines(sys.stdin.buffer, encoding="utf-8", errors="replace"))
        async with stdio_server(lines) as (receiving, sending):
            await server.run(receiving, sending, server.create_initialization_options())

    anyio.run(serve)


class _Lines(TextIOWrapper):
    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        return without_halves(super().readline(size))
