"""`tickler dispatch --once`."""

from typing import Annotated

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, put, put_json, say
from application.explaining.explanation import counted
from domain.errors import Invalid


def dispatch(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="One tick: cycles until nothing more is due.")] = False,
    as_json: AsJson = False,
) -> None:
    """Send the reminders that are due now, without the loops of `run`.

    They go into the outbox; a running `tickler run` relays and delivers them.

    \b
    Example: tickler dispatch --once --json
    """
    if not once:
        raise Invalid("--once: it must be given; for the loop there is `tickler run --only dispatch`")
    with office(context).open(say) as services:
        cycles = list(services.dispatch_job.tick())
    sent = sum(cycle.sent_count for cycle in cycles)
    skipped = sum(cycle.skipped_count for cycle in cycles)
    locked = sum(cycle.skipped_locked_count for cycle in cycles)
    failed = len({poison.reminder_id for cycle in cycles for poison in cycle.failed})
    took = sum(cycle.duration_ms for cycle in cycles)
    if as_json:
        put_json(
            {
                "cycles": len(cycles),
                "sentCount": sent,
                "skippedCount": skipped,
                "skippedLockedCount": locked,
                "failedCount": failed,
                "durationMs": took,
            }
        )
    else:
        put(
            f"{sent} sent, {skipped} skipped, {locked} passed over as locked, {failed} failed"
            f" in {counted(len(cycles), 'cycle')}, {took} ms"
        )
