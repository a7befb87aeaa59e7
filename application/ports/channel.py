"""One way to reach people."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from attrs import field, frozen


@frozen
class OutgoingMessage:
    """A message for one address. `id` is the delivery's, the same at every try: the idempotency key.

    For the console the address is the person's handle, or the user's id where nobody told us of them.
    `data` are ids and times for machines; `subject` and `text` are for people, and `html` says what `text`
    does, for channels that can show it. `secret` is the contact point's, for channels that sign.
    """

    id: UUID
    address: str = field(repr=False)
    template: str
    subject: str = field(repr=False)
    text: str = field(repr=False)
    data: Mapping[str, str | int | None]
    html: str | None = field(default=None, repr=False)
    secret: str | None = field(default=None, repr=False)


@frozen
class Accepted:
    """The channel took it."""

    provider_id: str | None = None


@frozen
class RefusedForGood:
    """The channel will never take it."""

    reason: str


@frozen
class Later:
    """The channel did not take it now; not before `retry_after` from now, where it said so."""

    reason: str
    retry_after: timedelta | None = None


@frozen
class OutcomeUnknown:
    """It may have been taken: the answer was lost."""

    reason: str


Outcome = Accepted | RefusedForGood | Later | OutcomeUnknown


class Channel(Protocol):
    """One way to reach people."""

    @property
    def name(self) -> str:
        """The channel's name, as contact points give it."""

    @property
    def repeats_unknown(self) -> bool:
        """Whether a message of unknown fate is sent again, under the same id (design section 3)."""

    @property
    def timeout(self) -> timedelta:
        """The longest that one `send` takes."""

    def check(self, address: str) -> str:
        """The address in its one spelling; Invalid when it is none for this channel."""

    def secret(self, given: str | None) -> str | None:
        """What messages to a new address are signed with: the given one, or a new one where there is none.

        None for a channel that signs nothing. Invalid for one that will not do, or that nobody would use.
        """

    def send(self, message: OutgoingMessage) -> Outcome:
        """Send one message; raises for nothing that the other side does.

        The reasons in an outcome hold neither address nor text.
        """
