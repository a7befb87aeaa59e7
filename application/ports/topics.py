"""The topics of a cluster, from an operator's side."""

from datetime import timedelta
from typing import Protocol

from attrs import frozen


class ClusterFailed(Exception):
    """The cluster cannot be reached, or refused: one line, without any password."""


@frozen
class Settings:
    """What a topic is set to; None for a `retention` or `retention_bytes` that drops nothing.

    `max_message_bytes` bounds a batch of records as it is written, so also one record alone.
    """

    retention: timedelta | None
    retention_bytes: int | None
    min_in_sync: int
    is_compacted: bool
    max_message_bytes: int


@frozen
class Rights:
    """What we may do; None where the cluster does not tell."""

    read: bool | None = None
    write: bool | None = None
    group: bool | None = None


@frozen
class TopicState:
    """How a topic stands; of its partitions the worst counts.

    `brokers` are those that the cluster knows, `leaderless` the partitions that nobody can use now;
    `settings` is None where we may not see them.
    """

    brokers: int
    partitions: int
    replication: int
    in_sync: int
    leaderless: int
    settings: Settings | None
    rights: Rights


@frozen
class NewTopic:
    """`replication` copies of each partition; None for as many as there are brokers, up to 3."""

    name: str
    partitions: int
    replication: int | None
    retention: timedelta


class Topics(Protocol):
    """The topics of a cluster; every question is answered within 15 s."""

    def look(self, topic: str, group: str) -> TopicState | None:
        """How it stands for us, who read it as `group`; None where it is missing. Raises ClusterFailed."""

    def create(self, topic: NewTopic) -> int:
        """Make it; how many copies its partitions have. Raises AlreadyThere and ClusterFailed.

        A write is acknowledged by two copies where there are three or more, else by one.
        """
