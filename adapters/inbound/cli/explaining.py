"""`tickler why` and `tickler history`: where one thing stands, and what happened to it."""

from typing import Annotated, NoReturn

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, Json, put, put_json, say, utc, wall
from adapters.inbound.cli.reading import uuid
from application.explaining.explanation import Explanation
from application.explaining.history import Happening, Past
from application.explaining.words import by

REFUSED = 1
LOOKED_IN = "events, reminders, deliveries, touches and plans"

IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Of an event, a reminder, a delivery, a touch or a plan.")
]


def why(
    context: typer.Context,
    id_: IdArgument,
    everything: Annotated[
        bool, typer.Option("--all", help="Of an event: reminders too in whose place others came since.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Where something stands, since when, what it waits for, and what will happen next and when.

    \b
    Example: tickler why 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    asked = uuid("ID", id_)
    with office(context).open(say) as services:
        found = services.explaining.why(asked, replaced_too=everything)
    if found is None:
        _say_unknown(id_)
    if as_json:
        put_json(explanation_json(found))
        return
    put(" ".join(filter(None, [found.says, _since(found), found.about])))
    for part in found.parts:
        put(f"- {part.says}")


def history(
    context: typer.Context,
    id_: IdArgument,
    everything: Annotated[
        bool,
        typer.Option("--all", help="What followed from it too: an event's reminders, the tries to deliver."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What happened to something, the first first: when, what, by whom, and the correlation id.

    Of a delivery the tries are told, of which neither is kept.

    \b
    Example: tickler history 0198c5f0-7d3e-7000-8000-0123456789ab --all
    """
    asked = uuid("ID", id_)
    with office(context).open(say) as services:
        found = services.recalling.history(asked, everything=everything)
    if found is None:
        _say_unknown(id_)
    if as_json:
        put_json([_happening_json(one) for one in found.happened])
        return
    for one in found.happened:
        put(_line(one, found, is_alone=not everything))
    if not found.happened:
        put("nothing has happened to it yet")


def explanation_json(one: Explanation) -> dict[str, Json]:
    return {
        "what": one.what.value,
        "id": str(one.id),
        "status": one.status,
        "situation": one.situation.value,
        "says": one.says,
        "timeZone": one.time_zone,
        "since": utc(one.since),
        "nextAt": utc(one.next_at),
        "latestAt": utc(one.latest_at),
        "about": one.about,
        "parts": [explanation_json(part) for part in one.parts],
    }


def _happening_json(one: Happening) -> dict[str, Json]:
    return {
        "at": utc(one.at),
        "what": one.what.value,
        "id": str(one.id),
        "event": one.event,
        "says": one.says,
        "actor": one.actor,
        "correlationId": str(one.correlation_id) if one.correlation_id else None,
        "version": one.version,
    }


def _since(one: Explanation) -> str | None:
    """Since when it stands so, where what is said of it does not say that already."""
    if one.since is None:
        return None
    said = wall(one.since, one.time_zone, to_the_second=True)
    return None if said in one.says else f"{one.status} since {said}."


def _line(one: Happening, past: Past, *, is_alone: bool) -> str:
    """With ids where more than one thing is told of."""
    whose = "" if is_alone else f"  {one.what.value} {one.id}:"
    whom = f"  by {by(one.actor)}, correlation id {one.correlation_id}" if one.correlation_id else ""
    return f"{wall(one.at, past.time_zone, to_the_second=True)}{whose}  {one.says}{whom}"


def _say_unknown(id_: str) -> NoReturn:
    say(f"tickler: nothing is known of {id_}: it was looked for among {LOOKED_IN}")
    raise typer.Exit(REFUSED)
