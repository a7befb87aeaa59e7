"""Where the outbox is published to."""

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from application.ports.outbox import Message


@frozen
class Published:
    """It was acknowledged."""


@frozen
class NotNow:
    """It was not, or nobody knows; it is to be published again."""

    reason: str


@frozen
class Never:
    """It was refused for good."""

    reason: str


Acknowledgement = Published | NotNow | Never


class Publisher(Protocol):
    """Where the outbox is published to."""

    def publish(self, messages: Sequence[Message]) -> Sequence[Acknowledgement]:
        """One answer a message, in their order; returns in bounded time and never raises for a message.

        At least once: what is answered NotNow may have arrived, and is published again.
        """
