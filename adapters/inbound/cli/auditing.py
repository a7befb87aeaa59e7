"""`tickler audit`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, say
from adapters.inbound.cli.progress import progress_bar
from adapters.inbound.cli.reading import tz_version
from application.auditing.auditing import MOST, Found, Report
from application.auditing.rules import Rule
from application.explaining.explanation import counted
from application.ports.auditing import Part

RUNBOOK = "docs/runbooks/audit.md"
# What follows from history alone, and what holds again with it where that was the reason.
MADE_AGAIN = (
    Rule.ROW_IS_FOLD,
    Rule.STREAM_HAS_ROW,
    Rule.ROW_IS_READABLE,
    Rule.REMINDER_IS_WANTED,
    Rule.NEXT_AT,
)
WITH_THAT = (
    Rule.TRIGGER_HAS_REMINDER,
    Rule.DUE_AT,
    Rule.SENT_AT,
    Rule.ONE_PENDING,
    Rule.TOUCH_CLAIM,
    Rule.OCCURRENCE,
)
# The runbook's first section is about these.
REBUILT = (*MADE_AGAIN, *WITH_THAT)

# One and many of them.
TOLD: Mapping[Part, Sequence[str]] = {
    Part.EVENTS: ("event",),
    Part.REMINDERS: ("reminder",),
    Part.TOUCHES: ("touch", "touches"),
    Part.PLANS: ("plan",),
    Part.OUTBOX: ("outbox record",),
    Part.DELIVERIES: ("delivery", "deliveries"),
    Part.ATTEMPTS: ("tried delivery", "tried deliveries"),
    Part.IMPORTS: ("imported entry", "imported entries"),
    Part.STREAMS: ("stream",),
}


def audit(
    context: typer.Context,
    except_stuck: Annotated[
        bool,
        typer.Option("--except-stuck", help="Without what only waits too long: for when Tickler was off."),
    ] = False,
    most: Annotated[
        int, typer.Option(min=1, max=100_000, metavar="N", help="How many ids to name for a rule, at most.")
    ] = MOST,
    as_json: AsJson = False,
) -> None:
    """Check what is stored against its history and the rules. Works beside `run`.

    Rows, streams, outbox, inbox, deliveries with their attempts, and what was imported are looked at. Not
    whether addresses, opt-outs, tenants and titles are what they were: no history tells.

    It reads only. A database of Tickler's own is brought up to date before that, as by every command; of one
    that TICKLER_DATABASE_URL names nothing is changed.

    Exit code 1 when a rule does not hold, with the ids; what can be made right from history is made so by
    `tickler rebuild`.

    \b
    Example: tickler audit
    """
    report = Report()
    with office(context).open(say) as services:
        try:
            with progress_bar("auditing") as progress:
                services.auditing.run(report, tz_version(), progress, except_stuck=except_stuck, most=most)
        finally:
            if as_json:
                put_json(_document(report))
            else:
                for line in _lines(report):
                    put(line)
    if not report.is_sound:
        raise typer.Exit(1)


def _lines(report: Report) -> Iterator[str]:
    for rule in _broken(report):
        found = report.found[rule]
        yield f"{rule.id}  {rule.says}: {counted(found.count, 'does', 'do')} not"
        for breach in found.first:
            yield f"  {breach.id}  {breach.text}"
        if found.count > len(found.first):
            yield f"  and {found.count - len(found.first)} more"
    looked_at = ", ".join(counted(count, *TOLD[part]) for part, count in report.looked_at.items())
    if not report.is_whole:
        yield f"broken off; looked at so far: {looked_at or 'nothing'}"
    elif report.is_sound:
        yield f"all is sound: {looked_at}"
    else:
        yield f"{counted(len(report.found), 'rule does', 'rules do')} not hold; looked at: {looked_at}"
    if not report.is_sound:
        yield from _next_steps(report)


def _next_steps(report: Report) -> Iterator[str]:
    broken = _broken(report)
    again = [rule for rule in MADE_AGAIN if rule in broken and _is_made_again(report.found[rule])]
    mended = [rule for rule in broken if rule in again or (again and rule in WITH_THAT)]
    if mended:
        yield f"next: `tickler rebuild`, which makes rows right from a whole history: {_ids(mended)}"
    if rest := [rule for rule in broken if rule not in mended or report.found[rule].for_hands]:
        yield f"next: {RUNBOOK} says what to do: {_ids(rest)}"
    elif mended:
        yield f"what is left after that: {RUNBOOK}"


def _is_made_again(found: Found) -> bool:
    return found.count > found.for_hands


def _ids(rules: Sequence[Rule]) -> str:
    return ", ".join(rule.id for rule in rules)


def _document(report: Report) -> Json:
    return {
        "sound": report.is_sound and report.is_whole,
        "whole": report.is_whole,
        "lookedAt": {part.value: count for part, count in report.looked_at.items()},
        "breaches": [
            {
                "rule": rule.id,
                "says": rule.says,
                "stuck": rule.is_stuck,
                "count": report.found[rule].count,
                "first": [{"id": str(one.id), "text": one.text} for one in report.found[rule].first],
            }
            for rule in _broken(report)
        ],
    }


def _broken(report: Report) -> list[Rule]:
    return [rule for rule in Rule if rule in report.found]
