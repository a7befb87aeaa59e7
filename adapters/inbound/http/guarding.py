"""What stands before the application: bodies are bounded and strict, and tools are for those let in."""

from collections.abc import Callable

import anyio
from attrs import frozen
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.inbound.http.pacing import RequestRates
from adapters.inbound.http.problems import TooFast, problem, told
from adapters.inbound.http.strict_json import MOST_BYTES, call_without_arguments, check_json
from application.ports.tokens import Token
from application.touching.access import NotAdmitted, session_of
from domain.errors import Invalid

WITH_A_BODY = ("POST", "PUT", "PATCH")
READ_SECONDS = 10.0
TOOLS = "/mcp"
REFUSAL = "tickler.refusal"


class _Gone(Exception):
    """The client hung up before its request was whole."""


@frozen
class BodyGuard:
    """Reads a body whole, at most 64 kB in 10 s, and lets only strict JSON through; 408, 413, 415 or 422.

    A tool's call that is refused goes on without its arguments, with the reason in the scope: whoever called
    is told of it as of all that tools refuse.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in WITH_A_BODY:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            with anyio.fail_after(READ_SECONDS):
                body = await _read(headers, receive)
        except TimeoutError:
            await problem(408, "the body took too long to come")(scope, receive, send)
            return
        except _Gone:
            return
        refused = _looked_at(headers, body)
        if isinstance(refused, Invalid) and scope["path"] == TOOLS:
            bare = call_without_arguments(body or b"")
            if bare is not None:
                body, scope[REFUSAL], refused = bare, str(refused), None
        if refused is not None:
            await (told(refused) if isinstance(refused, Invalid) else refused)(scope, receive, send)
            return
        await self.app(scope, _again(body or b"", receive), send)


async def _read(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body; None for one that is too long."""
    declared = headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:20]) > MOST_BYTES:
        return None
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _Gone
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _looked_at(headers: Headers, body: bytes | None) -> Response | Invalid | None:
    """What is answered to a body that will not do; None for one that will, and for an empty one."""
    if body is None:
        return problem(413, f"body: more than {MOST_BYTES} bytes")
    if not body:
        return None
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return problem(415, "body: application/json is wanted")
    try:
        check_json(body)
    except Invalid as error:
        return error
    return None


def _again(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def bearer(headers: Headers) -> str:
    """The secret in the Authorization header; NotAdmitted where there is none, or more than one."""
    given = headers.getlist("authorization")
    scheme, _, secret = (given[0] if len(given) == 1 else "").partition(" ")
    if scheme.lower() != "bearer":
        raise NotAdmitted
    return secret.strip()


@frozen
class SessionsOnly:
    """Lets only sessions' tokens through to the application behind it, whatever they ask there.

    A call that comes too fast goes on, as one that is refused: it is an agent that has to read of it.
    """

    app: ASGIApp
    admit: Callable[[str], Token]
    rates: RequestRates | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            token = await run_in_threadpool(self.admit, bearer(Headers(scope=scope)))
            session_of(token)
            if self.rates is not None:
                self.rates.take(token.id)
        except TooFast as error:
            scope[REFUSAL] = str(error)
        except Exception as error:
            await told(error)(scope, receive, send)
            return
        await self.app(scope, receive, send)
