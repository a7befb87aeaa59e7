"""A worker process for the fault tests of deferred touches, to be killed, frozen and woken from outside.

    python -m tests.faults.toucher CONNINFO --lease SECONDS --work SECONDS

It runs the loops that `tickler run` runs for touches, put together as there, with work of kind `check`: each
takes so long, and answers with the touch's text. Its log goes to the standard output as JSON; its first line
names the worker. SIGTERM ends it in order.
"""

import argparse
import sys
import threading
from datetime import timedelta

from dependency_injector import providers

from adapters.container import Container
from adapters.inbound.cli.stopping import StopSignals
from adapters.inbound.loops import Stop
from adapters.observability.logging import configure_logging, log
from adapters.outbound.postgres.database import Database, Patience
from adapters.settings import LogFormat, LogLevel, Settings
from application.ports.work import Outcome, Say, Work

POLL_S = 0.2


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("conninfo")
    parser.add_argument("--lease", type=float, required=True)
    parser.add_argument("--work", type=float, required=True)
    given = parser.parse_args()
    configure_logging(LogLevel.INFO, LogFormat.JSON, sys.stdout)

    def check(work: Work) -> Outcome:
        work.lost.wait(given.work)
        return Say(f"answer to {work.text}")

    settings = Settings(touch_lease=given.lease, touch_interval=POLL_S)
    container = Container(settings=providers.Object(settings), store="postgres", conninfo=given.conninfo)
    # Rows that a frozen process has locked are free again when its leases end; by default both take 10 s.
    patience = Patience(idle=min(Patience().idle, timedelta(seconds=given.lease)))
    container.database.override(providers.Object(Database(given.conninfo, patience=patience)))
    container.handlers.override(providers.Object({"check": check}))
    run(container)
    container.database().close()
    container.heartbeats().close()


def run(container: Container) -> None:
    stop = Stop()
    touching = container.touch_loops()
    threads = [threading.Thread(target=loop.run) for loop in touching.loops(stop)]
    with StopSignals() as signals:
        for thread in threads:
            thread.start()
        try:
            log(worker=touching.working.name).info("ready")
            signals.wait()
        finally:
            stop.set()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
