"""The work of a deferred touch: what a handler gets, and what it may say."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from attrs import field, frozen

from domain.values import Origin, TenantId, TouchId


class Signal(Protocol):
    """Something that may come true while the work is under way."""

    def is_set(self) -> bool:
        """Whether it has."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait up to so many seconds for it; whether it has."""


class WorkFailed(Exception):
    """The attempt went wrong, and this is why: one line without content, since operators read it."""


@frozen
class Work:
    """A touch in a worker's hands.

    `attempt` counts from 1. `round`, from 1, is one more each time that Again put it off. `key` is the same
    at every attempt of a round and another in each round: use it as the idempotency key of what the work
    does elsewhere, since a worker that was fenced may have done that already. `depth` is how many
    touches have put off one another up to this one. `deadline` is an instant after which the attempt counts
    as failed. `lost` comes true before the claim's lease ends without having been lengthened: end at once
    then, nothing that is said will count. `stopping` comes true when the process is to end: what is said
    soon still counts.
    """

    touch_id: TouchId
    tenant_id: TenantId
    kind: str
    origin: Origin
    text: str | None = field(repr=False)
    due_at: datetime
    attempt: int
    depth: int
    deadline: datetime
    lost: Signal = field(repr=False)
    stopping: Signal = field(repr=False)
    round: int = 1

    @property
    def key(self) -> str:
        """The touch's id; from the second round on with the round behind it, as `<id>:2`."""
        return str(self.touch_id) if self.round == 1 else f"{self.touch_id}:{self.round}"


@frozen
class Say:
    """The answer, as text for the one who asked."""

    text: str = field(repr=False)


@frozen
class Again:
    """Not yet: call again at this instant."""

    at: datetime


@frozen
class NothingToSay:
    """It is done, and there is nothing to say."""


Outcome = Say | Again | NothingToSay


class TouchHandler(Protocol):
    """Work of one kind. Found by the entry point group `tickler.touch_handlers`, its name being the kind."""

    def __call__(self, work: Work) -> Outcome:
        """Do the work within the deadline and say what came of it; what is raised is a failed attempt.

        Of a WorkFailed the words are kept, of anything else only its class.
        """


Handlers = Mapping[str, TouchHandler]
