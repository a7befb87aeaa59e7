"""The tools as an MCP server (Model Context Protocol), by the official SDK, whatever the transport."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from adapters.inbound.mcp.tools import TOOLS, Toolbox, ToolTexts, Wrong, text_of
from application.ports.tokens import Token

Requested = ServerRequestContext[Any, Any]
INSTRUCTIONS = (
    "Tickler keeps what is put off and comes back to the client with it, in the place of this conversation."
    " Say the date back to the client as the tool resolved it."
)


def make_server(toolbox: Toolbox, session: Callable[[Requested], Token]) -> Server[Any]:
    """`session` finds the token of whoever sent a request, or raises NotAdmitted; it may take its time."""

    async def list_tools(_: Requested, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[*map(_tool, TOOLS)])

    async def call_tool(request: Requested, params: CallToolRequestParams) -> CallToolResult:
        try:
            answer = await anyio.to_thread.run_sync(
                toolbox.call, params.name, params.arguments or {}, lambda: session(request)
            )
        except Wrong as problem:
            return CallToolResult(content=[TextContent(type="text", text=str(problem))], is_error=True)
        text = TextContent(type="text", text=text_of(answer))
        return CallToolResult(content=[text], structured_content=answer)

    return Server(
        "tickler",
        version=version("tickler"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _tool(one: ToolTexts) -> Tool:
    return Tool(
        name=one.name,
        description=one.description,
        input_schema=one.arguments.model_json_schema(by_alias=True),
        annotations=ToolAnnotations(
            read_only_hint=not one.changes,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
