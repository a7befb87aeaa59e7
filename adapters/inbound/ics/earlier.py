"""What was read from a calendar before, held against what is read now."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID, uuid5

from attrs import define, evolve, field

from adapters.inbound.ics.asked import Reading, Single
from adapters.inbound.ics.drafts import Wanted
from adapters.inbound.ics.origin import fingerprint, uid_digest
from application.ports.imports import Ended, Imported, Imports
from domain.values import EventId

_AT_ONCE = 500
_LOOK_UP = 5_000


@define
class Earlier:
    """`known` is by source, the id that follows from the file."""

    imports: Imports
    reading: Reading
    known: dict[EventId, Imported]
    _uids: dict[str, UUID] = field(factory=dict)
    _lost: dict[UUID, list[Imported]] = field(factory=dict)
    _news: dict[EventId, Imported] = field(factory=dict)
    _renamed: list[EventId] = field(factory=list)
    _has_overlap: bool = False

    @classmethod
    def of(cls, imports: Imports, reading: Reading) -> "Earlier":
        earlier = cls(imports, reading, dict(imports.of_calendar(reading.origin.key)))
        asked = [earlier._uid(uid) for uid in reading.uids]
        for first in range(0, len(asked), _LOOK_UP):
            earlier.known.update(imports.of_uids(asked[first : first + _LOOK_UP]))
        earlier._lost = earlier._without_their_uid()
        return earlier

    def event_id(self, source: EventId) -> EventId:
        """The event that stands for what the file calls so."""
        found = self.known.get(source)
        return found.event_id if found is not None else source

    def is_older(self, source: EventId, sequence: int | None) -> bool:
        """Whether a later SEQUENCE was taken before; a file that states none says nothing about it."""
        found = self.known.get(source)
        return found is not None and sequence is not None and sequence < found.sequence

    def recognise(self, wanted: Wanted) -> EventId:
        """The event of what is taken: where the UID is new, one that lost its own and is equal otherwise.

        A cancelled event stays so; what an import ended and the calendar has again is another event.
        """
        found = self.known.get(wanted.event_id)
        if found is not None:
            return _again(found.event_id) if _comes_back(found, wanted.sequence) else found.event_id
        lost = self._lost.get(fingerprint(wanted.draft))
        if not lost:
            return wanted.event_id
        former = lost.pop()
        self._has_overlap = True
        self._renamed.append(former.source)
        self.known.pop(former.source, None)
        return former.event_id

    def took(self, wanted: Wanted, event_id: EventId) -> None:
        """Remember it; written some at a time."""
        before = self.known.get(wanted.event_id)
        row = Imported(
            source=wanted.event_id,
            event_id=event_id,
            calendar=self.reading.origin.key,
            uid=self._uid(wanted.raw_uid),
            sequence=max(wanted.sequence or 0, before.sequence if before else 0),
            fingerprint=fingerprint(wanted.draft),
            ended=before.ended if before and before.event_id == event_id else Ended.NOT,
        )
        self.known[wanted.event_id] = row
        if row != before:
            self._keep(row)

    def ended(self, source: EventId, how: Ended, sequence: int | None = None) -> None:
        """Remember that its event was ended by this import."""
        before = self.known.get(source)
        if before is not None:
            self._keep(evolve(before, ended=how, sequence=max(before.sequence, sequence or 0)))

    def _keep(self, row: Imported) -> None:
        self._news[row.source] = row
        if len(self._news) >= _AT_ONCE:
            self.write()

    def write(self) -> None:
        self.imports.keep(list(self._news.values()))
        self.imports.forget(self._renamed)
        self._news.clear()
        self._renamed.clear()

    def missing(self) -> Sequence[Imported]:
        """What came out of this calendar before and was recognised nowhere now."""
        return [one for rows in self._lost.values() for one in rows]

    def left_of_series(self) -> Sequence[tuple[Imported, Single]]:
        """What came of UIDs that were series before and are single events now, beside these."""
        singles = {self._uid(uid): single for uid, single in self.reading.singles.items()}
        reading = self.reading
        alive = {one.event_id for one in (*reading.take, *reading.elsewhere)} | reading.cancelled.keys()
        return [
            (row, singles[row.uid])
            for row in self.known.values()
            if row.uid in singles and row.source not in alive and row.ended is Ended.NOT
        ]

    def has_overlap(self) -> bool:
        """Whether anything of the file was in this calendar before."""
        return self._has_overlap

    def lost_like(self, wanted: Wanted) -> bool:
        """Whether an event that lost its UID is equal to this one."""
        return bool(self._lost and self._lost.get(fingerprint(wanted.draft)))

    def _without_their_uid(self) -> dict[UUID, list[Imported]]:
        """Rows of this calendar whose UID is not in the file, by fingerprint; not for a mere message."""
        lost: dict[UUID, list[Imported]] = defaultdict(list)
        if not self.reading.origin.is_whole:
            return lost
        uids = {self._uid(uid) for uid in self.reading.uids}
        for one in self.known.values():
            if one.calendar != self.reading.origin.key or one.ended is not Ended.NOT:
                continue
            if one.uid in uids:
                self._has_overlap = True
            else:
                lost[one.fingerprint].append(one)
        return lost

    def _uid(self, uid: str) -> UUID:
        found = self._uids.get(uid)
        if found is None:
            found = self._uids[uid] = uid_digest(self.reading.options, uid)
        return found


def _comes_back(found: Imported, sequence: int | None) -> bool:
    if found.ended is Ended.CALLED_OFF:
        return sequence is not None and sequence > found.sequence
    return found.ended is Ended.MISSING


def _again(event_id: EventId) -> EventId:
    return EventId(uuid5(event_id, "again"))
