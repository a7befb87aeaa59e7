"""`tickler event plan|change|move`."""

from datetime import datetime, time, timedelta
from typing import Annotated

import typer

from adapters.inbound.cli import reading
from adapters.inbound.cli.finding import Somebody, find_event, find_person, owner_named, usual_reminders
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import EventArgument, TenantOfOwner
from adapters.inbound.cli.output import AsJson, say, wall
from adapters.inbound.cli.showing import Names, put_event, reminders_of
from adapters.settings import Settings
from application.calendar import Done, Draft
from application.ports.people import Tenant
from domain.errors import Invalid, NoSuchEvent
from domain.recurrence import ClockChange, planned_at
from domain.reminder import SkipReason, Status
from domain.triggers import DaysBeforeStart, MinutesBeforeStart
from domain.values import Kind, TenantId, UserId, instant, zone

RemindOption = Annotated[
    list[str] | None,
    typer.Option(
        "--remind",
        metavar="OFFSET",
        help="Minutes before the start, or start-15m, start-1d (same wall clock), start-1d@09:00, end-15m,"
        " end-1d, 'at 2026-12-01T09:00:00+03:00'. May be given again and again.",
    ),
]
NoRemind = Annotated[bool, typer.Option("--no-remind", help="No reminders.")]
DEFAULT_REMINDERS = (MinutesBeforeStart(15),)
ALL_DAY_REMINDERS = (DaysBeforeStart(1, time(9)),)


def plan(
    context: typer.Context,
    owner: Annotated[str, typer.Option(help="Whose event it is: a handle or an id.")],
    start: Annotated[str, typer.Option(help="Wall time such as '2026-12-01 10:00'; with --all-day a day.")],
    tenant: TenantOfOwner = None,
    title: Annotated[str | None, typer.Option(help="What people read.")] = None,
    client: Annotated[str | None, typer.Option(help="Who else is reminded: a handle or an id.")] = None,
    zone_name: Annotated[
        str | None,
        typer.Option("--zone", help="The IANA zone of --start and --end; without it the owner's."),
    ] = None,
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
    # What is wrong with the times is said before anything is opened, as far as it does not hang on the zone.
    reading.timing(start_local, zone_name or "UTC", end=end, minutes=minutes, all_day=all_day)
    desk = office(context)
    with desk.open(say) as services:
        home, somebody = owner_named(services.people, owner, tenant)
        tenant_id = home.id if isinstance(home, Tenant) else home
        time_zone = zone_name or _usual_zone(home, somebody, desk.settings, start)
        timing = reading.timing(start_local, time_zone, end=end, minutes=minutes, all_day=all_day)
        reading.check_before_start(wanted or (), timing)
        if not all_day:
            _note_gap("--start", start_local, time_zone)
            if end is not None:
                _note_gap("--end", reading.wall_time("--end", end), time_zone)
        fallback = ALL_DAY_REMINDERS if all_day else DEFAULT_REMINDERS
        usual = usual_reminders(home, all_day=all_day)
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
        done = services.calendar.plan(draft)
        _note_unreachable(services, done)
        _put_planned(services, done, as_json)


def change(
    context: typer.Context,
    event: EventArgument,
    title: Annotated[str | None, typer.Option(help="What people read.")] = None,
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
    """Change an event's title, owner, client, zone or reminders; what is not given stays.

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
    checked_title = None if title is None else reading.title(title)
    if (title, owner, client, zone_name, triggers) == (None,) * 5 and not no_client:
        raise Invalid(
            "nothing to change: give --title, --owner, --client, --no-client, --zone, --remind or --no-remind"
        )
    with office(context).open(say) as services:
        event_id = find_event(services.ledger, event)
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
            title=checked_title,
        )
        _note_unreachable(services, done)
        _put_planned(services, done, as_json)


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
        event_id = find_event(services.ledger, event)
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


def _person_id(services: Services, tenant_id: TenantId, option: str, text: str | None) -> UserId | None:
    return None if text is None else find_person(services.people, tenant_id, option, text).id


def _usual_zone(home: Tenant | TenantId, owner: Somebody, settings: Settings, start: str) -> str:
    """The owner's zone, else the tenant's or the one that is set; it is said which one is taken."""
    of_tenant = home.time_zone if isinstance(home, Tenant) else None
    name = owner.time_zone or of_tenant or settings.time_zone
    if name is None:
        raise Invalid(f"--zone: {start!r} is a wall time; say where, such as --zone Europe/Moscow")
    say(f"note: without --zone the times are meant in {name}")
    return name


def _note_unreachable(services: Services, done: Done) -> None:
    """A word where somebody who is to be reminded has no contact point."""
    rows, _ = reminders_of(services, done.event.id)
    if not any(row.state.status is Status.PENDING for row in rows):
        return
    event = done.event
    users = dict.fromkeys((event.owner_user_id, event.client_user_id))
    wanted = [(event.tenant_id, user_id) for user_id in users if user_id is not None]
    found = services.people.recipients(wanted)
    names = Names.of(services.people, [event])
    nowhere = [
        names.told(user_id)
        for _, user_id in wanted
        if user_id not in found or not found[user_id].contact_points
    ]
    if nowhere:
        say(
            f"note: no contact point: {', '.join(nowhere)}; reminders go to the console of `tickler run`,"
            " `tickler contact add` gives one"
        )


def _note_gap(option: str, local: datetime, time_zone: str) -> None:
    """A word where a clock change leaves out a wall time, or has it twice."""
    found = planned_at(local, time_zone)
    if found.clock_change is ClockChange.LEFT_OUT:
        real = found.at.astimezone(zone(time_zone))
        gone = f"{local:%Y-%m-%d %H:%M} does not exist in {time_zone}, where the clocks go forward"
        say(f"note: {option}: {gone}; it means {real:%Y-%m-%d %H:%M}")
    elif found.clock_change is ClockChange.TWICE:
        twice = f"{local:%Y-%m-%d %H:%M} happens twice in {time_zone}, where the clocks go back"
        say(f"note: {option}: {twice}; it means the first, {found.at:%Y-%m-%dT%H:%M}Z")


def _put_planned(services: Services, done: Done, as_json: bool) -> None:
    """The event, after a word where it has reminders and none of them will leave."""
    rows, _ = reminders_of(services, done.event.id)
    too_late = [one for one in done.reminders if one.reason is SkipReason.PAST]
    if too_late and not any(row.state.status is Status.PENDING for row in rows):
        say("note: every reminder's time has passed; none will leave")
    else:
        for reminder in too_late:
            at = wall(reminder.due_at, done.event.timing.time_zone)
            say(f"note: the reminder {reminder.trigger} does not leave: its time, {at}, has passed")
    for one in done.kept:
        at = wall(one.at, done.event.timing.time_zone)
        say(f"note: the reminder at {at} is at a fixed time and stays; `event change --remind` sets others")
    put_event(services, done.event.id, as_json=as_json)
