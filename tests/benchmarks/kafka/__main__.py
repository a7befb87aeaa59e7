"""Part of `make bench`: outbox to a real Kafka, and topic to inbox, beside the dispatch cycle in one run."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import psycopg
from attrs import frozen
from psycopg.conninfo import make_conninfo
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from adapters.outbound.postgres.embedded import EmbeddedPostgres
from application.dispatching import TOPIC
from tests.benchmarks.dispatch import cycle
from tests.benchmarks.dispatch.databases import TEMPLATE, copy_of_template, prepare
from tests.benchmarks.dispatch.measuring import Different, Run, run_apart
from tests.benchmarks.kafka import stages
from tests.benchmarks.kafka.people import fill_people
from tests.kafka.broker import KafkaBroker
from tests.kafka.fetching import find_programs
from tests.kafka.programs import KafkaMissing, KafkaPrograms, KafkaUnusable

BAR = 0.25
CYCLE_BATCH = 200
PARTITIONS = 32


@frozen
class Round:
    """The same reminders through all three stages."""

    cycle: Run
    relay: Run
    consumer: Run

    def ratio(self, stage: str) -> float:
        measured: Run = getattr(self, stage)
        return measured.rows_per_s / self.cycle.rows_per_s


def main() -> int:
    """Exit codes: 0, also on a machine without Kafka; 1 a bar was missed or rows were lost; 3 else."""
    asked = _arguments()
    progress = Progress(console=Console(stderr=True), transient=True)
    try:
        programs = find_programs()
        with _server() as server, progress:
            task = progress.add_task("filling", total=1 + asked.rounds)
            prepare(server, asked.rows)
            fill_people(make_conninfo(server, dbname=TEMPLATE))
            rounds: list[Round] = []
            for number in range(1, asked.rounds + 1):
                progress.update(task, advance=1, description=f"round {number} of {asked.rounds}")
                rounds.append(_round(server, programs))
    except KafkaMissing as missing:
        print(f"the relay and the consumer are not measured: {missing}", file=sys.stderr)
        return 3 if os.environ.get("CI") == "true" else 0
    except Different as problem:
        print(problem, file=sys.stderr)
        return 1
    except KafkaUnusable as problem:
        print(problem, file=sys.stderr)
        return 3
    if not asked.json:
        _print_table(asked.rows, rounds)
    result = _result(rounds)
    print(json.dumps(result))
    failures = [
        f"{stage}: the ratio {result[f'{stage}_ratio']} is below the bar of {BAR}"
        for stage in ("relay", "consumer")
        if result[f"{stage}_ratio"] < BAR
    ]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.kafka", description=__doc__)
    parser.add_argument("--rows", type=int, default=40_000, help="due reminders (an even number)")
    parser.add_argument("--rounds", type=int, default=3, help="how often all three stages run")
    parser.add_argument("--json", action="store_true", help="the line of JSON alone")
    return parser.parse_args()


@contextmanager
def _server() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="tickler-bench-") as folder:
        home = Path(folder)
        home.chmod(0o711)  # the server's account passes through
        with EmbeddedPostgres(home / "home") as server:
            yield server.conninfo


def _round(server: str, programs: KafkaPrograms) -> Round:
    with (
        copy_of_template(server, "by_cycle") as conninfo,
        tempfile.TemporaryDirectory(prefix="tickler-bench-kafka-") as folder,
        KafkaBroker(Path(folder), programs) as broker,
    ):
        broker.kafka.topic(PARTITIONS, TOPIC)
        dispatched = run_apart(cycle.drain, conninfo, CYCLE_BATCH)
        relayed = run_apart(stages.relay, conninfo, broker.bootstrap)
        consumed = run_apart(stages.consume, conninfo, broker.bootstrap, relayed.rows)
        with psycopg.connect(conninfo) as connection:
            found = connection.execute(
                "select (select count(*) from tickler.outbox), (select count(*) from tickler.inbox)"
            ).fetchone()
    if found != (relayed.rows, consumed.rows):
        raise Different(
            f"outbox and inbox hold {found} rows; {relayed.rows} were published, {consumed.rows} taken in"
        )
    return Round(dispatched, relayed, consumed)


def _result(rounds: list[Round]) -> dict[str, float]:
    return {
        "cycle_rows_per_s": round(median(one.cycle.rows_per_s for one in rounds)),
        "relay_rows_per_s": round(median(one.relay.rows_per_s for one in rounds)),
        "relay_ratio": round(median(one.ratio("relay") for one in rounds), 3),
        "consumer_rows_per_s": round(median(one.consumer.rows_per_s for one in rounds)),
        "consumer_ratio": round(median(one.ratio("consumer") for one in rounds), 3),
    }


def _print_table(rows: int, rounds: list[Round]) -> None:
    table = Table(title=f"{rows:,} due reminders: dispatch cycle, outbox to Kafka, topic to inbox; rows/s")
    for column in ("round", "cycle", "relay", "ratio", "consumer", "ratio"):
        table.add_column(column, justify="right")
    for number, one in enumerate(rounds, 1):
        cells = [str(number), f"{one.cycle.rows_per_s:,.0f}"]
        for stage, run in (("relay", one.relay), ("consumer", one.consumer)):
            cells += [f"{run.rows_per_s:,.0f}", f"{one.ratio(stage):.2f}"]
        table.add_row(*cells)
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
