"""What the OpenAPI document tells of refusals: each is problem details (RFC 9457)."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI

from adapters.inbound.shapes import Problem

Told = dict[int | str, dict[str, Any]]
PROBLEM = "application/problem+json"
SAID: Mapping[int, str] = {
    401: "No bearer token that holds",
    403: "The token may not do this",
    404: "There is nothing of this id for this token",
    408: "The body took too long to come",
    409: "A rule says no, or the key was used for another request",
    413: "The body is more than 64 kB",
    415: "The body is no application/json in UTF-8 as it is",
    422: "Something in the request will not do; the line names it",
    429: "Too many; Retry-After says when to try again",
    500: "An unexpected error",
    503: "Busy, or the store cannot be used; Retry-After says when to try again",
}


def refusals(*statuses: int) -> Told:
    return {status: {"model": Problem, "description": SAID[status]} for status in statuses}


OF_ALL = refusals(401, 403, 422, 429, 500, 503)
WITH_A_BODY = refusals(408, 413, 415)


def tell_of_problems(app: FastAPI) -> None:
    """Have the application's document name the media type that refusals really have."""
    made = app.openapi

    def document() -> dict[str, Any]:
        told = made()
        for operations in told["paths"].values():
            for operation in operations.values():
                for status, response in operation["responses"].items():
                    content = response.get("content", {})
                    if int(status) >= 400 and "application/json" in content:
                        content[PROBLEM] = content.pop("application/json")
        return told

    app.openapi = document  # type: ignore[method-assign]
