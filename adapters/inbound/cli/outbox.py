"""`tickler outbox …`: the messages that were refused for good, and how they are given back."""

from typing import Annotated

import typer

from adapters.inbound.cli.office import office
from adapters.inbound.cli.output import AsJson, put, put_json, put_table, say, utc
from adapters.inbound.cli.reading import uuid
from domain.errors import Invalid

REFUSED = 1
MOST_SHOWN = 10_000

app = typer.Typer(no_args_is_help=True, help="What was refused for good on its way out.")


@app.command("parked")
def parked(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_SHOWN, help="How many, the longest parked first.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """Messages that were refused for good, such as too large or not authorised, with the reason.

    \b
    Example: tickler outbox parked
    """
    with office(context).open(say) as services:
        found = services.parking.parked(limit)
    if as_json:
        put_json(
            {
                "count": found.count,
                "messages": [
                    {
                        "messageId": str(one.message.id),
                        "eventId": str(one.message.key),
                        "topic": one.message.topic,
                        "bytes": len(one.message.payload),
                        "reason": one.reason,
                        "at": utc(one.at),
                    }
                    for one in found.oldest
                ],
            }
        )
        return
    if not found.oldest:
        put("none")
        return
    put_table(
        ("SINCE", "BYTES", "REASON", "MESSAGE"),
        (
            (utc(one.at) or "", str(len(one.message.payload)), one.reason, str(one.message.id))
            for one in found.oldest
        ),
    )
    if found.count > len(found.oldest):
        put(f"and {found.count - len(found.oldest)} more")


@app.command("retry")
def retry(
    context: typer.Context,
    messages: Annotated[
        list[str] | None, typer.Argument(metavar="[MESSAGE]...", help="Their ids, as `parked` lists them.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that are parked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give parked messages back to the relay, once what they were refused for is mended.

    \b
    Example: tickler outbox retry --all
    """
    ids = [uuid("MESSAGE", one) for one in messages or []]
    if bool(ids) is everything:
        raise Invalid("MESSAGE: name the messages, or give --all, and not both")
    with office(context).open(say) as services:
        parking = services.parking
        retried = parking.retry_all(services.clock.now()) if everything else parking.retry(ids)
    if as_json:
        put_json({"retried": retried.count, "notParked": [str(id_) for id_ in retried.unknown]})
    else:
        put(f"given back: {retried.count}")
        for id_ in retried.unknown:
            say(f"tickler: not parked: {id_}")
    if retried.unknown:
        raise typer.Exit(REFUSED)
