"""Processes of `tickler run` that are watched, and commands beside them, on one database."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Self

import httpx
from attrs import define, field

from tests.kafka.ports import HOST, free_port

READY_SECONDS = 90.0
COMMAND_SECONDS = 90.0
END_SECONDS = 10.0


@define
class Watched:
    """`tickler run` with a watching port of its own."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path
    port: int = field(factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def target(self) -> str:
        return f"{HOST}:{self.port}"

    def page(self, path: str) -> httpx.Response:
        return httpx.get(f"http://{self.target}{path}", timeout=10.0)

    def start(self) -> Self:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "adapters", "run", *self.arguments],
                env={**self.environment, "TICKLER_WATCH_PORT": str(self.port), "TICKLER_WATCH_HOST": HOST},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        end = monotonic() + READY_SECONDS
        while not self._answers():
            assert self.process.poll() is None, self.log.read_text("utf-8")[-4000:]
            assert monotonic() < end, self.log.read_text("utf-8")[-4000:]
            sleep(0.05)
        return self

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(END_SECONDS)

    def _answers(self) -> bool:
        try:
            return self.page("/health/live").status_code == 200
        except httpx.TransportError:
            return False


@define
class Tickler:
    """All processes of one installation; `environment` is theirs and that of the commands."""

    environment: dict[str, str]
    folder: Path
    processes: list[Watched] = field(factory=list)

    @classmethod
    def at(cls, conninfo: str, folder: Path, **settings: str) -> Self:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TICKLER_")}
        own = {f"TICKLER_{name.upper()}": value for name, value in settings.items()}
        path = os.pathsep.join(filter(None, sys.path))
        return cls({**kept, "TICKLER_DATABASE_URL": conninfo, "PYTHONPATH": path, **own}, folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.processes:
            one.kill()

    def run(self, *arguments: str) -> Watched:
        """`tickler run`, once it can be watched."""
        log = self.folder / f"tickler-{len(self.processes)}.log"
        self.processes.append(Watched(arguments, self.environment, log))
        return self.processes[-1].start()

    def command(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "adapters", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
