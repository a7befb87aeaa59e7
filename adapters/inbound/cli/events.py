"""`tickler event …`: plan, change, move, start, complete, cancel, show, list."""

from datetime import datetime, time, timedelta
from typing import Annotated

import typer

from adapters.inbound.cli import reading
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say, utc, wall
from adapters.inbound.cli.showing import (
    Names,
    event_json,
    put_event,
    reminders_of,
    say_left_out,
    say_zones_unknown,
)
from application.calendar import Done, Draft
from application.ports.people import Tenant
from domain.errors import Invalid, NoSuchEvent
from domain.reminder import SkipReason, Status
from domain.triggers import DaysBeforeStart, MinutesBeforeStart
from domain.values import Kind, TenantId, UserId, instant, zone

app = typer.Typer(no_args_is_help=True, help="Events and their reminders.")

EventArgument = Annotated[
    str,
    typer.Argument(
        metavar="EVENT", help="The event's id, as `plan` gave it, or its beginning: 8 letters or more."
    ),
]
RemindOption = Annotated[
    list[str] | None,
    typer.Option(
        "--remind",
        metavar="OFFSET",
        help="Minutes before the start, or start-15m, start-1d (same wall clock), start-1d@09:00, end-15m,"
        " 'at 2026-12-01T09:00:00+03:00'. May be given again and again.",
    ),
]
NoRemind = Annotated[bool, typer.Option("--no-remind", help="No reminders.")]
DEFAULT_REMINDERS = (MinutesBeforeStart(15),)
ALL_DAY_REMINDERS = (DaysBeforeStart(1, time(9)),)


@app.command()
def plan(
    context: typer.Context,
    tenant: Annotated[str, typer.Option(help="A handle or an id.")],
    owner: Annotated[str, typer.Option(help="Whose event it is: a handle or an id.")],
    start: Annotated[str, typer.Option(help="Wall time such as '2026-12-01 10:00'; with --all-day a day.")],
    title: Annotated[str | None, typer.Option(help="What people read.")] = None,
    client: Annotated[str | None, typer.Option(help="Who else is reminded: a handle or an id.")] = None,
    zone: Annotated[str | None, typer.Option(help="The IANA zone of --start and --end.")] = None,
    end: Annotated[
        str | None, typer.Option(help="Wall time in the same zone; with --all-day the last day.")
    ] = None,
    minutes: Annotated[int | None, typer.Option(help="How long it lasts, in place of --end.")] = None,
    remind: RemindOption = None,
    no_remind: NoRemind = False,
    kind: Annotated[Kind, typer.Option(help="What it is.")] = Kind.OTHER,
    appointment: Annotated[
        str | None, typer.Option(help="The id of the appointment that it belongs to.")
    ] = None,
    all_day: Annotated[bool, typer.Option("--all-day", help="It lasts whole days.")] = False,
    as_json: AsJson = False,
) -> None:
    """Plan an event; owner and client are reminded 15 minutes before, or when the tenant or --remind says.

    Of an event of all day they are reminded at 09:00 the day before.

    \b
    Example: tickler event plan --tenant acme --owner anna --client boris \\
      --title "Contract" --start "2026-12-01 10:00" --zone Europe/Moscow \\
      --minutes 60 --remind 15 --remind start-1d
    """
    if remind and no_remind:
        raise Invalid("--no-remind: give either --remind or --no-remind")
    wanted = reading.reminders(remind) if remind else () if no_remind else None
    start_local = reading.wall_time("--start", start, all_day=all_day)
    appointment_id = reading.appointment_id(appointment)
    checked_title = None if title is None else reading.title(title)
    if zone is None:
        raise Invalid(f"--zone: {start!r} is a wall time; say where, such as --zone Europe/Moscow")
    timing = reading.timing(start_local, zone, end=end, minutes=minutes, all_day=all_day)
    reading.check_before_start(wanted or (), timing)
    if not all_day:
        _note_gap("--start", start_local, zone)
        if end is not None:
            _note_gap("--end", reading.wall_time("--end", end), zone)
    with office(context).open(say) as services:
        home = reading.find_tenant(services.people, tenant)
        tenant_id = home.id if isinstance(home, Tenant) else home
        fallback = ALL_DAY_REMINDERS if all_day else DEFAULT_REMINDERS
        usual = reading.usual_reminders(home, all_day=all_day)
        somebody = reading.find_person(services.people, tenant_id, "--owner", owner)
        draft = Draft(
            tenant_id=tenant_id,
            owner_user_id=somebody.id,
            timing=timing,
            title=checked_title,
            client_user_id=_person_id(services, tenant_id, "--client", client),
            kind=kind,
            appointment_id=appointment_id,
            triggers=next(one for one in (wanted, usual, fallback) if one is not None),
        )
        _put_planned(services, services.calendar.plan(draft), as_json)


