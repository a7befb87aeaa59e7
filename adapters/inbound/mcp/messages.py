"""What a client sends, looked at before the SDK reads it: strict JSON, and one message of JSON-RPC 2.0."""

import json
from typing import Any

from attrs import frozen
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from adapters.inbound.http.strict_json import NoJson, check_json
from domain.errors import Invalid

ONE_MESSAGE = "message: one object of JSON-RPC 2.0 is wanted, such as a request with jsonrpc, id and method"


@frozen
class Message:
    """`body` is what the SDK may read. Where a tool's call was refused it is the call without its arguments,
    and `refusal` says why: whoever called is told of it as of all that tools refuse.
    """

    body: bytes
    refusal: str | None = None


class NoMessage(Exception):
    """It is answered with an error of JSON-RPC; `request_id` is None where nobody can tell whose it is."""

    def __init__(self, code: int, said: str, request_id: int | str | None = None) -> None:
        super().__init__(said)
        self.code = code
        self.request_id = request_id

    def answer(self) -> JSONRPCError:
        return JSONRPCError(
            jsonrpc="2.0", id=self.request_id, error=ErrorData(code=self.code, message=str(self))
        )


def read_message(body: bytes) -> Message:
    """Raises NoMessage for what is neither a message nor a tool's call that can be told of its refusal."""
    try:
        check_json(body)
    except Invalid as problem:
        return _refused(body, problem)
    found = json.loads(body)
    try:
        jsonrpc_message_adapter.validate_python(found, by_name=False)
    except ValidationError:
        raise NoMessage(INVALID_REQUEST, ONE_MESSAGE, _id_of(found)) from None
    match found:
        case {"method": "tools/call", "params": {"arguments": dict() | None}}:
            return Message(body)
        case {"method": "tools/call", "params": {"arguments": _}}:
            return _refused(body, Invalid("body: an object is wanted"))
        case _:
            return Message(body)


def _refused(body: bytes, problem: Invalid) -> Message:
    try:
        found = json.loads(body.decode(errors="replace"))
    except (ValueError, RecursionError):
        found = None
    bare = _without_arguments(found)
    if bare is not None:
        return Message(bare, _of("arguments", problem).removeprefix("params.arguments."))
    code = PARSE_ERROR if isinstance(problem, NoJson) else INVALID_REQUEST
    raise NoMessage(code, _of("message", problem), _id_of(found))


def _of(whole: str, problem: Invalid) -> str:
    """What was said of the body, said of what the client knows it as."""
    said = str(problem)
    return whole + said[4:] if said.startswith("body: ") else said


def _without_arguments(found: Any) -> bytes | None:
    """The call of a tool that it is, with no arguments; None where it is none."""
    match found:
        case {"jsonrpc": "2.0", "method": "tools/call", "id": int() | str(), "params": dict(params)}:
            bare = json.dumps({**found, "params": {**params, "arguments": {}}}).encode()
            try:
                check_json(bare)
                jsonrpc_message_adapter.validate_json(bare, by_name=False)
            except ValueError:
                return None
            return bare
        case _:
            return None


def _id_of(found: Any) -> int | str | None:
    match found:
        case {"id": bool()}:
            return None
        case {"id": int(number)}:
            return number
        case {"id": str(text)} if text.isascii() and len(text) <= 100:
            return text
        case _:
            return None
