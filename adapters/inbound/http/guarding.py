"""What stands before the application: bodies are bounded and strict, and headers mean one thing."""

from email.message import Message as Headed

import anyio
from attrs import frozen
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.inbound.http.problems import problem, told
from adapters.inbound.http.strict_json import MOST_BYTES, check_json
from application.touching.access import NotAdmitted
from domain.errors import Invalid

WITH_A_BODY = ("POST", "PUT", "PATCH")
READ_SECONDS = 10.0
TOOLS = "/mcp"


class _Gone(Exception):
    """The client hung up before its request was whole."""


class _Unfit(Exception):
    """The body will not do, whatever it says."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


@frozen
class BodyGuard:
    """Reads a body whole, at most 64 kB in 10 s, and lets only strict JSON through; 408, 413, 415 or 422.

    Bodies for the tools are messages, which are looked at once it is known who sent them.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in WITH_A_BODY:
            await self.app(scope, receive, send)
            return
        is_for_tools = scope["path"] == TOOLS
        try:
            body = await _fit(Headers(scope=scope), receive)
            if body and not is_for_tools:
                check_json(body)
        except Invalid as error:
            await told(error)(scope, receive, send)
        except _Unfit as unfit:
            tell = _tell_tools_client if is_for_tools else problem
            await tell(unfit.status, str(unfit))(scope, receive, send)
        except _Gone:
            return
        else:
            await self.app(scope, again(body, receive), send)


def _tell_tools_client(status: int, said: str) -> Response:
    """An error of JSON-RPC (Invalid Request), which is all that such a client shows."""
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": said}}, status)


async def _fit(headers: Headers, receive: Receive) -> bytes:
    """The whole body; raises _Unfit, Invalid or _Gone."""
    try:
        with anyio.fail_after(READ_SECONDS):
            body = await _read(headers, receive)
    except TimeoutError:
        raise _Unfit(408, "the body took too long to come") from None
    if body is None:
        raise _Unfit(413, f"body: more than {MOST_BYTES} bytes")
    if len(headers.getlist("idempotency-key")) > 1:
        raise Invalid("Idempotency-Key: it is given more than once")
    if body:
        _check_kind(headers)
    return body


def _check_kind(headers: Headers) -> None:
    headed = Headed()
    for kind in headers.getlist("content-type"):
        headed["Content-Type"] = kind
    if len(headed) != 1 or headed.get_content_type() != "application/json":
        raise _Unfit(415, "body: application/json is wanted")
    if headed.get_content_charset("utf-8") not in ("utf-8", "utf8"):
        raise _Unfit(415, "body: UTF-8 is wanted, and no other charset")
    if any(one.strip().lower() != "identity" for one in headers.getlist("content-encoding")):
        raise _Unfit(415, "body: it is wanted as it is, with no Content-Encoding")


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


def again(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read as if it came in."""
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
