"""`tickler tenant agent`: where a tenant's agents are called for touches of the kind `call`."""

import re
from typing import Annotated

import typer
from attrs import evolve

from adapters.inbound.cli.finding import known_tenant
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.output import AsJson, put, put_json, say
from application.ports.people import AgentPlatform
from domain.errors import Invalid


def agent(
    context: typer.Context,
    tenant: Annotated[str, typer.Argument(metavar="TENANT", help="A handle or an id.")],
    url: Annotated[str | None, typer.Option(help="An https address that touches are posted to.")] = None,
    secret: Annotated[
        str | None,
        typer.Option(help="What signs the calls (whsec_…); without it a new one is made."),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="No agent platform any more.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set, show or take away a tenant's agent platform. A new secret is shown once, and never again.

    \b
    Examples: tickler tenant agent acme --url https://agents.b.example/touches
              tickler tenant agent acme --none
    """
    if none and (url or secret):
        raise Invalid("--none: give it or the platform")
    if secret is not None and url is None:
        raise Invalid("--url: a secret goes with the address that it is for")
    with office(context).open(say) as services:
        found = known_tenant(services.people, tenant)
        if none or url is not None:
            platform = None if url is None else _platform(services, url, secret)
            found = evolve(found, agent=platform)
            services.people.set_tenant(found)
    shown = found.agent
    is_new = url is not None and secret is None
    if as_json:
        put_json(
            {
                "tenantId": str(found.id),
                "url": shown.url if shown else None,
                **({"secret": shown.secret} if shown and is_new else {}),
            }
        )
        return
    put(f"{found.handle}: {shown.url if shown else 'no agent platform'}")
    if shown and is_new:
        put(f"secret: {shown.secret}")


def _platform(services: Services, url: str, secret: str | None) -> AgentPlatform:
    try:
        return services.agents(url, secret)
    except Invalid as problem:
        raise Invalid(re.sub("^address: ", "--url: ", str(problem))) from None
