"""`tickler run`."""

from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from adapters.inbound.cli.office import Services, Unready, office
from adapters.inbound.cli.output import put, put_json, say
from adapters.inbound.cli.rezoning import rezone_at_start
from adapters.inbound.cli.stopping import StopSignals
from adapters.inbound.heap import tune_collector
from adapters.inbound.kafka.consumer import ConsumeStep
from adapters.inbound.listening import PortTaken
from adapters.inbound.loops import DeliverStep, DispatchStep, Loop, Loops, RelayStep, Stop
from adapters.inbound.prune_loop import PruneStep
from adapters.inbound.skip_loop import SkipStep
from adapters.inbound.watching.serving import WatchServer
from adapters.observability.logging import log
from adapters.observability.pulse import Pulse
from adapters.settings import Settings
from application.ports.publisher import LONGEST_PUBLISH
from domain.errors import Invalid

if TYPE_CHECKING:
    from adapters.inbound.http.serving import HttpServer

# Between two signs of life a loop waits for a few statements at most, each bounded (Patience), in seconds.
LONGEST_SILENCE = 60.0
KINDS = ("dispatch", "relay", "consume", "deliver", "touch", "prune", "http")
LABELS = {
    "postgresLog": "log of its Postgres",
    "email": "e-mail",
    "http": "HTTP API and tools",
    "watch": "metrics and health",
}


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
        watch = _watch(services, settings)
        tune_collector()
        try:
            if watch is not None:
                watch.start()
            loops.start()
            places = {**desk.places, "reminders": _reminders(settings), "email": _email(settings)}
            if server is not None:
                server.start()
                places["http"] = server.url
            if watch is not None:
                places["watch"] = watch.url
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
            if watch is not None:
                watch.stop()


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
    from adapters.inbound.http.pacing import RequestRates
    from adapters.inbound.http.serving import HttpServer

    try:
        rates = RequestRates(settings.http_rate, settings.http_burst, monotonic)
        app = make_app(services.desk, rates, services.spans)
        return HttpServer(app, settings.http_host, settings.http_port)
    except PortTaken as problem:
        raise Unready(str(problem)) from None


def _watch(services: Services, settings: Settings) -> WatchServer | None:
    """As `_server`; whatever loops there are, they are watched."""
    if settings.watch_port is None:
        return None
    try:
        return WatchServer(services.pages(), settings.watch_host, settings.watch_port)
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
    """The loops of these kinds, watched; one delivery loop a channel that can send, one for all others."""
    loops: list[Loop] = []
    if "dispatch" in kinds:
        loops.append(_dispatch_loop(services, settings, stop))
    if "relay" in kinds:
        loops.append(_relay_loop(services, settings, stop))
    if "consume" in kinds and services.consuming is not None:
        loops.append(_consume_loop(services, services.consuming, stop))
    if "deliver" in kinds:
        loops += _delivery_loops(services, settings, stop)
    if "touch" in kinds:
        loops += _touch_loops(services, stop)
    if "prune" in kinds:
        pulse = services.metrics.pulse("prune", LONGEST_SILENCE)
        prune = PruneStep(services.pruning, settings.prune_interval, pulse.asking(stop.is_set))
        loops.append(Loop("prune", prune, stop.wait, pulse=pulse))
    return Loops(loops, stop, services.interrupt)


def _dispatch_loop(services: Services, settings: Settings, stop: Stop) -> Loop:
    metrics = services.metrics
    metrics.dispatch.show(metrics.registry)
    pulse = metrics.pulse("dispatch", LONGEST_SILENCE + settings.dispatch_max_duration)
    step = DispatchStep(
        services.dispatch_job, services.clock, pulse.asking(stop.is_set), metrics.dispatch.overruns.inc
    )
    return Loop("dispatch", step, stop.wait, pulse=pulse)


def _relay_loop(services: Services, settings: Settings, stop: Stop) -> Loop:
    metrics = services.metrics
    metrics.relay.show(metrics.registry)
    succeeded = [metrics.relay.last_success]
    if services.consuming is None:
        # What it hands over is taken in before it is marked as published.
        metrics.consumer.show(metrics.registry)
        succeeded.append(metrics.consumer.last_success)
    pulse = metrics.pulse(
        "relay", LONGEST_SILENCE + LONGEST_PUBLISH.total_seconds(), succeeded, [metrics.relay.errors]
    )
    step = RelayStep(services.relay, settings.relay_interval, pulse.asking(stop.is_set))
    return Loop("relay", step, stop.wait, pulse=pulse)


def _consume_loop(services: Services, consuming: ConsumeStep, stop: Stop) -> Loop:
    metrics = services.metrics
    metrics.consumer.show(metrics.registry)
    pulse = metrics.pulse(
        "consume", LONGEST_SILENCE, [metrics.consumer.last_success], [metrics.consumer.errors]
    )
    return Loop("consume", consuming, stop.wait, close=consuming.close, pulse=pulse)


def _delivery_loops(services: Services, settings: Settings, stop: Stop) -> Iterator[Loop]:
    metrics, told = services.metrics, services.metrics.deliveries
    told.show(metrics.registry)
    for delivering in services.delivering:
        channel = delivering.channel.name
        told.open(channel)
        # A turn that fails waits for what is being sent, and that no longer than for its lease.
        longest = LONGEST_SILENCE + delivering.options.lease.total_seconds()
        pulse = metrics.pulse(
            f"deliver {channel}", longest, [told.last_success.labels(channel)], [told.errors.labels(channel)]
        )
        step = DeliverStep(delivering, settings.delivery_interval, pulse.asking(stop.is_set))
        yield Loop(f"deliver {channel}", step, stop.wait, pulse=pulse)
    pulse = metrics.pulse("skip", LONGEST_SILENCE)
    skip = SkipStep(services.skipping, settings.delivery_interval, pulse.asking(stop.is_set))
    yield Loop("skip", skip, stop.wait, pulse=pulse)


def _touch_loops(services: Services, stop: Stop) -> Iterator[Loop]:
    metrics, told = services.metrics, services.metrics.touches
    loops = services.touch_loops()
    told.show(metrics.registry)
    told.open(loops.working.handlers)

    def pulse_of(name: str) -> Pulse:
        succeeded = [told.last_success] if name == "touch work" else []
        return metrics.pulse(name, LONGEST_SILENCE, succeeded, [told.errors])

    return loops.loops(stop, pulse_of, told.errors.inc)
