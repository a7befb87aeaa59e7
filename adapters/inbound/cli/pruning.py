"""`tickler prune`."""

from collections import Counter
from typing import Annotated

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, put, put_json, put_table, say
from adapters.inbound.cli.progress import progress_bar
from application.ports.pruning import What

KEPT = {
    What.OUTBOX: "retention_outbox_days",
    What.INBOX: "retention_inbox_days",
    What.REMINDERS: "retention_rows_days",
    What.TOUCHES: "retention_rows_days",
    What.TOKENS: "retention_rows_days",
    What.DELIVERIES: "retention_deliveries_days",
    What.QUARANTINE: "retention_deliveries_days",
}


def prune(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would go.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove what is over and was kept as long as TICKLER_RETENTION_… says; `run` does it every hour.

    Never what waits for anybody: unpublished and parked messages, deliveries that are Unknown or Failed,
    touches that are Failed. History and events stay for ever. It runs beside all work, and may be stopped.

    \b
    Example: tickler prune --dry-run
    """
    desk = office(context)
    pruned: Counter[What] = Counter(dict.fromkeys(What, 0))
    seen: Counter[What] = Counter()
    about: Counter[What] = Counter()
    with desk.open(say) as services, progress_bar("pruning") as show:
        for one in services.pruning.run(only_count=dry_run):
            pruned[one.what] += one.batch.pruned
            seen[one.what] += one.batch.seen
            # What there is was estimated: of a walk that has ended it is what was seen.
            about[one.what] = seen[one.what] if one.batch.then is None else max(one.rows, seen[one.what])
            show(seen.total(), about.total())
    if as_json:
        put_json({"dryRun": dry_run, "pruned": {what.value: pruned[what] for what in What}})
        return
    days = {what: _days(getattr(desk.settings, name)) for what, name in KEPT.items()}
    put_table(
        ("", "WOULD GO" if dry_run else "GONE", "KEPT FOR"),
        ((what.value, str(pruned[what]), days.get(what, "until they end")) for what in What),
    )
    if not pruned.total():
        put("nothing to do")


def _days(days: float) -> str:
    return "1 day" if days == 1 else f"{days:g} days"
