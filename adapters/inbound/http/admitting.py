"""What the handlers are given: the desk, and whoever asks, let in as far as their token goes."""

from typing import Annotated

from attrs import field, frozen
from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from adapters.inbound.desk import Desk
from adapters.inbound.http.guarding import bearer
from adapters.inbound.http.pacing import RequestRates
from adapters.inbound.http.queries import check_query
from adapters.tenancy import speak_for
from application.ports.tokens import Scope, Token
from application.touching.access import must_have, session_of


@frozen
class Bearer:
    """Whoever asks: their token, and its secret as they sent it."""

    token: Token
    secret: str = field(repr=False)


def the_desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


TheDesk = Annotated[Desk, Depends(the_desk)]


async def anybody(request: Request, desk: TheDesk) -> Bearer:
    """Whoever has a token that holds; raises NotAdmitted, TooFast, or Invalid for a strange parameter.

    The request's own task speaks for the tenant from now on, which a thread of its own could not let it do.
    """
    secret = bearer(request.headers)
    token = await run_in_threadpool(desk.access.admit, secret)
    speak_for(token.tenant_id)
    rates: RequestRates | None = request.app.state.rates
    if rates is not None:
        rates.take(token.id)
    check_query(request)
    return Bearer(token, secret)


Anybody = Annotated[Bearer, Depends(anybody)]


def _a_session(who: Anybody) -> Token:
    session_of(who.token)
    return who.token


def _with_sessions(who: Anybody) -> Token:
    must_have(who.token, Scope.SESSIONS)
    return who.token


def _with_touches(who: Anybody) -> Token:
    must_have(who.token, Scope.TOUCHES)
    return who.token


def _with_plans(who: Anybody) -> Token:
    must_have(who.token, Scope.PLANS)
    return who.token


ASession = Annotated[Token, Depends(_a_session)]
WithSessions = Annotated[Token, Depends(_with_sessions)]
WithTouches = Annotated[Token, Depends(_with_touches)]
WithPlans = Annotated[Token, Depends(_with_plans)]
