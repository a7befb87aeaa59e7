"""What goes wrong, as problem details (RFC 9457): a status, one line, and the rule where one said no."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from adapters.inbound import wording
from adapters.observability.logging import log
from application.ports.errors import AlreadyThere, Busy, Conflict, Unavailable
from application.ports.touches import KeyReused, TooMany
from application.touching.access import NotAdmitted, NotAllowed
from domain.errors import Invalid, NoSuchPerson, NoSuchPlan, NoSuchTouch, Refused

AGAIN_S = "1"
WHEN_FULL_S = "60"
PLAIN = {
    404: "there is nothing at this path; /api/v1/openapi.json tells of all there are",
    405: "this path does not take that method; the Allow header says which",
}
NOT_ADMITTED = "a bearer token that holds is wanted: Authorization: Bearer tickler_…"


class NotThere(Exception):
    """There is nothing of that name for whoever asks, for one reason or another."""


class TooFast(Exception):
    """The token's requests come faster than they are taken; in `seconds`, a whole number, one more is."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many requests of this token: try again in {seconds} s")
        self.seconds = seconds


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> JSONResponse:
    """`more` are members of its own; null ones are left out."""
    body = {"status": status, "detail": detail} | {key: one for key, one in more.items() if one is not None}
    return JSONResponse(body, status, dict(headers or {}), "application/problem+json")


def not_admitted() -> JSONResponse:
    return problem(401, NOT_ADMITTED, {"WWW-Authenticate": 'Bearer realm="tickler", error="invalid_token"'})


def told(error: Exception) -> JSONResponse:
    """The answer to what a use case raised."""
    match error:
        case NotAdmitted():
            return not_admitted()
        case NotAllowed():
            return problem(403, str(error))
        case NoSuchTouch() | NoSuchPlan() | NoSuchPerson() | NotThere():
            # The same words for what is not there and for what is not theirs.
            return problem(404, "there is nothing of this id here")
        case Refused():
            return problem(409, str(error), rule=error.rule)
        case KeyReused() | AlreadyThere():
            return problem(409, str(error))
        case TooMany():
            return problem(429, str(error), {"Retry-After": WHEN_FULL_S})
        case TooFast():
            return problem(429, str(error), {"Retry-After": str(error.seconds)})
        case Invalid():
            return problem(422, str(error))
        case Busy() | Conflict():
            return problem(503, "busy, nothing was changed; try again", {"Retry-After": AGAIN_S})
        case Unavailable():
            return problem(503, "the store cannot be used now; try again", {"Retry-After": AGAIN_S})
        case _:
            # Of an error that nobody foresaw only the kind: its text may hold rows.
            log().error("request failed", problem=type(error).__name__)
            return problem(500, "an unexpected error; nothing more is told here")


def answer_problems(app: FastAPI) -> None:
    """Have the application answer every error so."""

    async def tell(_: Request, error: Exception) -> JSONResponse:
        return told(error)

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        problems = cast(RequestValidationError, error).errors()
        if problems[0]["loc"][0] == "query":
            # Of a parameter that is given many times, the number of one tells nothing.
            problems = [{**problems[0], "loc": problems[0]["loc"][:2]}]
        # The place begins with where the member is: body, path, query or header.
        return problem(422, wording.told(problems, outer=1))

    async def plain(_: Request, error: Exception) -> JSONResponse:
        raised = cast(HTTPException, error)
        said = PLAIN.get(raised.status_code, "the request will not do")
        return problem(raised.status_code, said, raised.headers)

    handlers: dict[type[Exception], Callable[[Request, Exception], Awaitable[JSONResponse]]] = {
        RequestValidationError: invalid,
        HTTPException: plain,
    }
    ours = (
        NotAdmitted,
        NotAllowed,
        NotThere,
        Refused,
        KeyReused,
        AlreadyThere,
        TooMany,
        TooFast,
        Invalid,
        Busy,
    )
    handlers |= dict.fromkeys((*ours, Conflict, Unavailable, Exception), tell)
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
