"""The quarantine in memory."""

from collections.abc import Sequence
from datetime import datetime

from attrs import astuple, frozen

from adapters.outbound.memory.store import MemoryStore
from application.ports.quarantine import Quarantined


@frozen
class MemoryQuarantine:
    store: MemoryStore

    def keep(self, records: Sequence[Quarantined]) -> int:
        with self.store.changed:
            before = len(self.store.quarantine)
            for one in records:
                self.store.quarantine.setdefault(_identity(one), one)
            return len(self.store.quarantine) - before

    def latest(self, limit: int) -> Sequence[Quarantined]:
        with self.store.changed:
            return sorted(self.store.quarantine.values(), key=_age, reverse=True)[:limit]

    def count(self) -> int:
        with self.store.changed:
            return len(self.store.quarantine)


def _identity(one: Quarantined) -> tuple[object, ...]:
    *identity, _, _ = astuple(one, recurse=False)
    return tuple(identity)


def _age(one: Quarantined) -> tuple[datetime, str, int, int]:
    return one.at, one.topic, one.partition, one.offset
