"""`tickler token add|list|revoke`: who may ask over HTTP."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import typer

from adapters.inbound.cli.finding import contact_named, known_person, known_tenant
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import PersonOption, TenantOption
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say, utc, wall
from adapters.inbound.cli.reading import maybe_uuid
from adapters.tenancy import speak_for
from application.explaining.explanation import counted
from application.ports.people import Tenant
from application.ports.tokens import Scope, Token, TokenId, Tokens
from domain.errors import Invalid

LONGEST_DAYS = 3660
app = typer.Typer(
    no_args_is_help=True, help="Tokens: who may open sessions, see touches or keep plans over HTTP."
)


@app.command("add")
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who calls; unique in the tenant.")],
    tenant: TenantOption,
    scope: Annotated[
        list[Scope],
        typer.Option(
            help="What it may do; may be given again and again. sessions: open a session for a person;"
            " touches: see, cancel and retry all touches; plans: see, make and change plans."
        ),
    ],
    days: Annotated[
        int | None, typer.Option(min=1, max=LONGEST_DAYS, help="How long it holds; for ever without it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add a token of a tenant. It is shown this once; only its SHA-256 is kept.

    \b
    Example: tickler token add agents --tenant acme --scope sessions --scope plans --days 365
    """
    with office(context).open(say) as services:
        found = _spoken_for(services, tenant)
        ends = None if days is None else services.clock.now() + timedelta(days=days)
        issued = services.desk.access.issue(found.id, name, set(scope), ends)
    if as_json:
        put_json({**_json(issued.token), "token": issued.secret})
        return
    put(f"{issued.token.name} ({issued.token.id}): {', '.join(sorted(issued.token.scopes))}")
    put(issued.secret)
    say("keep it: it is not shown again")


@app.command("list")
def list_(context: typer.Context, tenant: TenantOption, as_json: AsJson = False) -> None:
    """The tokens of a tenant, never their secrets.

    \b
    Example: tickler token list --tenant acme
    """
    with office(context).open(say) as services:
        found = _spoken_for(services, tenant)
        tokens = services.desk.access.tokens.of_tenant(found.id)
        now = services.clock.now()
    if as_json:
        listed: list[Json] = [_json(one) for one in tokens]
        put_json(listed)
    elif tokens:
        put_table(
            ("NAME", "SCOPES", "HOLDS", "ID"),
            (
                (
                    one.name,
                    ", ".join(sorted(one.scopes)),
                    _told(one, found, holds=one.holds(now)),
                    str(one.id),
                )
                for one in tokens
            ),
        )
    else:
        put("none yet")


@app.command("revoke")
def revoke(
    context: typer.Context,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="Its name or its id.")],
    tenant: TenantOption,
    as_json: AsJson = False,
) -> None:
    """End a token and all sessions that it opened. What was put off in them stays.

    \b
    Example: tickler token revoke agents --tenant acme
    """
    with office(context).open(say) as services:
        found = _spoken_for(services, tenant)
        tokens = services.desk.access.tokens
        one = _named(tokens, found, token)
        services.desk.access.revoke(found.id, one.id)
        after = tokens.token(one.id) or one
    if as_json:
        put_json(_json(after))
    else:
        put(f"revoked: {after.name} ({after.id})")


@app.command("session")
def session(
    context: typer.Context,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The token that opens it: its name or id.")],
    tenant: TenantOption,
    person: PersonOption,
    contact: Annotated[
        str | None,
        typer.Option("--contact", metavar="CONTACT", help="Their address; else the preferred one."),
    ] = None,
    minutes: Annotated[int, typer.Option(min=1, max=1440, help="How long it holds.")] = 60,
    as_json: AsJson = False,
) -> None:
    """Open a session for a conversation with a person, as a platform does with POST /api/v1/sessions.

    Its token is for the agent alone: what is put off with it is answered at this address of theirs.

    \b
    Example: tickler token session agents --tenant acme --person anna
    """
    with office(context).open(say) as services:
        found = _spoken_for(services, tenant)
        whom = known_person(services.people, found.id, "--person", person)
        point = None if contact is None else contact_named(services.people, "--contact", contact, tenant).id
        opener = _named(services.desk.access.tokens, found, token)
        issued = services.desk.access.open_session(opener, whom.id, point, timedelta(minutes=minutes))
    if as_json:
        ends = utc(issued.token.expires_at)
        put_json({"sessionId": str(issued.token.id), "token": issued.secret, "expiresAt": ends})
    else:
        put(issued.secret)
        say(f"a session of {whom.handle} for {counted(minutes, 'minute')}; it is not shown again")


def _spoken_for(services: Services, tenant: str) -> Tenant:
    """The tenant, for whom this command speaks from now on: the desk may see no other."""
    found = known_tenant(services.people, tenant)
    speak_for(found.id)
    return found


def _named(tokens: Tokens, tenant: Tenant, text: str) -> Token:
    id_: UUID | None = maybe_uuid(text)
    own = tokens.of_tenant(tenant.id)
    found = next((one for one in own if (one.id == TokenId(id_) if id_ else one.name == text)), None)
    if found is None:
        raise Invalid(f"TOKEN: {tenant.handle} has no token {text[:60]!r}; `tickler token list` shows them")
    return found


def _told(one: Token, tenant: Tenant, *, holds: bool) -> str:
    if one.revoked_at is not None:
        return f"revoked {wall(one.revoked_at, tenant.time_zone)}"
    if one.expires_at is None:
        return "for ever"
    return f"{'until' if holds else 'ended'} {wall(one.expires_at, tenant.time_zone)}"


def _json(one: Token) -> dict[str, Json]:
    return {
        "tokenId": str(one.id),
        "tenantId": str(one.tenant_id),
        "name": one.name,
        "scopes": [scope.value for scope in sorted(one.scopes)],
        "madeAt": utc(one.made_at),
        "expiresAt": utc(one.expires_at),
        "revokedAt": utc(one.revoked_at),
    }
