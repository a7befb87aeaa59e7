"""Which reminders an event ever had by their history, with a row or without."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from adapters.outbound.postgres import binary
from adapters.outbound.postgres.session import Session
from domain.values import EventId

COMMITS = "select distinct correlation_id from tickler.domain_events where stream_id = %s"
# By the key of the history and not by reading it whole: `offset 0` lets each range be gone through apart.
SCHEDULED = (
    "select distinct e.stream_id from unnest(%b::uuid[], %b::uuid[], %b::uuid[]) as b (id, first, last)"
    " cross join lateral (select stream_id, correlation_id, type, data from tickler.domain_events"
    "  where stream_id between b.first and b.last offset 0) e"
    " where e.correlation_id = b.id and e.type = 'reminder.scheduled.v1' and e.data ->> 'eventId' = %s"
    " order by e.stream_id"
)
# A reminder's id is given after its commit's and before that ends, and both tell when, to the millisecond.
COMMIT_LASTS = 60_000


def scheduled(session: Session, event_id: EventId) -> Sequence[Any]:
    """What SCHEDULED asks with, of this event."""
    ids = [row[0] for row in session.rows(COMMITS, (event_id,))]
    given = [binary.uuids([id_.bytes for id_ in some]) for some in (ids, *_given_within(ids))]
    return (*given, str(event_id))


def _given_within(commits: Sequence[UUID]) -> tuple[list[UUID], list[UUID]]:
    """The first and the last id that may have been given in each of these commits."""
    began = [id_.int >> 80 for id_ in commits]
    first = [UUID(int=at << 80) for at in began]
    last = [UUID(int=(min(at + COMMIT_LASTS, (1 << 48) - 1) << 80) + (1 << 80) - 1) for at in began]
    return first, last
