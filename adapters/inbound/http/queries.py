"""Query parameters that a path does not know, or that are given twice: nobody may be sure what is meant."""

from fastapi import Request
from fastapi.routing import APIRoute

from domain.errors import Invalid

MANY = ("status",)


def check_query(request: Request) -> None:
    """Invalid, naming the parameter."""
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    known = {field.alias for field in route.dependant.query_params}
    for name in request.query_params:
        if name not in known:
            raise Invalid(f"{_shown(name)}: there is no such parameter")
        if name not in MANY and len(request.query_params.getlist(name)) > 1:
            raise Invalid(f"{name}: it is given more than once")


def _shown(name: str) -> str:
    return name[:40] if name.isidentifier() else "query"
