"""The application behind `/api/v1` and `/mcp`."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, FastAPI
from fastapi.security import HTTPBearer
from starlette.routing import Route

from adapters.inbound.desk import Desk
from adapters.inbound.http import plans, sessions, touches
from adapters.inbound.http.document import OF_ALL, tell_of_problems
from adapters.inbound.http.guarding import TOOLS, BodyGuard
from adapters.inbound.http.pacing import RequestRates, Turns
from adapters.inbound.http.problems import answer_problems
from adapters.inbound.mcp.entering import SessionsOnly
from adapters.inbound.mcp.mounted import Mounted, mounted

if TYPE_CHECKING:
    from adapters.observability.tracing.spans import Spans

API = "/api/v1"
SUMMARY = "Work that an agent puts off and comes back to, and a tenant's own plans."


def make_app(desk: Desk, rates: RequestRates | None = None, spans: "Spans | None" = None) -> FastAPI:
    """One application a process; its lifespan is to be run, as servers do.

    Without `rates` nobody is too fast; without `spans` nothing is traced.
    """
    tools = mounted(desk.asking, desk.access)
    app = FastAPI(
        title="Tickler",
        version=version("tickler"),
        summary=SUMMARY,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_running(tools),
    )
    app.state.desk = desk
    app.state.rates = rates
    answer_problems(app)
    # Only for the document: who is let in is decided where the token is read.
    shown = Depends(HTTPBearer(auto_error=False, description="A token of the tenant, or of a session."))
    routers: Sequence[APIRouter] = (touches.router, sessions.router, plans.router)
    for router in routers:
        app.include_router(router, prefix=API, dependencies=[shown], responses=OF_ALL)
    tell_of_problems(app)
    entered = SessionsOnly(tools.app, desk.access.admit, rates)
    # No stream is offered to listen to, and there is no session of the transport's to end.
    app.router.routes.append(Route(TOOLS, endpoint=entered, methods=["POST"]))
    app.add_middleware(Turns)
    app.add_middleware(BodyGuard)
    if spans is not None:
        # The last that is added is the first that is asked.
        from adapters.observability.tracing.requests import TracedRequests

        app.add_middleware(TracedRequests, spans=spans, prefix=API, alone=(TOOLS, f"{API}/openapi.json"))
    return app


def _running(tools: Mounted) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        async with tools.running():
            yield

    return running
