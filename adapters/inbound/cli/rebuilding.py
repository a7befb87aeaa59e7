"""`tickler rebuild`."""

from collections.abc import Iterator

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, say
from adapters.inbound.cli.progress import progress_bar
from application.explaining.explanation import counted
from application.rebuilding import Rebuilt


def rebuild(context: typer.Context, as_json: AsJson = False) -> None:
    """Make the rows of events, reminders, touches and plans again from their history. Works beside `run`.

    Rows that are right already are left alone, so it may be broken off and run again at any time. Exit code 1
    when something cannot be made again, with the ids; the rest is. Of the roles of
    `tickler migrate --roles` it wants the worker's, as every command does.

    \b
    Example: tickler rebuild
    """
    report = Rebuilt()
    with office(context).open(say) as services:
        try:
            with progress_bar("rebuilding") as progress:
                services.rebuilding.run(report, progress)
        finally:
            if as_json:
                put_json(_document(report))
            else:
                for line in _lines(report):
                    put(line)
    if report.failed:
        raise typer.Exit(1)


def _lines(report: Rebuilt) -> Iterator[str]:
    for id_, problem in report.problems:
        yield f"{id_}  {problem}"
    if report.failed > len(report.problems):
        yield f"and {report.failed - len(report.problems)} more"
    if not report.is_whole:
        yield "broken off; run it again to go on"
    yield (
        f"looked at {counted(report.looked_at, 'history', 'histories')}:"
        f" {counted(report.inserted, 'row')} made again,"
        f" {report.corrected} corrected, {report.left_out} left out since they were over long ago,"
        f" {report.failed} failed"
    )
    if report.withdrawn:
        yield (
            f"skipped {counted(report.withdrawn, 'reminder')} that a change of its event had passed by:"
            " its history says so from now on"
        )


def _document(report: Rebuilt) -> Json:
    return {
        "whole": report.is_whole,
        "lookedAt": report.looked_at,
        "madeAgain": report.inserted,
        "corrected": report.corrected,
        "skipped": report.withdrawn,
        "leftOut": report.left_out,
        "failed": report.failed,
        "problems": [{"id": str(id_), "text": problem} for id_, problem in report.problems],
    }
