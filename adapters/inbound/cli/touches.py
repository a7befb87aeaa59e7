"""`tickler touch add|list|show|cancel|retry`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from adapters.inbound.cli.finding import person_named, tenant_id_of
from adapters.inbound.cli.office import Services, office
from adapters.inbound.cli.options import MaybeTenant, OfTenant
from adapters.inbound.cli.output import AsJson, Json, put, put_json, put_table, put_text, say, utc, wall
from adapters.inbound.cli.reading import uuid
from adapters.inbound.cli.standing import standing
from adapters.inbound.cli.targets import ForOption, ToOption, note_where_nothing_leaves, origin_of
from application.explaining.explanation import counted
from application.ports.touches import RecordedTouchEvent
from application.touching.deferring import MESSAGE, Caller, Wish
from application.touching.words.reading import read_time
from application.touching.words.resolved import Unclear
from domain.deferred_touch import DeferredTouch, Status, WhenClientWrites
from domain.errors import Invalid, NoSuchTouch
from domain.values import TouchId

CALLER = "cli"
MOST_SHOWN = 10_000

app = typer.Typer(no_args_is_help=True, help="Work that was put off, and what came of it.")

TouchArgument = Annotated[
    str, typer.Argument(metavar="TOUCH", help="Its id, as `tickler touch list` shows it.")
]


@app.command("add")
def add(
    context: typer.Context,
    whom: ForOption,
    when: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="In the person's zone: '2026-12-08 10:00', 'in 10 minutes', 'tomorrow at 9', 'on Tuesday',"
            " 'через полтора месяца'. What may mean two days is not guessed.",
        ),
    ],
    text: Annotated[
        str | None, typer.Option(help="What is to be said, or what the work is about. Of `message`: needed.")
    ] = None,
    tenant: MaybeTenant = None,
    contact: ToOption = None,
    kind: Annotated[
        str, typer.Option(help="message: say the text; call: ask the tenant's agent; or a kind of your own.")
    ] = MESSAGE,
    key: Annotated[
        str | None, typer.Option(help="Idempotency key: the same one again gives the same touch.")
    ] = None,
    when_client_writes: Annotated[
        WhenClientWrites, typer.Option(help="What becomes of it when the client writes before it is due.")
    ] = WhenClientWrites.KEEP,
    as_json: AsJson = False,
) -> None:
    """Put work off; the answer goes to the person's address, to that one and no other.

    \b
    Examples: tickler touch add --for anna --tenant acme --when "on Tuesday at 10" \\
                --text "Shall we go on with the contract?"
              tickler touch add --for anna --tenant acme --when "in 10 minutes" --kind call --text "check 42"
    """
    with office(context).open(say) as services:
        person = person_named(services.people, "--for", whom, tenant)
        found = read_time(when, services.clock.now(), person.time_zone)
        if isinstance(found, Unclear):
            raise Invalid(_question(when, found))
        caller = Caller(person.tenant_id, CALLER, origin_of(services.people, person, contact))
        own_key = str(services.ids.new()) if key is None else key
        wish = Wish(kind, found.at, text, own_key, when_client_writes, asked=when)
        registered = services.deferring.defer(caller, wish)
        note_where_nothing_leaves(services, caller.origin.channel)
    touch = registered.touch
    # Of a repeat it may be another moment by now, and this one's clock change is none of its.
    note = found.note if touch.due_at == found.at else None
    if as_json:
        put_json({**touch_json(touch), "isNew": registered.is_new, "note": note})
        return
    if note is not None:
        say(f"note: --when: {note}")
    already = "" if registered.is_new else "  (asked for before)"
    put(f"{touch.id}  {touch.status.value}  due {wall(touch.due_at, person.time_zone)}{already}")


@app.command("list")
def list_(
    context: typer.Context,
    tenant: OfTenant = None,
    status: Annotated[
        list[Status] | None, typer.Option(help="Only of this status; may be given again.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST_SHOWN, help="How many.")] = 100,
    after: Annotated[str | None, typer.Option(metavar="TOUCH", help="Those after this id.")] = None,
    as_json: AsJson = False,
) -> None:
    """Touches, the oldest first.

    \b
    Example: tickler touch list --tenant acme --status Failed
    """
    first = None if after is None else TouchId(uuid("--after", after))
    with office(context).open(say) as services:
        tenant_id = None if tenant is None else tenant_id_of(services.people, tenant)
        found = services.touches.listed(tenant_id, limit, statuses=status or (), after=first)
    if as_json:
        put_json([touch_json(one) for one in found])
    elif found:
        put_table(("DUE", "STATUS", "CLAIM", "KIND", "TO", "WHY", "TOUCH"), [_row(one) for one in found])
    else:
        put("none")


@app.command("show")
def show(context: typer.Context, touch: TouchArgument, as_json: AsJson = False) -> None:
    """A touch: where it stands and what comes next, its texts, and all that happened to it.

    \b
    Example: tickler touch show 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    desk = office(context)
    with desk.open(say) as services:
        found = _touch(services, touch)
        now = services.clock.now()
        texts, history = services.touches.texts(found.id), services.touches.history(found.id)
        person = services.people.by_id(found.origin.user_id)
    time_zone = person.time_zone if person else "UTC"
    stands = standing(found, now, time_zone, desk.settings.touch_attempts)
    if as_json:
        put_json(
            {
                **touch_json(found),
                "standing": stands,
                "text": texts.text,
                "answer": texts.answer,
                "history": [_event_json(one) for one in history],
            }
        )
        return
    put(f"{found.id}  {found.status.value}" + (f"  ({found.reason})" if found.reason else ""))
    put(f"  {stands}")
    put(f"  {found.kind} for {person.handle if person else found.origin.user_id} on {found.origin.channel}")
    put(
        f"  due {wall(found.due_at, time_zone)}; claim {found.claim}, {counted(found.failures, 'failure')},"
        f" {counted(found.recoveries, 'recovery', 'recoveries')}, put off {counted(found.rounds, 'time')}"
    )
    for name, text in (("text", texts.text), ("answer", texts.answer)):
        if text is not None:
            put_text(text, after=f"  {name}: ")
    for one in history:
        why = getattr(one.event, "reason", None)
        said = f"  ({why})" if why else ""
        put(f"  {utc(one.occurred_at)}  {type(one.event).__name__}  by {one.actor}{said}")


