"""`tickler rezone`, and the same at the start of `tickler run`."""

from collections.abc import Iterator
from typing import Annotated

import typer

from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, say, utc, wall
from adapters.inbound.cli.progress import progress_bar
from adapters.inbound.cli.reading import tz_version
from application.explaining.explanation import counted
from application.rezoning import Report, Rezoned


def rezone(
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Reckon events and reminders to come anew, when the rules of time zones have changed. `run` does it too.

    \b
    Example: tickler rezone --dry-run
    """
    with office(context).open(say) as services, progress_bar("rezoning") as progress:
        report = services.rezoning.run(tz_version(), progress, dry_run=dry_run)
    if as_json:
        put_json(_document(report, dry_run))
        return
    for line in lines(report, dry_run=dry_run):
        put(line)


def rezone_at_start(services: Services) -> None:
    """Say only what changed, where anything did."""
    report = services.rezoning.run(tz_version())
    if report.rezoned or report.left:
        for line in lines(report):
            say(line)


def lines(report: Report, *, dry_run: bool = False) -> Iterator[str]:
    """The report in lines for people."""
    reminders = sum(len(one.reminders) for one in report.rezoned)
    would = "would change" if dry_run else "changed"
    yield (
        f"zone data {report.tz_version}: {counted(report.looked_at, 'event was', 'events were')} reckoned by"
        f" others; {len(report.rezoned)} of them {would}, and {counted(reminders, 'reminder')}"
    )
    for one in report.rezoned:
        zone, before, after = one.after.time_zone, one.before.start_at, one.after.start_at
        was = f", was {utc(before)}" if before != after else ""
        yield f"  event {one.event_id}: {one.after.start_local:%Y-%m-%d %H:%M} {zone} is {utc(after)}{was}"
        for row in one.reminders:
            past = ", which has passed: it will not be sent" if row.is_past else ""
            due = f"{wall(row.due_after, zone)} ({utc(row.due_after)}), was {utc(row.due_before)}"
            yield f"    {row.trigger}: {due}{past}"
    if report.left:
        left = counted(len(report.left), "event")
        yield f"left for the next time, for they are being changed elsewhere: {left}"


def _document(report: Report, dry_run: bool) -> Json:
    return {
        "tzVersion": report.tz_version,
        "dryRun": dry_run,
        "lookedAt": report.looked_at,
        "events": [_event(one) for one in report.rezoned],
        "left": [str(one) for one in report.left],
    }


def _event(one: Rezoned) -> Json:
    return {
        "eventId": str(one.event_id),
        "tenantId": str(one.tenant_id),
        "timeZone": one.after.time_zone,
        "startLocal": one.after.start_local.isoformat(),
        "startAtBefore": utc(one.before.start_at),
        "startAt": utc(one.after.start_at),
        "reminders": [
            {
                "trigger": str(row.trigger),
                "dueAtBefore": utc(row.due_before),
                "dueAt": utc(row.due_after),
                "past": row.is_past,
            }
            for row in one.reminders
        ],
    }
