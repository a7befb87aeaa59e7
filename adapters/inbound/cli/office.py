"""What the commands are handed: use cases and ports, and a way to open and close what is behind them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

import typer
from attrs import frozen

from adapters.inbound.desk import Desk
from adapters.inbound.kafka.consumer import ConsumeStep
from adapters.inbound.touch_loops import TouchLoops
from adapters.inbound.watching.pages import Pages
from adapters.observability.metrics import Metrics
from adapters.settings import Settings
from application.auditing.auditing import Auditing
from application.calendar import Calendar
from application.confirming import Confirming
from application.delivering.senders import Delivering
from application.delivering.skipping import Skipping
from application.dispatching import ReminderDispatchJob
from application.erasing import Erasing
from application.explaining.history import Recalling
from application.explaining.why import Explaining
from application.parking import Parking
from application.ports.channel import Channel
from application.ports.deliveries import Deliveries
from application.ports.facts import DatabaseFacts, LoginFacts
from application.ports.imports import Imports
from application.ports.ledger import Ledger
from application.ports.machine import Clock, Ids
from application.ports.people import AgentPlatform, People
from application.ports.quarantine import Quarantine
from application.ports.templates import Templates
from application.ports.topics import Topics
from application.ports.touches import Touches
from application.pruning import Pruning
from application.rebuilding import Rebuilding
from application.relaying import Relay
from application.retrying import Retrying
from application.rezoning import Rezoning
from application.touching.deferring import Deferring
from application.touching.planning import Planning
from application.verifying import Verifying

if TYPE_CHECKING:
    from adapters.observability.tracing.spans import Spans

Say = Callable[[str], None]


class Unready(Exception):
    """The surroundings fail: one line, with what to do. No password is in it."""


@frozen
class Services:
    """`delivering` has one entry a channel that can send, `skipping` looks after all others; `interrupt` ends
    the store's running statements.

    `consuming` reads the topic where a Kafka cluster is set; else the relay hands over in this process.
    `agents` makes a platform of a URL and a secret (a new one for None), or raises Invalid. `touch_loops`
    loads every handler of touches that is installed, or raises WrongSetting. `pages` are for whoever watches
    the process.
    """

    calendar: Calendar
    ledger: Ledger
    deliveries: Deliveries
    people: People
    imports: Imports
    rezoning: Rezoning
    auditing: Auditing
    rebuilding: Rebuilding
    clock: Clock
    ids: Ids
    dispatch_job: ReminderDispatchJob
    relay: Relay
    parking: Parking
    retrying: Retrying
    confirming: Confirming
    pruning: Pruning
    consuming: ConsumeStep | None
    quarantine: Quarantine
    channels: Sequence[Channel]
    delivering: Sequence[Delivering]
    skipping: Skipping
    verifying: Verifying
    touches: Touches
    deferring: Deferring
    planning: Planning
    erasing: Erasing
    agents: Callable[[str, str | None], AgentPlatform]
    touch_loops: Callable[[], TouchLoops]
    desk: Desk
    metrics: Metrics
    pages: Callable[[], Pages]
    explaining: Explaining
    recalling: Recalling
    spans: "Spans | None"
    interrupt: Callable[[], None]


class Office(Protocol):
    """Where the commands work."""

    @property
    def settings(self) -> Settings:
        """As the environment has them; raises WrongSetting."""

    @property
    def places(self) -> Mapping[str, str]:
        """Where to look: `data`, and `postgresLog` of a server of our own; no password."""

    @property
    def templates(self) -> Templates:
        """The words of messages, which need no store."""

    @property
    def topics(self) -> Topics:
        """The topics of the cluster that is set. Raises Unready where none is."""

    def open(
        self, say: Say, *, migrating: bool = False, json_lines: bool = False
    ) -> AbstractContextManager[Services]:
        """The services, closed again when the block ends.

        A store of our own is brought up to date in any case, any other when `migrating`. With
        `json_lines` the console prints each message as one. Raises Unready.
        """

    def migrate(self, say: Say, roles: str | None = None) -> Sequence[str]:
        """Bring the store up to date; the names of what was applied. Raises Unready.

        With `roles`, a prefix, the store's roles are made too, or set right.
        """

    def facts(self, say: Say, tz_version: str) -> DatabaseFacts:
        """How the database stands, whatever its schema; `tz_version` is our zone data. Raises Unready."""

    def api_login(self) -> LoginFacts | None:
        """As whom requests over the wire are there; None without a login of their own. Raises Unready."""

    def throwaway(self, home: Path, console: TextIO) -> "Office":
        """An office with a store of its own in `home`, a short cadence, and `console` to print on."""


def office(context: typer.Context) -> Office:
    """The office that the program was started with."""
    found: Office = context.obj
    return found
