"""The quarantine in PostgreSQL."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from adapters.outbound.postgres.connection import Row
from adapters.outbound.postgres.database import Database
from application.ports.quarantine import Quarantined

KEEP = (
    'insert into tickler.quarantine (topic, partition, "offset", fingerprint, key, value, header_names,'
    " header_values, reason, at) values (%s, %s, %s, %s, %s, %s, %s, %b::bytea[], %s, %s)"
    " on conflict do nothing"
)
LATEST = (
    'select topic, partition, "offset", key, value, header_names, header_values, reason, at'
    ' from tickler.quarantine order by at desc, topic desc, partition desc, "offset" desc limit %s'
)
COUNT = "select count(*) from tickler.quarantine"


@frozen
class PostgresQuarantine:
    database: Database

    def keep(self, records: Sequence[Quarantined]) -> int:
        if not records:
            return 0
        in_order = sorted(records, key=lambda one: (one.topic, one.partition, one.offset))  # no deadlocks
        with self.database.transaction() as session:
            return session.change_each(KEEP, [_values(one) for one in in_order])

    def latest(self, limit: int) -> Sequence[Quarantined]:
        with self.database.transaction() as session:
            return [_read(row) for row in session.rows(LATEST, (limit,))]

    def count(self) -> int:
        with self.database.transaction() as session:
            found = session.row(COUNT)
        assert found is not None
        return int(found[0])


def _values(one: Quarantined) -> Sequence[Any]:
    return (
        one.topic,
        one.partition,
        one.offset,
        _fingerprint(one),
        one.key,
        one.value,
        [name for name, _ in one.headers],
        [value for _, value in one.headers],
        one.reason,
        one.at,
    )


def _fingerprint(one: Quarantined) -> bytes:
    """Of the record's bytes; what is absent differs from what is empty."""
    digest = hashlib.sha256()
    for part in _parts(one):
        digest.update(b"-" if part is None else b"%d:%b" % (len(part), part))
    return digest.digest()


def _parts(one: Quarantined) -> Iterator[bytes | None]:
    yield one.key
    yield one.value
    for name, value in one.headers:
        yield name.encode()
        yield value


def _read(row: Row) -> Quarantined:
    topic, partition, offset, key, value, names, values, reason, at = row
    return Quarantined(
        topic, partition, offset, key, value, tuple(zip(names, values, strict=True)), reason, at
    )
