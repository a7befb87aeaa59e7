"""`tickler tenant …`: what holds for a tenant's people and events unless they say otherwise."""

from collections.abc import Sequence
from typing import Annotated

import typer
from attrs import evolve

from adapters.inbound.cli.finding import known_tenant
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.operators import OPERATOR, address_of, operator_of, person_at
from adapters.inbound.cli.options import LanguageOption
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say
from adapters.inbound.cli.reading import handle, language, reminders, uuid
from application.ports.people import Tenant
from domain.errors import Invalid
from domain.triggers import AtInstant, Trigger, check_triggers
from domain.values import TenantId, zone

app = typer.Typer(no_args_is_help=True, help="Tenants: their zone, language, usual reminders and operator.")

TenantArgument = Annotated[str, typer.Argument(metavar="TENANT", help="A handle or an id.")]
ZoneOption = Annotated[
    str | None, typer.Option("--zone", help="An IANA zone such as Europe/Moscow, for people who give none.")
]
OffsetOption = Annotated[
    list[str] | None,
    typer.Option(
        help="When to remind of events that bring no reminder: minutes, or start-1d, start-1d@09:00, end-1d."
        " May be given again and again."
    ),
]
AllDayOption = Annotated[
    list[str] | None, typer.Option(metavar="OFFSET", help="The same for events of all day.")
]
NoOffsets = Annotated[
    bool, typer.Option("--no-offsets", help="No reminders of events that bring none, of all day or not.")
]
OperatorOption = Annotated[
    str | None,
    typer.Option(
        metavar="PERSON|CHANNEL:ADDRESS",
        help="Whom to turn to: a person's handle or id, or an address such as email:ops@b.example,"
        f" for which the person {OPERATOR!r} is made.",
    ),
]


