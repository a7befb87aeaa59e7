"""What was read from calendars, in PostgreSQL."""

from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from attrs import astuple, frozen

from adapters.outbound.postgres import binary
from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from application.ports.imports import Ended, Imported
from domain.values import EventId

SELECT = "select source, event_id, calendar, uid, sequence, fingerprint, ended from tickler.imports"
OF_CALENDAR = SELECT + " where calendar = %s"
OF_UIDS = SELECT + " where uid = any(%b::uuid[])"
# In the order of their keys, so that two who keep the same ones do not wait for each other in a circle.
KEEP = (
    "insert into tickler.imports (source, event_id, calendar, uid, sequence, fingerprint, ended)"
    " values (%s, %s, %s, %s, %s, %s, %s) on conflict (source) do update set event_id = excluded.event_id,"
    " calendar = excluded.calendar, uid = excluded.uid, sequence = excluded.sequence,"
    " fingerprint = excluded.fingerprint, ended = excluded.ended"
)
FORGET = "delete from tickler.imports where source = any(%b::uuid[])"


@frozen
class PostgresImports:
    database: Database

    def of_calendar(self, calendar: UUID) -> Mapping[EventId, Imported]:
        with self.database.transaction() as session:
            return _by_source(session.rows(OF_CALENDAR, (calendar,)))

    def of_uids(self, uids: Collection[UUID]) -> Mapping[EventId, Imported]:
        ids = binary.uuids([one.bytes for one in uids])
        with self.database.transaction() as session:
            return _by_source(session.rows(OF_UIDS, (ids,)))

    def keep(self, imported: Collection[Imported]) -> None:
        if not imported:
            return
        rows = [(*astuple(one)[:-1], one.ended.value) for one in sorted(imported, key=lambda one: one.source)]
        with self.database.transaction() as session:
            session.change_each(KEEP, rows)

    def forget(self, sources: Collection[EventId]) -> None:
        if not sources:
            return
        with self.database.transaction() as session:
            session.change(FORGET, (binary.uuids([one.bytes for one in sources]),))


def _by_source(rows: Iterable[Row]) -> Mapping[EventId, Imported]:
    return {
        source: Imported(source, event_id, calendar, uid, sequence, fingerprint, Ended(ended))
        for source, event_id, calendar, uid, sequence, fingerprint, ended in rows
    }
