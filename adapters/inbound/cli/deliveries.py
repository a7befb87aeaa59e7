"""`tickler delivery …`: what became of messages, and what a person does where no program can go on."""

from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from adapters.inbound.cli.finding import tenant_id_of
from adapters.inbound.cli.office import office
from adapters.inbound.cli.options import OfTenant
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, say, utc
from adapters.inbound.cli.reading import uuid
from application.ports.errors import Conflict
from application.ports.people import People
from domain.delivery import Delivery, Status
from domain.errors import ClaimIsLost, NoSuchDelivery, Refused
from domain.values import DeliveryId, ReminderId, UserId

REFUSED = 1
MOST_SHOWN = 10_000
WHO = "a person at the command line"

MessagesArgument = Annotated[
    list[str], typer.Argument(metavar="DELIVERY...", help="Their ids, as `list` gives them.")
]

app = typer.Typer(no_args_is_help=True, help="What became of messages.")


@app.command("list")
def list_deliveries(
    context: typer.Context,
    tenant: OfTenant = None,
    status: Annotated[
        list[Status] | None, typer.Option(help="Of this status; Failed and Unknown unless given.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST_SHOWN, help="How many, the latest due first.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Messages by their status: unless told otherwise those that reached nobody.

    \b
    Example: tickler delivery list --tenant acme --status Failed
    """
    with office(context).open(say) as services:
        tenant_id = None if tenant is None else tenant_id_of(services.people, tenant)
        wanted = status or [Status.FAILED, Status.UNKNOWN]
        found = services.deliveries.latest(wanted, limit, tenant_id)
        handles = _handles(services.people, found)
    if as_json:
        put_json([_json(one, handles) for one in found])
    elif found:
        _put(found, handles)
    else:
        put("none")


@app.command("show")
def show(
    context: typer.Context,
    message: Annotated[str, typer.Argument(metavar="DELIVERY", help="Its id, as `list` gives it.")],
    as_json: AsJson = False,
) -> None:
    """One message, and the others about the same reminder.

    \b
    Example: tickler delivery show 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    id_ = DeliveryId(uuid("DELIVERY", message))
    with office(context).open(say) as services:
        one = services.deliveries.by_id(id_)
        if one is None:
            raise NoSuchDelivery
        about = services.deliveries.of_reminder(ReminderId(one.about_id))
        others = [other for other in about if other.id != one.id]
        handles = _handles(services.people, about)
    if as_json:
        put_json({**_json(one, handles), "others": [_json(other, handles) for other in others]})
        return
    _put([one], handles)
    put(f"about {one.about_id}" + (f" of event {one.event_id}" if one.event_id else ""))
    if one.in_doubt:
        put("it may have arrived: an answer was lost")
    if others:
        put("")
        put("about the same:")
        _put(others, handles)


@app.command("retry")
def retry(
    context: typer.Context,
    messages: MessagesArgument,
    may_arrive_twice: Annotated[
        bool, typer.Option("--may-arrive-twice", help="Also where nobody knows whether it arrived.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Send messages again that Failed or are Unknown, under the same id; `tickler run` does so at once.

    Whether it is wanted is looked at again: the message of an event that is over is not sent. One that is
    Pending or Sending is named and left as it is.

    \b
    Example: tickler delivery retry 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    ids = _ids(messages)
    with office(context).open(say) as services:
        retrying, on_their_way = services.retrying, list[DeliveryId]()

        def retry_one(id_: DeliveryId) -> None:
            if retrying.retry(id_, may_arrive_twice=may_arrive_twice) is None:
                on_their_way.append(id_)

        refused = _refused(ids, retry_one)
    for id_ in on_their_way:
        say(f"tickler: {id_}: it waits to be sent or is being sent already; `tickler why {id_}` tells more")
    _put_done(
        [id_ for id_ in ids if id_ not in on_their_way], refused, "to be sent again", "retried", as_json
    )


@app.command("arrived")
def arrived(context: typer.Context, messages: MessagesArgument, as_json: AsJson = False) -> None:
    """Say of messages that are Unknown that they did arrive; they are Delivered then, and not sent again.

    A touch whose answer is among them is Delivered as well, as soon as `tickler run` looks at its answers.

    \b
    Example: tickler delivery arrived 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    ids = _ids(messages)
    with office(context).open(say) as services:
        refused = _refused(ids, lambda id_: services.confirming.confirm(id_, WHO))
    _put_done(ids, refused, "arrived", "arrived", as_json)


def _ids(messages: Sequence[str]) -> Sequence[DeliveryId]:
    """Each once, in their order."""
    return list(dict.fromkeys(DeliveryId(uuid("DELIVERY", one)) for one in messages))


def _refused(ids: Sequence[DeliveryId], do: Callable[[DeliveryId], object]) -> dict[DeliveryId, str]:
    """Do it to each of them; why it was refused, of those of which it was."""
    refused: dict[DeliveryId, str] = {}
    for id_ in ids:
        try:
            do(id_)
        except ClaimIsLost as problem:
            raise Conflict(str(problem)) from None
        except Refused as problem:
            refused[id_] = str(problem)
    return refused


def _put_done(
    ids: Sequence[DeliveryId], refused: dict[DeliveryId, str], done: str, name: str, as_json: bool
) -> None:
    count = len(ids) - len(refused)
    if as_json:
        put_json({name: count, "refused": [str(id_) for id_ in refused]})
    else:
        put(f"{done}: {count}")
    for id_, problem in refused.items():
        say(f"tickler: {id_}: {problem}")
    if refused:
        raise typer.Exit(REFUSED)


def _handles(people: People, found: Sequence[Delivery]) -> dict[UserId, str]:
    known = people.recipients({(one.tenant_id, one.user_id) for one in found}) if found else {}
    return {user_id: one.person.handle for user_id, one in known.items()}


def _put(found: Sequence[Delivery], handles: dict[UserId, str]) -> None:
    put_table(
        ("DUE", "TO", "CHANNEL", "STATUS", "TRIES", "REASON", "DELIVERY"),
        (
            (
                utc(one.due_at) or "",
                handles.get(one.user_id, str(one.user_id)),
                one.channel,
                one.status.value,
                str(one.attempts),
                one.reason or "",
                str(one.id),
            )
            for one in found
        ),
    )


def _json(one: Delivery, handles: dict[UserId, str]) -> dict[str, Json]:
    return {
        "deliveryId": str(one.id),
        "tenantId": str(one.tenant_id),
        "aboutId": str(one.about_id),
        "eventId": str(one.event_id) if one.event_id else None,
        "userId": str(one.user_id),
        "handle": handles.get(one.user_id),
        "channel": one.channel,
        "template": one.template.value,
        "dueAt": utc(one.due_at),
        "status": one.status.value,
        "attempts": one.attempts,
        "nextTryAt": utc(one.not_before) if one.status is Status.PENDING else None,
        "reason": one.reason,
        "inDoubt": one.in_doubt,
    }
