"""The door of the tools over HTTP: who is let in, from where, and with what."""

from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from attrs import frozen
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from adapters.inbound.http.guarding import again, bearer
from adapters.inbound.http.pacing import RequestRates
from adapters.inbound.http.problems import TooFast, problem, told
from adapters.inbound.mcp.messages import NoMessage, read_message
from application.ports.tokens import Token
from application.touching.access import session_of

REFUSAL = "tickler.refusal"


@frozen
class SessionsOnly:
    """Lets only sessions' tokens through to the application behind it, with a message that it can read.

    A page of another host's is refused (MCP 2025-06-18, transports, security warning).

    A call that is refused, or that comes too fast, goes on: it is an agent that has to read of it.
    """

    app: ASGIApp
    admit: Callable[[str], Token]
    rates: RequestRates | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if not _is_from_here(headers, scope):
            await problem(403, "Origin: no page of another host may speak to the tools")(scope, receive, send)
            return
        too_fast = None
        try:
            token = await run_in_threadpool(self.admit, bearer(headers))
            session_of(token)
            if self.rates is not None:
                self.rates.take(token.id)
        except TooFast as error:
            too_fast = str(error)
        except Exception as error:
            await told(error)(scope, receive, send)
            return
        try:
            message = read_message(await Request(scope, receive).body())
        except NoMessage as error:
            said = error.answer().model_dump_json(by_alias=True, exclude_unset=True)
            await Response(said, 400, media_type="application/json")(scope, receive, send)
            return
        scope[REFUSAL] = too_fast or message.refusal
        await self.app(scope, again(message.body, receive), send)


def _is_from_here(headers: Headers, scope: Scope) -> bool:
    """Whether it comes from no page, or from one of the address that it came in at.

    A name proves nothing, since whoever owns it lets it mean any address; localhost is nobody's.
    """
    origins = headers.getlist("origin")
    if not origins:
        return True
    here = (scope.get("server") or ("",))[0]
    try:
        host = urlsplit(origins[0]).hostname
        own = {here, "localhost"} if ip_address(here).is_loopback else {here}
    except ValueError:
        return False
    return len(origins) == 1 and host in own
