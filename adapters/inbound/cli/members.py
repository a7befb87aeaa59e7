"""`tickler person set|show|remove`."""

from typing import Annotated

import typer
from attrs import evolve

from adapters.inbound.cli.finding import person_named
from adapters.inbound.cli.office import office
from adapters.inbound.cli.options import LanguageOption, MaybeTenant, PersonArgument, Reveal
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say
from adapters.inbound.cli.people import address_shown, contact_json, person_json, standing
from adapters.inbound.cli.reading import handle, language
from application.ports.people import Person, Recipient, Tenant
from domain.errors import Invalid
from domain.values import zone


def set_person(
    context: typer.Context,
    whom: PersonArgument,
    tenant: MaybeTenant = None,
    name: Annotated[str | None, typer.Option("--handle", help="Another handle.")] = None,
    language_: LanguageOption = None,
    zone_name: Annotated[
        str | None, typer.Option("--zone", help="An IANA zone such as Europe/Moscow.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a person's handle, language or zone; messages that are still to leave are told so.

    \b
    Example: tickler person set anna --tenant acme --language en --zone Asia/Tokyo
    """
    if name is None and language_ is None and zone_name is None:
        raise Invalid("nothing to change: give --handle, --language or --zone")
    if name is not None:
        handle("--handle", name)
    if language_ is not None:
        language("--language", language_)
    if zone_name is not None:
        zone(zone_name)
    with office(context).open(say) as services:
        found = person_named(services.people, "PERSON", whom, tenant)
        changed = evolve(
            found,
            handle=name or found.handle,
            language=language_ or found.language,
            time_zone=zone_name or found.time_zone,
        )
        services.people.set_person(changed)
    if as_json:
        put_json(person_json(changed))
    else:
        put(f"{changed.handle} ({changed.id}): language {changed.language}, zone {changed.time_zone}")


def show_person(
    context: typer.Context,
    whom: PersonArgument,
    tenant: MaybeTenant = None,
    reveal: Reveal = False,
    as_json: AsJson = False,
) -> None:
    """A person, where they are reached, first choice first, and what they opted out of.

    Of an address with a token only the end is shown.

    \b
    Example: tickler person show anna --tenant acme
    """
    with office(context).open(say) as services:
        found = person_named(services.people, "PERSON", whom, tenant)
        known = services.people.recipients([(found.tenant_id, found.id)])[found.id]
    if as_json:
        points: list[Json] = [contact_json(one, reveal=reveal) for one in known.contact_points]
        put_json({**person_json(found), "optedOutOf": sorted(known.opted_out), "contactPoints": points})
    else:
        _put(known, reveal=reveal)


def remove_person(
    context: typer.Context,
    whom: PersonArgument,
    tenant: MaybeTenant = None,
    undo: Annotated[bool, typer.Option("--undo", help="They are of the tenant again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say that a person is no longer of the tenant. Their events stay, and no message reaches them any more.

    `tickler person erase` also empties what tells who they were.

    \b
    Example: tickler person remove anna --tenant acme
    """
    with office(context).open(say) as services:
        found = person_named(services.people, "PERSON", whom, tenant)
        if found.is_member is not undo:
            services.people.set_person(evolve(found, is_member=undo))
        else:
            say("it is so already: nothing was changed")
        home = services.people.tenant(found.tenant_id)
    if not undo and _is_operator(home, found):
        say("note: they are still the tenant's operator; `tickler tenant set` names another")
    if as_json:
        put_json(person_json(evolve(found, is_member=undo)))
    else:
        put(f"{found.handle} is of the tenant again" if undo else f"{found.handle} has left")


def _is_operator(home: Tenant | None, one: Person) -> bool:
    return home is not None and home.operator_id == one.id


def _put(known: Recipient, *, reveal: bool) -> None:
    one = known.person
    left = standing(one)
    put(f"{one.handle} ({one.id}): language {one.language}, zone {one.time_zone}{left and f', {left}'}")
    if known.opted_out:
        put(f"opted out of {', '.join(sorted(known.opted_out))}")
    if known.contact_points:
        put_table(
            ("CHANNEL", "ADDRESS", "", "ID"),
            (
                (
                    point.channel,
                    address_shown(point, reveal=reveal),
                    "opted out" if point.opted_out else "",
                    str(point.id),
                )
                for point in known.contact_points
            ),
        )
    else:
        put("no addresses: messages go to the console")
