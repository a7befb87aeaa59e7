"""By which zone data events were reckoned, in PostgreSQL."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from uuid import UUID

from attrs import frozen

from adapters.codec import Malformed
from adapters.outbound.postgres import binary
from adapters.outbound.postgres.database import Database
from adapters.outbound.postgres.rows import SELECT_EVENT, SELECT_REMINDER, read_event, read_reminder
from application.ports.reckonings import Reckoned
from domain.reminder import Reminder
from domain.values import EventId

# Two ranges, and not <>: an index gives ranges.
COUNT = (
    "select count(*) from tickler.calendar_events"
    " where status in ('Planned', 'InProgress') and (tz_version < %s or tz_version > %s)"
)
OTHERWISE = (
    SELECT_EVENT + " where status in ('Planned', 'InProgress') and tz_version <> %s and id > %s"
    " order by id limit %s"
)
PENDING = SELECT_REMINDER + " where event_id = any(%b::uuid[]) and status = 'Pending' order by id"
CONFIRM = "update tickler.calendar_events set tz_version = %s where id = any(%b::uuid[])"
BEFORE_ALL = UUID(int=0)


@frozen
class PostgresReckonings:
    database: Database

    def count_otherwise(self, tz_version: str) -> int:
        with self.database.transaction() as session:
            found = session.row(COUNT, (tz_version, tz_version))
        assert found is not None
        return int(found[0])

    def otherwise(self, tz_version: str, after: EventId | None, limit: int) -> Sequence[Reckoned]:
        events = []
        pending: dict[EventId, list[Reminder]] = defaultdict(list)
        with self.database.transaction() as session:
            for row in session.rows(OTHERWISE, (tz_version, after or BEFORE_ALL, limit)):
                with suppress(Malformed):
                    events.append(read_event(row).state)
            ids = binary.uuids([event.id.bytes for event in events])
            for row in session.rows(PENDING, (ids,)):
                with suppress(Malformed):
                    reminder = read_reminder(row).state
                    pending[reminder.event_id].append(reminder)
        return [Reckoned(event, pending[event.id]) for event in events]

    def confirm(self, event_ids: Collection[EventId], tz_version: str) -> None:
        ids = binary.uuids([one.bytes for one in event_ids])
        with self.database.transaction() as session:
            session.change(CONFIRM, (tz_version, ids))
