"""What the watching server shows: metrics, whether the loops turn, and whether what they need answers.

No secret, address or name of a machine is on any of them.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from time import monotonic

from attrs import field, frozen
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from adapters.observability.metrics import Metrics
from adapters.observability.pulse import Pulse
from adapters.observability.refreshing import Refreshed

READY_SECONDS = 2.0
# Whoever asks for it several times a second gets the last answer.
ASKED_EVERY_SECONDS = 1.0
JSON = "application/json"
VERSION = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}\s*", re.ASCII)


@frozen
class Page:
    """`body` as bytes of `kind`, a media type."""

    status: int
    kind: str
    body: bytes = field(repr=False)


@frozen
class Pages:
    """`pulses` are those of the loops of this process, by name; `needed` raise, or take longer than two
    seconds, when what they are named after does not answer.
    """

    registry: CollectorRegistry
    pulses: Mapping[str, Pulse]
    needed: Mapping[str, Callable[[], object]]
    _asked: Mapping[str, Refreshed[bool]] = field(init=False)

    @_asked.default
    def _new_asked(self) -> Mapping[str, Refreshed[bool]]:
        return {name: Refreshed(_answering(ask), ASKED_EVERY_SECONDS) for name, ask in self.needed.items()}

    @classmethod
    def of(
        cls,
        metrics: Metrics,
        collectors: Iterable[Collector],
        *needed: Mapping[str, Callable[[], object]],
    ) -> "Pages":
        """Of a process's metrics, and of what the collectors read when somebody looks."""
        for collector in collectors:
            metrics.registry.register(collector)
        return cls(
            metrics.registry, metrics.pulses, {name: ask for some in needed for name, ask in some.items()}
        )

    def page(self, path: str, accept: str) -> Page | None:
        """The page at a path; None where there is none."""
        match path:
            case "/metrics":
                return self.metrics(accept)
            case "/health/live":
                return self.live()
            case "/health/ready":
                return self.ready()
        return None

    def metrics(self, accept: str) -> Page:
        """In the format that is asked for in an Accept header, or else as Prometheus's text."""
        encode, kind = choose_encoder(_understood(accept))
        return Page(200, kind, encode(self.registry))

    def live(self) -> Page:
        """503 when a loop has been silent for longer than its work and its rest can take."""
        loops = {
            name: {"turns": not pulse.is_overdue, "silentForSeconds": round(pulse.silence, 1)}
            for name, pulse in sorted(self.pulses.items())
        }
        is_live = all(loop["turns"] for loop in loops.values())
        return _said(is_live, {"live": is_live, "loops": loops})

    def ready(self) -> Page:
        """503 when something that is needed does not answer within two seconds."""
        end = monotonic() + READY_SECONDS
        for asked in self._asked.values():
            # It is asked in a thread of its own, beside the others.
            asked.get(0)
        answers = {
            name: asked.get(max(0.0, end - monotonic())) is True for name, asked in self._asked.items()
        }
        said = {name: "answers" if is_there else "no answer" for name, is_there in answers.items()}
        is_ready = all(answers.values())
        return _said(is_ready, {"ready": is_ready, **said})


def _understood(accept: str) -> str:
    """What is asked for without the formats of a version that is no number, and its numbers unquoted."""
    plain = re.sub(r"\s*=\s*", "=", accept.replace('"', ""))
    return ",".join(
        one for one in plain.split(",") if all(map(VERSION.fullmatch, re.findall(r"\bversion=([^;]*)", one)))
    )


def _answering(ask: Callable[[], object]) -> Callable[[], bool]:
    def answered() -> bool:
        ask()
        return True

    return answered


def _said(is_good: bool, what: Mapping[str, object]) -> Page:
    return Page(200 if is_good else 503, JSON, json.dumps(what).encode() + b"\n")