@app.command("add")
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="HANDLE", help="A short name, unique among tenants.")],
    zone_name: ZoneOption = None,
    language_: LanguageOption = None,
    offset: OffsetOption = None,
    all_day_offset: AllDayOption = None,
    no_offsets: NoOffsets = False,
    operator: OperatorOption = None,
    id_: Annotated[str | None, typer.Option("--id", help="The id that your own systems know it by.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add a tenant. Without --zone it has the zone of TICKLER_TIME_ZONE, which must then be set.

    \b
    Example: tickler tenant add acme --zone Europe/Moscow --language ru \\
      --offset 15 --offset start-1d --operator email:ops@b.example
    """
    desk = office(context)
    handle("HANDLE", name)
    given_id = None if id_ is None else TenantId(uuid("--id", id_))
    time_zone = zone_name or desk.settings.time_zone
    if time_zone is None:
        raise Invalid("--zone: give one, such as --zone Europe/Moscow; no zone is ever guessed")
    zone(time_zone)
    said = desk.settings.language if language_ is None else language("--language", language_)
    default, all_day = _offsets(offset, all_day_offset, no_offsets)
    with desk.open(say) as services:
        tenant = Tenant(given_id or TenantId(services.ids.new()), name, time_zone, said, default, all_day)
        address = None if operator is None else address_of(services, operator)
        if operator is not None and address is None:
            raise Invalid("--operator: a new tenant has no people yet; give CHANNEL:ADDRESS, or set it later")
        services.people.add_tenant(tenant)
        if address is not None:
            tenant = evolve(tenant, operator_id=person_at(services, tenant, *address))
            services.people.set_tenant(tenant)
        _put(services, tenant, as_json=as_json)


@app.command("set")
def set_(
    context: typer.Context,
    tenant: TenantArgument,
    name: Annotated[str | None, typer.Option("--handle", help="Another handle.")] = None,
    zone_name: ZoneOption = None,
    language_: LanguageOption = None,
    offset: OffsetOption = None,
    all_day_offset: AllDayOption = None,
    no_offsets: NoOffsets = False,
    usual_offsets: Annotated[
        bool, typer.Option("--usual-offsets", help="Those of Tickler itself again.")
    ] = False,
    operator: OperatorOption = None,
    no_operator: Annotated[bool, typer.Option("--no-operator", help="Nobody to turn to.")] = False,
    as_json: AsJson = False,
) -> None:
    """Change what a tenant is set to; what is not given stays. People and events that are there stay as is.

    \b
    Example: tickler tenant set acme --offset 30 --operator anna
    """
    if operator and no_operator:
        raise Invalid("--no-operator: give either --operator or --no-operator")
    if usual_offsets and (offset or all_day_offset or no_offsets):
        raise Invalid("--usual-offsets: give it or the offsets")
    if not (name or zone_name or language_ or offset or all_day_offset or no_offsets or operator) and not (
        usual_offsets or no_operator
    ):
        raise Invalid("nothing to change: give --handle, --zone, --language, --offset, --operator or another")
    if name is not None:
        handle("--handle", name)
    if zone_name is not None:
        zone(zone_name)
    if language_ is not None:
        language("--language", language_)
    default, all_day = _offsets(offset, all_day_offset, no_offsets)
    with office(context).open(say) as services:
        found = known_tenant(services.people, tenant)
        changed = evolve(
            found,
            handle=name or found.handle,
            time_zone=zone_name or found.time_zone,
            language=language_ or found.language,
            default_triggers=None
            if usual_offsets
            else found.default_triggers
            if default is None
            else default,
            all_day_triggers=None
            if usual_offsets
            else found.all_day_triggers
            if all_day is None
            else all_day,
            operator_id=None if no_operator else found.operator_id,
        )
        if operator is not None:
            changed = evolve(changed, operator_id=operator_of(services, changed, operator))
        services.people.set_tenant(changed)
        _put(services, changed, as_json=as_json)


@app.command("show")
def show(context: typer.Context, tenant: TenantArgument, as_json: AsJson = False) -> None:
    """What a tenant is set to.

    \b
    Example: tickler tenant show acme
    """
    with office(context).open(say) as services:
        _put(services, known_tenant(services.people, tenant), as_json=as_json)


@app.command("list")
def list_(context: typer.Context, as_json: AsJson = False) -> None:
    """All tenants.

    \b
    Example: tickler tenant list --json
    """
    with office(context).open(say) as services:
        found = services.people.tenants()
        if as_json:
            listed: list[Json] = [_json(services, one) for one in found]
            put_json(listed)
        elif found:
            put_table(
                ("TENANT", "LANGUAGE", "ZONE", "REMINDERS", "ID"),
                (
                    (one.handle, one.language, one.time_zone, _told(one.default_triggers), str(one.id))
                    for one in found
                ),
            )
        else:
            put("none yet")


def _offsets(
    offset: Sequence[str] | None, all_day: Sequence[str] | None, none: bool
) -> tuple[tuple[Trigger, ...] | None, tuple[Trigger, ...] | None]:
    """Those of events at an hour, those of all day; None for what is not given."""
    if none and (offset or all_day):
        raise Invalid("--no-offsets: give it or the offsets")
    if none:
        return (), ()
    return _triggers("--offset", offset), _triggers("--all-day-offset", all_day)


def _triggers(option: str, texts: Sequence[str] | None) -> tuple[Trigger, ...] | None:
    if not texts:
        return None
    read = check_triggers(reminders(texts, option))
    if any(isinstance(one, AtInstant) for one in read):
        raise Invalid(f"{option}: one instant suits one event only; give minutes or days before")
    return read


def _put(services: Services, one: Tenant, *, as_json: bool) -> None:
    shown = _json(services, one)
    if as_json:
        put_json(shown)
        return
    put(f"{one.handle} ({one.id}): language {one.language}, zone {one.time_zone}")
    put(f"reminders of events that bring none: {_told(one.default_triggers)}")
    put(f"reminders of such events of all day: {_told(one.all_day_triggers)}")
    put(f"operator: {shown['operator'] or 'none'}")


def _told(triggers: Sequence[Trigger] | None) -> str:
    return "the usual" if triggers is None else ", ".join(map(str, triggers)) or "none"


def _json(services: Services, one: Tenant) -> dict[str, Json]:
    operator = None if one.operator_id is None else services.people.person(one.id, one.operator_id)
    return {
        "tenantId": str(one.id),
        "handle": one.handle,
        "language": one.language,
        "timeZone": one.time_zone,
        "defaultOffsets": None if one.default_triggers is None else [*map(str, one.default_triggers)],
        "allDayOffsets": None if one.all_day_triggers is None else [*map(str, one.all_day_triggers)],
        "operatorUserId": None if one.operator_id is None else str(one.operator_id),
        "operator": operator.handle if operator else None,
    }