@app.command("cancel")
def cancel(context: typer.Context, touch: TouchArgument, as_json: AsJson = False) -> None:
    """Take a touch back that nobody works on yet.

    \b
    Example: tickler touch cancel 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    with office(context).open(say) as services:
        found = _touch(services, touch)
        _put(services.deferring.cancel(found.tenant_id, found.id, CALLER), as_json)


@app.command("retry")
def retry(context: typer.Context, touch: TouchArgument, as_json: AsJson = False) -> None:
    """Try a Failed touch again, with all its attempts.

    \b
    Example: tickler touch retry 0198c5f0-7d3e-7000-8000-0123456789ab
    """
    with office(context).open(say) as services:
        found = _touch(services, touch)
        _put(services.deferring.retry(found.tenant_id, found.id, CALLER), as_json)


def touch_json(touch: DeferredTouch) -> dict[str, Json]:
    origin, occurrence = touch.origin, touch.occurrence
    return {
        "touchId": str(touch.id),
        "tenantId": str(touch.tenant_id),
        "kind": touch.kind,
        "status": touch.status.value,
        "reason": touch.reason,
        "dueAt": utc(touch.due_at),
        "userId": str(origin.user_id),
        "channel": origin.channel,
        "contactPointId": str(origin.contact_point_id) if origin.contact_point_id else None,
        "whenClientWrites": touch.when_client_writes.value,
        "planId": str(occurrence.plan_id) if occurrence else None,
        "slot": occurrence.slot.isoformat() if occurrence else None,
        "claim": touch.claim,
        "failures": touch.failures,
        "recoveries": touch.recoveries,
        "rounds": touch.rounds,
        "worker": touch.worker,
        "leaseUntil": utc(touch.lease_until),
    }


def _touch(services: Services, text: str) -> DeferredTouch:
    found = services.touches.touch(TouchId(uuid("TOUCH", text)))
    if found is None:
        raise NoSuchTouch
    return found.state


def _put(touch: DeferredTouch, as_json: bool) -> None:
    if as_json:
        put_json(touch_json(touch))
    else:
        put(f"{touch.id}  {touch.status.value}")


def _row(touch: DeferredTouch) -> Sequence[str]:
    return (
        utc(touch.due_at) or "",
        touch.status.value,
        str(touch.claim or ""),
        touch.kind,
        touch.origin.channel,
        touch.reason or "",
        str(touch.id),
    )


def _event_json(one: RecordedTouchEvent) -> dict[str, Json]:
    return {
        "version": one.version,
        "event": type(one.event).__name__,
        "at": utc(one.occurred_at),
        "actor": one.actor,
        "reason": getattr(one.event, "reason", None),
        "correlationId": str(one.correlation_id),
    }


def _question(when: str, found: Unclear) -> str:
    times = ", ".join(
        f"'{one.local:%Y-%m-%d %H:%M}'" + (f" ({one.note})" if one.note else "") for one in found.candidates
    )
    return f"--when: {when[:40]!r} may mean more than one time: {found.question}" + (
        f" Say one of {times}" if times else ""
    )
