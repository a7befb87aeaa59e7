"""A real Apache Kafka of our own: one broker and its own controller, with a folder and ports of its own."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from confluent_kafka import KafkaException

from tests.kafka.cluster import Kafka
from tests.kafka.ports import HOST, free_port, is_free, is_open
from tests.kafka.programs import KafkaPrograms, KafkaUnusable, guarded, settings, spell

KEEPER = Path(__file__).with_name("keeper.py")
POLL_SECONDS = 0.05
PORTS_TRIED = 5


def hold_lifeline(path: Path) -> int:
    """Lock a file whose keepers' servers live no longer than this process, or than the descriptor is open."""
    lifeline = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lifeline, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return lifeline


class KafkaBroker:
    """`folder` holds the data and the log and is not removed; `options` are Kafka's own, over ours.

    `accounts` are names and passwords of those that may log in, of whom the first may do all (see guarded).

    The broker dies with this process, however that ends, and does not need it else: any thread may call, one
    at a time. With a `lifeline` it lives as long as that is held, whoever started it (see hold_lifeline).
    """

    def __init__(
        self,
        folder: Path,
        programs: KafkaPrograms,
        *,
        port: int | None = None,
        options: Mapping[str, str] | None = None,
        accounts: Mapping[str, str] | None = None,
        lifeline: Path | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._programs = programs
        self._chosen = port
        self._accounts = accounts or {}
        self._options = (guarded(self._accounts) if accounts else {}) | dict(options or {})
        self._lifeline = lifeline or folder / "lifeline"
        self._held = None if lifeline else hold_lifeline(self._lifeline)
        self._port = self._controller_port = 0
        self._keeper: subprocess.Popen[str] | None = None
        self._pid = 0
        self._log_began = 0

    @property
    def kafka(self) -> Kafka:
        """How the first account sees it, where there are any."""
        return Kafka(self.bootstrap, next(iter(self._accounts.items()), None))

    @property
    def bootstrap(self) -> str:
        """The same from the first start on."""
        return f"{HOST}:{self._port}"

    @property
    def log(self) -> Path:
        return self._folder / "kafka.log"

    @property
    def running(self) -> bool:
        """Whether its process lives, suspended or not."""
        return self._keeper is not None and self._keeper.poll() is None

    @property
    def pid(self) -> int:
        """The process id of Java, of the last start."""
        return self._pid

    def start(self, timeout: float = 120.0) -> None:
        """Start it, with its earlier data and ports if it has any; it answers clients, or KafkaUnusable."""
        if self.running:
            raise KafkaUnusable(f"the broker {self.bootstrap} is running already")
        deadline = time.monotonic() + timeout
        for _ in range(PORTS_TRIED):
            again = self._port != 0
            self._prepare()
            self._launch()
            try:
                self._wait_ready(deadline)
                return
            except KafkaUnusable:
                self.kill()
                # Somebody may have taken the port between our look and Kafka's.
                if again or self._chosen or (is_free(self._port) and is_free(self._controller_port)):
                    raise
                self._port = 0
        raise KafkaUnusable(f"no port is free for the broker in {self._folder}")

    def stop(self, timeout: float = 30.0) -> None:
        """End it as an operator does, and by force where it has not ended in time."""
        self.resume()
        self._send(signal.SIGTERM)
        if not self._ends(timeout):
            self.kill()

    def kill(self) -> None:
        """End it as a power cut does to one process: kill -9."""
        self._send(signal.SIGKILL)
        self._ends(timeout=10.0)

    def suspend(self) -> None:
        """Freeze it, its connections open: SIGSTOP."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        self._send(signal.SIGCONT)

    def close(self) -> None:
        """Kill it for good."""
        self.kill()
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self) -> None:
        data = self._folder / "data"
        if not data.exists():
            copied = shutil.copytree(self._programs.formatted, self._folder / "data.new")
            copied.rename(data)
        if self._port == 0:
            self._port, self._controller_port = self._chosen or free_port(), free_port()
        if not is_free(self._port):
            raise KafkaUnusable(f"port {self._port} of {HOST} is another program's")
        ours = settings(data, self._port, self._controller_port)
        (self._folder / "server.properties").write_text(spell({**ours, **self._options}))

    def _launch(self) -> None:
        server = self._programs.command("kafka.Kafka", self._folder / "server.properties")
        kept = [sys.executable, "-I", "-S", KEEPER, self._lifeline, self._folder / "alive", *server]
        with self.log.open("ab") as log:
            self._log_began = log.tell()
            # A session of its own: the terminal's Ctrl-C is for us.
            self._keeper = subprocess.Popen(
                kept,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
                cwd=self._folder,
            )
        assert self._keeper.stdout
        with self._keeper.stdout as said:
            self._pid = int(said.readline() or 0)

    def _wait_ready(self, deadline: float) -> None:
        self._wait(lambda: is_open(self._port), deadline)
        admin = self.kafka.admin()

        def answers() -> bool:
            try:
                return bool(admin.list_topics(timeout=1.0).brokers)
            except KafkaException:
                return False

        self._wait(answers, deadline)

    def _wait(self, ready: Callable[[], bool], deadline: float) -> None:
        while not ready():
            if not self.running:
                raise KafkaUnusable(f"Kafka did not start: {self._last_words()} (see {self.log})")
            if time.monotonic() > deadline:
                raise KafkaUnusable(f"Kafka was not ready in time (see {self.log})")
            time.sleep(POLL_SECONDS)

    def _last_words(self) -> str:
        said = self.log.read_bytes()[self._log_began :].decode(errors="replace")
        lines = [line for line in said.splitlines() if line.strip()]
        worst = max(
            (at for at, line in enumerate(lines) if " ERROR " in line or " FATAL " in line), default=-1
        )
        # What was thrown is on the line below.
        return " ".join(lines[worst:][:2] if worst >= 0 else lines[-1:]).strip() or "it said nothing"

    def _send(self, number: signal.Signals) -> None:
        if self.running and self._pid:
            os.kill(self._pid, number)

    def _ends(self, timeout: float) -> bool:
        if self._keeper is None:
            return True
        try:
            self._keeper.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True
