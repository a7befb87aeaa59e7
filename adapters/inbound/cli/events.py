"""`tickler event …`: plan, change, move, start, complete, cancel, show, list."""

from datetime import timedelta
from typing import Annotated

import typer

from adapters.inbound.cli import planning
from adapters.inbound.cli.finding import find_event, tenant_id_of
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import EventArgument, OfTenant
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say, utc, wall
from adapters.inbound.cli.showing import Names, event_json, put_event, say_left_out, say_zones_unknown
from application.calendar import Done
from application.explaining.explanation import counted

app = typer.Typer(no_args_is_help=True, help="Events and their reminders.")
app.command()(planning.plan)
app.command()(planning.change)
app.command()(planning.move)


@app.command()
def start(context: typer.Context, event: EventArgument, as_json: AsJson = False) -> None:
    """Say that an event has begun. Its reminders stay.

    \b
    Example: tickler event start EVENT
    """
    with office(context).open(say) as services:
        _put_done(services, services.calendar.start(find_event(services.ledger, event)), as_json)


@app.command()
def complete(context: typer.Context, event: EventArgument, as_json: AsJson = False) -> None:
    """Say that an event is over. Reminders that have not left will not.

    \b
    Example: tickler event complete EVENT
    """
    with office(context).open(say) as services:
        _put_done(services, services.calendar.complete(find_event(services.ledger, event)), as_json)


@app.command()
def cancel(context: typer.Context, event: EventArgument, as_json: AsJson = False) -> None:
    """Cancel an event. Reminders that have not left will not.

    \b
    Example: tickler event cancel EVENT
    """
    with office(context).open(say) as services:
        _put_done(services, services.calendar.cancel(find_event(services.ledger, event)), as_json)


@app.command()
def show(
    context: typer.Context,
    event: EventArgument,
    everything: Annotated[
        bool, typer.Option("--all", help="Reminders too in whose place others came since.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """An event with its reminders and what became of them.

    \b
    Example: tickler event show EVENT --json
    """
    with office(context).open(say) as services:
        event_id = find_event(services.ledger, event)
        left_out = put_event(services, event_id, as_json=as_json, everything=everything)
    say_left_out(left_out)


@app.command("list")
def list_events(
    context: typer.Context,
    tenant: OfTenant = None,
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
        tenant_id = tenant_id_of(services.people, tenant) if tenant is not None else None
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
            f"no events within {counted(days, 'day')}"
            + ("" if everything else "; --all shows closed and past ones too")
        )
    say_zones_unknown(row.event for row in events)
    say_left_out(found.unreadable)


def _put_done(services: Services, done: Done, as_json: bool) -> None:
    if not done.happened:
        say(f"it is {done.event.status.value} already: nothing was changed")
    put_event(services, done.event.id, as_json=as_json)
