"""Where the outbox is published to."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from attrs import frozen

from application.ports.outbox import Message

LONGEST_PUBLISH = timedelta(seconds=30)
"""A relay's lease on what it publishes is twice as long."""


@frozen
class Published:
    """It was acknowledged: it has arrived for good."""


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
        """One answer a message, in their order, within LONGEST_PUBLISH; never raises for a message.

        At least once: what is answered NotNow may have arrived, and is published again. Messages of one key
        arrive in their order. Of a message the payload is promised to arrive; id, topic, key and headers are
        for those that have a place for them. Reasons are one line, with ids at most and no content.
        """
