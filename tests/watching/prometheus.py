"""A real Prometheus that scrapes processes on this machine, and what it has seen."""

import math
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Self

import httpx
import yaml
from attrs import frozen

from tests.debian.programs import DebianProgram
from tests.kafka.ports import HOST, free_port

READY_SECONDS = 60.0
END_SECONDS = 15.0


@frozen
class Sample:
    """A series' value at the instant that was asked about; NaN where there is nothing to reckon with."""

    labels: Mapping[str, str]
    value: float

    @property
    def is_number(self) -> bool:
        return not math.isnan(self.value)


class Prometheus:
    """Scrapes `targets` ("HOST:PORT") as the job `tickler` each `interval` seconds, and judges `rules`."""

    def __init__(
        self,
        program: DebianProgram,
        folder: Path,
        targets: Sequence[str],
        rules: Mapping[str, str],
        interval: int = 1,
    ) -> None:
        self._program = program
        self._folder = folder
        self.log = folder / "prometheus.log"
        self._port = free_port()
        self._web = httpx.Client(base_url=f"http://{HOST}:{self._port}", timeout=10.0)
        (folder / "rules").mkdir(parents=True)
        for name, text in rules.items():
            (folder / "rules" / name).write_text(text, "utf-8")
        every = f"{interval}s"
        settings = {
            "global": {"scrape_interval": every, "scrape_timeout": every, "evaluation_interval": every},
            "rule_files": [str(folder / "rules" / "*.yml")],
            "scrape_configs": [{"job_name": "tickler", "static_configs": [{"targets": list(targets)}]}],
        }
        (folder / "prometheus.yml").write_text(yaml.safe_dump(settings), "utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    self._program.path,
                    f"--config.file={self._folder / 'prometheus.yml'}",
                    f"--storage.tsdb.path={self._folder / 'data'}",
                    f"--web.listen-address={HOST}:{self._port}",
                ],
                env=self._program.environment(),
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        end = monotonic() + READY_SECONDS
        while not self._is_ready():
            assert self._process.poll() is None, self.log.read_text("utf-8")
            assert monotonic() < end, self.log.read_text("utf-8")
            sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._web.close()

    def targets(self) -> Mapping[str, str]:
        """How each target does: `up`, `down` or `unknown`."""
        found = self._ask("targets")["activeTargets"]
        return {one["labels"]["instance"]: one["health"] for one in found}

    def ask(self, query: str) -> Sequence[Sample]:
        """What a query gives now."""
        found = self._ask("query", query=query)["result"]
        return [Sample(one["metric"], float(one["value"][1])) for one in found]

    def over(self, query: str, seconds: float, step: float) -> Sequence[int]:
        """At how many instants of the last `seconds` each series that the query gives has a number."""
        (now,) = self.ask("vector(time())")
        found = self._ask("query_range", query=query, start=now.value - seconds, end=now.value, step=step)
        return [sum(not math.isnan(float(value)) for _, value in one["values"]) for one in found["result"]]

    def firing(self) -> set[str]:
        """The names of the alerts that fire."""
        found = self._ask("alerts")["alerts"]
        return {one["labels"]["alertname"] for one in found if one["state"] == "firing"}

    def ill_rules(self) -> Mapping[str, str]:
        """The rules that could not be reckoned, and why."""
        found = [rule for group in self._ask("rules")["groups"] for rule in group["rules"]]
        return {rule["name"]: rule["lastError"] for rule in found if rule.get("health") == "err"}

    def _is_ready(self) -> bool:
        try:
            return self._web.get("/-/ready").status_code == 200
        except httpx.TransportError:
            return False

    def _ask(self, what: str, **parameters: str | float) -> Any:
        answer = self._web.get(f"/api/v1/{what}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]
