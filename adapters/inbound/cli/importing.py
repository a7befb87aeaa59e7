"""`tickler import`."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from attrs import asdict

from adapters.inbound.cli import reading
from adapters.inbound.cli.finding import find_person, owner_named
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import TenantOfOwner
from adapters.inbound.cli.output import AsJson, Json, exit_refused, put, put_json, say
from adapters.inbound.cli.progress import progress_bar
from adapters.inbound.ics import importing
from adapters.inbound.ics.options import ImportOptions
from adapters.inbound.ics.report import Report
from adapters.settings import Settings
from application.ports.people import Tenant
from domain.errors import Invalid
from domain.values import zone


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE.ics", help="An iCalendar file.")],
    owner: Annotated[str, typer.Option(help="Whose events they are: a handle or an id.")],
    tenant: TenantOfOwner = None,
    client: Annotated[
        str | None, typer.Option(help="Who else is reminded: a handle or an id; without it clients stay.")
    ] = None,
    no_client: Annotated[
        bool, typer.Option("--no-client", help="Take the client off events that have one.")
    ] = False,
    zone_name: Annotated[
        str | None,
        typer.Option(
            "--zone", help="For times without a zone, unless the file names one; without it the owner's."
        ),
    ] = None,
    horizon: Annotated[int, typer.Option(min=1, max=731, help="How many days ahead series are taken.")] = 90,
    offset: Annotated[
        list[str] | None,
        typer.Option(
            help="For events without an alarm: minutes, or start-1d, …; else the tenant's, else 15."
        ),
    ] = None,
    all_day_offset: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OFFSET", help="The same for all-day events; else the tenant's, else start-1d@09:00."
        ),
    ] = None,
    calendar: Annotated[
        str, typer.Option(metavar="NAME", help="Which calendar the file is; without it by the name it gives.")
    ] = "",
    keep_missing: Annotated[
        bool, typer.Option("--keep-missing", help="Leave the events that are no longer in this calendar.")
    ] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Take a file without events for what it says: none is left.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import a calendar file. The same file again makes nothing new; a changed one moves and changes.

    Single events are taken however far ahead they are, series as far as --horizon. What cannot be taken is
    named, the rest is taken: exit code 1, or 2 when nothing could be taken.

    \b
    Example: tickler import team.ics --tenant acme --owner anna --zone Europe/Moscow
    """
    if client and no_client:
        raise Invalid("--no-client: give either --client or --no-client")
    wanted: dict[str, object] = {
        "horizon": timedelta(days=horizon),
        "calendar": calendar.strip(),
        "keep_missing": keep_missing,
        "allow_empty": allow_empty,
        "no_client": no_client,
    }
    if offset:
        wanted["default_triggers"] = reading.reminders(offset, "--offset")
    if all_day_offset:
        wanted["all_day_triggers"] = reading.reminders(all_day_offset, "--all-day-offset")
    if zone_name is not None:
        zone(zone_name)
    desk = office(context)
    with desk.open(say) as services:
        options = _options(services, desk.settings, tenant, owner, client, zone_name, wanted)
        with progress_bar("importing") as progress:
            report = importing.import_file(file, services.calendar, services.imports, options, progress)
    if report.zones != (zone_name,):
        say(f"zone: {', '.join(report.zones)}, for times in the file that have none")
    if as_json:
        put_json(_camel_case(asdict(report, recurse=True)))
    else:
        for line in report.lines():
            put(line)
    if report.refused:
        exit_refused(refused=len(report.refused), is_of_use=_is_of_use(report))


def _options(
    services: Services,
    settings: Settings,
    tenant: str | None,
    owner: str,
    client: str | None,
    zone_name: str | None,
    wanted: dict[str, object],
) -> ImportOptions:
    home, somebody = owner_named(services.people, owner, tenant)
    tenant_id = home.id if isinstance(home, Tenant) else home
    if isinstance(home, Tenant):
        own = {"default_triggers": home.default_triggers, "all_day_triggers": home.all_day_triggers}
        wanted = {name: triggers for name, triggers in own.items() if triggers is not None} | wanted
    other = None if client is None else find_person(services.people, tenant_id, "--client", client)
    default_zone = zone_name or somebody.time_zone or settings.time_zone
    if default_zone is None:
        raise Invalid("--zone: times in the file may have none; give one, such as --zone Europe/Moscow")
    return ImportOptions(
        tenant_id=tenant_id,
        owner_user_id=somebody.id,
        now=services.clock.now(),
        default_zone=default_zone,
        client_user_id=other.id if other else None,
        tz_version=reading.tz_version(),
        **wanted,  # type: ignore[arg-type]
    )


def _camel_case(found: Any) -> Json:
    """What attrs gives, under the names that every document of ours has."""
    match found:
        case dict():
            return {
                re.sub("_(.)", lambda one: one[1].upper(), name): _camel_case(one)
                for name, one in found.items()
            }
        case list() | tuple():
            return [_camel_case(one) for one in found]
        case _:
            plain: Json = found
            return plain


def _is_of_use(report: Report) -> bool:
    said = report.counts
    return bool(
        said.events_taken
        or said.events_cancelled
        or said.skipped_outside
        or said.skipped_past
        or said.skipped_cancelled
        or said.skipped_older
    )
