"""`tickler run`."""

from typing import TYPE_CHECKING, Annotated

import typer

from adapters.inbound.cli.office import Services, Unready, office
from adapters.inbound.cli.output import put, put_json, say
from adapters.inbound.cli.rezoning import rezone_at_start
from adapters.inbound.cli.stopping import StopSignals
from adapters.inbound.heap import tune_collector
from adapters.inbound.loops import DeliverStep, DispatchStep, Loop, Loops, RelayStep, Stop
from adapters.observability.logging import log
from adapters.settings import Settings
from domain.errors import Invalid

if TYPE_CHECKING:
    from adapters.inbound.http.serving import HttpServer

KINDS = ("dispatch", "relay", "consume", "deliver", "touch", "http")
LABELS = {"postgresLog": "log of its Postgres", "email": "e-mail", "http": "HTTP API and tools"}


def run(
    context: typer.Context,
    only: Annotated[
        str, typer.Option(help=f"Which loops and servers: some of {','.join(KINDS)}.")
    ] = ",".join(KINDS),
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="JSON lines on stdout: one when it is ready, one for each message of the console."
        ),
    ] = False,
) -> None:
    """Run Tickler until Ctrl-C: a Postgres of its own (or TICKLER_DATABASE_URL), migrations, every loop.

    What can be set, such as the mail server, is in docs/settings.md: environment variables TICKLER_….

    \b
    Example: tickler run --only dispatch,relay
    """
    kinds = which(only)
    desk = office(context)
    settings = desk.settings
    if kinds == ("consume",) and settings.kafka_bootstrap_servers is None:
        raise Invalid("--only: there is nothing to consume: TICKLER_KAFKA_BOOTSTRAP_SERVERS is not set")
    if kinds == ("http",) and settings.http_port is None:
        raise Invalid("--only: there is nothing to serve: TICKLER_HTTP_PORT is not set")
    with StopSignals() as signals, desk.open(say, migrating=True, json_lines=as_json) as services:
        rezone_at_start(services)
        loops = make_loops(services, settings, kinds, Stop())
        server = _server(services, settings) if "http" in kinds else None
        tune_collector()
        try:
            loops.start()
            places = {**desk.places, "reminders": _reminders(settings), "email": _email(settings)}
            if server is not None:
                server.start()
                places["http"] = server.url
            if as_json:
                put_json({"ready": True, **places})
            else:
                put("ready")
                for what, where in places.items():
                    put(f"  {LABELS.get(what, what)}: {where}")
                put("  beside it: tickler upcoming; tickler event plan --help; Ctrl-C ends it")
            signals.wait()
        finally:
            if server is not None and not server.stop():
                log().warning("the HTTP server did not end in time; the process ends without it")
            if stuck := loops.stop():
                log().warning("some loops did not end in time; the process ends without them", loops=stuck)


def _reminders(settings: Settings) -> str:
    if settings.kafka_bootstrap_servers is None:
        return "handed over in this process (TICKLER_KAFKA_BOOTSTRAP_SERVERS is not set)"
    return f"through Kafka at {settings.kafka_bootstrap_servers}, group {settings.kafka_group}"


def _email(settings: Settings) -> str:
    if settings.smtp_host is None:
        return "off (TICKLER_SMTP_HOST is not set)"
    return f"by {settings.smtp_host}, port {settings.mail_port}"


def _server(services: Services, settings: Settings) -> "HttpServer | None":
    """The server where a port is set, already listening; Unready where it cannot."""
    if settings.http_port is None:
        return None
    # Of no other command, and a second to load.
    from adapters.inbound.http.app import make_app
    from adapters.inbound.http.serving import HttpServer, PortTaken

    try:
        return HttpServer(make_app(services.desk), settings.http_host, settings.http_port)
    except PortTaken as problem:
        raise Unready(str(problem)) from None


def which(only: str) -> tuple[str, ...]:
    """The kinds of loops in `dispatch,relay`."""
    kinds = tuple(dict.fromkeys(part.strip() for part in only.split(",") if part.strip()))
    for kind in kinds:
        if kind not in KINDS:
            raise Invalid(f"--only: {kind[:40]!r} is none of {', '.join(KINDS)}")
    if not kinds:
        raise Invalid(f"--only: name at least one of {', '.join(KINDS)}")
    return kinds


def make_loops(services: Services, settings: Settings, kinds: tuple[str, ...], stop: Stop) -> Loops:
    """The loops of these kinds; one delivery loop a channel that can send."""
    loops: list[Loop] = []
    if "dispatch" in kinds:
        dispatch = DispatchStep(services.dispatch_job, services.clock, stop.is_set)
        loops.append(Loop("dispatch", dispatch, stop.wait))
    if "relay" in kinds:
        relay = RelayStep(services.relay, settings.relay_interval, stop.is_set)
        loops.append(Loop("relay", relay, stop.wait))
    if "consume" in kinds and services.consuming is not None:
        loops.append(Loop("consume", services.consuming, stop.wait, close=services.consuming.close))
    if "deliver" in kinds:
        for delivering in services.delivering:
            deliver = DeliverStep(delivering, settings.delivery_interval, stop.is_set)
            loops.append(Loop(f"deliver {delivering.channel.name}", deliver, stop.wait))
    if "touch" in kinds:
        loops += services.touch_loops().loops(stop)
    return Loops(loops, stop, services.interrupt)
