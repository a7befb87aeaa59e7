"""What was read from calendars, in PostgreSQL."""

from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from attrs import astuple, frozen

from adapters.outbound.postgres import binary
from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.session import Session
from application.ports.errors import Conflict
from application.ports.imports import Ended, Imported, Revision
from domain.values import EventId

SELECT = "select source, event_id, calendar, uid, sequence, fingerprint, ended from tickler.imports"
OF_CALENDAR = SELECT + " where calendar = %s"
OF_UIDS = SELECT + " where uid = any(%b::uuid[])"
OF_SOURCES = SELECT + " where source = any(%b::uuid[])"
# In the order of their keys, so that two who revise the same ones do not wait for each other in a circle.
FOR_UPDATE = OF_SOURCES + " order by source for update"
FORGET = "delete from tickler.imports where source = any(%b::uuid[])"
REPLACE = (
    "update tickler.imports set event_id = %s, calendar = %s, uid = %s, sequence = %s, fingerprint = %s,"
    " ended = %s where source = %s"
)
ADD = (
    "insert into tickler.imports (event_id, calendar, uid, sequence, fingerprint, ended, source)"
    " values (%s, %s, %s, %s, %s, %s, %s) on conflict do nothing"
)


@frozen
class PostgresImports:
    database: Database

    def of_calendar(self, calendar: UUID) -> Mapping[EventId, Imported]:
        with self.database.transaction() as session:
            return _by_source(session.rows(OF_CALENDAR, (calendar,)))

    def of_uids(self, uids: Collection[UUID]) -> Mapping[EventId, Imported]:
        with self.database.transaction() as session:
            return _by_source(session.rows(OF_UIDS, (_uuids(uids),)))

    def of_sources(self, sources: Collection[EventId]) -> Mapping[EventId, Imported]:
        with self.database.transaction() as session:
            return _by_source(session.rows(OF_SOURCES, (_uuids(sources),)))


def revise(session: Session, revisions: Collection[Revision]) -> None:
    """As the ledger's port says."""
    if not revisions:
        return
    found = _by_source(session.rows(FOR_UPDATE, (_uuids([one.source for one in revisions]),)))
    for one in revisions:
        if found.get(one.source) != one.before:
            raise _read_meanwhile(one.source)
    gone = [one.source for one in revisions if one.after is None and one.before is not None]
    if gone:
        session.change(FORGET, (_uuids(gone),))
    for one in sorted(revisions, key=lambda one: one.source):
        if one.after is not None and one.after != one.before:
            statement = ADD if one.before is None else REPLACE
            if session.change(statement, (*astuple(one.after)[1:-1], one.after.ended.value, one.source)) != 1:
                raise _read_meanwhile(one.source)


def _read_meanwhile(source: EventId) -> Conflict:
    return Conflict(f"{source} was read by another import meanwhile")


def _uuids(ids: Collection[UUID]) -> binary.Array:
    return binary.uuids([one.bytes for one in ids])


def _by_source(rows: Iterable[Row]) -> Mapping[EventId, Imported]:
    return {
        source: Imported(source, event_id, calendar, uid, sequence, fingerprint, Ended(ended))
        for source, event_id, calendar, uid, sequence, fingerprint, ended in rows
    }
