"""One broker for a whole test run, whichever worker of pytest-xdist asks first."""

import fcntl
import os
import time
from pathlib import Path

from tests.kafka.broker import KafkaBroker, hold_lifeline
from tests.kafka.cluster import Kafka
from tests.kafka.programs import KafkaPrograms, KafkaUnusable

LIFELINE = "kafka.lifeline"
FOLDER = "kafka"
ENDING_SECONDS = 10.0
POLL_SECONDS = 0.02


def hold_run(run: Path) -> int:
    """What the run's first process does before any worker is there; see end_run."""
    return hold_lifeline(run / LIFELINE)


def join_run(run: Path, programs: KafkaPrograms) -> Kafka:
    """The run's broker, started if nobody has yet; KafkaUnusable if it has ended since."""
    folder = run / FOLDER
    folder.mkdir(exist_ok=True)
    told = folder / "bootstrap"
    with (folder / "start.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not told.exists():
            broker = KafkaBroker(folder, programs, lifeline=run / LIFELINE)
            broker.start()
            told.write_text(broker.bootstrap)
        if not _is_alive(folder):
            raise KafkaUnusable(
                "the Kafka broker of this run has ended: a test that ends one asks for own_kafka"
            )
    return Kafka(told.read_text())


def end_run(run: Path, lifeline: int) -> None:
    """Let go of the lifeline, on which the broker is killed, and wait until it is gone."""
    os.close(lifeline)
    deadline = time.monotonic() + ENDING_SECONDS
    while _is_alive(run / FOLDER) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


def _is_alive(folder: Path) -> bool:
    try:
        alive = os.open(folder / "alive", os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(alive)
    return False
