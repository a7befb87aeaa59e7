"""The tools over stdin and stdout: one process for one session, whose token it was started with."""

import sys
from io import StringIO

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from attrs import define, field
from mcp.server.stdio import stdio_server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from adapters.inbound.mcp.messages import Message, NoMessage, read_message
from adapters.inbound.mcp.serving import Requested, make_server
from adapters.inbound.mcp.tools import Toolbox
from adapters.tenancy import speak_for
from application.ports.tokens import Token
from application.touching.access import Access, session_of
from application.touching.asking import Asking
from domain.errors import Invalid

# A call waits for the store no longer than this.
FINISH_SECONDS = 10.0
Incoming = SessionMessage | Exception


def serve_stdio(asking: Asking, access: Access, secret: str) -> None:
    """Serve until stdin ends, and what was read by then is answered. Raises NotAdmitted or NotAllowed at once
    for a token that is no session's.
    """
    session_of(access.admit(secret))

    def session(request: Requested) -> Token:
        # Asked again at each call: the session may end while the process goes on.
        token = access.admit(secret)
        speak_for(token.tenant_id)
        if request.request is not None:
            raise Invalid(request.request.refusal)
        return token

    server = make_server(Toolbox(asking), session)

    async def serve() -> None:
        # The SDK's own reader answers nothing to what it cannot read, and takes JSON of two meanings: it is
        # given nothing to read.
        async with stdio_server(anyio.wrap_file(StringIO())) as (_, sending), sending:
            to_server, receiving = anyio.create_memory_object_stream[Incoming](0)
            from_server, answered = anyio.create_memory_object_stream[SessionMessage](0)
            lines = _Lines(sending)
            async with anyio.create_task_group() as group:
                group.start_soon(lines.read_all, to_server)
                group.start_soon(lines.write_all, answered)
                await server.run(receiving, from_server, server.create_initialization_options())

    anyio.run(serve)


@define
class _Lines:
    """Reads a message a line from stdin, and knows which of the requests are not answered yet."""

    sending: ObjectSendStream[SessionMessage]
    open_requests: set[int | str] = field(factory=set)
    changed: anyio.Event = field(factory=anyio.Event)

    async def read_all(self, to_server: ObjectSendStream[Incoming]) -> None:
        async with to_server:
            while line := await anyio.to_thread.run_sync(sys.stdin.buffer.readline):
                if line.strip():
                    await self._take(line.strip(), to_server)
            with anyio.move_on_after(FINISH_SECONDS):
                while self.open_requests:
                    self.changed = anyio.Event()
                    await self.changed.wait()

    async def _take(self, line: bytes, to_server: ObjectSendStream[Incoming]) -> None:
        try:
            read = read_message(line)
        except NoMessage as problem:
            await self.sending.send(SessionMessage(problem.answer()))
            return
        message = jsonrpc_message_adapter.validate_json(read.body, by_name=False)
        match message:
            case JSONRPCRequest(id=request_id):
                self.open_requests.add(request_id)
            case JSONRPCNotification(
                method="notifications/cancelled", params={"requestId": int() | str() as request_id}
            ):
                # A request that is taken back is not answered.
                self._settle(request_id)
        await to_server.send(SessionMessage(message, _refusal_of(read)))

    async def write_all(self, answered: ObjectReceiveStream[SessionMessage]) -> None:
        async for answer in answered:
            await self.sending.send(answer)
            if isinstance(answer.message, JSONRPCResponse | JSONRPCError) and answer.message.id is not None:
                self._settle(answer.message.id)

    def _settle(self, request_id: object) -> None:
        self.open_requests = {one for one in self.open_requests if one != request_id}
        self.changed.set()


def _refusal_of(read: Message) -> ServerMessageMetadata | None:
    return None if read.refusal is None else ServerMessageMetadata(request_context=read)
