"""What was read from calendars, in memory."""

from collections.abc import Collection, Mapping
from uuid import UUID

from attrs import frozen

from adapters.outbound.memory.store import MemoryStore
from application.ports.imports import Imported
from domain.values import EventId


@frozen
class MemoryImports:
    store: MemoryStore

    def of_calendar(self, calendar: UUID) -> Mapping[EventId, Imported]:
        with self.store.changed:
            return {source: one for source, one in self.store.imports.items() if one.calendar == calendar}

    def of_uids(self, uids: Collection[UUID]) -> Mapping[EventId, Imported]:
        wanted = set(uids)
        with self.store.changed:
            return {source: one for source, one in self.store.imports.items() if one.uid in wanted}

    def of_sources(self, sources: Collection[EventId]) -> Mapping[EventId, Imported]:
        with self.store.changed:
            imports = self.store.imports
            return {source: imports[source] for source in sources if source in imports}
