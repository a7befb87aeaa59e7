"""What is wrong with the topic on its cluster, as far as the cluster tells.

Source: `study/reliability.md` 5.5; design section 6.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from enum import StrEnum

from attrs import frozen

from application.ports.topics import Rights, Settings, TopicState

SHORTEST_RETENTION = timedelta(days=1)
LARGEST_MESSAGE = 64 * 1024
"""In bytes: a message up to this is taken in by the consumer, so the topic must take it too."""
COPIES = 3


class Level(StrEnum):
    """An error breaks a promise; a warning is a risk that some take knowingly."""

    ERROR = "error"
    WARNING = "warning"


@frozen
class Finding:
    """`about` is one word, for machines."""

    level: Level
    about: str
    text: str


def findings(state: TopicState | None, inbox: timedelta) -> Sequence[Finding]:
    """Errors first; nothing for a topic that keeps all promises.

    `inbox` is how long a reminder is known to be taken in: what is replayed later would be delivered again.
    """
    if state is None:
        return [_error("topic", "it is not there; `tickler kafka create-topic` makes it")]
    found = [
        *_of_partitions(state),
        *_of_copies(state),
        *_of_settings(state, inbox),
        *_of_rights(state.rights),
    ]
    return sorted(found, key=lambda one: one.level is not Level.ERROR)


def _of_partitions(state: TopicState) -> Iterator[Finding]:
    if state.leaderless:
        yield _error("partitions", f"{state.leaderless} of {state.partitions} have no leader now")
    if state.partitions == 1:
        yield _warning("partitions", "there is one, so one consumer at a time reads it")


def _of_copies(state: TopicState) -> Iterator[Finding]:
    if state.replication < COPIES:
        yield _warning("replication", f"{_copies(state.replication)} of each record; {COPIES} are usual")
    if state.in_sync < state.replication and not state.leaderless:
        yield _warning("replication", f"{state.in_sync} of {state.replication} copies are in sync somewhere")


def _of_settings(state: TopicState, inbox: timedelta) -> Iterator[Finding]:
    settings = state.settings
    if settings is None:
        yield _warning("settings", "we may not see them: retention and min.insync.replicas are unchecked")
        return
    yield from _of_acknowledgement(state, settings)
    yield from _of_retention(settings, inbox)
    if settings.max_message_bytes < LARGEST_MESSAGE:
        yield _error(
            "max.message.bytes",
            f"it is {settings.max_message_bytes}, a message may have {LARGEST_MESSAGE}: some are refused",
        )


def _of_acknowledgement(state: TopicState, settings: Settings) -> Iterator[Finding]:
    least = settings.min_in_sync
    if least > state.replication:
        yield _error(
            "min.insync.replicas", f"it is {least}, with {_copies(state.replication)}: nothing can be written"
        )
    elif state.in_sync < least and not state.leaderless:
        yield _error("min.insync.replicas", f"it is {least}, with {state.in_sync} in sync: no write passes")
    elif least == state.replication > 1:
        yield _warning("min.insync.replicas", f"it is all {least}: no write passes with one broker away")
    elif least == 1 and state.replication > 1:
        yield _warning("min.insync.replicas", "it is 1: what was acknowledged may be lost with one broker")


def _of_retention(settings: Settings, inbox: timedelta) -> Iterator[Finding]:
    if settings.is_compacted:
        yield _error("cleanup.policy", "it compacts: of an event's reminders only the last would be kept")
    if settings.retention is None or settings.retention >= inbox:
        kept = "for ever" if settings.retention is None else _days(settings.retention)
        yield _error(
            "retention.ms",
            f"records are kept {kept}, and the inbox knows them for {_days(inbox)}:"
            " a replay would deliver again",
        )
    elif settings.retention < SHORTEST_RETENTION:
        yield _warning(
            "retention.ms",
            f"records are kept {_days(settings.retention)}: consumers that are away for longer miss some",
        )
    if settings.retention_bytes is not None:
        yield _warning("retention.bytes", "it drops records before their time when there are many")


def _of_rights(rights: Rights) -> Iterator[Finding]:
    told = {"read the topic": rights.read, "write to it": rights.write, "read as the group": rights.group}
    for what, allowed in told.items():
        if allowed is False:
            yield _error("rights", f"we may not {what}")


def _error(about: str, text: str) -> Finding:
    return Finding(Level.ERROR, about, text)


def _warning(about: str, text: str) -> Finding:
    return Finding(Level.WARNING, about, text)


def _copies(count: int) -> str:
    return "1 copy" if count == 1 else f"{count} copies"


def _days(time: timedelta) -> str:
    days = round(time / timedelta(days=1), 2)
    return f"{days:g} day" if days == 1 else f"{days:g} days"