@app.command()
def change(
    context: typer.Context,
    event: EventArgument,
    owner: Annotated[str | None, typer.Option(help="A handle or an id.")] = None,
    client: Annotated[str | None, typer.Option(help="A handle or an id.")] = None,
    no_client: Annotated[bool, typer.Option("--no-client", help="Nobody but the owner is reminded.")] = False,
    zone_name: Annotated[
        str | None, typer.Option("--zone", help="Another zone; the wall clock stays.")
    ] = None,
    remind: RemindOption = None,
    no_remind: NoRemind = False,
    as_json: AsJson = False,
) -> None:
    """Change an event's owner, client, zone or reminders; what is not given stays.

    \b
    Example: tickler event change EVENT --remind 30 --remind start-1d@18:00
    """
    if remind and no_remind:
        raise Invalid("--no-remind: give either --remind or --no-remind")
    if client and no_client:
        raise Invalid("--no-client: give either --client or --no-client")
    triggers = reading.reminders(remind) if remind else () if no_remind else None
    if zone_name is not None:
        zone(zone_name)
    if owner is None and client is None and zone_name is None and triggers is None and not no_client:
        raise Invalid(
            "nothing to change: give --owner, --client, --no-client, --zone, --remind or --no-remind"
        )
    with office(context).open(say) as services:
        event_id = reading.find_event(services.ledger, event)
        found = services.ledger.event(event_id)
        if found is None:
            raise NoSuchEvent
        tenant_id = found.state.tenant_id
        if triggers:
            reading.check_before_start(triggers, found.state.timing)
        done = services.calendar.change(
            event_id,
            tz_version=reading.tz_version(),
            owner_user_id=_person_id(services, tenant_id, "--owner", owner),
            client_user_id=_person_id(services, tenant_id, "--client", client),
            no_client=no_client,
            triggers=triggers,
            time_zone=zone_name,
        )
        _put_planned(services, done, as_json)


