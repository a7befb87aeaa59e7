"""`tickler upcoming`."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from adapters.inbound.cli.finding import tenant_id_of
from adapters.inbound.cli.office import office
from adapters.inbound.cli.options import OfTenant
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say, wall
from adapters.inbound.cli.showing import Names, event_json, reminder_json, say_left_out, say_zones_unknown
from application.explaining.explanation import counted


def upcoming(
    context: typer.Context,
    tenant: OfTenant = None,
    days: Annotated[int, typer.Option(min=1, max=3660, help="How far to look ahead.")] = 30,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """The reminders that will leave next, soonest first. Works beside `tickler run`.

    \b
    Example: tickler upcoming --tenant acme --days 7
    """
    with office(context).open(say) as services:
        tenant_id = tenant_id_of(services.people, tenant) if tenant is not None else None
        now = services.clock.now()
        found = services.ledger.upcoming(now + timedelta(days=days), limit, tenant_id)
        rows = found.rows
        names = Names.of(services.people, [row.event for row in rows])
    if as_json:
        listed: list[Json] = [
            {**reminder_json(row.reminder), "event": event_json(row.event, row.title, names)} for row in rows
        ]
        put_json(listed)
    elif rows:
        put_table(
            ("DUE", "IN", "REMINDER", "FOR", "TITLE", "EVENT"),
            (
                (
                    wall(row.reminder.due_at, row.event.timing.time_zone),
                    how_long(now, row.reminder.due_at),
                    str(row.reminder.trigger),
                    names.all_told(row.event),
                    row.title or "(no title)",
                    str(row.event.id),
                )
                for row in rows
            ),
        )
    else:
        put(f"no reminders within {counted(days, 'day')}")
    say_zones_unknown(row.event for row in rows)
    say_left_out(found.unreadable)


def how_long(now: datetime, then: datetime) -> str:
    """The time until then in its two largest units: `2d 3h`, `5m 10s`; `now` when it has come."""
    seconds = int((then - now).total_seconds())
    if seconds <= 0:
        return "now"
    parts = (
        (seconds // 86_400, "d"),
        (seconds // 3600 % 24, "h"),
        (seconds // 60 % 60, "m"),
        (seconds % 60, "s"),
    )
    told = [(count, unit) for count, unit in parts]
    first = next(index for index, (count, _) in enumerate(told) if count)
    return " ".join(f"{count}{unit}" for count, unit in told[first : first + 2] if count)