@app.command()
def move(
    context: typer.Context,
    event: EventArgument,
    start: Annotated[str, typer.Option(help="The new wall time, in the event's zone.")],
    end: Annotated[
        str | None, typer.Option(help="The new end; without it the event keeps its length.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Move an event; its reminders move with it.

    \b
    Example: tickler event move EVENT --start "2026-12-02 11:30"
    """
    with office(context).open(say) as services:
        event_id = reading.find_event(services.ledger, event)
        found = services.ledger.event(event_id)
        if found is None:
            raise NoSuchEvent
        old = found.state.timing
        start_local = reading.wall_time("--start", start, all_day=old.all_day)
        if not old.all_day:
            _note_gap("--start", start_local, old.time_zone)
        end_at = None
        if end is not None:
            end_local = reading.wall_time("--end", end, all_day=old.all_day)
            end_at = instant(end_local + timedelta(days=1) if old.all_day else end_local, old.time_zone)
        done = services.calendar.move(event_id, start_local, tz_version=reading.tz_version(), end_at=end_at)
        _put_planned(services, done, as_json)


@app.command()
def start(context: typer.Context, event: EventArgument, as_json: AsJson = False) -> None:
    """Say that an event has begun. Its reminders stay.

    \b
    Example: tickler event start EVENT
    """
    with office(context).open(say) as services:
        _put_done(services, services.calendar.start(reading.find_event(services.ledger, event)), as_json)


@app.command()
def complete(context: typer.Context, event: EventArgument, as_json: AsJson = False) -> None:
    """Say that an event is over. Reminders that have not left will not.

    \b
    Example: tickler event complete EVENT
    """
    with office(context).open(say) as services:
        _put_done(services, services.calendar.complete(reading.find_event(services.ledger, event)), as_json)


@app.command()
def cancel(context: typer.Context, event: EventArgument, as_json: AsJson = False) -> None:
    """Cancel an event. Reminders that have not left will not.

    \b
    Example: tickler event cancel EVENT
    """
    with office(context).open(say) as services:
        _put_done(services, services.calendar.cancel(reading.find_event(services.ledger, event)), as_json)


@app.command()
def show(context: typer.Context, event: EventArgument, as_json: AsJson = False) -> None:
    """An event with all its reminders and what became of them.

    \b
    Example: tickler event show EVENT --json
    """
    with office(context).open(say) as services:
        left_out = put_event(services, reading.find_event(services.ledger, event), as_json=as_json)
    say_left_out(left_out)


@app.command("list")
def list_events(
    context: typer.Context,
    tenant: Annotated[str | None, typer.Option(help="Of this tenant only: a handle or an id.")] = None,
    days: Annotated[int, typer.Option(min=1, max=3660, help="How far to look ahead.")] = 90,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Completed, cancelled and past ones too, from as many days back."),
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """The events that are still to begin, soonest first, whether or not anybody is reminded of them.

    \b
    Example: tickler event list --tenant acme --all --days 30
    """
    with office(context).open(say) as services:
        tenant_id = reading.tenant_id_of(services.people, tenant) if tenant is not None else None
        now, window = services.clock.now(), timedelta(days=days)
        since = now - window if everything else now
        found = services.ledger.events(since, now + window, limit, tenant_id, closed_too=everything)
        events = found.rows
        names = Names.of(services.people, [row.event for row in events])
    if as_json:
        listed: list[Json] = [
            {**event_json(row.event, row.title, names), "nextDueAt": utc(row.next_due_at)} for row in events
        ]
        put_json(listed)
    elif events:
        put_table(
            ("START", "STATUS", "NEXT REMINDER", "FOR", "TITLE", "EVENT"),
            (
                (
                    wall(row.event.timing.start_at, row.event.timing.time_zone),
                    row.event.status.value,
                    wall(row.next_due_at, row.event.timing.time_zone) if row.next_due_at else "none",
                    names.all_told(row.event),
                    row.title or "(no title)",
                    str(row.event.id),
                )
                for row in events
            ),
        )
    else:
        put(
            f"no events within {days} days" + ("" if everything else "; --all shows closed and past ones too")
        )
    say_zones_unknown(row.event for row in events)
    say_left_out(found.unreadable)


def _person_id(services: Services, tenant_id: TenantId, option: str, text: str | None) -> UserId | None:
    return None if text is None else reading.find_person(services.people, tenant_id, option, text).id


def _note_gap(option: str, local: datetime, time_zone: str) -> None:
    """A word where the clocks go forward over a wall time."""
    real = instant(local, time_zone).astimezone(zone(time_zone)).replace(tzinfo=None, fold=0)
    if real != local:
        gone = f"{local:%Y-%m-%d %H:%M} does not exist in {time_zone}, where the clocks go forward"
        say(f"note: {option}: {gone}; it means {real:%Y-%m-%d %H:%M}")


def _put_planned(services: Services, done: Done, as_json: bool) -> None:
    """The event, after a word where it has reminders and none of them will leave."""
    rows = reminders_of(services, done.event.id).rows
    has_come_too_late = any(one.reason is SkipReason.PAST for one in done.reminders)
    if has_come_too_late and not any(row.state.status is Status.PENDING for row in rows):
        say("note: every reminder's time has passed; none will leave")
    put_event(services, done.event.id, as_json=as_json)


def _put_done(services: Services, done: Done, as_json: bool) -> None:
    if not done.happened:
        say(f"it is {done.event.status.value} already: nothing was changed")
    put_event(services, done.event.id, as_json=as_json)
